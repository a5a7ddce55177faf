"""The last number of a text, in one spelling per value: what `final_number` answers."""

from __future__ import annotations

import re
from decimal import Decimal

_SIGN = r"(?<![^\W_]) (?<![-−)\]%]) (?<!\d[$€£¥]) [-−]"
_NUMBER = re.compile(
    rf"""
    (?P<minus> {_SIGN} )? [$€£¥]? (?P<minus_inside> {_SIGN} )?
    (?P<digits>
        (?<!\d,) \d{{1,3}} (?:,\d{{3}})+ (?!,?\d) (?:\.\d+)?     # 1,234.5
      | \d+ (?:\.\d+)?                                           # 1234.5
      | (?<![\w.]) \.\d+                                         # .5
    )
    (?P<exponent> [eE] [-+]? \d{{1,3}} (?![\w.]) )?
    """,
    re.VERBOSE,
)


def last_number(text: str) -> str | None:
    """The last number in `text`, as plain decimal digits without needless zeros; None where there is none.

    `$1,234.50.` gives `1234.5` and `18.00` gives `18`, exactly, however many digits there are. Commas
    count only between whole groups of three: the last number of `1,2,3` is `3`. A minus counts only
    where it is attached and is no operator or hyphen: `-5` and `-$5` are negative, `5-3` ends in `3`.
    """
    for word in reversed(text.split()):
        if found := list(_NUMBER.finditer(word)):
            return _plain(found[-1])
    return None


def _plain(found: re.Match[str]) -> str:
    minus, inside, digits, exponent = found.groups()
    digits = digits.replace(",", "")
    if exponent or not digits.isascii():
        digits = format(Decimal(digits + (exponent or "")), "f")
    whole, point, fraction = digits.partition(".")
    fraction = fraction.rstrip("0")
    whole = whole.lstrip("0") or "0"
    plain = f"{whole}.{fraction}" if point and fraction else whole
    return f"-{plain}" if (minus or inside) and plain != "0" else plain
