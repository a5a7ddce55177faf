"""Estimates as people read them: digits that the interval supports, and never a number without its n."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from rejudge.stats.attempts import AttemptSummary
from rejudge.stats.counts import Counts
from rejudge.stats.interval import LEVEL, NO_SPREAD, NOTHING_SCORED, ONE_VALUE, Interval, Undefined
from rejudge.stats.scale import Kind, Scale
from rejudge.stats.summary import Summary

Format: TypeAlias = Callable[[float], str]


def render_estimate(summary: Summary, *, decimals: int | None = None) -> str:
    """One line: `56.3 % [53.6, 58.9] n=1319`; labels give one share each, commonest first.

    `n=90 of 100` tells that items have no score; `× 3 trials` that each item is a mean; a level other than 95 % is
    written out. `decimals` are those of shares in percent, where other shares stand beside this one.
    """
    if summary.labels:
        shares = [
            f"{label} {_estimate(share.share, share.interval, 'pass_fail', decimals)}"
            for label, share in summary.labels.items()
        ]
        return f"{', '.join(shares)} {_n(summary)}"
    if summary.mean is None:
        return f"{Undefined(NOTHING_SCORED)}, {_n(summary)}"
    return f"{_estimate(summary.mean, summary.interval, summary.kind, decimals)} {_n(summary)}"


def render_mean(mean: float | Undefined | None, interval: Interval | Undefined, kind: Kind) -> str:
    """A mean with its interval, in digits that this supports: `56.3 % [53.6, 58.9]`; the caller adds n."""
    if mean is None or isinstance(mean, Undefined):
        return str(Undefined(NOTHING_SCORED) if mean is None else mean)
    return _estimate(mean, interval, kind, None)


def render_standard_error(summary: Summary, *, scale: Scale) -> str:
    """The mean with its standard error, to five digits of it: `15.7335 % ± 1.1203`, `41.32 ± 1.0842`.

    In percent of the way from the lowest to the highest value where the scale declares both, else as it is.
    """
    if summary.mean is None:
        return str(Undefined(NOTHING_SCORED))
    mean, error, unit = summary.mean, summary.standard_error, ""
    if scale.low is not None and scale.high is not None:
        width = (scale.high - scale.low) / 100
        mean, error, unit = (mean - scale.low) / width, None if error is None else error / width, " %"
    if not error:
        why = ONE_VALUE if error is None else NO_SPREAD
        return f"{_number(span=0.0, largest=abs(mean))(mean)}{unit}, its standard error {Undefined(why)}"
    decimals = max(0, 4 - math.floor(math.log10(error)))
    return f"{_unsigned_zero(f'{mean:.{decimals}f}')}{unit} ± {error:.{decimals}f}"


def render_attempts(name: str, summary: AttemptSummary, *, decimals: int | None = None) -> str:
    """One line: `pass@3 87.5 % [83.1, 91.0] wilson n=1319`; `n=90 of 100` tells of items with too few scored trials."""
    n = f"n={summary.n}" + (f" of {summary.n + summary.short}" if summary.short else "")
    if summary.mean is None:
        return f"{name}{summary.k} {summary.interval}, {n}"
    method = f" {summary.interval.method}" if isinstance(summary.interval, Interval) else ""
    return f"{name}{summary.k} {_estimate(summary.mean, summary.interval, 'pass_fail', decimals)}{method} {n}"


def percent_decimals(interval: Interval) -> int:
    """How many decimals of a share in percent its interval supports."""
    return _decimals(100 * (interval.high - interval.low))


def render_bounds(summary: Summary, *, decimals: int | None = None) -> str:
    """The mean whatever the missing would score: `51.0 to 59.1 % whatever the 120 missing would score, n=1319`.

    The ends stand in the order of the scale, so for a score where lower is better the best comes first.
    """
    if not summary.counts.missing:
        return f"nothing is missing, {_n(summary)}"
    if isinstance(summary.best, Undefined):
        return f"bounds {summary.best}, {_n(summary)}"
    if isinstance(summary.worst, Undefined):
        return f"bounds {summary.worst}, {_n(summary)}"
    low, high = sorted((summary.best, summary.worst))
    text = percent_or_number(summary.kind, span=high - low, largest=max(abs(low), abs(high)), decimals=decimals)
    ends = f"{text(low).removesuffix(' %')} to {text(high)}"
    return f"{ends} whatever the {summary.counts.missing} missing would score, {_n(summary)}"


def render_counts(counts: Counts) -> str:
    """What became of everything planned, leaving out what did not happen: `100 planned: 90 scored, 10 skipped`."""
    parts = {name: getattr(counts, name) for name in counts.__struct_fields__[1:]}
    told = [f"{count} {_what(name, count)}" for name, count in parts.items() if count or name == "scored"]
    return f"{counts.planned} planned: {', '.join(told)}"


def percent_or_number(kind: Kind, *, span: float, largest: float, decimals: int | None = None) -> Format:
    """How to write values of this kind: pass/fail as percent, others as numbers, two digits of `span` showing.

    `span` is the width of what is known (0: unknown, up to six digits of the value show); `largest` is the greatest
    absolute value to be written with the same number of decimals. Very small and very large ones get an exponent.
    `decimals`, where they are given, are those of a percentage.
    """
    if kind == "pass_fail":
        if decimals is not None:
            return lambda value: f"{_unsigned_zero(f'{100 * value:.{decimals}f}')} %"
        number = _number(span=100 * span, largest=100 * largest)
        return lambda value: f"{number(100 * value)} %"
    return _number(span=span, largest=largest)


def told_apart_from_0(text: str, end: float, interval: Interval, kind: Kind) -> str:
    """An interval's end as `text` has it, but with a digit that counts where that reads 0 and the interval has no 0."""
    if interval.low <= 0 <= interval.high or text.strip("-0."):
        return text
    return f"{100 * end if kind == 'pass_fail' else end:.1g}"


def _estimate(mean: float, interval: Interval | Undefined, kind: Kind, decimals: int | None) -> str:
    if isinstance(interval, Undefined):
        return f"{percent_or_number(kind, span=0.0, largest=abs(mean))(mean)} [{interval}]"
    text = percent_or_number(
        kind,
        span=interval.high - interval.low,
        largest=max(abs(interval.low), abs(interval.high)),
        decimals=decimals,
    )
    low, high = (text(end).removesuffix(" %") for end in (interval.low, interval.high))
    level = "" if interval.level == LEVEL else f" at {100 * interval.level:g} %"
    return f"{text(mean)} [{low}, {high}]{level}"


def _n(summary: Summary) -> str:
    of = "" if summary.n == summary.items else f" of {summary.items}"
    trials = f" × {summary.trials} trials" if summary.trials > 1 else ""
    return f"n={summary.n}{of}{trials}"


def _number(*, span: float, largest: float) -> Format:
    if not span:
        return lambda value: f"{value:.6g}" if value else "0"
    if 1e-4 <= largest < 1e15:
        decimals = _decimals(span)
        return lambda value: _unsigned_zero(f"{value:.{decimals}f}")
    digits = max(0, math.floor(math.log10(largest)) - math.floor(math.log10(span)) + 1)
    return lambda value: f"{value:.{digits}e}"


def _decimals(span: float) -> int:
    """So many decimals that two digits of `span` show."""
    return max(0, 1 - math.floor(math.log10(span))) if span else 0


def _what(name: str, count: int) -> str:
    return name.replace("_", " ").removesuffix("s" if count == 1 else "")


def _unsigned_zero(text: str) -> str:
    return text.lstrip("-") if not text.strip("-0.") else text
