"""The pictures of one measure of a run: its mean, its slices, and what repeated trials tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rejudge.front.page_parts import METHODS, estimates_table, figure, how, kept, p_text, table, width_of
from rejudge.front.plots.estimate import Mark, Shown
from rejudge.front.plots.intervals import Band, Intervals, Line, intervals
from rejudge.front.plots.unit import Unit
from rejudge.stats.interval import NOTHING_SCORED, Interval, Undefined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.release.describe import DescribedScore
    from rejudge.stats.attempts import AttemptSummary
    from rejudge.stats.estimate import Statistic
    from rejudge.stats.repeats import RepeatSummary
    from rejudge.stats.slices import Slice, Verdict
    from rejudge.stats.summary import Summary

MOST: Final = 30
"""So many slices are drawn; of more, those that are the least like the rest."""

MARKS: Final[dict[Verdict, Mark]] = {
    "better": "better",
    "worse": "worse",
    "higher": "different",
    "lower": "different",
    "no difference shown": "same",
    "not enough data": "unsure",
}

_SHARE: Final = Unit(name="", share=True)


def value_unit(score: DescribedScore) -> Unit:
    """In what the values of a measure are counted."""
    share = score.kind == "pass_fail"
    if score.label is not None:
        return Unit(name=f"share with {kept(score.measure, 40)}", share=True)
    return Unit(name="pass rate" if share else f"mean of {kept(score.measure, 40)}", share=share)


def mean_interval(score: DescribedScore, summary: Summary | None) -> Interval | Undefined:
    """The interval that the measure's kind asks for; where clusters were named, the one that counts them."""
    if score.clustered is not None:
        return score.clustered.interval
    if summary is None:
        return Undefined(NOTHING_SCORED)
    if score.label is None:
        return summary.interval
    share = summary.labels.get(score.label)
    return Undefined(NOTHING_SCORED) if share is None else share.interval


