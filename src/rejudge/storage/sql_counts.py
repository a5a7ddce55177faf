"""The numbers of a run's summary, computed by the database."""

from __future__ import annotations

from array import array
from itertools import repeat
from math import fsum
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, exists, func, or_, select

from rejudge.domain.case import ExecutionStatus
from rejudge.domain.score import ScoreStatus
from rejudge.storage.cells import text_of
from rejudge.storage.codes import EXECUTION, SCORING
from rejudge.storage.records import CaseCounts, LabelCount, RunCounts, ScoreCounts, ValueMoments
from rejudge.storage.schema import cases, score_hits, score_values, scorers, scores, traces

