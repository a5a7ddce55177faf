"""A comparison as a page: the answer, the pictures that it rests on, what it means and does not, and the items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.amounts import counted
from rejudge.front.missing_words import could_turn
from rejudge.front.page_comparison_figures import MARKS, Pictures, difference_unit
from rejudge.front.page_parts import (
    columns,
    contents,
    folded,
    foot,
    head,
    hero,
    how,
    kept,
    p_text,
    safe,
    sentences,
    sign,
    table,
    width_of,
)
from rejudge.front.plots.unit import Unit
from rejudge.stats.comparison_words import TEST_WORDS, VERDICT_WORDS, what_it_does_not_mean, what_it_means
from rejudge.stats.interval import Undefined
from rejudge.stats.p_value import PValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.compared import ComparisonResult, RunInfo
    from rejudge.release.comparison import ScoreComparison
    from rejudge.release.joined import Changed
    from rejudge.stats.comparison import Comparison


def comparison_title(result: ComparisonResult) -> str:
    """What is compared with what."""
    return f"{kept(result.first.label)} → {kept(result.second.label)}"


def comparison_body(result: ComparisonResult) -> Iterator[str]:
    """The page's content."""
    facts = [("first", _side(result.first)), ("second", _side(result.second))]
    yield from head("comparison", comparison_title(result), facts, result.notes)
    names = kept(result.first.label, 28), kept(result.second.label, 28)
    if len(result.scores) > 1:
        yield _overview(result.scores)
    for place, score in enumerate(result.scores, 1):
        yield f'<section class="score" id="score-{place}">'
        yield from _Section(score, names).body()
        yield "</section>"
    yield foot("Differences are second − first. Resampling repeats exactly with the seed that stands beside it.")


def _side(side: RunInfo) -> str:
    return f"{side.label}: {side.experiment}, task {side.task}, run {side.run}"


def _overview(scores: tuple[ScoreComparison, ...]) -> str:
    """Every score in one table, before the sections that follow."""
    return contents(
        ["score", "verdict", "difference", "p, corrected", "n"],
        [
            (
                score.measure,
                (
                    f"{sign(MARKS[score.corrected.verdict])} {_verdict(score)}",
                    safe(difference_unit(score).estimate(score.comparison.difference, score.comparison.interval)),
                    safe(p_text(score.corrected.p)),
                    f"{score.comparison.n:,}",
                ),
            )
            for score in scores
        ],
    )


def _verdict(score: ScoreComparison) -> str:
    """The verdict in words, with the doubt that missing scores cast on it."""
    return f"{VERDICT_WORDS[score.corrected.verdict]}{could_turn(score.decided)}"


class _Section:
    """One score: its answer, its pictures, its words and its items."""

    def __init__(self, score: ScoreComparison, names: tuple[str, str]) -> None:
        self.score = score
        self.first, self.second = names
        self.comparison: Comparison = score.decided
        self.pictures = Pictures(score, self.first, self.second)

    def body(self) -> Iterator[str]:
        """From the answer to the items."""
        comparison = self.comparison
        yield f"<h2>{safe(self.score.measure)}</h2>"
        told = [how(comparison.interval), p_text(self.score.corrected.p), f"n={comparison.n:,} items"]
        if self.score.corrected.family > 1:
            told[1] += f", corrected as one of {self.score.corrected.family} scores (Holm)"
        big = self.pictures.moves.estimate(comparison.difference, comparison.interval)
        yield hero(MARKS[comparison.verdict], _verdict(self.score), big, " · ".join(told))
        yield from columns(self.pictures.all(), self.words())
        yield from self.items()

    def words(self) -> Iterator[str]:
        """What it means, what it does not, and how it was computed."""
        comparison = self.comparison
        yield from sentences("What it means", what_it_means(comparison, first=self.first, second=self.second))
        yield from sentences("What it does not mean", what_it_does_not_mean(comparison))
        yield from sentences("How sure one could be", self._power())
        yield from folded("Every test that fits, and the sizes of the effect", [self._tests(), self._effects()])

    def items(self) -> Iterator[str]:
        """Items that got worse, that got better, and that neither side passes."""
        score = self.score
        for name, changed in (
            ("Regressions", score.regressions),
            ("Fixes", score.fixes),
            ("Both wrong", score.both_wrong),
        ):
            yield from self._items(name, changed)

    def _items(self, name: str, changed: Changed | Undefined) -> Iterator[str]:
        if isinstance(changed, Undefined):
            yield from folded(name, [f'<p class="dim">{safe(str(changed))}</p>'])
            return
        more = f", the first {len(changed.items)}, worst first" if changed.count > len(changed.items) else ""
        summary = f"{name}: {counted(changed.count, 'item')}{more if changed.items else ''}"
        if not changed.items:
            yield from folded(summary, ['<p class="dim">None.</p>' if not changed.count else ""])
            return
        rows = [(one.item_id, self._value(one.first), self._value(one.second)) for one in changed.items]
        inside = [table(["item", self.first, self.second], rows, caption=summary)]
        yield from folded(summary, inside, state="open" if name == "Regressions" else "")

    def _value(self, value: float) -> str:
        if self.score.passes_at is not None and self.comparison.outcomes is not None and value in (0.0, 1.0):
            return ("✗ fails", "✓ passes")[int(value)]
        return self.pictures.means.text(value)

    def _power(self) -> Iterator[str]:
        comparison = self.comparison
        if not isinstance(comparison.detectable, Undefined):
            size = self.pictures.moves.text(comparison.detectable, span=width_of(comparison.interval)).removeprefix("+")
            yield f"With so many items a difference of {size} would have been found 8 times in 10."
        if any(comparison.unpaired):
            first, second = (f"{count:,}" for count in comparison.unpaired)
            yield f"Not in the numbers: {first} items scored in the first alone, and {second} in the second alone."

    def _tests(self) -> str:
        comparison = self.comparison
        rows = [
            (
                TEST_WORDS[test] + (" (decides)" if test == comparison.primary else ""),
                p_text(found.p) if isinstance(found, PValue) else str(found),
                f"{found.n:,}" if isinstance(found, PValue) else "",
            )
            for test, found in comparison.tests.items()
        ]
        return table(["test", "p", "n it uses"], rows, caption="p: how often chance alone gives so large a difference")

    def _effects(self) -> str:
        comparison = self.comparison
        unit = Unit(name="")
        named = (
            ("d_z: the difference in standard deviations of the differences", comparison.d_z),
            ("odds ratio: second alone passes, for each that the first alone passes", comparison.odds_ratio),
            ("correlation of both sides over the items", comparison.correlation),
        )
        rows = [
            (name, str(found), "")
            if isinstance(found, Undefined)
            else (name, unit.estimate(found.value, found.interval), f"{found.n:,}")
            for name, found in named
        ]
        return table(["size", "value", "n"], rows, caption="sizes that do not depend on the score's unit")
