"""Recorded outputs as a task: what was logged or generated elsewhere is scored without generating it again."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError, DuplicateItem, Place
from rejudge.domain.ids import digest
from rejudge.domain.path import ABSENT, value_at
from rejudge.domain.payload import decode, encode
from rejudge.domain.run_config import NOT_APPLICABLE, REPLAY, RunConfig
from rejudge.domain.verdict import Skip
from rejudge.domain.way import Way
from rejudge.files.recorded import id_at, trial_at
from rejudge.files.rows import read_rows
from rejudge.tasks.task import CannotTake, Given

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

_NOT_LIVE = ("tool_schema_version", "knowledge_index_version", "embedding_model_version", "sampling_config")


class ReplayTask:
    """A file of recorded outputs, one row per item and trial.

    `id`, `output` and `trial` are dotted paths into a row. An output that is a list of messages is taken
    as the whole trace, its last assistant message as the output. Rows of one id without a trial field
    are its trials in the order of the file. A trace depends on the recorded output alone, not on the file, and
    the task's identity on its name (or, where it has none, on `output`).
    What a replay cannot depend on is `not_applicable` unless `depends_on` says what the recorded system used.
    """

    def __init__(
        self,
        path: Path,
        *,
        id: str = "id",
        output: str = "output",
        trial: str | None = None,
        name: str | None = None,
        depends_on: Mapping[str, object] | None = None,
        scenario: str | None = None,
    ) -> None:
        self._recordings: dict[str, dict[int, tuple[bytes, int | None]]] = {}
        self._read(path, id_path=id, output_path=output, trial_path=trial)
        self.way = Way.INLINE
        self.needs: frozenset[str] = frozenset()
        self.outputs: frozenset[str] = frozenset()
        label = name or (path.stem if output == "output" else f"{path.stem}:{output}")
        self.config = RunConfig(
            name=label,
            kind=REPLAY,
            settings={"recorded": name or output},
            depends_on=dict.fromkeys(_NOT_LIVE, NOT_APPLICABLE) | dict(depends_on or {}),
            scenario=scenario,
        )

    def _read(self, path: Path, *, id_path: str, output_path: str, trial_path: str | None) -> None:
        rows = 0
        outputs = 0
        trials_of: Counter[str] = Counter()
        for row in read_rows(path):
            rows += 1
            place = Place(file=str(path), line=row.line)
            item_id = id_at(row.fields, id_path, place)
            trials = self._recordings.setdefault(item_id, {})
            output = value_at(row.fields, output_path)
            trial = trials_of[item_id] if trial_path is None else trial_at(row.fields, trial_path, place)
            trials_of[item_id] += 1
            if output is ABSENT or output is None:
                continue
            outputs += 1
            recorded = encode(output)
            if trial in trials and trials[trial][0] != recorded:
                raise DuplicateItem(
                    f"item {item_id!r} has two recorded outputs for trial {trial}; one in line {trials[trial][1]}",
                    where=place,
                    fix="remove one, or name the field that tells the trials apart with `trial`",
                )
            trials.setdefault(trial, (recorded, row.line))
        if rows and not outputs:
            raise ConfigurationError(
                f"no row has an output at {output_path!r}",
                where=Place(file=str(path)),
                fix="name the field that holds the output with `output` (a dotted path)",
            )

    def given(self, item_id: str, fields: dict[str, object], *, reference: Collection[str], trial: int) -> Given:
        """The recorded output of this item and trial."""
        trials = self._recordings.get(item_id)
        if trials is None or trial not in trials:
            what = "no recorded output" if not trials else f"no recorded output for trial {trial}"
            raise CannotTake(Skip.NO_RECORDING.value, what)
        recorded = decode(trials[trial][0])
        return Given(digest("recorded", recorded), {"recorded": recorded})

    def call(self, given: Given, *, trial: int) -> object:
        """The recorded output, with the whole message list where that is what was recorded."""
        recorded = given.arguments["recorded"]
        if _is_conversation(recorded):
            return {"output": _last_answer(recorded), "messages": recorded}
        return {"output": recorded}


def _is_conversation(value: object) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(entry, dict) and "role" in entry for entry in value)
    )


def _last_answer(messages: object) -> object:
    assert isinstance(messages, list)
    for message in reversed(messages):
        if message.get("role") == "assistant" and message.get("content") is not None:
            return message["content"]
    return None
