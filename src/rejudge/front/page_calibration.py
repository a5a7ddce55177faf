"""A calibration as a page: how far a judge agrees with people, what each number says, and where they disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rejudge.domain.calibration import HumanSet
from rejudge.domain.ids import id_of
from rejudge.front.amounts import counted
from rejudge.front.overview import short, when
from rejudge.front.page_parts import columns, estimates_table, figure, folded, foot, head, hero, kept, sentences, table
from rejudge.front.plots.confusion_matrix import ConfusionMatrix, confusion_matrix
from rejudge.front.plots.estimate import Shown
from rejudge.front.plots.intervals import Intervals, Line, intervals
from rejudge.front.plots.reliability_curve import Bin, ReliabilityCurve, reliability_curve
from rejudge.front.plots.unit import Unit
from rejudge.front.standing import blinding_lines
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Undefined
from rejudge.stats.meaning import MEANINGS, said_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rejudge.domain.calibration import CalibrationRecord
    from rejudge.front.calibrating import CalibrationResult
    from rejudge.review.pairs import Pair, PairValue
    from rejudge.stats.calibration import Calibration
    from rejudge.stats.confusion import Confusion
    from rejudge.stats.estimate import Statistic
    from rejudge.stats.probability import Reliability
    from rejudge.stats.scale import Kind

LISTED: Final = 50
"""So many disagreements are listed."""

SHARES: Final = ("accuracy", "tpr", "tnr")
ERRORS: Final = ("bias", "mae", "rmse", "limit_low", "limit_high")
NOT_COEFFICIENTS: Final = frozenset({*SHARES, *ERRORS, "mse", "normalised_mae", "normalised_mse", "brier", "ece"})
KEY: Final = ("accuracy", "tpr", "tnr", "kappa", "ccc", "mae", "ece")
"""The numbers that are put into words at once; the others can be unfolded."""

HEADLINES: Final = ("accuracy", "ccc", "mae")
"""The number at the head of the page: the first of these that is defined."""


def calibration_title(result: CalibrationResult) -> str:
    """Who is measured against whom."""
    mine, theirs = _names(result.record)
    return f"{mine} against {theirs}"


def calibration_body(result: CalibrationResult) -> Iterator[str]:
    """The page's content."""
    record = result.record
    yield from head("calibration", calibration_title(result), _facts(result), _notes(result))
    yield '<section class="score">'
    yield from calibration_section(result.statistics, *_names(record))
    yield from _disagreements(result.disagreements, result.statistics.kind, *_names(record))
    yield "</section>"
    yield foot(f"{short(record.id)}, {when(record.at)}; what was drawn repeats with seed {record.seed}.")


def calibration_section(found: Calibration, judge: str, people: str) -> Iterator[str]:
    """The numbers of a calibration: `judge` and `people` are what the two sides are called."""
    yield "<h2>How far they agree</h2>"
    yield _answer(found)
    yield from columns(_pictures(found, judge, people), _words(found))


def _names(record: CalibrationRecord) -> tuple[str, str]:
    people = "people" if isinstance(record.against, HumanSet) else kept(record.against.name, 28)
    return kept(record.judged.name, 28), people


def _facts(result: CalibrationResult) -> Iterator[tuple[str, str]]:
    record = result.record
    yield "scorer", f"{record.judged.name}, {record.judged.type}, {short(id_of('scorer', record.judged.scorer))}"
    side = record.against
    if isinstance(side, HumanSet):
        yield "people", f"{side.name}, gold version {side.gold_number}, {'; '.join(blinding_lines(record.blinding))}"
    else:
        yield "scorer", f"{side.name}, {short(id_of('scorer', side.scorer))}"
    yield "data", f"{result.result.name}, dataset version {short(record.dataset_version)}"
    pairs = record.pairs
    lost = {
        "skipped": pairs.skipped,
        "scorer errors": pairs.errors,
        "not judged": pairs.unjudged,
        "left to a person": pairs.deferred,
        "not in this experiment": pairs.elsewhere,
    }
    told = ", ".join(f"{count} {why}" for why, count in lost.items() if count)
    yield "pairs", f"n={pairs.n}" + (f"; left out: {told}" if told else "")


