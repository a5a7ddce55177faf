"""What traces took (time, tokens, money) as a figure of a page: percentiles with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.page_parts import estimates_table, figure
from rejudge.front.plots.estimate import Shown
from rejudge.front.plots.percentiles import Percentiles, percentiles
from rejudge.stats.interval import Undefined

if TYPE_CHECKING:
    from rejudge.front.plots.unit import Unit
    from rejudge.stats.percentiles import Percentiles as Found

_NONE = Undefined("no trace says how much it took")


def percentiles_figure(title: str, unit: Unit, found: Found) -> str:
    """The percentiles of an amount; `unit` names it, and what stands behind its numbers."""
    rows = tuple(
        Shown(name=f"{one.at:g} % take at most", value=one.value, interval=one.interval, n=found.n)
        for one in found.percentiles
    )
    view = Percentiles(
        title=title,
        unit=unit,
        rows=rows,
        n=found.n,
        missing=found.missing,
        minimum=_NONE if found.minimum is None else found.minimum,
        maximum=_NONE if found.maximum is None else found.maximum,
    )
    mean = Shown(name="mean", value=_NONE if found.mean is None else found.mean, interval=found.interval, n=found.n)
    says = "The shaded part is from the least to the most. High percentiles of few traces are known badly."
    numbers = estimates_table((*rows, mean), unit, caption=title, name="percentile")
    return figure(title, says, lambda width: percentiles(view, width=width), numbers)
