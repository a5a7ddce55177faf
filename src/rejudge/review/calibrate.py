"""Calibrating: a scorer's current values beside gold labels, or another scorer's values, on the same traces.

Nothing is generated and nothing is judged: it reads what is stored, and makes no trace and no score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, to_builtins

from rejudge.domain.calibration import CalibrationRecord
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.protocol import refuse_explanation
from rejudge.domain.scale import ScoreType
from rejudge.review.judgements import judged_cases, value_named
from rejudge.review.labels_missing import decide_open, old_labels, open_labels, outcomes_of, rates_with_open
from rejudge.review.newest import judged_of
from rejudge.review.pairs import Basis, comparable, pairs_of
from rejudge.review.sides import SCORER, labels_of, one_scorer, people_named, values_of
from rejudge.stats.calibration import Calibration, Passes
from rejudge.stats.calibration import calibrate as statistics_of
from rejudge.stats.confusion import Outcomes
from rejudge.stats.interval import LEVEL
from rejudge.stats.scale import PASS_FAIL, Scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.calibration import Pairs
    from rejudge.domain.experiment import Experiment
    from rejudge.domain.run import Run
    from rejudge.domain.scale import ScoreSpec
    from rejudge.review.judgements import Case
    from rejudge.review.pairs import Pair
    from rejudge.review.sides import OtherSide
    from rejudge.storage.store import Store


class CalibrateQuestion(Struct, frozen=True, kw_only=True):
    """What is to be found out: how far the value of a scorer agrees with a rating set or another scorer.

    `value` names one of several values of the scorer. `seed` is for the intervals that are drawn, `level` theirs.
    """

    scorer: str
    against: str
    value: str | None = None
    seed: int = 0
    level: float = LEVEL


class Calibrated(Struct, frozen=True, kw_only=True):
    """A calibration with the pairs behind it, in the order of its statistics; `remarks` says what to know besides."""

    record: CalibrationRecord
    statistics: Calibration
    pairs: tuple[Pair, ...]
    remarks: tuple[str, ...]

    @property
    def disagreements(self) -> list[Pair]:
        """The pairs that differ, worst first."""
        return [self.pairs[place] for place in self.statistics.disagreements]


def calibrate(
    store: Store, experiment: Experiment, runs: Sequence[Run], question: CalibrateQuestion, *, at: float
) -> Calibrated:
    """Compare, and store what comes out.

    `runs` are those whose scores are read. Raises UnknownName and ConfigurationError for a scorer, rating set or value
    that is not there or not one thing, for two sides that are not on one scale, where no trace has both, and for runs
    that were made for an explanation.
    """
    for run in runs:
        refuse_explanation(run.id, experiment)
    config = one_scorer(store, runs, question.scorer)
    people = people_named(store, runs, question.against)
    rival = None if people is not None else one_scorer(store, runs, question.against.removeprefix(SCORER))
    if rival is not None and rival.digest() == config.digest():
        raise ConfigurationError(
            f"{config.name!r} always agrees with itself", fix="name another scorer, or a rating set"
        )
    cases = judged_cases(store, runs, [config.digest(), *([] if rival is None else [rival.digest()])])
    other = labels_of(store, people) if people is not None else values_of(cases, rival or config)
    spec = value_named(cases, config, question.value, preferred=other.spec.key)
    compared = comparable(spec, other.spec)
    pairs, counts = pairs_of(cases, (config.digest(), spec), other, compared)
    if not pairs:
        raise ConfigurationError(
            f"no trace of the experiment has both a value of {config.name!r} and a label of {other.against.name!r}",
            fix=f"{counts.elsewhere} labelled traces are not in it, {counts.unjudged} are not judged yet, and of "
            f"{counts.open} raters differ and nobody decided",
        )
    passes, remarks = _passing(spec, other.spec, compared)
    found = _statistics(pairs, (spec, other.spec), compared, passes, question)
    record = CalibrationRecord(
        judged=judged_of(config, spec.key),
        against=other.against,
        experiment=experiment.id,
        runs=tuple(run.id for run in runs),
        dataset_version=experiment.dataset_version,
        compared=compared.value,
        pairs=counts,
        blinding=other.blinding,
        statistics=to_builtins(found),
        seed=question.seed,
        level=question.level,
        at=at,
    )
    if counts.items < counts.n:
        remarks.append(
            f"the {counts.n} traces are of {counts.items} items; every interval takes an item for one case, because "
            "traces of an item are alike"
        )
    remarks += _of_labels(cases, (config.digest(), spec.key), other, found, counts)
    stored = store.save_calibration(record)
    return Calibrated(record=stored, statistics=found, pairs=tuple(pairs), remarks=tuple(remarks))


def _of_labels(
    cases: Sequence[Case], judge: tuple[bytes, str], other: OtherSide, found: Calibration, pairs: Pairs
) -> list[str]:
    """What to know of labels that are open, and of ratings that came after them."""
    remarks = old_labels(other, other.against.name)
    if pairs.open:
        remarks.append(f"{open_labels(pairs.open, labelled=pairs.n)}: {decide_open(other.against.name)}")
        judged = outcomes_of(cases, frozenset(other.open), judge)
        if judged and isinstance(found.outcomes, Outcomes):
            remarks.append(rates_with_open(found.outcomes, judged))
    return remarks


def _statistics(
    pairs: Sequence[Pair],
    specs: tuple[ScoreSpec, ScoreSpec],
    compared: Basis,
    passes: Passes | None,
    question: CalibrateQuestion,
) -> Calibration:
    """The statistics of the pairs on the scale of the other side; of the outcomes where values cannot be compared.

    A range that only one side declares is none of both.
    """
    mine, spec = specs
    low, high = spec.range if mine.range == spec.range else (None, None)
    of_outcomes = compared is Basis.OUTCOMES
    return statistics_of(
        [pair.judge for pair in pairs],
        [pair.other for pair in pairs],
        kind="pass_fail" if of_outcomes else spec.type.value,
        scale=PASS_FAIL if of_outcomes else Scale(low=low, high=high, direction=spec.direction.value),
        passes=passes,
        items=[pair.item_id for pair in pairs],
        seed=question.seed,
        level=question.level,
    )


def _passing(judge: ScoreSpec, other: ScoreSpec, compared: Basis) -> tuple[Passes | None, list[str]]:
    """From which value on both sides pass, and what to say about it; None where nothing says so."""
    if compared is Basis.OUTCOMES:
        return None, ["the two sides have different scales, so only whether they pass is compared"]
    if not other.has_outcome:
        return None, []
    if other.passing_labels is not None:
        same = set(judge.passing_labels or other.passing_labels) == set(other.passing_labels)
        told = "the scorer's passing labels are others than those used here, which are the other side's"
        return frozenset(other.passing_labels), [] if same else [told]
    mine, theirs = _threshold(judge), _threshold(other)
    if other.type is ScoreType.PASS_FAIL and judge.type is not ScoreType.PASS_FAIL:
        # What is 0 or 1 passes from any value between, so the scorer's own threshold serves both sides.
        if mine is None:
            return None, ["nothing says from which value on the scorer passes, so only its 1 counts as a pass"]
        return mine, []
    if mine not in (None, theirs):
        return theirs, [f"the scorer passes at {mine:g} and the other side at {theirs:g}, which is used for both here"]
    return theirs, []


def _threshold(spec: ScoreSpec) -> float | None:
    if not spec.has_outcome:
        return None
    return 1.0 if spec.passes_at is None else spec.passes_at