def _notes(result: CalibrationResult) -> Iterator[str]:
    if lapses := result.lapses:
        yield f"This calibration holds no more: {'; '.join(lapses)}."
    yield from result.found.remarks


def _answer(found: Calibration) -> str:
    for name in HEADLINES:
        number = found.statistics.get(name)
        if isinstance(number, Estimate):
            unit = Unit(name="", share=name in SHARES)
            facts = f"{said_by(name, number)} n={number.n:,}"
            return hero("plain", MEANINGS[name].title, unit.estimate(number.value, number.interval), facts)
    return hero("unsure", "no number", "nothing could be computed", f"n={found.n:,}")


def _pictures(found: Calibration, judge: str, people: str) -> Iterator[str]:
    if not isinstance(found.confusion, Undefined):
        yield _matrix(found, found.confusion, judge, people)
    shares = _rows(found, SHARES)
    if shares:
        unit = Unit(name="share of items", share=True)
        view = Intervals(title="how often the judge is right", unit=unit, rows=shares, low=0.0, high=1.0)
        says = "Of all items, of those that people let pass (TPR), and of those that they failed (TNR)."
        yield _estimates("How often the judge is right", says, view)
    if not isinstance(found.reliability, Undefined):
        yield _curve(found.reliability)
    coefficients = _rows(found, [name for name in found.statistics if name not in NOT_COEFFICIENTS])
    if coefficients:
        view = Intervals(
            title="agreement and correlation",
            unit=Unit(name="coefficient: 1 is full agreement"),
            rows=coefficients,
            lines=(Line(at=0.0, name="none beyond chance"),),
            low=-1.0,
            high=1.0,
        )
        says = "Each measures another kind of agreement, so they need not be alike; the words say what each is about."
        yield _estimates("Agreement and correlation", says, view)
    errors = _rows(found, ERRORS)
    if errors:
        unit = Unit(name="judge − people, in the score's unit")
        view = Intervals(title="errors", unit=unit, rows=errors, lines=(Line(at=0.0, name="no error"),))
        says = "How far the judge's values lie from the people's: on average, and for single items (the limits)."
        yield _estimates("Errors", says, view)


def _estimates(title: str, says: str, view: Intervals) -> str:
    numbers = estimates_table(view.rows, view.unit, caption=title, name="number")
    return figure(title, says, lambda width: intervals(view, width=width), numbers)


def _rows(found: Calibration, names: Sequence[str]) -> tuple[Shown, ...]:
    known = [(name, found.statistics[name]) for name in names if name in found.statistics]
    return tuple(_row(name, number, found.n) for name, number in known)


def _row(name: str, number: Statistic, n: int) -> Shown:
    title = MEANINGS[name].title
    if isinstance(number, Undefined):
        return Shown(name=title, value=number, interval=number, n=n)
    return Shown(name=title, value=number.value, interval=number.interval, n=number.n, more=said_by(name, number))


def _matrix(calibration: Calibration, found: Confusion, judge: str, people: str) -> str:
    outcomes = calibration.outcomes
    # Numbers without categories of their own are counted by whether they pass.
    passing = not isinstance(outcomes, Undefined) and found == outcomes.confusion()
    names = tuple(_said(one, "pass_fail" if passing else calibration.kind) for one in found.categories)
    view = ConfusionMatrix(
        title=f"what {judge} said against what {people} said",
        rows=people,
        columns=judge,
        categories=names,
        counts=found.counts,
    )
    rows = [(name, *(f"{count:,}" for count in row)) for name, row in zip(names, found.counts, strict=True)]
    numbers = table([f"{people} ↓, {judge} →", *names], rows, caption=f"n={view.n:,} pairs")
    says = "Percentages are of their row: of the items that people put there, how many the judge put where."
    return figure("Who said what", says, lambda width: confusion_matrix(view, width=width), numbers)


