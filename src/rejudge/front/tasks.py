"""Tasks that people make by name rather than as a function."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rejudge.tasks.replay import ReplayTask


def replay(
    path: str | Path,
    *,
    id: str = "id",
    output: str = "output",
    trial: str | None = None,
    name: str | None = None,
    depends_on: Mapping[str, object] | None = None,
    scenario: str | None = None,
) -> ReplayTask:
    """Recorded outputs of a file as a task: what was logged or generated elsewhere is scored, not generated.

    `id`, `output` and `trial` are dotted paths into a row (`message.content`). An output that is a list of
    messages is taken as the whole trace. Without `trial`, several rows of one id are its trials in order. `name` is
    the task's name, by default the file's. `depends_on` and `scenario` say what the recorded system depended on.
    Items without a recorded output become skipped cases.
    """
    return ReplayTask(
        Path(path), id=id, output=output, trial=trial, name=name, depends_on=depends_on, scenario=scenario
    )
