"""An item and what the task returned for it, as one set of names: what functions ask for and mappings read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rejudge.domain.path import ABSENT, value_at

if TYPE_CHECKING:
    from rejudge.domain.view import View

OUTPUT: Final = "output"

_INSIDE: Final = "output."


def dataset_item(view: View) -> dict[str, object]:
    """The item as it is stored: its id as `id`, and every field."""
    return {"id": view.item_id, **view.item} if view.item_id else dict(view.item)


def task_outputs(view: View) -> dict[str, object]:
    """What the task returned, by key; a value that is no dict is `output`.

    A trace does not tell a dict that was returned as it is from one under the key `output`, so such a one is both.
    """
    own = {OUTPUT: view.output, **view.extra}
    if view.trace is not None:
        own["messages"] = view.trace
    if view.metadata is not None:
        own["metadata"] = view.metadata
    return {**view.output, **own} if len(own) == 1 and isinstance(view.output, dict) else own


def merged(view: View) -> dict[str, object]:
    """The fields of the item and the keys that the task returned (ruling 17).

    `output` is always the task's. Of any other name that both have, the item's counts, and by the name of a declared
    reference field nothing else does, so that no task can replace a reference or supply a missing one; the task's stays
    at `output.NAME`.
    """
    returned = task_outputs(view)
    for name in view.declared:
        returned.pop(name, None)
    return {**returned, **view.item, OUTPUT: view.output}


def value_in(view: View, path: str) -> object:
    """What stands at a dotted path of what is merged, or ABSENT; `output.NAME` finds any key that was returned."""
    found = value_at(merged(view), path)
    if found is ABSENT and path.startswith(_INSIDE):
        return value_at(task_outputs(view), path[len(_INSIDE) :])
    return found


def is_of_item(path: str, fields: dict[str, object]) -> bool:
    """Whether a path begins in one of these fields, and not in what the task returned."""
    return path.partition(".")[0] != OUTPUT and any(name in fields for name in beginnings(path))


def beginnings(path: str) -> list[str]:
    """The names of fields that a dotted path may begin with: `a.b.c` with `a`, `a.b` or itself."""
    steps = path.split(".")
    return [".".join(steps[: count + 1]) for count in range(len(steps))]
