"""What a result object reads from SQL, page by page."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import and_, case, func, select

from rejudge.domain.case import ExecutionStatus, HitRecord
from rejudge.domain.errors import NotFound
from rejudge.domain.ids import id_of
from rejudge.domain.item import Item
from rejudge.domain.payload import decode
from rejudge.domain.scale import Outcome
from rejudge.domain.score import ScoreStatus
from rejudge.storage.bulk import Listed
from rejudge.storage.case_rows import case_of
from rejudge.storage.cells import cell, text_of
from rejudge.storage.codes import EXECUTION, OUTCOME, SCORING
from rejudge.storage.current_scores import RUN, in_run, last_attempt_in_run
from rejudge.storage.memory_lookup import missing
from rejudge.storage.payloads import load_payloads
from rejudge.storage.records import CaseOrder, CaseRow, EvaluationMade
from rejudge.storage.run_rows import run_of, run_row
from rejudge.storage.schema import cases, items, runs, score_hits, score_values, scorers, scores, traces
from rejudge.storage.score_rows import score_columns, scores_of
from rejudge.storage.sql_counts import run_counts
from rejudge.storage.trace_rows import load_traces
