"""What became of every item: passed by both sides, by one only, or by neither; and what was won against what lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rejudge.front.plots.estimate import Mark, marked
from rejudge.front.plots.svg import LINE, ROOMY, bold, element, fitted, hover, label, paired_label, picture

if TYPE_CHECKING:
    from collections.abc import Iterator

BAR: Final = 34.0


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of items by what the sides called `first` and `second` made of them."""

    title: str
    first: str
    second: str
    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def n(self) -> int:
        """All items."""
        return self.both + self.only_first + self.only_second + self.neither


class _Part(msgspec.Struct, frozen=True, kw_only=True):
    count: int
    style: str
    mark: Mark
    text: str


def changes(view: Changes, *, width: float) -> str:
    """The plot for a page of `width` pixels: all items above, those that changed below."""
    parts = _parts(view)
    body = [*_bar(parts, view.n, width, 0.0)]
    top = BAR + 12
    across = 2 if width >= ROOMY else 1
    for place, part in enumerate(parts):
        x = width / 2 * (place % across)
        y = top + 20.0 * (place // across)
        body += _legend(part, view.n, x, y, width / across)
    top += 20.0 * (len(parts) // across) + 14
    body += _balance(view, parts, width, top)
    told = ", ".join(f"{part.text}: {part.count:,}" for part in parts)
    balance = BAR + 2 * LINE + 8 if view.only_first + view.only_second else 2 * LINE
    return picture((width, top + balance), view.title, f"{view.n:,} items. {told}", body)


def _parts(view: Changes) -> tuple[_Part, ...]:
    return (
        _Part(count=view.both, style="both", mark="plain", text="both pass"),
        _Part(count=view.only_second, style="better", mark="better", text=f"only {view.second} passes"),
        _Part(count=view.only_first, style="worse", mark="worse", text=f"only {view.first} passes"),
        _Part(count=view.neither, style="neither", mark="same", text="neither passes"),
    )


def _bar(parts: tuple[_Part, ...], n: int, width: float, y: float) -> Iterator[str]:
    x = 0.0
    for part in parts:
        size = width * part.count / n if n else 0.0
        if not size:
            continue
        yield element(
            "rect",
            hover(f"{part.text}: {_share(part.count, n)}"),
            x=x,
            y=y,
            width=max(1.0, size - 1),
            height=BAR,
            class_=f"part {part.style}",
        )
        told = f"{part.count:,}"
        if bold([told]) + 8 < size:
            yield label(x + size / 2, y + BAR / 2 + 5, told, anchor="middle", style=f"in {part.style}")
        x += size


def _legend(part: _Part, n: int, x: float, y: float, room: float) -> Iterator[str]:
    yield element("g", marked(part.mark, x + 7, y + 8), class_=f"estimate {part.style}")
    yield paired_label(x + 20, y + 12, _share(part.count, n), part.text, room=room - 28)


def _balance(view: Changes, parts: tuple[_Part, ...], width: float, top: float) -> Iterator[str]:
    """What changed, to both sides of a line: lost to the left, won to the right, on one scale."""
    won, lost = parts[1], parts[2]
    changed = won.count + lost.count
    y = top + LINE
    if not changed:
        yield label(0, y + 4, "no item is passed by one side only", style="dim")
        return
    yield label(0, top + 10, fitted(f"of the {changed:,} items that only one side passes", width), style="dim")
    middle = width / 2
    scale = middle / max(won.count, lost.count)
    for part, sign in ((lost, -1), (won, 1)):
        size = scale * part.count
        x = middle if sign > 0 else middle - size
        if size:
            bar = {"x": x, "y": y, "width": size, "height": BAR}
            yield element("rect", hover(f"{part.text}: {part.count:,}"), class_=f"part {part.style}", **bar)
        told = f"{'+' if sign > 0 else '-'}{part.count:,}" if part.count else "0"
        inside = bold([told]) + 16 < size
        at = middle + sign * (10 if inside else size + 8)
        style = f"in {part.style}" if inside else "number"
        yield label(at, y + BAR / 2 + 5, told, anchor="start" if sign > 0 else "end", style=style)
    yield element("line", x1=middle, x2=middle, y1=y - 4, y2=y + BAR + 4, class_="zero")
    net = won.count - lost.count
    points = f"{100 * net / view.n:+.3g}" if net else "0"
    told = f"net {'+' if net > 0 else ''}{net:,} of {view.n:,} items, {points} points"
    yield label(middle, y + BAR + LINE, told, anchor="middle", style="number")


def _share(count: int, n: int) -> str:
    if not n:
        return f"{count:,}"
    percent = 100 * count / n
    return f"{count:,} ({'under 0.1' if 0 < percent < 0.1 else f'{percent:.1f}'} %)"
