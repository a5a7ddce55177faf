"""When numbers are categories: whole steps of a declared range, such as stars."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rejudge.stats.alpha import Measurement
from rejudge.stats.confusion import Category
from rejudge.stats.differences import TIE
from rejudge.stats.interval import Undefined
from rejudge.stats.scale import Scale

NOT_WHOLE = Undefined("values between whole numbers have no category; round them first")
NO_CATEGORIES = Undefined("numbers of an undeclared or wide range are no categories")

MOST_STEPS = 100
"""Whole numbers of a range of at most so many steps are categories."""


def steps(scale: Scale) -> list[float]:
    """The whole numbers of a declared range of at most 100 steps; none for other ranges."""
    if scale.low is None or scale.high is None or scale.high - scale.low > MOST_STEPS:
        return []
    return [float(step) for step in range(math.ceil(scale.low - TIE), math.floor(scale.high + TIE) + 1)]


def whole(values: Sequence[Category]) -> bool:
    """Whether every value is a whole number, within 1e-9."""
    return all(not isinstance(value, str) and abs(value - round(value)) <= TIE for value in values)


def measurements(scale: Scale) -> tuple[Measurement, ...]:
    """How numbers of this range can be measured apart: by order, by difference, and by ratio where none is below 0."""
    if scale.low is not None and scale.low >= 0:
        return ("ordinal", "interval", "ratio")
    return ("ordinal", "interval")
