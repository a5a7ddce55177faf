"""A correction as a page: the judge's number raw and corrected, what the judge errs, and what was refused and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.ids import id_of
from rejudge.front.amounts import counted
from rejudge.front.correction_report import (
    DOES_NOT_SAY,
    MEANS,
    NUMBER_NAMES,
    bound_words,
    how_many,
    left_out,
    numbers_of,
)
from rejudge.front.overview import short, when
from rejudge.front.page_parts import columns, estimates_table, figure, foot, head, hero, how, kept, sentences, table
from rejudge.front.plots.confusion_matrix import ConfusionMatrix, confusion_matrix
from rejudge.front.plots.estimate import Shown
from rejudge.front.plots.intervals import Intervals, intervals
from rejudge.front.plots.unit import Unit
from rejudge.front.standing import blinding_lines
from rejudge.stats.correction import Corrected, Correction
from rejudge.stats.interval import Undefined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.correcting import CorrectionResult
    from rejudge.front.plots.estimate import Mark
    from rejudge.stats.confusion import Outcomes
    from rejudge.stats.estimate import Statistic

_ERRORS = ("true_positive_rate", "true_negative_rate")


def correction_title(result: CorrectionResult) -> str:
    """Whose number is corrected by whom."""
    found = result.corrected
    return f"{_what(result).capitalize()} by {kept(found.scorer.name, 40)}, corrected by {kept(found.people.name, 40)}"


def correction_body(result: CorrectionResult) -> Iterator[str]:
    """The page's content."""
    found = result.corrected
    yield from head("correction", correction_title(result), _facts(result), _notes(result))
    yield '<section class="score"><h2>What people would say of all traces</h2>'
    yield _answer(result)
    yield from columns(_pictures(result), _words(result))
    yield "</section>"
    standing = found.calibration
    calibration = (
        ""
        if standing is None
        else f" Newest calibration: {short(standing.id)}, n={standing.pairs.n:,}, {when(standing.at)}."
    )
    yield foot(f"Nothing was generated or judged for this page.{calibration}")


def _what(result: CorrectionResult) -> str:
    return "pass rate" if isinstance(result.statistics, Correction) else "mean"


def _unit(result: CorrectionResult) -> Unit:
    share = isinstance(result.statistics, Correction)
    return Unit(name="pass rate of all traces" if share else "mean of all traces", share=share)


def _facts(result: CorrectionResult) -> Iterator[tuple[str, str]]:
    found = result.corrected
    yield "run", f"{result.experiment}, task {result.task}, {found.run}"
    yield "judge", f"{found.scorer.name}, {found.scorer.type}, {short(id_of('scorer', found.scorer.scorer))}"
    people = f"{found.people.name}, gold version {found.people.gold_number}"
    yield "people", f"{people}, {'; '.join(blinding_lines(found.blinding))}"
    lost = left_out(found.left)
    yield "traces", how_many(found) + (f"; left out: {lost}" if lost else "")


def _notes(result: CorrectionResult) -> Iterator[str]:
    found = result.corrected
    yield from found.remarks
    if bounds := list(bound_words(found)):
        yield " ".join(bounds)
    if found.calibration is None:
        yield "This judge has no calibration by these people; rejudge calibrate makes one."
    elif found.lapses:
        yield f"The judge's newest calibration holds no more: {'; '.join(found.lapses)}."


def _answer(result: CorrectionResult) -> str:
    advice = result.advice
    facts = f"n={result.corrected.labelled:,} labelled of {result.corrected.judged:,} · {advice.why}"
    if advice.use is None:
        return hero("unsure", "use none of them", f"{_what(result)} not corrected", facts)
    number = numbers_of(result.statistics)[advice.use]
    if isinstance(number, Undefined):
        return hero("unsure", f"use {NUMBER_NAMES[advice.use]}", str(number), facts)
    told = _unit(result).estimate(number.value, number.interval)
    return hero("plain", f"use {NUMBER_NAMES[advice.use]}", told, f"{how(number.interval)} · {facts}")


def _pictures(result: CorrectionResult) -> Iterator[str]:
    yield _numbers(result)
    found = result.statistics
    if isinstance(found, Correction):
        if found.labelled.n:
            yield _matrix(result, found.labelled)
        if not all(isinstance(getattr(found, name), Undefined) for name in _ERRORS):
            yield _errors(found)


