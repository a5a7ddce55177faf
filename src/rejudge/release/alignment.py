"""Which items two runs have in common, and what is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError, StoreDamaged
from rejudge.domain.path import ABSENT, value_at
from rejudge.domain.payload import decode
from rejudge.domain.view import as_text
from rejudge.runner.rescore import version_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.run import Run
    from rejudge.storage.store import Store

    Places = NDArray[np.int64]

PAGE = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """The items of two runs: what is at `first[i]` in the one is at `second[i]` in the other, with equal content.

    `changed` items have one id and other content; `only_first` and `only_second` are in one dataset version alone.
    """

    first: Places | None
    second: Places | None
    changed: tuple[str, ...] = ()
    only_first: int = 0
    only_second: int = 0

    def mapped(self, positions: Places) -> Places:
        """Positions of the second run's items as those of the first, −1 where the first has no equal item."""
        import numpy as np

        if self.first is None or self.second is None:
            return positions
        size = int(max(positions.max(initial=-1), self.second.max(initial=-1))) + 1
        place = np.full(size, -1, dtype=np.int64)
        place[self.second] = self.first
        return np.asarray(place[positions], dtype=np.int64)


AS_THEY_STAND = Alignment(first=None, second=None)
"""Of a run with itself, or with another one over the same version."""


def dataset_of(store: Store, run: Run) -> DatasetVersion:
    """The dataset version that a run is over."""
    return version_of(store, store.experiment(run.experiment))


def aligned(store: Store, first: DatasetVersion, second: DatasetVersion) -> Alignment:
    """How the items of two versions correspond; equal versions correspond as they stand."""
    import numpy as np

    if first.id == second.id:
        return AS_THEY_STAND
    changes = list(store.changes(first.id, second.id))
    changed = tuple(one.item_id for one in changes if one.kind == "modified")
    modified = frozenset(changed)
    places = {item_id: place for place, item_id in _ids(store, first) if item_id not in modified}
    pairs = [(places[item_id], place) for place, item_id in _ids(store, second) if item_id in places]
    both = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    order = np.argsort(both[:, 1], kind="stable")
    return Alignment(
        first=both[order, 0],
        second=both[order, 1],
        changed=changed,
        only_first=sum(one.kind == "deleted" for one in changes),
        only_second=sum(one.kind == "added" for one in changes),
    )


def item_ids(store: Store, version: DatasetVersion, positions: Sequence[int]) -> list[str]:
    """The ids of the items at some positions, in their order."""
    return [store.items(version.id, start=position, count=1)[0].item_id for position in positions]


class Fields:
    """What the items of a version say in their fields (dotted paths), each read once.

    Raises ConfigurationError for a field that no item has.
    """

    def __init__(self, store: Store, version: DatasetVersion) -> None:
        self._store = store
        self._version = version
        self._read: dict[str, list[object]] = {}

    def clusters(self, path: str, positions: Sequence[int]) -> list[str]:
        """The cluster of the items at some positions; raises ConfigurationError where one has none."""
        values = self._of(path)
        found = [values[position] for position in positions]
        if None in found:
            (item_id,) = item_ids(self._store, self._version, [positions[found.index(None)]])
            raise ConfigurationError(
                f"item {item_id!r} has no field {path!r}", fix="give every item its cluster, or go without clusters"
            )
        return [as_text(one) for one in found]

    def texts(self, path: str) -> list[str | None]:
        """The value of every item as text, None where it has none."""
        return [None if value is None else as_text(value) for value in self._of(path)]

    def members(self, path: str) -> dict[str, list[int]]:
        """The positions of the items by each value of a field; of a list each of its values counts, as of tags."""
        found: dict[str, list[int]] = {}
        for position, value in enumerate(self._of(path)):
            values = value if isinstance(value, list) else [value]
            for text in dict.fromkeys(as_text(one) for one in values if one is not None):
                found.setdefault(text, []).append(position)
        return found

    def _of(self, path: str) -> list[object]:
        if path not in self._read:
            self._read[path] = list(_values(self._store, self._version, path))
        return self._read[path]


def _values(store: Store, version: DatasetVersion, path: str) -> Iterator[object]:
    """The value of a field of every item, None where it has none."""
    known = False
    for start in range(0, version.count, PAGE):
        for item in store.items(version.id, start=start, count=PAGE):
            try:
                value = value_at(decode(item.body), path)
            except ValueError as error:
                raise StoreDamaged.record(f"item {item.item_id!r}", error) from error
            known = known or value is not ABSENT
            yield None if value is ABSENT else value
    if not known and version.count:
        raise ConfigurationError(
            f"no item has a field {path!r}", fix=f"its fields are {', '.join(sorted(version.fields)) or 'none'}"
        )


def _ids(store: Store, version: DatasetVersion) -> Iterator[tuple[int, str]]:
    for start in range(0, version.count, PAGE):
        for item in store.items(version.id, start=start, count=PAGE):
            yield item.position, item.item_id
