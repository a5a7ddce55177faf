"""Correcting: what people would say of a whole run, from a judge's scores of it and the part that people labelled.

It reads what is stored, asks nobody, and makes no score.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from msgspec import Struct

from rejudge.domain.calibration import HumanSet, lapses
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.protocol import refuse_explanation
from rejudge.domain.scale import Outcome, ScoreType
from rejudge.review.drawing import drawing_of
from rejudge.review.judgements import judged_cases, value_in, value_named
from rejudge.review.labels_missing import decide_open, old_labels, open_labels
from rejudge.review.newest import judged_of, present
from rejudge.review.pairs import Basis, comparable
from rejudge.review.sides import gold_labels, labels_of, one_scorer
from rejudge.stats.correction import Correction
from rejudge.stats.interval import LEVEL, Undefined, check_level
from rejudge.stats.judged_sample import MeanCorrection, corrected_mean, corrected_sample
from rejudge.stats.open_labels import bounds_of, mean_without_estimates, rate_without_estimates

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rejudge.domain.calibration import CalibrationRecord, Judged
    from rejudge.domain.gold import OpenTrace
    from rejudge.domain.judged_trace import Judgement
    from rejudge.domain.rating import Drawing
    from rejudge.domain.run import Run
    from rejudge.domain.scale import ScoreSpec
    from rejudge.domain.score import ScoreValue
    from rejudge.review.judgements import Case
    from rejudge.review.sides import OtherSide
    from rejudge.stats.open_labels import OpenLabels
    from rejudge.storage.store import Store

    Said: TypeAlias = int | float
    Told: TypeAlias = Callable[[ScoreValue], Said | None]

_PASSED = {Outcome.PASSED: 1, Outcome.FAILED: 0}


class CorrectionQuestion(Struct, frozen=True, kw_only=True):
    """Whose rate is to be corrected, by which rating set, and how the traces that people labelled were chosen.

    `drawn` may be left out where the ratings were imported with it. `value` names one of several values of the scorer.
    """

    scorer: str
    against: str
    drawn: Drawing | None = None
    value: str | None = None
    level: float = LEVEL


class Left(Struct, frozen=True, kw_only=True):
    """Traces of a run that are no part of a correction, by reason; `elsewhere` are labelled ones of other runs."""

    skipped: int = 0
    errors: int = 0
    unjudged: int = 0
    deferred: int = 0
    elsewhere: int = 0


class CorrectedRun(Struct, frozen=True, kw_only=True):
    """A corrected pass rate, or mean, of a run, with everything that it rests on.

    `judged` traces of `items` items have a value of the judge, and `labelled` of these a gold label. `calibration` is
    the newest stored one of this scorer against this rating set, `lapses` why it holds no more. Where raters differ on
    judged traces and nobody decided, `open` has the bounds that stand in place of the estimates. `remarks` says what to
    know and to do besides.
    """

    run: str
    dataset_version: str
    scorer: Judged
    people: HumanSet
    blinding: dict[str, int]
    judged: int
    labelled: int
    items: int
    left: Left
    found: Correction | MeanCorrection
    level: float
    calibration: CalibrationRecord | None
    lapses: tuple[str, ...]
    open: OpenLabels | None = None
    remarks: tuple[str, ...] = ()


def correct(store: Store, run: Run, question: CorrectionQuestion, *, dataset_version: str) -> CorrectedRun:
    """Correct the judge's pass rate; its mean where nothing says what passes.

    Raises UnknownName and ConfigurationError for a scorer, value or rating set that is not there or not one thing, for
    two sides that say nothing of the same kind, where no trace is judged, where it is not known how the labelled traces
    were chosen, and for a run that was made for an explanation.
    """
    refuse_explanation(run.id, store.experiment(run.experiment))
    check_level(question.level)
    config = one_scorer(store, [run], question.scorer)
    people = gold_labels(store, question.against)
    cases = judged_cases(store, [run], [config.digest()])
    side = labels_of(store, people)
    spec = value_named(cases, config, question.value, preferred=side.spec.key)
    told = _told_by(spec, side.spec)
    sample = _sample(cases, (config.digest(), spec), side, told)
    kept = sample.cases
    if not kept:
        raise ConfigurationError(
            f"no trace of the run has a value of {config.name!r} that says anything", fix="let it judge first"
        )
    labelled = {case.trace for case, label in zip(kept, sample.human, strict=True) if label is not None}
    if not labelled:
        raise ConfigurationError(
            f"no judged trace of the run has a label of {people.name!r}",
            fix="let people rate traces of this run, and adjudicate; "
            f"{sample.left.elsewhere} labelled traces are of others, and {sample.opened} of this one are open",
        )
    drawn = drawing_of(
        [rating for rating in side.ratings if rating.trace in labelled], said=question.drawn, name=people.name
    )
    found = _corrected(sample, sample.human, told, drawn=drawn, level=question.level)
    opened = None
    remarks = old_labels(side, people.name)
    if sample.opened:
        found, opened = _bounded(found, sample, told, drawn=drawn, level=question.level)
        why = open_labels(sample.opened, labelled=len(labelled), drawn=drawn)
        remarks.append(f"{why}: {decide_open(people.name)}")
    calibration, lapsed = _calibration(store, judged_of(config, spec.key), people)
    return CorrectedRun(
        run=run.id,
        dataset_version=dataset_version,
        scorer=judged_of(config, spec.key),
        people=people,
        blinding=dict(Counter(rating.blinding.value for rating in side.ratings if rating.trace in labelled)),
        judged=len(kept),
        labelled=len(labelled),
        items=len({case.item_id for case in kept}),
        left=sample.left,
        found=found,
        level=question.level,
        calibration=calibration,
        lapses=lapsed,
        open=opened,
        remarks=tuple(remarks),
    )


def _corrected(
    sample: _Sample, human: Sequence[Said | None], told: Told, *, drawn: Drawing, level: float
) -> Correction | MeanCorrection:
    """The correction by these labels of the sample's traces."""
    items = [case.item_id for case in sample.cases]
    if told is _passed:
        labels = [None if label is None else int(label) for label in human]
        return corrected_sample(list(map(int, sample.judge)), labels, drawing=drawn, items=items, level=level)
    return corrected_mean(sample.judge, human, drawing=drawn, items=items, level=level)