def _numbers(result: CorrectionResult) -> str:
    """The raw number beside every corrected one; one that was refused has its reason in its place."""
    unit, use = _unit(result), result.advice.use
    rows = tuple(
        _row(name, number, result, note="to use" if name == use else "")
        for name, number in numbers_of(result.statistics).items()
        if name not in _ERRORS
    )
    share = unit.share
    view = Intervals(
        title="raw and corrected",
        unit=unit,
        rows=rows,
        low=0.0 if share else float("-inf"),
        high=1.0 if share else float("inf"),
    )
    says = (
        "The judge's own number counts none of its errors, so its interval is narrow and may lie in the wrong place. "
        "The others hold what people would say, each by its own way; one that the labels do not allow is refused."
    )
    numbers = estimates_table(rows, unit, caption="raw and corrected", name="number")
    return figure("Raw and corrected", says, lambda width: intervals(view, width=width), numbers)


def _row(name: str, number: Statistic | Corrected, result: CorrectionResult, *, note: str) -> Shown:
    title = NUMBER_NAMES[name]
    if isinstance(number, Undefined):
        refused = Undefined(number.reason)
        return Shown(name=title, value=refused, interval=refused, n=result.corrected.labelled, note="refused")
    more = number.clipped or "" if isinstance(number, Corrected) else ""
    mark: Mark = "first" if name == "raw" else "different" if note else "plain"
    return Shown(name=title, value=number.value, interval=number.interval, n=number.n, mark=mark, note=note, more=more)


def _matrix(result: CorrectionResult, found: Outcomes) -> str:
    """By what people said; where the judge's outcome chose the labels only its own rows have shares that hold."""
    judge, people, names = kept(result.corrected.scorer.name, 28), "people", ("fail", "pass")
    counts = ((found.true_negatives, found.false_positives), (found.false_negatives, found.true_positives))
    rows, across, where = people, judge, "of those that people put there, where the judge put them"
    if result.statistics.drawing == "by_judge_outcome":
        counts = ((found.true_negatives, found.false_negatives), (found.false_positives, found.true_positives))
        rows, across, where = judge, people, "of those that the judge put there, where people put them"
    title = f"what {judge} said against what people said"
    view = ConfusionMatrix(title=title, rows=rows, columns=across, categories=names, counts=counts)
    listed = [(name, *(f"{count:,}" for count in row)) for name, row in zip(names, counts, strict=True)]
    numbers = table([f"{rows} ↓, {across} →", *names], listed, caption=f"n={view.n:,} labelled")
    says = f"Of the labelled traces. Percentages are of their row: {where}."
    return figure("Who said what", says, lambda width: confusion_matrix(view, width=width), numbers)


def _errors(found: Correction) -> str:
    """How often the judge is right on what people pass and on what they fail."""
    numbers = numbers_of(found)
    known = {"true_positive_rate": found.labelled.positives, "true_negative_rate": found.labelled.negatives}
    rows = tuple(
        Shown(name=NUMBER_NAMES[name], value=number, interval=number, n=n, note="refused")
        if isinstance(number, Undefined)
        else Shown(name=NUMBER_NAMES[name], value=number.value, interval=number.interval, n=number.n)
        for name, n in known.items()
        for number in (numbers[name],)
    )
    unit = Unit(name="share of the labelled traces", share=True)
    view = Intervals(title="how often the judge is right", unit=unit, rows=rows, low=0.0, high=1.0)
    says = (
        "Of the traces that people pass (TPR), and of those that they fail (TNR). The shares of a judge by chance sum "
        "up to 100 %, and correct nothing."
    )
    table_of = estimates_table(rows, unit, caption="how often the judge is right", name="share")
    return figure("How often the judge is right", says, lambda width: intervals(view, width=width), table_of)


def _words(result: CorrectionResult) -> Iterator[str]:
    numbers = numbers_of(result.statistics)
    told = [f"{NUMBER_NAMES[name]}: {MEANS[name]}" for name, one in numbers.items() if not isinstance(one, Undefined)]
    cut = [
        f"{NUMBER_NAMES[name]} was {one.clipped}."
        for name, one in numbers.items()
        if isinstance(one, Corrected) and one.clipped
    ]
    if result.advice.use is None:
        told.append("The raw number is what the judge says, and not what people would say.")
    yield from sentences("What it means", [*told, *cut])
    yield from sentences("What it does not mean", [*DOES_NOT_SAY, *_trials(result)])
    refused: dict[str, list[str]] = {}
    for name, one in numbers.items():
        if isinstance(one, Undefined):
            refused.setdefault(one.reason, []).append(NUMBER_NAMES[name])
    yield from sentences("What was refused", (f"{', '.join(names)}: {why}." for why, names in refused.items()))


def _trials(result: CorrectionResult) -> Iterator[str]:
    found = result.corrected
    if found.items < found.judged:
        yield (
            f"The {found.judged:,} traces are of {counted(found.items, 'item')}; intervals count items, and no "
            "trial as a case of its own."
        )
