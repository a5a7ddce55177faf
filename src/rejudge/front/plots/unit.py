"""In what a plot's numbers are counted, and how they are written."""

from __future__ import annotations

import math

import msgspec

from rejudge.stats.interval import LEVEL, Interval, Undefined
from rejudge.stats.render import percent_or_number, told_apart_from_0
from rejudge.stats.scale import Kind

_LARGEST = 1e300


class Unit(msgspec.Struct, frozen=True, kw_only=True):
    """`name` is the title of an axis. A `share` of 1 is written as percent; a `signed` number is a difference.

    A difference of shares is in percentage points, not in percent. `suffix` stands behind every value (`" s"`).
    """

    name: str
    share: bool = False
    signed: bool = False
    suffix: str = ""

    @property
    def ending(self) -> str:
        """What stands behind a single value."""
        if self.share:
            return " points" if self.signed else " %"
        return self.suffix

    def text(self, value: float | Undefined, *, span: float = 0.0) -> str:
        """A value with the digits that an uncertainty of `span` supports, or why there is none."""
        if isinstance(value, Undefined):
            return str(value)
        return f"{self._signed(value, span, max(abs(value), span))}{self.ending}"

    def estimate(self, value: float | Undefined, interval: Interval | Undefined) -> str:
        """`56.3 % [53.6, 58.9]`; in place of an interval that does not exist, that it does not."""
        if isinstance(value, Undefined):
            return "undefined"
        if isinstance(interval, Undefined):
            return f"{self.text(value)} [no interval]"
        span = interval.high - interval.low
        largest = max(abs(interval.low), abs(interval.high), abs(value))
        kind: Kind = "pass_fail" if self.share else "number"
        low, high = (
            told_apart_from_0(self._digits(end, span, largest), end, interval, kind)
            for end in (interval.low, interval.high)
        )
        level = "" if interval.level == LEVEL else f" at {100 * interval.level:g} %"
        return f"{self._signed(value, span, largest)}{self.ending} [{low}, {high}]{level}"

    def tick(self, value: float, step: float) -> str:
        """A mark of an axis whose marks are `step` apart."""
        times = 100 if self.share else 1
        value, step = (max(-_LARGEST, min(_LARGEST, one * times)) for one in (value, step))
        sign = "+" if self.signed and value > 0 else ""
        ending = self.suffix or (" %" if self.share and not self.signed else "")
        if value and (abs(value) >= 1e7 or step < 1e-6):
            return f"{sign}{value:.3g}{ending}"
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        told = f"{value:,.{decimals}f}"
        return f"{sign}{told}{ending}" if told.strip("-0.,") else f"0{ending}"

    def _signed(self, value: float, span: float, largest: float) -> str:
        digits = self._digits(value, span, largest)
        return f"+{digits}" if self.signed and value > 0 and digits.strip("0.") else digits

    def _digits(self, value: float, span: float, largest: float) -> str:
        kind: Kind = "pass_fail" if self.share else "number"
        # A hundred times the largest float, or twice it, has no digits.
        span, largest = min(span, _LARGEST), min(largest, _LARGEST)
        return percent_or_number(kind, span=span, largest=largest)(value).removesuffix(" %")
