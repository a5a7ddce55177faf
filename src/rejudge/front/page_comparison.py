"""A comparison as a page: the answer, the pictures that it rests on, what it means and does not, and the items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rejudge.front.amounts import counted
from rejudge.front.page_parts import (
    METHODS,
    columns,
    estimates_table,
    figure,
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
from rejudge.front.plots.axis import Ends
from rejudge.front.plots.changes import Changes, changes
from rejudge.front.plots.estimate import Mark, Shown
from rejudge.front.plots.intervals import Band, Intervals, Line, intervals
from rejudge.front.plots.paired_differences import PairedDifferences, paired_differences, told_moves
from rejudge.front.plots.slices import Slices, slices
from rejudge.front.plots.unit import Unit
from rejudge.stats.comparison_words import TEST_WORDS, VERDICT_WORDS, what_it_does_not_mean, what_it_means
from rejudge.stats.decision import ComparisonVerdict
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.p_value import PValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.compared import ComparisonResult, Side
    from rejudge.release.compare import Changed, ScoreComparison, SliceComparison
    from rejudge.stats.comparison import Comparison

MARKS: Final[dict[ComparisonVerdict, Mark]] = {
    ComparisonVerdict.BETTER: "better",
    ComparisonVerdict.WORSE: "worse",
    ComparisonVerdict.DIFFERENT: "different",
    ComparisonVerdict.NO_DIFFERENCE_SHOWN: "same",
    ComparisonVerdict.NOT_ENOUGH_DATA: "unsure",
}


def comparison_title(result: ComparisonResult) -> str:
    """What is compared with what."""
    return f"{kept(result.first.label)} → {kept(result.second.label)}"


def comparison_body(result: ComparisonResult) -> Iterator[str]:
    """The page's content."""
    facts = [("first", _side(result.first)), ("second", _side(result.second))]
    yield from head("comparison", comparison_title(result), facts, result.notes)
    names = kept(result.first.label, 28), kept(result.second.label, 28)
    if len(result.scores) > 1:
        yield from _overview(result.scores)
    for place, score in enumerate(result.scores, 1):
        yield f'<section class="score" id="score-{place}">'
        yield from _Section(score, names).body()
        yield "</section>"
    yield foot("Differences are second − first. Resampling repeats exactly with the seed that stands beside it.")


def _side(side: Side) -> str:
    return f"{side.label}: {side.experiment}, task {side.task}, run {side.run}"


def _overview(scores: tuple[ScoreComparison, ...]) -> Iterator[str]:
    """Every score in one table, before the sections that follow."""
    yield '<nav aria-label="scores"><div class="scroll"><table><thead><tr>'
    yield "".join(f'<th scope="col">{one}</th>' for one in ("score", "verdict", "difference", "p, corrected", "n"))
    yield "</tr></thead><tbody>"
    for place, score in enumerate(scores, 1):
        corrected, comparison = score.corrected, score.comparison
        verdict = f"{sign(MARKS[corrected.verdict])} {VERDICT_WORDS[corrected.verdict]}"
        cells = (
            _difference_unit(score).estimate(comparison.difference, comparison.interval),
            p_text(corrected.p),
            f"{comparison.n:,}",
        )
        yield f'<tr><th scope="row"><a href="#score-{place}">{safe(score.measure)}</a></th><td>{verdict}</td>'
        yield "".join(f"<td>{safe(cell)}</td>" for cell in cells) + "</tr>"
    yield "</tbody></table></div></nav>"


