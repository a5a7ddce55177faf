"""A result in forms that other programs read: a JSON document, flat rows, and data frames.

The document (`schema_version` 1) has these keys. An undefined number is `{"undefined": REASON}`, what is unknown is
null, ids are those that people see, times are ISO 8601 in UTC with milliseconds.

- `experiment`: `id`, `name`, `dataset`, `dataset_version`, `items`, `trials`, `protocol`, `source`, `successor_of`,
  `created_at`
- `runs`, in the order of the tasks, each with
  - `id`, `task`, `run_config`, `unpinned`, `state`, `reason`, `resumed_from`, `created_at`, `started_at`, `ended_at`
  - `counts` of cases: `planned` = `completed` + `skipped` + `task_errors` + `pending`; `reused` of the completed ones
  - `usage` of the outputs generated in the run: `cost` in US dollars, known for `known_costs` of them,
    `input_tokens`, `output_tokens`, `seconds`
  - `scorers`: `id`, `name`, `type`, `added_later`, `skipped` by cause, `usage` of the `judgements` made in the run:
    `cost`, known for `known_costs` of them, `input_tokens`, `output_tokens`
  - `summaries`: `scorer`, `value`, `kind`, `direction`, `items`, `trials`, `n`, `mean`, `std`, `standard_error`, `min`,
    `max`, `interval` (`low`, `high`, `level`, `method`), `best`, `worst`, `counts` (`planned` = `scored` + `skipped` +
    `scorer_errors` + `task_errors` + `pending`), `labels` (by label: `count`, `share`, `interval`)
  - `run_scores`, of the run as a whole: `id` and `name` of the scorer, `status`, `reason`, `cause`, `values` (`name`,
    `number` or `label`, `outcome`), `cases` of `planned` that had ended well when it was given, `at`
"""

from __future__ import annotations

import json
import re
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct, to_builtins

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.domain.ids import id_of
from rejudge.front.collisions import LOOKED_AT, collisions
from rejudge.front.columns import Columns
from rejudge.front.overview import when
from rejudge.stats.interval import Interval, Undefined
from rejudge.storage.records import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas
    import polars

    from rejudge.domain.run_score import RunScore
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.front.columns import Kind
    from rejudge.front.result import Result, RunResult
    from rejudge.stats.summary import Summary

SCHEMA_VERSION = 1

_ESCAPED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What stands as an escape in JSON: what steers a terminal or turns its text about, and halves of characters, which
have no UTF-8 form."""


def result_dict(result: Result) -> dict[str, object]:
    """The summary of a result as JSON-like data; the module's text lists its keys."""
    experiment = result.experiment
    return {
        "schema_version": SCHEMA_VERSION,
        "experiment": {
            "id": experiment.id,
            "name": experiment.name,
            "dataset": experiment.dataset,
            "dataset_version": experiment.dataset_version,
            "items": result.store.find_version(experiment.dataset_version).count,
            "trials": experiment.trials,
            "protocol": experiment.protocol,
            "source": experiment.source,
            "successor_of": experiment.successor_of,
            "created_at": when(experiment.created_at),
        },
        "runs": [_run(result, run) for run in result.runs],
    }


def finding_dict(**parts: object) -> dict[str, object]:
    """What a comparison, a calibration or another finding found, as JSON-like data in the form that all share."""
    return {"schema_version": SCHEMA_VERSION, **{name: plain(part) for name, part in parts.items()}}