def _bounded(
    found: Correction | MeanCorrection, sample: _Sample, told: Told, *, drawn: Drawing, level: float
) -> tuple[Correction | MeanCorrection, OpenLabels]:
    """The correction without the estimates that open labels spoil, and the bounds that are left.

    Outcomes are decided as all passed, all failed, all as the judge says, and all against it; numbers as the lowest and
    the highest that a rater gave.
    """
    ways: list[list[Said | None]] = [
        [_least(one) for one in sample.undecided],
        [_most(one) for one in sample.undecided],
    ]
    if told is _passed:
        ways += [
            [None if one is None else said for said, one in zip(sample.judge, sample.undecided, strict=True)],
            [None if one is None else 1 - said for said, one in zip(sample.judge, sample.undecided, strict=True)],
        ]
    decided = [
        _corrected(
            sample,
            [label if decision is None else decision for label, decision in zip(sample.human, way, strict=True)],
            told,
            drawn=drawn,
            level=level,
        )
        for way in ways
    ]
    labelled = sum(label is not None for label in sample.human)
    why = Undefined(open_labels(sample.opened, labelled=labelled, drawn=drawn))
    opened = bounds_of(decided, traces=sample.opened)
    if isinstance(found, Correction):
        return rate_without_estimates(found, opened, why), opened
    return mean_without_estimates(found, opened, why), opened


def _told_by(judge: ScoreSpec, people: ScoreSpec) -> Told:
    """What is read of a value: whether it passed where both sides say so; else its number, if both are on one scale."""
    if judge.has_outcome and people.has_outcome:
        return _passed
    if ScoreType.LABEL in (judge.type, people.type):
        raise ConfigurationError(
            "a label has no rate and no mean that could be corrected",
            fix="say which labels pass (passing_labels), on both sides",
        )
    if comparable(judge, people) is not Basis.VALUES:
        raise ConfigurationError("the two sides are not on one scale")
    return _number


class _Sample(NamedTuple):
    """What the judge said of each trace, people where they did, and what raters said where nobody decided."""

    judge: list[Said]
    human: list[Said | None]
    undecided: list[list[Said] | None]
    cases: list[Case]
    left: Left

    @property
    def opened(self) -> int:
        return sum(one is not None for one in self.undecided)


def _sample(cases: Sequence[Case], judge: tuple[bytes, ScoreSpec], side: OtherSide, told: Told) -> _Sample:
    """The traces of which the judge said something, and how many others are left out."""
    digest, spec = judge
    opened = side.open
    found = _Sample([], [], [], [], Left())
    left: Counter[str] = Counter()
    for case in cases:
        score, label = case.said.get(digest), side.labels.get(case.trace)
        value = value_in(score, spec.key)
        deferred = Outcome.NEEDS_HUMAN_REVIEW in [one.outcome for one in (value, label) if one is not None]
        number = None if value is None or deferred else told(value)
        if number is None:
            left["deferred" if deferred else _why_none(score)] += 1
            continue
        found.judge.append(number)
        found.human.append(None if label is None else told(label))
        found.undecided.append(_may_be(opened[case.trace], told) if case.trace in opened else None)
        found.cases.append(case)
    here = {case.trace for case in cases}
    left["elsewhere"] = sum(trace not in here for trace in side.labels)
    return found._replace(left=Left(**left))


def _may_be(undecided: OpenTrace, told: Told) -> list[Said]:
    """What an open label may become: any outcome, or a number that a rater gave."""
    if told is _passed:
        return [0, 1]
    return [number for _, value in undecided.said if (number := told(value)) is not None]


def _least(may_be: list[Said] | None) -> Said | None:
    return min(may_be) if may_be else None


def _most(may_be: list[Said] | None) -> Said | None:
    return max(may_be) if may_be else None


def _passed(value: ScoreValue) -> Said | None:
    return None if value.outcome is None else _PASSED.get(value.outcome)


def _number(value: ScoreValue) -> Said | None:
    return value.number


def _why_none(score: Judgement | None) -> str:
    ended = {"skipped": "skipped", "error": "errors"}
    return "unjudged" if score is None else ended.get(score.status.value, "unjudged")


def _calibration(store: Store, judged: Judged, people: HumanSet) -> tuple[CalibrationRecord | None, tuple[str, ...]]:
    """The newest stored calibration of this scorer, else of its name, against the rating set; and why it lapsed."""
    made = [
        record
        for record in store.calibrations()
        if (record.judged.name, record.judged.value) == (judged.name, judged.value)
        and isinstance(record.against, HumanSet)
        and record.against.name == people.name
    ]
    if not made:
        return None, ()
    exact = [record for record in made if record.judged.scorer == judged.scorer]
    record = (exact or made)[-1]
    other = () if exact else (f"it is of another scorer that was called {judged.name!r}",)
    return record, (*other, *lapses(record, present(store, record)))
