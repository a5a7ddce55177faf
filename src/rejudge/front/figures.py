"""Numbers of agreement in a terminal: each with its interval and, beside it in plain words, what it says.

What the numbers do not say stands below, once for all that share it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.lines import padded, width, wrapped
from rejudge.stats.interval import LEVEL, Interval, Undefined
from rejudge.stats.meaning import MEANINGS, said_by
from rejudge.stats.render import percent_or_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rejudge.stats.estimate import Statistic
    from rejudge.stats.scale import Kind

NAMES, NUMBERS, WIDEST = 14, 23, 80
"""Columns of the name, of the number, and of a line in all where nobody says how many there are."""

BESIDE = 30
"""With fewer columns than that beside the number, words stand below it."""

SHARES = frozenset({"accuracy", "percent_agreement", "tpr", "tnr"})

VERDICTS: dict[str, dict[float, str]] = {
    "pass_fail": {0.0: "fail", 1.0: "pass"},
    "pass_fail_critical": {-1.0: "critical fail", 0.0: "fail", 1.0: "pass"},
}
"""The values of kinds that are no numbers to people, in words; a share between them is told as a number."""

SHORT_NAMES: dict[str, str] = {
    "accuracy": "accuracy",
    "percent_agreement": "same value",
    "tpr": "TPR",
    "tnr": "TNR",
    "mcc": "MCC",
    "kappa": "Cohen κ",
    "kappa_linear": "κ linear",
    "kappa_quadratic": "κ quadratic",
    "fleiss": "Fleiss κ",
    "ac1": "Gwet AC1",
    "ac2_linear": "AC2 linear",
    "ac2_quadratic": "AC2 quadratic",
    "ac2_ordinal": "AC2 ordinal",
    "alpha_nominal": "α nominal",
    "alpha_ordinal": "α ordinal",
    "alpha_interval": "α interval",
    "alpha_ratio": "α ratio",
    "pearson": "Pearson r",
    "spearman": "Spearman ρ",
    "kendall": "Kendall τ-b",
    "ccc": "Lin CCC",
    "mae": "MAE",
    "mse": "MSE",
    "rmse": "RMSE",
    "normalised_mae": "MAE / range",
    "normalised_mse": "MSE / range²",
    "bias": "bias",
    "limit_low": "lower limit",
    "limit_high": "upper limit",
    "brier": "Brier",
    "ece": "ECE",
}
"""How each number is called where there is little room."""


def figure_lines(statistics: Mapping[str, Statistic], *, n: int, columns: int = WIDEST) -> Iterator[str]:
    """One number after the other, with its own n where that is not `n`; words that do not fit go on below."""
    for name, found in statistics.items():
        number, words = _told(name, found, n)
        yield from row_lines(SHORT_NAMES.get(name, name), number, words, columns=columns)


def row_lines(name: str, number: str, words: str, *, columns: int = WIDEST) -> Iterator[str]:
    """One number behind its name, with the words beside it, or below where there is little room."""
    indent = " " * (NAMES + NUMBERS + 2)
    if columns - len(indent) < BESIDE:
        yield f"{padded(name, NAMES)} {number}"
        yield from (f"    {line}" for line in wrapped(words, columns - 4))
        return
    first, *more = wrapped(words, columns - len(indent))
    head = f"{padded(name, NAMES)} {number}"
    if width(head) < len(indent):
        yield padded(head, len(indent)) + first
    else:
        yield head
        yield indent + first
    yield from (indent + line for line in more)


def caution_lines(statistics: Mapping[str, Statistic], *, columns: int = WIDEST) -> Iterator[str]:
    """What the numbers do not say."""
    about: dict[str, list[str]] = {}
    for name, found in statistics.items():
        if not isinstance(found, Undefined):
            about.setdefault(MEANINGS[name].does_not_say, []).append(SHORT_NAMES.get(name, name))
    if about:
        yield "what the numbers do not say"
    for words, names in about.items():
        first, *more = wrapped(f"{', '.join(names)}: {words}", columns - 4)
        yield f"  {first}"
        yield from (f"    {line}" for line in more)


def interval_text(value: float, interval: Interval | Undefined, *, kind: Kind) -> str:
    """A value with the digits that its interval supports: `0.62 [0.40, 0.81]`."""
    if isinstance(interval, Undefined):
        return percent_or_number(kind, span=0.0, largest=abs(value))(value)
    largest = max(abs(interval.low), abs(interval.high))
    text = percent_or_number(kind, span=interval.high - interval.low, largest=largest)
    low, high = (text(end).removesuffix(" %") for end in (interval.low, interval.high))
    level = "" if interval.level == LEVEL else f" at {100 * interval.level:g} %"
    return f"{text(value)} [{low}, {high}]{level}"


def _told(name: str, found: Statistic, n: int) -> tuple[str, str]:
    """A number as it stands, and the words beside it."""
    if isinstance(found, Undefined):
        return "undefined", f"because {found.reason}"
    number = interval_text(found.value, found.interval, kind="pass_fail" if name in SHARES else "number")
    words = said_by(name, found)
    if isinstance(found.interval, Undefined):
        words += f" It has no interval, because {found.interval.reason}."
    return number if found.n == n else f"{number} n={found.n}", words
