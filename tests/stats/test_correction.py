"""The corrected pass rate: reference values, refusals, and how often its intervals hold the truth.

The simulated judges: truth .7, sensitivity .9, specificity .8, and a harder one with truth .9, sensitivity .75,
specificity .7, whose own pass rate is .705; 2,000 unlabelled items and 400 labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import NormalDist

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.domain.rating import Drawing
from rejudge.stats.confusion import Outcomes
from rejudge.stats.correction import Corrected, Correction, corrected_counts, corrected_rate, rogan_gladen
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval, Undefined, wilson, wilson_ends
from rejudge.stats.prediction_powered import Joint, Powered, powered, prediction_powered_mean

HUMAN, JUDGE, UNLABELLED = [1, 1, 0, 0, 1, 0, 1, 0], [1, 0, 0, 1, 1, 0, 1, 0], [1, 1, 0, 1, 0, 1, 0, 1]
JUDGES = pytest.mark.parametrize(("truth", "sensitivity", "specificity"), [(0.7, 0.9, 0.8), (0.9, 0.75, 0.7)])
SIMULATIONS, ITEMS = 4_000, 2_000


def outcomes(tp: int, fn: int, fp: int, tn: int) -> Outcomes:
    return Outcomes(true_positives=tp, false_negatives=fn, false_positives=fp, true_negatives=tn)


def defined(found: Corrected | Undefined) -> Corrected:
    assert isinstance(found, Corrected), found
    return found


def holds(found: Corrected | Undefined, truth: float) -> bool:
    if isinstance(found, Undefined) or isinstance(found.interval, Undefined):
        return False
    return found.interval.low <= truth <= found.interval.high


def by_human(truth: float, sensitivity: float, specificity: float) -> Iterator[tuple[int, Outcomes]]:
    """What a judge lets pass of the unlabelled, and 200 human passes and 200 human fails that it judged."""
    random = np.random.default_rng(11)
    passed = random.binomial(ITEMS, truth * sensitivity + (1 - truth) * (1 - specificity), SIMULATIONS)
    right, rightly_failed = (random.binomial(200, rate, SIMULATIONS) for rate in (sensitivity, specificity))
    for count, tp, tn in zip(passed.tolist(), right.tolist(), rightly_failed.tolist(), strict=True):
        yield count, outcomes(tp, 200 - tp, 200 - tn, tn)


def at_random(truth: float, sensitivity: float, specificity: float) -> Iterator[tuple[int, Outcomes]]:
    random = np.random.default_rng(12)
    passed = random.binomial(ITEMS, truth * sensitivity + (1 - truth) * (1 - specificity), SIMULATIONS)
    cells = [truth * sensitivity, truth * (1 - sensitivity), (1 - truth) * (1 - specificity), (1 - truth) * specificity]
    for count, drawn in zip(passed.tolist(), random.multinomial(400, cells, SIMULATIONS).tolist(), strict=True):
        yield count, outcomes(*drawn)


def by_judge(truth: float, sensitivity: float, specificity: float) -> Iterator[tuple[int, Outcomes]]:
    random = np.random.default_rng(13)
    share = truth * sensitivity + (1 - truth) * (1 - specificity)
    passed = random.binomial(ITEMS, share, SIMULATIONS)
    good = random.binomial(200, truth * sensitivity / share, SIMULATIONS)
    missed = random.binomial(200, truth * (1 - sensitivity) / (1 - share), SIMULATIONS)
    for count, tp, fn in zip(passed.tolist(), good.tolist(), missed.tolist(), strict=True):
        yield count, outcomes(tp, fn, 200 - tp, 200 - fn)


def test_the_formula_has_its_reference_values_on_lists() -> None:
    found = corrected_rate(UNLABELLED, JUDGE, HUMAN, drawing="at_random")
    assert (found.unlabelled, found.labelled) == (8, outcomes(3, 1, 1, 3))
    assert isinstance(found.raw, Estimate)
    assert (found.raw.value, found.raw.interval) == (0.625, wilson(5, 8))
    for rate in (found.true_positive_rate, found.true_negative_rate):
        assert isinstance(rate, Estimate)
        assert rate.value == 0.75
    assert found.formula == pytest.approx(0.75)


@pytest.mark.parametrize(("rate", "formula", "clipped"), [(0.1, -0.1428571, 0), (0.95, 1.0714286, 1)])
def test_a_rate_outside_0_to_1_is_cut_and_says_so(rate: float, formula: float, clipped: float) -> None:
    assert rogan_gladen(rate, 0.9, 0.8) == pytest.approx(formula, abs=1e-6)
    found = defined(
        corrected_counts(round(200 * rate), 200, outcomes(90, 10, 20, 80), drawing="at_random").rogan_gladen
    )
    assert (found.value, round(found.raw, 7)) == (clipped, formula)
    assert str(found.clipped).startswith(f"cut to {clipped} from {formula:.4g}")


def test_a_rate_within_0_to_1_is_not_cut() -> None:
    assert (
        defined(corrected_counts(138, 200, outcomes(90, 10, 20, 80), drawing="at_random").rogan_gladen).clipped is None
    )


@pytest.mark.parametrize(("tpr", "tnr"), [(0.5, 0.5), (0.3, 0.6), (0.9, 0.1)])
def test_a_judge_no_better_than_chance_is_refused(tpr: float, tnr: float) -> None:
    refused = rogan_gladen(0.5, tpr, tnr)
    assert isinstance(refused, Undefined)
    assert "no better than chance" in refused.reason
    labelled = outcomes(round(100 * tpr), round(100 - 100 * tpr), round(100 - 100 * tnr), round(100 * tnr))
    assert "no better than chance" in str(corrected_counts(50, 100, labelled, drawing="at_random").rogan_gladen)


def test_a_judge_not_told_from_chance_by_so_few_labels_is_refused_with_both_rates() -> None:
    refused = corrected_rate(UNLABELLED, JUDGE, HUMAN, drawing="at_random").rogan_gladen
    assert isinstance(refused, Undefined)
    assert refused.reason.startswith("TPR 0.75 + TNR 0.75 = 1.5 of 4 + 4 labels may as well be 0.865")


@pytest.mark.parametrize(
    ("labelled", "reason"),
    [(outcomes(9, 1, 0, 0), "the people failed no item"), (outcomes(0, 0, 1, 9), "let no item pass")],
)
def test_labels_of_one_class_are_refused(labelled: Outcomes, reason: str) -> None:
    assert reason in str(corrected_counts(50, 100, labelled, drawing="at_random").rogan_gladen)


def test_nothing_judged_has_no_rate_at_all() -> None:
    found = corrected_counts(0, 0, outcomes(9, 1, 1, 9), drawing="at_random")
    assert all(isinstance(one, Undefined) for one in (found.raw, found.rogan_gladen, found.prediction_powered))


def test_an_interval_wholly_outside_0_to_1_is_not_shown_as_certainty() -> None:
    found = defined(corrected_counts(0, 5_000, outcomes(95, 5, 50, 50), drawing="by_human_outcome").rogan_gladen)
    assert (found.value, found.raw < 0) == (0, True)
    assert "is not what it does on the others" in str(found.interval)


@JUDGES
def test_rogan_gladen_from_200_passes_and_200_fails_holds_the_truth(
    truth: float, sensitivity: float, specificity: float
) -> None:
    held = [
        holds(corrected_counts(count, ITEMS, labelled, drawing="by_human_outcome").rogan_gladen, truth)
        for count, labelled in by_human(truth, sensitivity, specificity)
    ]
    assert len(held) == SIMULATIONS
    assert 0.935 <= np.mean(held) <= 0.965


@JUDGES
def test_ppi_from_400_labels_drawn_at_random_holds_the_truth(
    truth: float, sensitivity: float, specificity: float
) -> None:
    held, widths, human_widths = [], [], []
    for count, labelled in at_random(truth, sensitivity, specificity):
        found = corrected_counts(count, ITEMS, labelled, drawing="at_random")
        held.append(holds(found.prediction_powered, truth))
        human = found.human
        assert isinstance(human, Estimate)
        if held[-1]:
            widths.append(width(defined(found.prediction_powered).interval))
            human_widths.append(width(human.interval))
    assert 0.935 <= np.mean(held) <= 0.965
    assert np.mean(widths) < np.mean(human_widths)


@pytest.mark.parametrize(
    ("labels", "unlabelled", "judge_of"),
    [
        (20, 1_000, (0.7, 0.95, 0.95)),
        (30, 2_000, (0.7, 0.9, 0.8)),
        (30, 10_000, (0.95, 0.99, 0.95)),
        (50, 2_000, (0.9, 0.97, 0.9)),
        (50, 2_000, (0.98, 0.99, 0.9)),
        (100, 5_000, (0.7, 0.99, 0.99)),
        (100, 2_000, (0.9, 0.75, 0.7)),
        (20, 2_000, (0.95, 0.8, 0.2)),
        (20, 2_000, (0.95, 0.5, 0.5)),
        (20, 2_000, (0.95, 0.6, 0.5)),
        (30, 2_000, (0.7, 0.8, 0.2)),
        (50, 2_000, (0.5, 0.55, 0.55)),
    ],
)
def test_ppi_from_few_labels_of_a_good_judge_or_a_useless_one_holds_the_truth(
    labels: int, unlabelled: int, judge_of: tuple[float, float, float]
) -> None:
    truth, right, rightly_failed = judge_of
    random = np.random.default_rng(14)
    cells = [truth * right, truth * (1 - right), (1 - truth) * (1 - rightly_failed), (1 - truth) * rightly_failed]
    counts = random.binomial(unlabelled, cells[0] + cells[2], SIMULATIONS // 2).tolist()
    held, widths, human_widths = [], [], []
    for count, drawn in zip(counts, random.multinomial(labels, cells, SIMULATIONS // 2).tolist(), strict=True):
        found = corrected_counts(count, unlabelled, outcomes(*drawn), drawing="at_random")
        if isinstance(found.prediction_powered, Undefined):
            assert "hardly drawn at random" in found.prediction_powered.reason
            continue
        assert isinstance(found.human, Estimate)
        held.append(holds(found.prediction_powered, truth))
        widths.append(width(found.prediction_powered.interval))
        human_widths.append(width(found.human.interval))
    assert np.mean(held) >= 0.935
    assert np.mean(widths) < 1.2 * np.mean(human_widths)


def test_ppi_from_a_handful_of_labels_is_refused() -> None:
    for labelled in (outcomes(1, 0, 0, 1), outcomes(14, 0, 0, 5)):
        found = corrected_counts(640, 1_000, labelled, drawing="at_random").prediction_powered
        assert "fewer than 20 items have a label" in str(found)
    assert isinstance(corrected_counts(640, 1_000, outcomes(14, 0, 0, 6), drawing="at_random").human, Estimate)


def test_labels_without_an_error_do_not_make_ppi_as_sure_as_the_judge() -> None:
    found = corrected_counts(7_800, 20_000, outcomes(50, 0, 0, 79), drawing="at_random")
    assert isinstance(found.raw, Estimate)
    powered = defined(found.prediction_powered)
    assert width(powered.interval) > 2 * width(found.raw.interval)
    assert isinstance(powered.interval, Interval)
    assert powered.interval.low <= powered.value <= powered.interval.high


@JUDGES
def test_labels_chosen_by_what_people_said_ruin_ppi_so_it_is_refused(
    truth: float, sensitivity: float, specificity: float
) -> None:
    held, refused_though_said_random = [], []
    for count, labelled in by_human(truth, sensitivity, specificity):
        unweighted = powered(Joint.of_outcomes(labelled, passed=count, unlabelled=ITEMS))
        assert isinstance(unweighted, Powered)
        held.append(abs(unweighted.value - truth) <= 1.96 * unweighted.error)
        wrongly_said = corrected_counts(count, ITEMS, labelled, drawing="at_random").prediction_powered
        refused_though_said_random.append(isinstance(wrongly_said, Undefined))
    assert np.mean(held) < 0.01
    assert np.mean(refused_though_said_random) > 0.98
    told = corrected_counts(1_380, ITEMS, outcomes(180, 20, 40, 160), drawing="by_human_outcome")
    assert "chosen by what people said" in str(told.prediction_powered)
    assert "chosen by what people said" in str(told.human)


@JUDGES
def test_labels_chosen_by_what_the_judge_said_are_weighted_back_and_hold_the_truth(
    truth: float, sensitivity: float, specificity: float
) -> None:
    held = [
        holds(corrected_counts(count, ITEMS, labelled, drawing="by_judge_outcome").reweighted, truth)
        for count, labelled in by_judge(truth, sensitivity, specificity)
    ]
    assert 0.935 <= np.mean(held) <= 0.965


def test_labels_chosen_by_what_the_judge_said_give_no_other_correction() -> None:
    found = corrected_counts(1_380, ITEMS, outcomes(180, 40, 20, 160), drawing="by_judge_outcome")
    assert defined(found.reweighted).value == pytest.approx(0.69 * 0.9 + 0.31 * 0.2)
    for refused in (found.rogan_gladen, found.prediction_powered, found.human, found.true_positive_rate):
        assert "chosen by what the judge said" in str(refused)


def test_weighting_needs_labels_of_each_outcome_that_the_judge_gave() -> None:
    found = corrected_counts(50, 100, outcomes(9, 0, 1, 0), drawing="by_judge_outcome").reweighted
    assert "no item that the judge failed" in str(found)
    assert defined(corrected_counts(100, 100, outcomes(9, 0, 1, 0), drawing="by_judge_outcome").reweighted).value == 0.9


def test_a_share_of_passes_that_random_labels_would_hardly_have_is_refused() -> None:
    labelled = outcomes(180, 20, 40, 160)
    assert "hardly drawn at random" in str(
        corrected_counts(1_380, ITEMS, labelled, drawing="at_random").prediction_powered
    )
    assert isinstance(corrected_counts(1_100, ITEMS, labelled, drawing="at_random").prediction_powered, Corrected)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=30), st.integers(2, 40))
def test_without_any_power_ppi_is_the_human_mean(pairs: list[tuple[bool, bool]], unlabelled: int) -> None:
    judge, human = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    alone = [float(place % 3 == 0) for place in range(unlabelled)]
    found = prediction_powered_mean(human, judge, alone, power=0)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(np.mean(human))


def normal_ends(found: Powered | Undefined) -> tuple[float, float]:
    """The interval that ppi-python makes of this standard error."""
    assert isinstance(found, Powered)
    half = NormalDist().inv_cdf(0.975) * found.error
    return found.value - half, found.value + half


@pytest.mark.parametrize(
    ("power", "value", "low", "high"),
    [(None, 0.5297619, 0.20626757, 0.85325624), (1.0, 0.625, 0.14272588, 1.10727412)],
)
def test_ppi_of_outcomes_is_that_of_ppi_python(power: float | None, value: float, low: float, high: float) -> None:
    found = prediction_powered_mean(HUMAN, JUDGE, UNLABELLED, power=power)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(value, abs=1e-7)
    assert normal_ends(powered(Joint.of(HUMAN, JUDGE, UNLABELLED), power=power)) == pytest.approx((low, high), abs=1e-7)
    joint = Joint.of_outcomes(Outcomes.of(JUDGE, HUMAN), passed=5, unlabelled=8)
    from_counts = powered(joint, power=power)
    assert isinstance(from_counts, Powered)
    assert from_counts.value == pytest.approx(value, abs=1e-7)
    assert normal_ends(from_counts) == pytest.approx((low, high), abs=1e-7)


def test_ppi_of_numbers_is_that_of_ppi_python_and_its_interval_reaches_further() -> None:
    human, judge = [4, 3.5, 2, 5, 1, 3, 4.5, 2.5], [4.2, 3, 2.5, 4.8, 1.5, 3.6, 4, 2]
    alone = [3, 4, 2, 5, 4.5, 3.5, 1, 2.2, 3.3, 4.4, 4.1, 2.9]
    found = prediction_powered_mean(human, judge, alone)
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(3.26039003, abs=1e-7)
    low, high = normal_ends(powered(Joint.of(human, judge, alone)))
    assert (low, high) == pytest.approx((2.64889131, 3.87188874), abs=1e-7)
    assert isinstance(found.interval, Interval)
    assert found.interval.low < low < high < found.interval.high


def test_a_judge_that_says_the_same_of_everything_is_given_no_power() -> None:
    found = corrected_counts(100, 100, outcomes(30, 0, 20, 0), drawing="at_random").prediction_powered
    assert (defined(found).power, defined(found).value) == (0, 0.6)
    interval = defined(found).interval
    assert isinstance(interval, Interval)
    # Wilson's with 2.0106, t(48), in place of 1.96.
    assert (interval.low, interval.high) == pytest.approx(wilson_ends(0.6, 50, 2.0106348), abs=1e-6)


def test_too_few_labels_or_items_are_refused() -> None:
    assert "fewer than two items have a human label" in str(powered(Joint.of([1], [1], [1, 0])))
    assert "by the judge alone" in str(powered(Joint.of([1, 0], [1, 0], [1])))


@pytest.mark.parametrize(
    ("made", "error"),
    [
        (lambda: powered(Joint.of([1, 0], [1, 0], [1, 0]), power=1.5), ConfigurationError),
        (lambda: corrected_rate([1, 0.5], JUDGE, HUMAN, drawing="at_random"), RecordError),  # type: ignore[list-item]
        (lambda: corrected_rate([1, 0], JUDGE[:3], HUMAN, drawing="at_random"), RecordError),
        (lambda: corrected_counts(3, 2, outcomes(3, 1, 1, 3), drawing="at_random"), RecordError),
    ],
)
def test_what_is_no_outcome_is_refused(made: Callable[[], Correction], error: type[Exception]) -> None:
    with pytest.raises(error):
        made()


def width(interval: Interval | Undefined) -> float:
    assert isinstance(interval, Interval)
    return interval.high - interval.low


@pytest.mark.parametrize("drawing", ["at_random", "by_human_outcome", "by_judge_outcome"])
def test_a_correction_comes_back_from_json_as_it_was(drawing: Drawing) -> None:
    found = corrected_counts(1_100, ITEMS, outcomes(180, 20, 40, 160), drawing=drawing)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Correction) == found