class _Section:
    """One score: its answer, its pictures, its words and its items."""

    def __init__(self, score: ScoreComparison, names: tuple[str, str]) -> None:
        self.score = score
        self.first, self.second = names
        self.verdict = score.corrected.verdict
        # In words the verdict is the one that holds beside the other scores.
        self.comparison: Comparison = msgspec.structs.replace(
            score.comparison, verdict=self.verdict, because=score.corrected.because
        )
        self.means, self.moves = _value_unit(score), _difference_unit(score)

    def body(self) -> Iterator[str]:
        """From the answer to the items."""
        comparison = self.comparison
        yield f"<h2>{safe(self.score.measure)}</h2>"
        mark = MARKS[self.verdict]
        told = [how(comparison.interval), p_text(self.score.corrected.p), f"n={comparison.n:,} items"]
        if self.score.corrected.family > 1:
            told[1] += f", corrected as one of {self.score.corrected.family} scores (Holm)"
        big = self.moves.estimate(comparison.difference, comparison.interval)
        yield hero(mark, VERDICT_WORDS[self.verdict], big, " · ".join(told))
        yield from columns(self.pictures(), self.words())
        yield from self.items()

    def pictures(self) -> Iterator[str]:
        """The plots, the one that decides first."""
        yield self.difference()
        yield self.sides()
        yield self.changed()
        if self.score.slices:
            yield self.slices()

    def difference(self) -> str:
        """The difference with its interval, and the one that resampling gives."""
        comparison = self.comparison
        rows = [self._row("all items", comparison.interval)]
        if isinstance(comparison.bootstrap, Interval):
            told = f"seed {comparison.seed}"
            row = self._row(METHODS.get(comparison.bootstrap.method, comparison.bootstrap.method), comparison.bootstrap)
            rows.append(msgspec.structs.replace(row, mark="plain", note=told))
        bands, says = [], "The interval holds every difference that fits these items. "
        says += "Where it leaves out 0, chance alone hardly explains it."
        if comparison.non_inferiority is not None and not isinstance(comparison.non_inferiority, Undefined):
            margin = comparison.non_inferiority.margin
            low, high = (-margin, 0.0) if comparison.direction == "higher" else (0.0, margin)
            bands.append(Band(low=low, high=high, name="worse, but acceptable"))
            says += f" The shaded part is worse, but by less than the margin of {self.moves.text(margin)}."
        elif comparison.smallest is not None:
            size = comparison.smallest
            bands.append(Band(low=-size, high=size, name="too little to matter"))
            says += f" The shaded part is less than {self.moves.text(size)}, the smallest difference of interest."
        view = Intervals(
            title=f"{self.score.measure}: the difference",
            unit=self.moves,
            rows=tuple(rows),
            lines=(Line(at=0.0, name="no difference"),),
            bands=tuple(bands),
            ends=self._ends(),
        )
        numbers = estimates_table(rows, self.moves, caption="the difference, second − first")
        return figure("The difference", says, lambda width: intervals(view, width=width), numbers)

    def sides(self) -> str:
        """Both means."""
        comparison, (first, second) = self.comparison, self.score.intervals
        rows = (
            Shown(name=self.first, value=comparison.mean_first, interval=first, n=comparison.n, mark="first"),
            Shown(name=self.second, value=comparison.mean_second, interval=second, n=comparison.n, mark="second"),
        )
        share = comparison.kind == "pass_fail"
        view = Intervals(
            title=f"{self.score.measure}: both sides",
            unit=self.means,
            rows=rows,
            low=0.0 if share else float("-inf"),
            high=1.0 if share else float("inf"),
        )
        says = (
            "Each side alone. These intervals may overlap although a difference is shown: it is taken item by item, "
            "so what makes an item hard for both sides cancels."
        )
        numbers = estimates_table(rows, self.means, caption="the mean of either side over the common items")
        return figure("Both sides", says, lambda width: intervals(view, width=width), numbers)

    def changed(self) -> str:
        """What became of the items: counted where they pass or fail, else by how far they moved."""
        counts = self.comparison.outcomes
        if counts is None or self.score.passes_at is None:
            return self.moved()
        view = Changes(
            title=f"{self.score.measure}: what changed, item by item",
            first=self.first,
            second=self.second,
            both=counts.both,
            only_first=counts.only_first,
            only_second=counts.only_second,
            neither=counts.neither,
        )
        rows = (
            ("both pass", f"{view.both:,}"),
            (f"only {self.second} passes", f"{view.only_second:,}"),
            (f"only {self.first} passes", f"{view.only_first:,}"),
            ("neither passes", f"{view.neither:,}"),
        )
        says = (
            "Only items that one side passes and the other does not say which is better; "
            "those that both pass, or neither, count for neither."
        )
        numbers = table(["outcome", "items"], rows, caption=f"the {view.n:,} items by outcome")
        return figure("What changed, item by item", says, lambda width: changes(view, width=width), numbers)

    def moved(self) -> str:
        """How far the items moved."""
        view = PairedDifferences(
            title=f"{self.score.measure}: how far each item moved",
            unit=self.moves,
            differences=self.score.differences,
            n=self.comparison.n,
            better=self.comparison.direction,
        )
        ordered = sorted(view.differences)
        places = [(share, round(share * (len(ordered) - 1))) for share in (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)]
        names = {0.0: "lowest", 0.5: "median", 1.0: "highest"}
        rows = [
            (names.get(share, f"{100 * share:.0f} % are at most"), self.moves.text(ordered[place]))
            for share, place in places
            if ordered
        ]
        numbers = table(["items in order of their move", "second − first"], rows, caption=told_moves(view, ordered))
        says = "Second − first for each item. A mean near 0 may hide many moves both ways; here they are seen."
        return figure("How far each item moved", says, lambda width: paired_differences(view, width=width), numbers)

    def slices(self) -> str:
        """The difference in each slice."""
        rows = tuple(map(self._slice, self.score.slices))
        view = Slices(
            title=f"{self.score.measure}: the difference in each slice",
            unit=self.moves,
            rows=rows,
            whole=self.comparison.difference,
            ends=self._ends(),
        )
        says = (
            f"Verdicts are corrected for all {len(rows)} slices (Benjamini–Hochberg). Small slices have wide "
            "intervals: that two slices differ is shown only where their intervals lie clearly apart."
        )
        numbers = estimates_table(rows, self.moves, caption="the difference in each slice", name="slice")
        return figure("Slices", says, lambda width: slices(view, width=width), numbers)

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
        return self.means.text(value)

    def _row(self, name: str, interval: Interval | Undefined) -> Shown:
        comparison = self.comparison
        return Shown(
            name=name,
            value=comparison.difference,
            interval=interval,
            n=comparison.n,
            mark=MARKS[self.verdict],
            note=VERDICT_WORDS[self.verdict],
        )

    def _slice(self, one: SliceComparison) -> Shown:
        verdict = ComparisonVerdict(one.verdict)
        comparison = one.comparison
        return Shown(
            name=one.name,
            value=comparison.difference,
            interval=comparison.interval,
            n=comparison.n,
            mark=MARKS[verdict],
            note=VERDICT_WORDS[verdict],
            more=p_text(one.p),
        )

    def _ends(self) -> Ends:
        match self.comparison.direction:
            case "higher":
                return Ends(left=self.first, right=self.second, word="better")
            case "lower":
                return Ends(left=self.second, right=self.first, word="better")
            case "informational":
                return Ends(left=self.first, right=self.second, word="higher")

    def _power(self) -> Iterator[str]:
        comparison = self.comparison
        if not isinstance(comparison.detectable, Undefined):
            size = self.moves.text(comparison.detectable, span=width_of(comparison.interval)).removeprefix("+")
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


def _value_unit(score: ScoreComparison) -> Unit:
    share = score.comparison.kind == "pass_fail"
    what = score.measure if not share else "pass rate" if score.passes_at is not None else f"share with {score.measure}"
    return Unit(name=kept(what, 40), share=share)


def _difference_unit(score: ScoreComparison) -> Unit:
    unit = _value_unit(score)
    counted_in = "points" if unit.share else "second − first"
    return msgspec.structs.replace(unit, name=f"difference in {unit.name}, {counted_in}", signed=True)
