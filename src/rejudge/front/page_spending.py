"""What traces took (time, tokens, money) as a figure of a page: percentiles with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rejudge.front.page_parts import estimates_table, figure
from rejudge.front.plots.estimate import Shown
from rejudge.front.plots.percentiles import Percentiles, percentiles
from rejudge.stats.interval import Interval, Undefined

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


def scaled(found: Found, times: float) -> Found:
    """The same amounts in a unit of which one holds 1/`times` of the old one."""

    def of(value: float | None) -> float | None:
        return None if value is None else value * times

    def around(interval: Interval | Undefined) -> Interval | Undefined:
        if isinstance(interval, Undefined):
            return interval
        return msgspec.structs.replace(interval, low=interval.low * times, high=interval.high * times)

    return msgspec.structs.replace(
        found,
        total=found.total * times,
        mean=of(found.mean),
        interval=around(found.interval),
        minimum=of(found.minimum),
        maximum=of(found.maximum),
        percentiles=tuple(
            msgspec.structs.replace(one, value=one.value * times, interval=around(one.interval))
            for one in found.percentiles
        ),
    )
