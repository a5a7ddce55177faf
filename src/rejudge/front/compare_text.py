"""A comparison as text for people: the verdict first, then the numbers, what they mean, and the items that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.amounts import counted
from rejudge.front.figures import VERDICTS
from rejudge.front.lines import NAME, clipped, hanging, item_name, padded, width
from rejudge.front.missing_words import could_turn
from rejudge.stats.comparison_words import (
    TEST_WORDS,
    VERDICT_WORDS,
    dissent,
    render_change,
    render_p,
    render_size,
    what_it_does_not_mean,
    what_it_means,
)
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.p_value import PValue
from rejudge.stats.render import percent_or_number, render_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.compared import ComparisonResult, RunInfo
    from rejudge.release.comparison import ScoreComparison, SliceComparison
    from rejudge.release.disagreement import Band, Disagreement
    from rejudge.release.joined import Changed, Unpaired
    from rejudge.stats.mcnemar import Outcomes

WIDTH = 100
ITEM = 48
"""The most columns of an item's id in a list."""

LISTED, SLICES = 5, 20
"""So many items of each kind of change, and slices, are shown where nobody says otherwise."""

HEAD = 12
"""Columns of a line's name."""

Line = tuple[str, str]
"""The head of a line and its text, which is broken into several where it is too long."""


def comparison_text(
    result: ComparisonResult, *, columns: int = WIDTH, listed: int = LISTED, slices: int = SLICES
) -> str:
    """Everything that a comparison found, in lines of at most so many columns."""
    first, second = (clipped(side.label, NAME) for side in (result.first, result.second))
    parts: list[list[Line]] = [[("", f"{first} → {second}"), *sides_of(result.first, result.second)]]
    for one in result.scores:
        told = _Told(one, first, second, room=min(ITEM, columns - 32))
        parts.append([*told.numbers(), *told.meaning(), *told.slices(slices), *told.items(listed)])
    parts.append([("note: ", note) for note in result.notes])
    return "\n\n".join(
        "\n".join(line for head, text in part for line in hanging(head, text, columns)) for part in parts if part
    )


def sides_of(first: RunInfo, second: RunInfo) -> Iterator[Line]:
    """What the two sides are, as lines with their heads."""
    if first.run == second.run:
        yield _head("of"), f"{first.experiment}, task {first.task}, run {first.run}"
        return
    for name, side in (("first", first), ("second", second)):
        yield _head(name), f"{side.experiment}, task {side.task}, run {side.run}"