def _curve(found: Reliability) -> str:
    bins = tuple(
        Bin(
            low=one.low,
            high=one.high,
            n=one.n,
            predicted=one.predicted,
            observed=one.observed if isinstance(one.observed, Undefined) else one.observed.value,
            interval=one.observed if isinstance(one.observed, Undefined) else one.observed.interval,
        )
        for one in found.bins
    )
    view = ReliabilityCurve(title="reliability of the judge's probabilities", bins=bins)
    share = Unit(name="", share=True)
    rows = [
        (
            f"{100 * one.low:.0f} to {100 * one.high:.0f} %",
            share.text(one.predicted, span=0.01),
            share.estimate(one.observed, one.interval),
            f"{one.n:,}",
        )
        for one in bins
    ]
    numbers = table(["probability", "mean that was said", "share that passed", "n"], rows, caption="the bins")
    says = f"A judge whose probabilities are all true would on as many items still be off by {found.if_calibrated:.3g}"
    if isinstance(found.ece, Estimate):
        says += f"; this one is off by {Unit(name='').estimate(found.ece.value, found.ece.interval)} (ECE)"
    says += f". {counted(found.resamples, 'resample')}, seed {found.seed}."
    title = "Do its probabilities mean what they say"
    return figure(title, says, lambda width: reliability_curve(view, width=width), numbers)


def _words(found: Calibration) -> Iterator[str]:
    """What the numbers say, and what they do not, once for all that share it; the usual ones first."""
    known = {name: number for name, number in found.statistics.items() if isinstance(number, Estimate)}
    key: dict[str, Estimate] = {name: known[name] for name in KEY if name in known}
    yield from sentences("What it means", _says(key))
    yield from sentences("What it does not mean", _cautions(key))
    rest = {name: number for name, number in known.items() if name not in key}
    if rest:
        inside = [*sentences("What they say", _says(rest)), *sentences("What they do not say", _cautions(rest))]
        yield from folded(f"The other {counted(len(rest), 'number')} in words", inside)
    silent = {name: number for name, number in found.statistics.items() if isinstance(number, Undefined)}
    yield from sentences("What is undefined", (f"{MEANINGS[name].title}: {it}." for name, it in silent.items()))


def _says(known: Mapping[str, Estimate]) -> Iterator[str]:
    for name, number in known.items():
        unit = Unit(name="", share=name in SHARES)
        yield f"{MEANINGS[name].title} {unit.estimate(number.value, number.interval)}: {said_by(name, number)}"


def _cautions(known: Mapping[str, Estimate]) -> Iterator[str]:
    about: dict[str, list[str]] = {}
    for name in known:
        about.setdefault(MEANINGS[name].does_not_say, []).append(MEANINGS[name].title)
    for words, names in about.items():
        yield f"{', '.join(names)}: {words}"


def _disagreements(pairs: Sequence[Pair], kind: Kind, judge: str, people: str) -> Iterator[str]:
    shown = pairs[:LISTED]
    more = f", the worst {len(shown)}" if len(pairs) > len(shown) else ", worst first" if len(pairs) > 1 else ""
    summary = f"Disagreements: {counted(len(pairs), 'trace')}{more}"
    rows = [
        (
            pair.item_id + (f" #{pair.trial}" if pair.trial else ""),
            _said(pair.judge, kind),
            _said(pair.other, kind),
            pair.reason,
        )
        for pair in shown
    ]
    listed = table(["item", judge, people, "the judge's reason"], rows, caption=summary)
    yield from folded(summary, [listed], state="open")


def _said(side: PairValue, kind: Kind) -> str:
    """A value of one side; whether something passes is said in words."""
    if isinstance(side, str):
        return kept(side)
    if kind == "pass_fail" and side in (0, 1):
        return ("fail", "pass")[int(side)]
    return f"{side:.6g}"
