"""Runs whose scores are said: tasks that return what is written down, and scorers that take it over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import rejudge
from rejudge.wiring import Address

Values = Mapping[str, object]
"""By item id what the task returns: one value, or a list with one for each trial. An id that is absent fails."""


def telling(name: str, values: Values) -> Callable[..., object]:
    """A task that returns what is written down for each item."""

    def task(item: dict[str, object], trial: int) -> object:
        item_id = str(item["id"])
        if item_id not in values:
            raise ValueError(f"no answer to {item_id}")
        value = values[item_id]
        return value[trial] if isinstance(value, list) else value

    task.__name__ = name
    task.version = f"{name}: {values!r}"  # type: ignore[attr-defined]
    return task


def scorer(name: str, *specs: rejudge.ScoreSpec, read: Callable[[object], object] = lambda output: output) -> object:
    """A scorer of that name whose value is the output, or what is read from it; undeclared without `specs`."""

    def judge(output: object) -> object:
        return read(output)

    judge.__name__ = name
    judge.version = name  # type: ignore[attr-defined]
    if specs:
        judge.scores = list(specs)  # type: ignore[attr-defined]
    return judge


def correct(output: object) -> bool:
    """A scorer: what the task returned is true."""
    return bool(output)


def rows(ids: Sequence[str], **fields: Mapping[str, object]) -> list[dict[str, object]]:
    """Items with these ids, each with the fields' values for it."""
    return [
        {"id": id, "question": f"q {id}"} | {name: values[id] for name, values in fields.items() if id in values}
        for id in ids
    ]


def judged(
    store: Address,
    items: list[dict[str, object]],
    tasks: Mapping[str, Values],
    *scorers: object,
    name: str = "exam",
    trials: int = 1,
) -> rejudge.Result:
    """The result of tasks that return what is written down, judged by `correct` where no scorer is given."""
    return rejudge.evaluate(
        items,
        [telling(task, values) for task, values in tasks.items()],
        list(scorers) or [correct],
        store=store,
        name=name,
        trials=trials,
        progress="silent",
    )
