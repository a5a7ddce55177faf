"""Money, time and numbers of things as people read them."""

from __future__ import annotations

import math


def money(cost: float) -> str:
    """US dollars, with two digits that count and no exponent: `$1,204.50`, `$0.0034`."""
    if cost == 0:
        return "$0"
    decimals = max(2, 1 - math.floor(math.log10(cost)))
    return f"${cost:,.{decimals}f}"


def duration(seconds: float) -> str:
    """A length of time with the digits that matter: `4 ms`, `1.2 s`, `41 s`, `3 min 20 s`, `2 h 05 min`."""
    if seconds < 0.9995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def counted(number: int, thing: str) -> str:
    """`1 item`, `3 items`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
