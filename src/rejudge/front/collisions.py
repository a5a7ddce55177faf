"""Names that an item and what the task returned for it both have: by such a name a scorer sees one of the two."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from rejudge.scorers.merged import OUTPUT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rejudge.storage.records import CaseRow

LOOKED_AT: Final = 500
"""Cases that a report looks at: what a task returns has the same names for every item, or nearly so."""


def collisions(rows: Iterable[CaseRow]) -> dict[str, int]:
    """In how many cases each name collides, the most frequent first; one and the same `output` is none."""
    found: Counter[str] = Counter()
    for row in rows:
        if row.trace is not None:
            fields, produced = row.item.fields, row.trace.produced
            found.update(fields.keys() & (produced.extra or {}).keys())
            if OUTPUT in fields and fields[OUTPUT] != produced.output:
                found[OUTPUT] += 1
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def told(found: Mapping[str, int]) -> Iterator[str]:
    """What a scorer that asks by such a name is given, in words."""
    for name in found:
        if name == OUTPUT:
            yield "items have a field 'output'; by this name scorers see what the task returned"
        else:
            yield (
                f"items have a field {name!r}, and the task returned that too; by this name scorers see the item's, "
                f"and the task's as output.{name}"
            )