class _Told:
    """One score of a comparison, told in lines; items take `room` columns at most."""

    def __init__(self, score: ScoreComparison, first: str, second: str, *, room: int) -> None:
        self._score = score
        self._names = first, second
        self._room = room
        self._comparison = score.decided

    def numbers(self) -> Iterator[Line]:
        """The verdict and the numbers behind it."""
        score, comparison, corrected = self._score, self._comparison, self._score.corrected
        name = score.measure if score.disagreement is None else f"{self._names[0]} and {self._names[1]}"
        yield "", f"{clipped(name, 2 * NAME)}: {VERDICT_WORDS[corrected.verdict].upper()}{could_turn(comparison)}"
        for label, name, mean in zip(
            ("first", "second"), self._names, (comparison.mean_first, comparison.mean_second), strict=True
        ):
            yield _head(label), f"{self._value(mean)} n={comparison.n}  ({name})"
        interval = comparison.interval
        method = f", {100 * interval.level:g} % by {interval.method}" if isinstance(interval, Interval) else ""
        yield _head("difference"), f"{render_change(comparison)}{method}, n={comparison.n}"
        if isinstance(comparison.bootstrap, Interval):
            low, high = (render_size(comparison, end) for end in (comparison.bootstrap.low, comparison.bootstrap.high))
            ends = f"[{low.removesuffix(' points')}, {high.removesuffix(' points')}]"
            points = " points" if low.endswith(" points") else ""
            yield _head("bootstrap"), f"{ends}{points} by {comparison.bootstrap.method}, seed {comparison.seed}"
        yield from self._tests()
        if corrected.family > 1:
            told = f"{render_p(corrected.p)} as one of {corrected.family} scores (Holm), which decides"
            yield _head("corrected"), told
        yield from self._sizes()
        yield from self._unpaired()

    def _tests(self) -> Iterator[Line]:
        tests = [
            f"{TEST_WORDS[test]} {render_p(found.p)}"
            for test, found in self._comparison.tests.items()
            if isinstance(found, PValue)
        ]
        if tests:
            yield _head("tests"), "; ".join(tests)

    def _sizes(self) -> Iterator[Line]:
        comparison = self._comparison
        for label, effect in (("effect d_z", comparison.d_z), ("odds ratio", comparison.odds_ratio)):
            if not isinstance(effect, Undefined):
                interval = effect.interval
                ends = f"{interval.low:.3g}, {interval.high:.3g}" if isinstance(interval, Interval) else str(interval)
                yield _head(label), f"{effect.value:.3g} [{ends}] n={effect.n}"
        if not isinstance(comparison.detectable, Undefined):
            yield _head("detectable"), f"{render_size(comparison, comparison.detectable)} with 80 % power at this n"

    def _unpaired(self) -> Iterator[Line]:
        head = "unpaired"
        for alone, name in zip(self._score.unpaired, self._names, strict=True):
            if alone.count:
                yield _head(head), f"{counted(alone.count, 'item')} scored in {name} alone{_named(alone)}"
                head = ""
        traces = self._score.unpaired_traces
        if traces is not None and any(traces):
            told = " and ".join(
                f"{counted(count, 'trace')} scored by {name} alone"
                for count, name in zip(traces, self._names, strict=True)
                if count
            )
            yield _head(head), f"{told}, which counts for neither"

    def meaning(self) -> Iterator[Line]:
        """What the numbers mean, and what they do not. Of the share of one label most of it goes without saying."""
        if self._score.label is not None:
            if (disagreement := dissent(self._comparison)) is not None:
                yield _head("but"), disagreement
            return
        means = what_it_means(self._comparison, first=self._names[0], second=self._names[1])
        if self._score.disagreement is not None and not isinstance(self._comparison.difference, Undefined):
            means[0] = self._scorers(self._comparison.difference)
        for heading, sentences in (("it means", means), ("but", what_it_does_not_mean(self._comparison))):
            for place, sentence in enumerate(sentences):
                yield _head(heading if place == 0 else ""), sentence

    def _scorers(self, difference: float) -> str:
        first, second = self._names
        change = render_change(self._comparison)
        if self._comparison.verdict.value != "different":
            return f"It is not shown that {first} and {second} differ on average: {change}."
        way = "higher" if difference > 0 else "lower"
        return f"{second} scores {way} than {first} on the same traces, on average by {change}."

    def slices(self, limit: int) -> Iterator[Line]:
        """Each slice, the least likely first."""
        found = self._score.slices
        if not found:
            return
        shown = sorted(found, key=_unlikely)[:limit]
        more = f"; {limit} shown, the least likely to be chance first" if len(shown) < len(found) else ""
        yield _head("slices"), f"{counted(len(found), 'slice')}, p corrected for all of them (BH){more}"
        names = [clipped(one.name, self._room) for one in shown]
        room = max(map(width, names))
        for name, one in zip(names, shown, strict=True):
            comparison = one.comparison
            of = f" of {one.items}" if comparison.n < one.items else ""
            told = f"{render_change(comparison)} {VERDICT_WORDS[one.verdict]}, {render_p(one.p)}, n={comparison.n}{of}"
            if (disagreement := dissent(one.decided)) is not None:
                told += f". {disagreement}"
            yield f"    {padded(name, room)}  ", told

    def items(self, listed: int) -> Iterator[Line]:
        """The items that changed, or about which two scorers disagree."""
        score = self._score
        if score.disagreement is not None:
            yield from self._disagreement(score.disagreement, listed)
            return
        for heading, changed in (
            ("regressions", score.regressions),
            ("fixes", score.fixes),
            ("both wrong", score.both_wrong),
        ):
            if isinstance(changed, Undefined):
                yield f"  {heading}: ", str(changed)
            else:
                yield from self._listed(heading, changed, listed)

    def _disagreement(self, found: Disagreement, listed: int) -> Iterator[Line]:
        repeated = found.traces > self._comparison.n
        if not isinstance(found.outcomes, Undefined) and (repeated or self._comparison.outcomes is None):
            yield _head("passing"), f"{_outcomes(found.outcomes, *self._names)}{' traces' if repeated else ''}"
        yield _head("equal"), f"{counted(found.equal, 'item')} of {self._comparison.n} have the same value from both"
        if repeated:
            yield _head(""), f"{counted(found.equal_traces, 'trace')} of {found.traces} have the same value from both"
        if found.bands:
            yield _head("where"), "by the mean of the two values, second − first; the intervals hold all at once"
            ends = [f"{band.low:.4g} to {band.high:.4g}" for band in found.bands]
            room = max(map(width, ends))
            for end, band in zip(ends, found.bands, strict=True):
                yield f"    {padded(end, room)}  ", self._band(band)
        yield from self._listed("disagree", found.items, listed, first="the largest differences first")

    def _band(self, band: Band) -> str:
        if isinstance(band.difference, Undefined):
            return str(band.difference)
        sign = "+" if band.difference > 0 else ""
        return f"{sign}{render_mean(band.difference, band.interval, 'number')} n={band.n}"

    def _listed(self, heading: str, changed: Changed, listed: int, *, first: str = "") -> Iterator[Line]:
        shown = changed.items[:listed]
        more = f", the first {len(shown)} of them" if changed.count > len(shown) else ""
        order = f", {first}" if first else ""
        yield "", f"  {heading}: {counted(changed.count, 'item')}{(more or order) if shown else ''}"
        names = [item_name(one.item_id, self._room) for one in shown]
        room = max(map(width, names), default=0)
        for name, one in zip(names, shown, strict=True):
            yield f"    {padded(name, room)}  ", f"{self._item(one.first)} → {self._item(one.second)}"

    def _item(self, value: float) -> str:
        """What one item scored: of passes and failures in words, unless its trials were not all equal."""
        label = self._score.label
        if label is not None and value in (0.0, 1.0):
            return clipped(label, NAME // 2) if value else "another"
        words = VERDICTS.get(self._comparison.kind, {})
        return words.get(value) or percent_or_number(self._comparison.kind, span=0.0, largest=abs(value))(value)

    def _value(self, value: float | Undefined) -> str:
        if isinstance(value, Undefined):
            return str(value)
        interval = self._comparison.interval
        span = interval.high - interval.low if isinstance(interval, Interval) else 0.0
        exact = value in (0.0, 1.0)
        return percent_or_number(self._comparison.kind, span=0.0 if exact else span, largest=abs(value))(value)


def _outcomes(found: Outcomes, first: str, second: str) -> str:
    return (
        f"both pass {found.both}, {first} alone {found.only_first}, {second} alone {found.only_second}, "
        f"neither {found.neither}"
    )


def _named(alone: Unpaired) -> str:
    if not alone.items:
        return ""
    shown = [item_name(item_id, NAME // 2) for item_id in alone.items[:3]]
    return f": {', '.join(shown)}{', …' if alone.count > len(shown) else ''}"


def _unlikely(one: SliceComparison) -> float:
    return one.p if isinstance(one.p, float) else 2.0


def _head(label: str) -> str:
    return f"  {padded(label, HEAD)}"