def plain(value: object) -> object:
    """Records as JSON-like data: without the tags by which they are stored, and with reasons for what is undefined."""
    if isinstance(value, Undefined):
        return {"undefined": value.reason}
    if isinstance(value, Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        if hasattr(value, "_fields"):
            return {name: plain(one) for name, one in zip(value._fields, value, strict=True)}
        return [plain(one) for one in value]
    return value.value if isinstance(value, Enum) else value


def json_text(document: object) -> str:
    """A document as JSON: two blanks of indentation, any script as it is; raises RecordError for NaN and infinity."""
    try:
        text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise RecordError(f"the document has no JSON form: {error}") from None
    return _ESCAPED.sub(lambda mark: f"\\u{ord(mark.group()):04x}", text)


def rows(result: Result) -> Iterator[dict[str, object]]:
    """One flat row per case, task after task in dataset order; all rows have the same columns.

    First come the columns of `columns.FIXED`, then `input.FIELD` for each field of the items, then four for each value
    of a scorer: `VALUE`, `VALUE.outcome`, `VALUE.status` (scored, skipped, error; None while there is no score) and
    `VALUE.reason`. Where one of these four names is taken already, the value is called `SCORER.VALUE`, and where that
    is taken too, `SCORER.VALUE.2` and so on; so no column hides another. None stands for whatever is missing.
    """
    columns = Columns(result)
    for run in result.runs:
        for row in run.cases():
            yield columns.row(run, row)


def pandas_frame(result: Result) -> pandas.DataFrame:
    """The rows as a pandas data frame; missing numbers are NaN or NA, never 0."""
    try:
        import pandas as pd
    except ImportError:
        raise _missing("pandas") from None
    filled = Columns(result).filled(rows(result))
    frame = pd.DataFrame({name: values for name, (_, values) in filled.items()}, dtype=object)
    return frame.astype({name: _pandas_dtype(kind, values) for name, (kind, values) in filled.items()})


def polars_frame(result: Result) -> polars.DataFrame:
    """The rows as a polars data frame; what is missing is null."""
    try:
        import polars as pl
    except ImportError:
        raise _missing("polars") from None
    dtypes = {"text": pl.String, "integer": pl.Int64, "boolean": pl.Boolean, "number": pl.Float64}
    filled = Columns(result).filled(rows(result))
    return pl.DataFrame([pl.Series(name, values, dtype=dtypes[kind]) for name, (kind, values) in filled.items()])


def _run(result: Result, run: RunResult) -> dict[str, object]:
    record, config, counts, usage = run.run, run.run_config, run.counts, run.usage
    judged = {scores.scorer: scores for scores in counts.scores}
    return {
        "id": record.id,
        "task": config.name,
        "run_config": id_of("runconfig", record.run_config),
        "unpinned": config.unpinned,
        "state": record.state.value,
        "reason": record.reason,
        "resumed_from": record.resumed_from_run_id,
        "created_at": when(record.created_at),
        "started_at": None if record.started_at is None else when(record.started_at),
        "ended_at": None if record.ended_at is None else when(record.ended_at),
        "counts": {
            "planned": record.planned,
            "completed": counts.cases.completed,
            "skipped": counts.cases.skipped,
            "task_errors": counts.cases.errors,
            "pending": run.pending,
            "reused": usage.reused,
        },
        "usage": {
            "cost": usage.cost,
            "known_costs": usage.known_costs,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "seconds": None if run.run_config.recorded else usage.seconds,
        },
        "scorers": [
            _scorer(result.store.scorer(digest), record.added_later, judged.get(digest) or ScoreCounts(scorer=digest))
            for digest in record.scorers
        ],
        "summaries": [_summary(scorer, summary) for scorer, summary in run.summaries],
        "collisions": list(collisions(islice(run.cases(), LOOKED_AT))),
        "run_scores": [_run_score(result.store.scorer(score.scorer), score) for score in run.scores],
    }


def _run_score(config: ScorerConfig, score: RunScore) -> dict[str, object]:
    return {
        "id": config.id,
        "name": config.name,
        "status": score.status.value,
        "reason": score.reason,
        "cause": score.cause,
        "values": to_builtins(score.values),
        "cases": score.cases,
        "planned": score.planned,
        "at": when(score.at),
    }


def _scorer(config: ScorerConfig, added_later: tuple[bytes, ...], counts: ScoreCounts) -> dict[str, object]:
    return {
        "id": config.id,
        "name": config.name,
        "type": config.type,
        "added_later": config.digest() in added_later,
        "skipped": counts.causes,
        "usage": {
            "judgements": counts.made,
            "cost": counts.cost,
            "known_costs": counts.known_costs,
            "input_tokens": counts.input_tokens,
            "output_tokens": counts.output_tokens,
        },
    }


def _summary(scorer: str, summary: Summary) -> dict[str, object]:
    return {
        "scorer": scorer,
        "value": summary.name,
        "kind": summary.kind,
        "direction": summary.direction,
        "items": summary.items,
        "trials": summary.trials,
        "n": summary.n,
        "mean": summary.mean,
        "std": summary.std,
        "standard_error": summary.standard_error,
        "min": summary.minimum,
        "max": summary.maximum,
        "interval": _known(summary.interval),
        "best": _known(summary.best),
        "worst": _known(summary.worst),
        "counts": to_builtins(summary.counts),
        "labels": {
            label: {"count": share.count, "share": share.share, "interval": _known(share.interval)}
            for label, share in summary.labels.items()
        },
    }


def _known(value: float | Interval | Undefined) -> object:
    match value:
        case Undefined():
            return {"undefined": value.reason}
        case Interval():
            return {"low": value.low, "high": value.high, "level": value.level, "method": value.method}
    return value


def _pandas_dtype(kind: Kind, values: Sequence[object]) -> str:
    match kind:
        case "text":
            return "string"
        case "number":
            return "float64"
        case "integer":
            return "Int64" if None in values else "int64"
        case "boolean":
            return "boolean" if None in values else "bool"


def _missing(library: str) -> ConfigurationError:
    return ConfigurationError(
        f"{library} is not installed, which this data frame needs", fix="pip install 'rejudge[data]'"
    )
