"""Dicts evaluated on the spot: the fast inner loop of optimisers, which leaves nothing in a store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rejudge.datasets.rows import numbered_entries
from rejudge.domain.errors import ConfigurationError, InputError
from rejudge.front.inputs import UNNAMED
from rejudge.front.options import evaluation_of, wish_of
from rejudge.front.watching import shown
from rejudge.runner.snapshot import Snapshot
from rejudge.wiring import MEMORY, open_store

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from rejudge.front.inputs import ScorerLike, TaskLike
    from rejudge.front.options import Options
    from rejudge.front.result import Result

_UNFIT = ("store", "name", "id", "fields")


def evaluate_on_dict_items(
    items: Iterable[Mapping[str, object]],
    task: TaskLike,
    scorers: ScorerLike | Sequence[ScorerLike] = (),
    **options: Unpack[Options],
) -> Result:
    """Run a task on dicts and score it, in memory: no experiment is left in any store.

    Every dict counts, equal ones too, in their order; its id in the result is its place, from "0". A dict may have any
    keys, `id` among them, and the task is given all but those in `reference=`. Without scorers the task still runs.
    `options` are those of `evaluate`, but for `store`, `name`, `id` and `fields`; nothing is shown unless `progress=`
    says so. Raises ConfigurationError or InputError before the first task call.
    """
    for name in _UNFIT:
        if name in options:
            raise ConfigurationError(
                f"{name}= does not fit dicts that are evaluated on the spot", fix="leave it out, or use evaluate()"
            )
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise InputError(f"the items are a {type(items).__name__}", fix="give a list of dicts")
    wish = wish_of(items, task, scorers, options)
    store = open_store(MEMORY)
    taken = Snapshot(numbered_entries(items), dataset=UNNAMED, reference=wish.spec.reference, selection=wish.selection)
    wanted = replace(wish, dataset=taken.store(store))
    with shown(options.get("progress", "silent")) as display:
        return evaluation_of(wanted.as_stored().evaluate, options, store=store).listen(display).run()
