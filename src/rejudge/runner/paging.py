"""How much is read at a time: a full page of what is small, a few of what is large, so that memory stays bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.payload import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.trace import Produced
    from rejudge.storage.records import StoredItem

MOST = 1024
"""Units of a page, if they are small."""

FIRST = 64
"""Units of the first page, of which nothing is known yet."""

MOST_BYTES = 16 * 2**20
"""What a page may weigh in its stored form."""

_SAMPLE = 8


class Paging:
    """The size of the next page, in items; every item is read once for all of its trials."""

    def __init__(self, *, trials: int) -> None:
        self._trials = trials
        self.count = max(1, FIRST // trials)

    def saw(self, items: Sequence[StoredItem], produced: Sequence[Produced] = ()) -> None:
        """Fit the next page to what this one weighed; of what was produced, a few are weighed for all."""
        heaviest = max((len(item.body) for item in items), default=0)
        step = max(1, len(produced) // _SAMPLE)
        heaviest += max((len(encode(one)) for one in produced[::step]), default=0)
        units = min(MOST, MOST_BYTES // max(1, heaviest))
        self.count = max(1, units // self._trials)
