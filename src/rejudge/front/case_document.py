"""One case as JSON-like data: what went in, what came out, and every score with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import to_builtins

from rejudge.front.cases import verdict_of
from rejudge.front.overview import when

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rejudge.domain.run_config import RunConfig
    from rejudge.domain.score import Score
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.domain.trace import Trace
    from rejudge.front.result import RunResult
    from rejudge.storage.records import CaseRow


def case_dict(row: CaseRow, run: RunResult, scorers: Mapping[bytes, ScorerConfig]) -> dict[str, object]:
    """The case with its item, trace and scores; `trace` is null where nothing was generated."""
    case = row.case
    return {
        "run": run.id,
        "task": run.task,
        "item": {"id": row.item.id, "fields": row.item.fields},
        "trial": case.trial,
        "came_to": verdict_of(row),
        "status": case.execution_status.value,
        "error": to_builtins(case.execution_error),
        "reason": case.reason,
        "reused": case.reused,
        "attempts": to_builtins(case.attempts),
        "trace": None if row.trace is None else _trace(row.trace, run.run_config),
        "spans": to_builtins(run.spans(row)),
        "scores": [_score(score, scorers) for score in row.scores],
    }


def _trace(trace: Trace, config: RunConfig) -> dict[str, object]:
    return {
        "id": trace.id,
        "started_at": when(trace.started_at),
        "seconds": None if config.recorded else trace.seconds,
        "usage": to_builtins(trace.usage),
        **{name: getattr(trace.produced, name) for name in trace.produced.__struct_fields__},
    }


def _score(score: Score, scorers: Mapping[bytes, ScorerConfig]) -> dict[str, object]:
    config = scorers.get(score.scorer)
    return {
        "id": score.id,
        "scorer": None if config is None else config.name,
        "status": score.status.value,
        "values": to_builtins(score.values),
        "reason": score.reason,
        "cause": score.cause,
        "evidence": score.evidence,
        "calls": to_builtins(score.calls),
        "usage": to_builtins(score.usage),
    }
