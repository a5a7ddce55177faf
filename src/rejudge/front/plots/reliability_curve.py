"""Whether probabilities mean what they say: what was said against how often it came true, and how often it was said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rejudge.front.plots.axis import Axis
from rejudge.front.plots.svg import ROOMY, element, fitted, hover, label, picture
from rejudge.front.plots.unit import Unit
from rejudge.stats.interval import Interval, Undefined

if TYPE_CHECKING:
    from collections.abc import Iterator

SIDE: Final = 280.0
COUNTS: Final = 56.0
SHARE: Final = Unit(name="share", share=True)


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """The items whose probability is from `low` to `high`: what was said on average, and which share came true."""

    low: float
    high: float
    n: int
    predicted: float | Undefined
    observed: float | Undefined
    interval: Interval | Undefined

    @property
    def told(self) -> str:
        """The bin in words."""
        span = f"{100 * self.low:.0f} to {100 * self.high:.0f} %"
        if isinstance(self.predicted, Undefined) or isinstance(self.observed, Undefined):
            return f"{span}: no item"
        said = f"said {SHARE.text(self.predicted, span=0.01)} on average"
        return f"{span}: {said}, {SHARE.estimate(self.observed, self.interval)} came true, n={self.n:,}"


class ReliabilityCurve(msgspec.Struct, frozen=True, kw_only=True):
    """The bins in order; empty ones are no point of the curve."""

    title: str
    bins: tuple[Bin, ...]
    said: str = "probability that was said"
    true: str = "share that passed"


def reliability_curve(view: ReliabilityCurve, *, width: float) -> str:
    """The plot for a page of `width` pixels: on the diagonal a probability is what it says."""
    left = 56.0
    side = SIDE if width >= ROOMY else width - left - 24
    top = 26.0
    across = Axis(low=0.0, high=1.0, start=left, end=left + side)
    up = Axis(low=0.0, high=1.0, start=top + side, end=top)
    known = [one for one in view.bins if not isinstance(one.predicted, Undefined)]
    body = [*_grid(view, across, up), *_counts(view, across, up.start + 44)]
    points = [
        (across.at(one.predicted), up.at(one.observed))
        for one in known
        if not isinstance(one.predicted, Undefined) and not isinstance(one.observed, Undefined)
    ]
    if len(points) > 1:
        body.append(element("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), class_="curve"))
    for one in known:
        body += _point(one, across, up)
    if width >= ROOMY:
        body += _legend(view, across.end + 28, top, width)
    told = "; ".join(one.told for one in known) or "no item has a probability and an outcome"
    return picture((width, up.start + 44 + COUNTS + 40), view.title, told, body)


def _grid(view: ReliabilityCurve, across: Axis, up: Axis) -> Iterator[str]:
    for value, step in across.ticks(5):
        x, y = across.at(value), up.at(value)
        yield element("line", x1=x, x2=x, y1=up.end, y2=up.start, class_="grid")
        yield element("line", x1=across.start, x2=across.end, y1=y, y2=y, class_="grid")
        yield label(x, up.start + 16, SHARE.tick(value, step), anchor="middle", style="tick")
        yield label(across.start - 6, y + 4, SHARE.tick(value, step), anchor="end", style="tick")
    yield label(0, 12, fitted(f"{view.true} ↑", across.end), style="name")
    yield element("line", x1=across.start, y1=up.start, x2=across.end, y2=up.end, class_="ideal")


def _point(one: Bin, across: Axis, up: Axis) -> Iterator[str]:
    if isinstance(one.predicted, Undefined) or isinstance(one.observed, Undefined):
        return
    x = across.at(one.predicted)
    parts = [hover(one.told)]
    if isinstance(one.interval, Interval):
        low, high = up.at(one.interval.low), up.at(one.interval.high)
        parts.append(element("line", x1=x, x2=x, y1=low, y2=high, class_="reach"))
        parts += [element("line", x1=x - 5, x2=x + 5, y1=end, y2=end, class_="end") for end in (low, high)]
    parts.append(element("circle", cx=x, cy=up.at(one.observed), r=5, class_="mark"))
    yield element("g", *parts, class_="estimate second")


def _counts(view: ReliabilityCurve, across: Axis, top: float) -> Iterator[str]:
    """How many items each bin holds, as bars below the curve."""
    most = max((one.n for one in view.bins), default=0)
    bottom = top + COUNTS
    for one in view.bins:
        low, high = across.at(one.low), across.at(one.high)
        size = (COUNTS - 16) * one.n / most if most else 0.0
        if size:
            bar = {"x": low + 1, "y": bottom - size, "width": max(1.0, high - low - 2), "height": size}
            yield element("rect", hover(one.told), class_="part neither", **bar)
        if high - low >= 24:
            told = f"{one.n:,}" if one.n < 10_000 else f"{one.n / 1000:.0f}k"
            yield label((low + high) / 2, bottom - size - 4, told, anchor="middle", style="count")
    yield element("line", x1=across.start, x2=across.end, y1=bottom, y2=bottom, class_="axis")
    yield label(across.start - 6, bottom - 4, "items", anchor="end", style="tick")
    name = fitted(f"{view.said} →", across.end)
    yield label((across.start + across.end) / 2, bottom + 22, name, anchor="middle", style="name")


def _legend(view: ReliabilityCurve, x: float, y: float, width: float) -> Iterator[str]:
    lines = (
        "On the dashed line a probability is",
        "what it says: of all items said to",
        "pass with 80 %, 80 % do.",
        "",
        "Above it the judge says too little,",
        "below it too much.",
        "",
        "The bars are what so few items",
        "leave open, bin by bin.",
    )
    for place, line in enumerate(lines):
        yield label(x, y + 16 + 18 * place, fitted(line, width - x), style="dim")
