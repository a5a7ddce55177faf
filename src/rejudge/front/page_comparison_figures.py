"""The pictures of a comparison: the difference, both sides, what became of the items, and the slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rejudge.front.amounts import counted
from rejudge.front.page_parts import METHODS, estimates_table, figure, kept, p_text, table
from rejudge.front.plots.axis import Ends
from rejudge.front.plots.changes import Changes, changes
from rejudge.front.plots.estimate import Mark, Shown
from rejudge.front.plots.intervals import Band, Intervals, Line, intervals
from rejudge.front.plots.paired_differences import PairedDifferences, paired_differences, told_moves
from rejudge.front.plots.slices import Slices, slices
from rejudge.front.plots.unit import Unit
from rejudge.stats.comparison_words import VERDICT_WORDS, dissent
from rejudge.stats.decision import ComparisonVerdict
from rejudge.stats.interval import Interval, Undefined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.release.comparison import ScoreComparison, SliceComparison

MARKS: Final[dict[ComparisonVerdict, Mark]] = {
    ComparisonVerdict.BETTER: "better",
    ComparisonVerdict.WORSE: "worse",
    ComparisonVerdict.DIFFERENT: "different",
    ComparisonVerdict.NO_DIFFERENCE_SHOWN: "same",
    ComparisonVerdict.NOT_ENOUGH_DATA: "unsure",
}

NAMED = 5
"""So many slices are named of which the interval and the verdict do not agree."""


class Pictures:
    """The pictures of one score; `first` and `second` are what the two sides are called."""

    def __init__(self, score: ScoreComparison, first: str, second: str) -> None:
        self.score = score
        self.comparison = score.comparison
        self.first, self.second = first, second
        self.verdict = score.corrected.verdict
        self.means, self.moves = value_unit(score), difference_unit(score)

    def all(self) -> Iterator[str]:
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
            row = self._row(METHODS[comparison.bootstrap.method], comparison.bootstrap)
            rows.append(msgspec.structs.replace(row, mark="plain", note=told))
        bands, says = [], "The interval holds every difference that fits these items. "
        says += "Where it leaves out 0, chance alone hardly explains it."
        if comparison.non_inferiority is not None and not isinstance(comparison.non_inferiority, Undefined):
            margin = comparison.non_inferiority.margin
            low, high = (-margin, 0.0) if comparison.direction == "higher" else (0.0, margin)
            bands.append(Band(low=low, high=high, name="worse, but acceptable"))
            says += f" The shaded part is worse, but by less than the margin of {self._size(margin)}."
        elif comparison.smallest is not None:
            size = comparison.smallest
            bands.append(Band(low=-size, high=size, name="too little to matter"))
            says += f" The shaded part is less than {self._size(size)}, the smallest difference of interest."
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
            f"{''.join(self._dissenting())}"
        )
        numbers = estimates_table(rows, self.moves, caption="the difference in each slice", name="slice")
        return figure("Slices", says, lambda width: slices(view, width=width), numbers)

    def _dissenting(self) -> Iterator[str]:
        """Of which slices the interval and the verdict do not agree, and why."""
        found: dict[str, list[str]] = {}
        for one in self.score.slices:
            if (why := dissent(one.decided)) is not None:
                found.setdefault(why, []).append(kept(one.name, 30))
        for why, names in found.items():
            more = f" and {counted(len(names) - NAMED, 'more slice')}" if len(names) > NAMED else ""
            yield f" {', '.join(names[:NAMED])}{more}: {why}"

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
            more=". ".join(filter(None, (p_text(one.p), dissent(one.decided)))),
        )

    def _size(self, difference: float) -> str:
        """A difference of either sign."""
        return self.moves.text(difference).removeprefix("+")

    def _ends(self) -> Ends:
        match self.comparison.direction:
            case "higher":
                return Ends(left=self.first, right=self.second, word="better")
            case "lower":
                return Ends(left=self.second, right=self.first, word="better")
            case "informational":
                return Ends(left=self.first, right=self.second, word="higher")


def value_unit(score: ScoreComparison) -> Unit:
    """In what the values of a score are counted."""
    share = score.comparison.kind == "pass_fail"
    what = score.measure if not share else "pass rate" if score.passes_at is not None else f"share with {score.measure}"
    return Unit(name=kept(what, 40), share=share)


def difference_unit(score: ScoreComparison) -> Unit:
    """In what the differences of a score are counted."""
    unit = value_unit(score)
    counted_in = "points" if unit.share else "second − first"
    return msgspec.structs.replace(unit, name=f"difference in {unit.name}, {counted_in}", signed=True)
