"""A difference taken apart as a section of a page: its parts, what each means, and the items that carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rejudge.front.amounts import counted
from rejudge.front.page_parts import columns, estimates_table, figure, folded, hero, how, safe, sentences, table
from rejudge.front.plots.axis import Ends
from rejudge.front.plots.estimate import Shown
from rejudge.front.plots.split import Split, split
from rejudge.front.plots.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Iterator


class Carrier(msgspec.Struct, frozen=True, kw_only=True):
    """An item, and how far it alone moved the mean within a part."""

    item_id: str
    moved: float


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a difference: its estimate, what it means in a sentence, and the items that carry most of it.

    `carried` is how many items moved within this part, of which `carriers` are the first.
    """

    shown: Shown
    says: str
    carriers: tuple[Carrier, ...] = ()
    carried: int = 0


class SplitView(msgspec.Struct, frozen=True, kw_only=True):
    """`parts` that add up to `whole`, in `unit`, of which `headline` names the cause.

    `means` and `limits` say what the split tells and what it does not, `known` how far either judge's opinion is known,
    and `facts` stand beside the whole difference.
    """

    title: str
    headline: str
    unit: Unit
    parts: tuple[Part, ...]
    whole: Shown
    ends: Ends | None = None
    means: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


def split_section(view: SplitView) -> Iterator[str]:
    """The whole difference, the parts it is made of, and what carries them."""
    yield f"<h2>{safe(view.title)}</h2>"
    whole = view.whole
    facts = " · ".join(filter(None, (how(whole.interval), whole.told, whole.more, *view.facts)))
    yield hero(whole.mark, view.headline, view.unit.estimate(whole.value, whole.interval), facts)
    yield from columns([_picture(view)], _words(view))
    for part in view.parts:
        yield from _carriers(part, view.unit)


def _picture(view: SplitView) -> str:
    rows = tuple(part.shown for part in view.parts)
    plot = Split(title=view.title, unit=view.unit, parts=rows, whole=view.whole, ends=view.ends)
    numbers = estimates_table((*rows, view.whole), view.unit, caption=view.title, name="part")
    says = "Each part starts where the one above it ended; together they reach the whole difference."
    return figure("The parts of the difference", says, lambda width: split(plot, width=width), numbers)


def _words(view: SplitView) -> Iterator[str]:
    yield from sentences("What it means", view.means)
    yield from sentences("What it does not mean", view.limits)
    yield from sentences("What each part is", (f"{part.shown.name}: {part.says}" for part in view.parts))
    yield from sentences("What is known of the judges", view.known)


def _carriers(part: Part, unit: Unit) -> Iterator[str]:
    if not part.carriers:
        return
    more = f", the {len(part.carriers)} that move it most" if part.carried > len(part.carriers) else ""
    summary = f"{part.shown.name}: {counted(max(part.carried, len(part.carriers)), 'item')} carry it{more}"
    rows = [(one.item_id, unit.text(one.moved, span=abs(one.moved))) for one in part.carriers]
    yield from folded(summary, [table(["item", "moved the mean by"], rows, caption=summary)])
