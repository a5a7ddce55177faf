"""What a command line says of the items to evaluate, in place of what a file says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.datasets.selection import sampler_named, selection_of

if TYPE_CHECKING:
    from rejudge.datasets.selection import Selection


class Selecting(Struct, frozen=True, kw_only=True):
    """What a command line says of the items; None where it says nothing."""

    ids: tuple[str, ...] | None = None
    filter: str | None = None
    sample: int | None = None
    stratify: str | None = None
    seed: int | None = None
    limit: int | None = None

    def over(self, before: Selection) -> Selection:
        """The selection with what was said in place of what was there."""
        sampled = {"n": self.sample, "by": self.stratify, "seed": self.seed}
        sampler = before.sampler
        if any(value is not None for value in sampled.values()):
            kept = {} if sampler is None else {name: getattr(sampler, name, None) for name in sampled}
            chosen = kept | {name: value for name, value in sampled.items() if value is not None}
            sampler = sampler_named(chosen.get("n"), by=chosen.get("by"), seed=chosen.get("seed"))
        return selection_of(
            ids=before.ids if self.ids is None else self.ids,
            condition=before.filter if self.filter is None else self.filter,
            sampler=sampler,
            first=before.first if self.limit is None else self.limit,
        )