class Pictures:
    """The pictures of one measure."""

    def __init__(self, score: DescribedScore, summary: Summary | None) -> None:
        self.score = score
        self.summary = summary
        self.unit = value_unit(score)
        share = self.unit.share
        low, high = (0.0, 1.0) if share else (score.scale.low, score.scale.high)
        self.low = float("-inf") if low is None else low
        self.high = float("inf") if high is None else high

    def all(self) -> Iterator[str]:
        """The plots: the mean first, then what it is made of."""
        yield self.mean()
        if self.score.slices:
            yield self.slices()
        if self.score.attempts:
            yield self.attempts()
        if self.score.repeats is not None:
            yield self.repeats(self.score.repeats)

    def mean(self) -> str:
        """The mean with each interval that fits, and the bounds of what is missing."""
        score = self.score
        rows = [self._row("all items", mean_interval(score, self.summary))]
        if score.clustered is not None and self.summary is not None and score.label is None:
            rows.append(self._row("as if independent", self.summary.interval, note="no clusters"))
        if not isinstance(score.bootstrap, Undefined):
            drawn = score.bootstrap
            method = METHODS[drawn.interval.method] if isinstance(drawn.interval, Interval) else "bootstrap"
            told = f"seed {drawn.seed}" if drawn.resamples else ""
            rows.append(self._row(method, drawn.interval, note=told))
        bounds = self._bounds()
        says = "The intervals hold every value that fits these items, by one method each; they should be alike."
        if bounds:
            ends = " to ".join(self.unit.text(end, span=bounds.high - bounds.low) for end in (bounds.low, bounds.high))
            says += f" The shaded part, {ends}, is where the mean could be with the scores that are missing."
        view = Intervals(
            title=f"{score.measure}: the mean",
            unit=self.unit,
            rows=tuple(rows),
            bands=(bounds,) if bounds else (),
            low=self.low,
            high=self.high,
        )
        numbers = estimates_table(rows, self.unit, caption="the mean by each method", name="method")
        return figure("The mean", says, lambda width: intervals(view, width=width), numbers)

    def slices(self) -> str:
        """Each slice's mean, against what all items came to."""
        score = self.score
        ordered = sorted(score.slices, key=_unlikely)
        shown = sorted(map(self._slice, ordered[:MOST]), key=_descending)
        left = len(ordered) - len(shown)
        lines = () if isinstance(score.mean, Undefined) else (Line(at=score.mean, name="all items"),)
        view = Intervals(
            title=f"{score.measure}: each slice",
            unit=self.unit,
            rows=tuple(shown),
            lines=lines,
            low=self.low,
            high=self.high,
            left_out=f"and {left:,} slices that are more like the rest, in the table" if left else "",
        )
        rows = sorted(score.slices, key=lambda one: _descending(self._slice(one)))
        says = (
            f"Each slice is tested against all other items, and p corrected for all {len(rows)} slices "
            "(Benjamini–Hochberg). Small slices have wide intervals."
        )
        return figure("Slices", says, lambda width: intervals(view, width=width), self._slice_table(rows))

    def attempts(self) -> str:
        """pass@k and pass^k."""
        rows = tuple(
            row
            for tried in self.score.attempts
            for row in (
                _attempt(f"pass@{tried.k}: one of {tried.k} passes", tried.any_of),
                _attempt(f"pass^{tried.k}: all {tried.k} pass", tried.all_of),
            )
        )
        unit = Unit(name="share of the items", share=True)
        view = Intervals(title=f"{self.score.measure}: several trials", unit=unit, rows=rows, low=0.0, high=1.0)
        says = "How likely one of k trials of an item passes, and how likely all of them do; means over items."
        numbers = estimates_table(rows, unit, caption="pass@k and pass^k", name="trials")
        return figure("Several trials of an item", says, lambda width: intervals(view, width=width), numbers)

    def repeats(self, found: RepeatSummary) -> str:
        """How far trials of one item agree, and how much of the spread is between items."""
        named = (
            ("two trials are equal", found.agreement, found.repeated),
            ("reliability of a trial", found.reliability, found.items),
            ("reliability of an item's mean", found.reliability_of_mean, found.items),
        )
        rows = tuple(_statistic(name, one, n) for name, one, n in named)
        unit = Unit(name="share", share=True)
        view = Intervals(title=f"{self.score.measure}: repeats", unit=unit, rows=rows, low=0.0, high=1.0)
        says = (
            "Reliability is the share of the spread that is between items. What is missing to 100 % is chance between "
            "trials of one item; more trials remove only that."
        )
        spread = [("variance between items", found.between), ("variance within an item", found.within)]
        numbers = estimates_table(rows, unit, caption="how far trials of one item agree", name="share")
        numbers += table(
            ["variance", "value", "interval", "n"],
            [(name, *_variance(one), f"{found.items:,} items, {found.scored:,} trials") for name, one in spread],
            caption="where the spread comes from",
        )
        return figure("What repeats tell", says, lambda width: intervals(view, width=width), numbers)

    def _row(self, name: str, interval: Interval | Undefined, *, note: str = "") -> Shown:
        return Shown(name=name, value=self.score.mean, interval=interval, n=self.score.n, note=note)

    def _bounds(self) -> Band | None:
        """Where the mean could be whatever the missing scores are."""
        summary = self.summary
        if summary is None or self.score.label is not None or not summary.counts.missing:
            return None
        if isinstance(summary.best, Undefined) or isinstance(summary.worst, Undefined):
            return None
        low, high = sorted((summary.best, summary.worst))
        return Band(low=low, high=high, name="whatever the missing would score")

    def _slice(self, one: Slice) -> Shown:
        value = Undefined(NOTHING_SCORED) if one.mean is None else one.mean
        verdict = one.rest.verdict
        p = one.rest.p_adjusted
        return Shown(
            name=one.name,
            value=value,
            interval=one.interval,
            n=one.n,
            mark=MARKS[verdict],
            note=verdict,
            more=p_text(p),
        )

    def _slice_table(self, slices: list[Slice]) -> str:
        moves = Unit(name="", share=self.unit.share, signed=True)
        rows = [
            (
                one.name,
                self.unit.estimate(row.value, row.interval),
                f"{one.n:,} of {one.items:,}",
                moves.estimate(one.rest.difference, one.rest.interval),
                f"{row.note}, {row.more}",
                self._slice_bounds(one),
            )
            for one, row in ((one, self._slice(one)) for one in slices)
        ]
        heads = [
            "slice",
            "mean",
            "n",
            "slice − rest",
            "against the rest, p corrected",
            "whatever the missing would score",
        ]
        return table(heads, rows, caption="each slice, and against the rest")

    def _slice_bounds(self, one: Slice) -> str:
        if one.n == one.items:
            return "nothing is missing"
        for end in (one.best, one.worst):
            if isinstance(end, Undefined):
                return str(end)
        low, high = sorted(end for end in (one.best, one.worst) if isinstance(end, float))
        return f"{self.unit.text(low, span=high - low)} to {self.unit.text(high, span=high - low)}"


def _attempt(name: str, found: AttemptSummary) -> Shown:
    value = Undefined(NOTHING_SCORED) if found.mean is None else found.mean
    note = f"{found.short:,} with fewer trials" if found.short else ""
    return Shown(name=name, value=value, interval=found.interval, n=found.n, note=note)


def _statistic(name: str, found: Statistic, n: int) -> Shown:
    if isinstance(found, Undefined):
        return Shown(name=name, value=found, interval=found, n=n)
    return Shown(name=name, value=found.value, interval=found.interval, n=n)


def _variance(found: Statistic) -> tuple[str, str]:
    unit = Unit(name="")
    if isinstance(found, Undefined):
        return str(found), ""
    if isinstance(found.interval, Undefined):
        return unit.text(found.value), str(found.interval)
    span = width_of(found.interval)
    ends = " to ".join(unit.text(end, span=span) for end in (found.interval.low, found.interval.high))
    return unit.text(found.value, span=span), f"{ends} ({how(found.interval)})"


def _unlikely(one: Slice) -> float:
    return one.rest.p_adjusted if isinstance(one.rest.p_adjusted, float) else 2.0


def _descending(row: Shown) -> tuple[int, float]:
    return (1, 0.0) if isinstance(row.value, Undefined) else (0, -row.value)
