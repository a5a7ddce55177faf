"""A correction as people and programs read it: each number with its interval, what it means, and which to use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.ids import id_of
from rejudge.front.amounts import counted
from rejudge.front.export import finding_dict
from rejudge.front.figures import WIDEST, interval_text, row_lines
from rejudge.front.lines import NAME, broken, clipped, hanging, wrapped
from rejudge.front.overview import short, when
from rejudge.front.standing import blinding_lines, lapse_lines
from rejudge.review.drawing import WAYS
from rejudge.stats.correction import Corrected, Correction
from rejudge.stats.interval import Undefined
from rejudge.stats.meaning import correction_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.correcting import CorrectionResult
    from rejudge.review.correct import CorrectedRun, Left
    from rejudge.stats.estimate import Statistic
    from rejudge.stats.judged_sample import MeanCorrection
    from rejudge.stats.scale import Kind

NUMBER_NAMES = {
    "raw": "judge, raw",
    "human": "people alone",
    "true_positive_rate": "TPR",
    "true_negative_rate": "TNR",
    "rogan_gladen": "Rogan–Gladen",
    "prediction_powered": "PPI++",
    "reweighted": "reweighted",
}
"""How each number of a correction is called where there is little room."""

MEANS = {
    "raw": "What the judge says of all traces; its interval counts none of the judge's errors.",
    "human": "What people say of the labelled traces, with no help from the judge.",
    "true_positive_rate": "Of what people pass, the judge passes so much.",
    "true_negative_rate": "Of what people fail, the judge fails so much.",
    "rogan_gladen": "The raw rate, set right by how often the judge is right on passes and on fails.",
    "prediction_powered": "The judge's word on all traces, set right by how it differs from people's.",
    "reweighted": "People's rates among the judge's passes and fails, weighted as the judge gave these.",
}

DOES_NOT_SAY = (
    "It holds for traces of the kind that people labelled, and cannot see other kinds.",
    "It takes the gold labels for right; where people disagree, that is not in the interval.",
)


def correction_lines(result: CorrectionResult, *, columns: int = WIDEST) -> Iterator[str]:
    """The report in lines of at most so many columns."""
    yield from broken(_report(result, columns), columns)


def _report(result: CorrectionResult, columns: int) -> Iterator[str]:
    found = result.corrected
    yield from _head(result, columns)
    yield ""
    yield from _numbers(found.found, columns)
    for words in bound_words(found):
        yield from wrapped(words, columns)
    yield ""
    advice = result.advice
    use = "use none of them" if advice.use is None else f"use {NUMBER_NAMES[advice.use]}"
    yield from wrapped(f"{use}: {advice.why}.", columns)
    if advice.use is None:
        yield from wrapped("The raw number is what the judge says, and not what people would say.", columns)
    yield ""
    yield "what the numbers do not say"
    yield from (f"  {line}" for words in DOES_NOT_SAY for line in wrapped(words, columns - 2))
    yield ""
    yield from _standing(found, columns)


def _numbers(found: Correction | MeanCorrection, columns: int) -> Iterator[str]:
    """The numbers that there are, then those that there are not, by reason."""
    kind: Kind = "pass_fail" if isinstance(found, Correction) else "number"
    refused: dict[str, list[str]] = {}
    for name, number in numbers_of(found).items():
        if isinstance(number, Undefined):
            refused.setdefault(number.reason, []).append(NUMBER_NAMES[name])
            continue
        words = MEANS[name]
        if isinstance(number, Corrected) and number.clipped:
            words += f" It was {number.clipped}."
        if isinstance(number.interval, Undefined):
            words += f" It has no interval, because {number.interval.reason}."
        text = f"{interval_text(number.value, number.interval, kind=kind)} n={number.n}"
        yield from row_lines(NUMBER_NAMES[name], text, words, columns=columns)
    for reason, names in refused.items():
        yield from hanging("refused  ", f"{', '.join(names)}, because {reason}", columns)


def correction_dict(result: CorrectionResult) -> dict[str, object]:
    """The correction as JSON-like data; undefined numbers are objects with their reason."""
    found = result.corrected
    record = found.calibration
    return finding_dict(
        experiment={"id": result.experiment_id, "name": result.experiment},
        task=result.task,
        run=found.run,
        dataset_version=found.dataset_version,
        scorer={
            "id": id_of("scorer", found.scorer.scorer),
            "name": found.scorer.name,
            "type": found.scorer.type,
            "settings": found.scorer.settings,
            "value": found.scorer.value,
        },
        against={
            "name": found.people.name,
            "rating_set": id_of("ratings", found.people.rating_set),
            "gold": id_of("gold", found.people.gold),
            "gold_number": found.people.gold_number,
        },
        drawn=found.found.drawing,
        corrected="pass_rate" if isinstance(found.found, Correction) else "mean",
        judged=found.judged,
        labelled=found.labelled,
        items=found.items,
        left_out=found.left,
        open=found.open,
        remarks=list(found.remarks),
        blinding=found.blinding,
        statistics=found.found,
        use=result.advice.use,
        why=result.advice.why,
        words=correction_in_words(found.found),
        level=found.level,
        calibration=None
        if record is None
        else {"id": record.id, "n": record.pairs.n, "at": when(record.at), "lapses": found.lapses},
    )


def how_many(found: CorrectedRun) -> str:
    """How many traces are judged and how many of these labelled, and how they were chosen."""
    opened = "" if found.open is None else f", {found.open.traces:,} open,"
    judged = counted(found.judged, "judged trace")
    return f"n={found.labelled:,} labelled{opened} of {judged}, {WAYS[found.found.drawing]}"


def left_out(left: Left) -> str:
    """How many traces are no part of the correction, by reason."""
    lost = {
        "skipped": left.skipped,
        "scorer errors": left.errors,
        "not judged": left.unjudged,
        "left to a person": left.deferred,
        "labelled ones of other runs": left.elsewhere,
    }
    return ", ".join(f"{count} {why}" for why, count in lost.items() if count)


def bound_words(found: CorrectedRun) -> Iterator[str]:
    """Between what each number lies that open labels leave without an estimate."""
    if found.open is None:
        return
    ways, unit = "lowest or highest as a rater said", ""
    if isinstance(found.found, Correction):
        ways, unit = "all pass, all fail, all as the judge says or all against it", " %"
    yield f"However the {counted(found.open.traces, 'open trace')} will be decided ({ways}):"
    for name, bounds in found.open.bounds.items():
        if isinstance(bounds, Undefined):
            yield f"{NUMBER_NAMES[name]} has no bounds, because {bounds.reason}."
        elif unit:
            yield f"{NUMBER_NAMES[name]} from {100 * bounds.low:.0f} to {100 * bounds.high:.0f}{unit}."
        else:
            yield f"{NUMBER_NAMES[name]} from {bounds.low:.4g} to {bounds.high:.4g}."


def numbers_of(found: Correction | MeanCorrection) -> dict[str, Statistic | Corrected]:
    """The numbers that apply to the way of drawing, refused ones too."""
    if not isinstance(found, Correction):
        return {"raw": found.raw, "human": found.human, "prediction_powered": found.prediction_powered}
    numbers: dict[str, Statistic | Corrected] = {name: getattr(found, name) for name in NUMBER_NAMES}
    if found.drawing != "by_judge_outcome":
        del numbers["reweighted"]
    return numbers


def _head(result: CorrectionResult, columns: int) -> Iterator[str]:
    found = result.corrected
    what = "pass rate" if isinstance(found.found, Correction) else "mean"
    yield f"{what} of {clipped(found.scorer.name, NAME)}"
    yield f"  {clipped(result.experiment, 30)}, {clipped(result.task, 20)}, {short(found.run)}"
    yield f"corrected by people ({clipped(found.people.name, NAME)})"
    yield f"  gold version {found.people.gold_number}, {short(id_of('gold', found.people.gold))}"
    yield how_many(found)
    if lost := left_out(found.left):
        yield from wrapped(f"left out: {lost}", columns)
    yield from blinding_lines(found.blinding)
    if found.items < found.judged:
        told = f"the {found.judged} traces are of {counted(found.items, 'item')}; intervals count items, and no trial"
        yield from wrapped(f"{told} as a case of its own", columns)
    for remark in found.remarks:
        yield from wrapped(f"note: {clipped(remark, 400)}", columns)


def _standing(found: CorrectedRun, columns: int) -> Iterator[str]:
    record = found.calibration
    if record is None:
        yield from wrapped("this judge has no calibration by these people: rejudge calibrate makes one", columns)
        return
    yield f"{short(record.id)}, n={record.pairs.n}, {when(record.at)[:10]}"
    yield from lapse_lines(
        found.lapses, otherwise="holds until the scorer, a rubric, the dataset or the labels change", columns=columns
    )
