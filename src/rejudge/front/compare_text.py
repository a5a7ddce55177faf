"""A comparison as text for people: the verdict first, then the numbers, what they mean, and the items that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.amounts import counted
from rejudge.front.lines import NAME, clipped, hanging, item_name, padded, width
from rejudge.stats.comparison_words import (
    TEST_WORDS,
    VERDICT_WORDS,
    render_difference,
    render_p,
    what_it_does_not_mean,
    what_it_means,
)
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.p_value import PValue
from rejudge.stats.render import percent_or_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.compared import ComparisonResult, Side
    from rejudge.release.compare import Changed, ScoreComparison
    from rejudge.stats.comparison import Comparison

WIDTH = 100
ITEM = 48
"""The most columns of an item's id in a list."""

LISTED = 5
"""So many items of each kind of change are listed where nobody says otherwise."""


def comparison_text(result: ComparisonResult, *, columns: int = WIDTH, listed: int = LISTED) -> str:
    """Everything that a comparison found, in lines of at most so many columns."""
    first, second = (clipped(side.label, NAME) for side in (result.first, result.second))
    parts = [[f"{first} → {second}", *_sides(result.first, result.second, columns)]]
    parts += [list(_score(one, first, second, columns, listed)) for one in result.scores]
    if result.notes:
        parts.append([line for note in result.notes for line in hanging("note: ", note, columns)])
    return "\n\n".join("\n".join(part) for part in parts)


def _sides(first: Side, second: Side, columns: int) -> Iterator[str]:
    for name, side in (("first", first), ("second", second)):
        told = f"{side.experiment}, task {side.task}, run {side.run}"
        yield from hanging(padded(f"  {name}", 10), told, columns)


def _score(score: ScoreComparison, first: str, second: str, columns: int, listed: int) -> Iterator[str]:
    comparison, corrected = score.comparison, score.corrected
    yield f"{clipped(score.measure, NAME)}: {VERDICT_WORDS[corrected.verdict].upper()}"
    for label, text in _numbers(comparison, first, second):
        yield from hanging(f"  {padded(label, 12)}", text, columns)
    if corrected.family > 1:
        told = str(corrected.p) if isinstance(corrected.p, Undefined) else render_p(corrected.p)
        yield from hanging(
            f"  {padded('corrected', 12)}", f"{told} as one of {corrected.family} scores (Holm)", columns
        )
    for heading, sentences in (
        ("it means", what_it_means(comparison, first=first, second=second)),
        ("it does not", what_it_does_not_mean(comparison)),
    ):
        for place, sentence in enumerate(sentences):
            yield from hanging(f"  {padded(heading if place == 0 else '', 12)}", sentence, columns)
    for one in score.slices:
        label = clipped(one.name, NAME)
        told = render_difference(one.comparison)
        p = str(one.p) if isinstance(one.p, Undefined) else render_p(one.p)
        yield from hanging(f"  slice {label}: ", f"{told}; among {len(score.slices)} slices {p} (BH)", columns)
    for heading, changed in (
        ("regressions", score.regressions),
        ("fixes", score.fixes),
        ("both wrong", score.both_wrong),
    ):
        yield from _changed(heading, changed, comparison, columns, listed)


def _numbers(comparison: Comparison, first: str, second: str) -> Iterator[tuple[str, str]]:
    for label, mean in (("first", comparison.mean_first), ("second", comparison.mean_second)):
        name = first if label == "first" else second
        yield label, f"{_amount(comparison, mean)} n={comparison.n}  ({name})"
    yield "difference", render_difference(comparison)
    if isinstance(comparison.interval, Interval):
        yield "interval", f"{100 * comparison.interval.level:g} % by {comparison.interval.method}"
    if isinstance(comparison.bootstrap, Interval):
        low, high = comparison.bootstrap.low, comparison.bootstrap.high
        ends = f"[{_amount(comparison, low)}, {_amount(comparison, high)}]"
        yield "bootstrap", f"{ends} by {comparison.bootstrap.method}, seed {comparison.seed}"
    tests = [
        f"{TEST_WORDS[test]} {render_p(found.p)}"
        for test, found in comparison.tests.items()
        if isinstance(found, PValue)
    ]
    if tests:
        yield "tests", "; ".join(tests)
    for label, effect in (("effect d_z", comparison.d_z), ("odds ratio", comparison.odds_ratio)):
        if not isinstance(effect, Undefined):
            interval = effect.interval
            ends = f"[{interval.low:.3g}, {interval.high:.3g}]" if isinstance(interval, Interval) else f"[{interval}]"
            yield label, f"{effect.value:.3g} {ends} n={effect.n}"
    if not isinstance(comparison.detectable, Undefined):
        yield "detectable", f"{_amount(comparison, comparison.detectable)} with 80 % power at this n"
    if any(comparison.unpaired):
        yield (
            "unpaired",
            f"{comparison.unpaired[0]} items scored in the first alone, {comparison.unpaired[1]} in the second alone",
        )


def _changed(
    heading: str, changed: Changed | Undefined, comparison: Comparison, columns: int, listed: int
) -> Iterator[str]:
    if isinstance(changed, Undefined):
        yield from hanging(f"  {heading}: ", str(changed), columns)
        return
    shown = changed.items[:listed]
    more = f", the first {len(shown)} of them" if changed.count > len(shown) else ""
    yield f"  {heading}: {counted(changed.count, 'item')}{more if shown else ''}"
    names = [item_name(one.item_id, min(ITEM, columns - 24)) for one in shown]
    room = max(map(width, names), default=0)
    for name, one in zip(names, shown, strict=True):
        yield f"    {padded(name, room)}  {_amount(comparison, one.first)} → {_amount(comparison, one.second)}"


def _amount(comparison: Comparison, value: float | Undefined) -> str:
    if isinstance(value, Undefined):
        return str(value)
    span = 0.0
    if isinstance(comparison.interval, Interval):
        span = comparison.interval.high - comparison.interval.low
    exact = value in (0.0, 1.0) or not span
    return percent_or_number(comparison.kind, span=0.0 if exact else span, largest=abs(value))(value)
