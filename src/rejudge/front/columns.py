"""The columns of a result as a table: which there are, how they are called, and what kind of value each holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from rejudge.domain.case import ExecutionErrorType
from rejudge.domain.ids import id_of
from rejudge.domain.scale import ScoreType, normalised
from rejudge.domain.view import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rejudge.domain.score import Score, ScoreValue
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.front.result import Result, RunResult
    from rejudge.storage.records import CaseRow

Kind: TypeAlias = Literal["text", "integer", "number", "boolean"]
TableRow: TypeAlias = "dict[str, object]"

FIXED: dict[str, Kind] = {
    "run": "text",
    "task": "text",
    "item_id": "text",
    "position": "integer",
    "trial": "integer",
    "execution_status": "text",
    "error_type": "text",
    "error": "text",
    "skip_reason": "text",
    "reused": "boolean",
    "trace_id": "text",
    "output": "text",
    "latency": "number",
    "cost": "number",
}
"""The columns of every table; `latency` is in seconds (None of outputs recorded elsewhere), `cost` in US dollars."""

PARTS = ("", ".outcome", ".status", ".reason")
"""What follows the name of a value in the names of its columns."""


class _Slot(NamedTuple):
    """A value of a scorer, whether it is a label, and the name of its first column."""

    value: str
    label: bool
    column: str


class Columns:
    """The columns of one result, and its cases as rows of them."""

    def __init__(self, result: Result) -> None:
        version = result.store.find_version(result.experiment.dataset_version)
        self._inputs = {field: f"input.{field}" for field in version.fields}
        self._kinds: dict[str, Kind] = dict(FIXED)
        self._empty: TableRow = dict.fromkeys([*FIXED, *self._inputs.values()])
        self._slots: dict[bytes, list[_Slot]] = {}
        named: dict[tuple[str, str, bool], str] = {}
        for run in result.runs:
            for digest in run.run.scorers:
                config = result.store.scorer(digest)
                slots = self._slots.setdefault(digest, [])
                for value, label in _values(config, run):
                    key = (config.name, value, label)
                    if key not in named:
                        named[key] = self._claim(config.name, value, "text" if label else "number")
                    if (slot := _Slot(value, label, named[key])) not in slots:
                        slots.append(slot)

    def row(self, run: RunResult, row: CaseRow) -> TableRow:
        """One case of a run as a row of all columns, None where it has nothing."""
        case, trace = row.case, row.trace
        error = case.execution_error
        failed = error.type is not ExecutionErrorType.NONE
        cells = self._empty | {
            "run": case.run_id,
            "task": run.task,
            "item_id": case.item_id,
            "position": case.position,
            "trial": case.trial,
            "execution_status": case.execution_status.value,
            "error_type": error.type.value if failed else None,
            "error": error.message if failed else None,
            "skip_reason": case.reason,
            "reused": case.reused,
            "trace_id": None if case.trace is None else id_of("trace", case.trace),
        }
        if trace is not None:
            cells["output"] = as_text(trace.produced.output)
            cells["latency"] = None if run.run_config.recorded else trace.seconds
            cells["cost"] = None if trace.usage is None else trace.usage.cost
        for field, column in self._inputs.items():
            cells[column] = _flat(row.item.fields.get(field))
        for score in row.scores:
            self._fill(cells, score)
        return cells

    def filled(self, rows: Iterable[TableRow]) -> dict[str, tuple[Kind, list[object]]]:
        """Rows turned into columns, each of one kind; a column of several kinds becomes text."""
        cells: dict[str, list[object]] = {name: [] for name in self._empty}
        for row in rows:
            for name, value in row.items():
                cells[name].append(value)
        return {name: _typed(self._kinds.get(name), values) for name, values in cells.items()}

    def _claim(self, scorer: str, value: str, kind: Kind) -> str:
        column = next(name for name in _names(scorer, value) if not self._empty.keys() & {name + end for end in PARTS})
        self._empty |= dict.fromkeys(column + end for end in PARTS)
        for end in PARTS:
            self._kinds[column + end] = "text" if end else kind
        return column

    def _fill(self, cells: TableRow, score: Score) -> None:
        found: dict[tuple[str, bool], ScoreValue] = {
            (value.name, value.label is not None): value for value in score.values
        }
        for slot in self._slots.get(score.scorer, ()):
            value = found.get((slot.value, slot.label))
            # Of several draws the first is shown; a value that the verdict left out has no score.
            if cells[f"{slot.column}.status"] is not None or (value is None and score.values):
                continue
            if value is not None:
                cells[slot.column] = value.label if slot.label else value.number
                cells[f"{slot.column}.outcome"] = None if value.outcome is None else value.outcome.value
            cells[f"{slot.column}.status"] = score.status.value
            cells[f"{slot.column}.reason"] = score.reason or None


def _values(config: ScorerConfig, run: RunResult) -> list[tuple[str, bool]]:
    """The values of a scorer in a run and whether each is a label: the declared ones, then those that it gave."""
    digest = config.digest()
    values = [(spec.key, spec.type is ScoreType.LABEL) for spec in config.scores]
    values += [(one.name, False) for one in run.counts.moments if one.scorer == digest]
    values += [(one.name, True) for one in run.counts.labels if one.scorer == digest]
    return list(dict.fromkeys(values)) or [(normalised(config.name), False)]


def _names(scorer: str, value: str) -> Iterator[str]:
    yield value
    yield f"{scorer}.{value}"
    number = 2
    while True:
        yield f"{scorer}.{value}.{number}"
        number += 1


def _flat(value: object) -> object:
    return as_text(value) if isinstance(value, dict | list) else value


def _typed(kind: Kind | None, values: list[object]) -> tuple[Kind, list[object]]:
    kind = kind or _inferred(values)
    if kind == "text":
        # Half a character fits no data frame.
        return kind, [value if value is None else _text(value) for value in values]
    return kind, values


def _text(value: object) -> str:
    return as_text(value).encode(errors="backslashreplace").decode()


def _inferred(values: Iterable[object]) -> Kind:
    given = [value for value in values if value is not None]
    kinds = set(map(type, given))
    if kinds == {bool}:
        return "boolean"
    if kinds == {int}:
        return "integer" if all(-(2**63) <= value < 2**63 for value in given if isinstance(value, int)) else "text"
    return "number" if kinds and kinds <= {int, float} else "text"
