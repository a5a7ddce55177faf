"""One record of everything that a judge's values and those of people say, for every kind of score."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.calibration import Calibration, calibrate
from rejudge.stats.confusion import Confusion, Outcomes
from rejudge.stats.correction import corrected_counts
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Undefined
from rejudge.stats.meaning import MEANINGS, calibration_in_words, correction_in_words, in_words
from rejudge.stats.probability import Reliability
from rejudge.stats.raters import agreement_among_raters
from rejudge.stats.scale import FIVE_STAR, PASS_FAIL, PASS_FAIL_CRITICAL, Scale

HUMAN, JUDGE = [1.0, 2, 3, 4, 5, 1, 2, 3, 4, 5], [1.0, 2, 3, 4, 4, 2, 2, 4, 4, 5]
NUMERIC = {
    *("pearson", "spearman", "kendall", "ccc", "mae", "mse", "rmse", "normalised_mae", "normalised_mse"),
    *("bias", "limit_low", "limit_high"),
}
NOMINAL = {"accuracy", "kappa", "ac1", "alpha_nominal", "mcc"}
RATES = {"tpr", "tnr"}
ORDERED = {"kappa_linear", "kappa_quadratic", "ac2_linear", "ac2_quadratic", "ac2_ordinal"}
ALPHAS = {"alpha_ordinal", "alpha_interval"}


def value(found: Calibration, name: str) -> float:
    statistic = found.statistics[name]
    assert isinstance(statistic, Estimate), (name, statistic)
    return statistic.value


def why(found: Calibration, name: str) -> str:
    statistic = found.statistics[name]
    assert isinstance(statistic, Undefined), (name, statistic)
    return statistic.reason


def stars(judge: list[float] = JUDGE, human: list[float] = HUMAN, passes: float | None = None) -> Calibration:
    return calibrate(judge, human, kind="five_star", scale=FIVE_STAR, seed=1, passes=passes)


def outcomes(judge: list[float], human: list[float]) -> Calibration:
    return calibrate(judge, human, kind="pass_fail", scale=PASS_FAIL, seed=1)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("kappa", 0.625), ("kappa_linear", 0.8), ("kappa_quadratic", 0.9142857)),
        *(("pearson", 0.9268551), ("spearman", 0.9264330), ("kendall", 0.8696264)),
        *(("mae", 0.3), ("mse", 0.3), ("normalised_mae", 0.075), ("normalised_mse", 0.01875), ("accuracy", 0.7)),
        *(("ac1", 0.62732919), ("ac2_quadratic", 0.93023256), ("bias", 0.1)),
    ],
)
def test_stars_have_their_reference_values(name: str, expected: float) -> None:
    assert value(stars(), name) == pytest.approx(expected, abs=1e-6)


def test_stars_have_everything_that_applies_with_its_n() -> None:
    found = stars()
    assert set(found.statistics) == NOMINAL | ORDERED | ALPHAS | RATES | NUMERIC | {"alpha_ratio"}
    assert found.n == 10
    assert {one.n for one in found.statistics.values() if isinstance(one, Estimate)} == {10}
    assert isinstance(found.confusion, Confusion)
    assert found.confusion.categories == (1, 2, 3, 4, 5)
    assert "from which value on" in why(found, "tpr")
    assert isinstance(found.outcomes, Undefined)


def test_stars_that_pass_from_4_on_have_rates_of_passing() -> None:
    found = stars(passes=4)
    assert found.passes == 4
    assert found.outcomes == Outcomes(true_positives=4, false_negatives=0, false_positives=1, true_negatives=5)
    assert [value(found, "tpr"), value(found, "tnr")] == pytest.approx([1, 5 / 6])


def test_outcomes_have_the_reference_values_of_their_table() -> None:
    human, judge = [0.0] * 25 + [1.0] * 25, [0.0] * 20 + [1.0] * 5 + [0.0] * 10 + [1.0] * 15
    found = outcomes(judge, human)
    assert set(found.statistics) == NOMINAL | RATES | NUMERIC
    assert value(found, "kappa") == pytest.approx(0.4)
    assert value(found, "ac1") == pytest.approx(0.4059406, abs=1e-6)
    assert (value(found, "tpr"), value(found, "tnr")) == (0.6, 0.8)
    assert value(found, "mcc") == pytest.approx(value(found, "pearson"))
    assert found.passes == 1


def test_where_everything_passes_there_is_no_variation_but_an_agreement() -> None:
    found = outcomes([1.0] * 8, [1.0] * 8)
    assert "no variation" in why(found, "kappa")
    assert "p_o = 1" in why(found, "kappa")
    assert "no variation" in why(found, "alpha_nominal")
    assert value(found, "accuracy") == 1
    assert why(found, "tnr") == "the people failed no item"


def test_a_constant_judge_has_no_correlation_and_the_reason_names_it() -> None:
    for name in ("pearson", "spearman", "kendall", "mcc"):
        assert "the judge gave every item the same value" in why(outcomes([1.0] * 4, [1.0, 0, 1, 0]), name)


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_pairs_have_no_agreement_and_no_correlation(n: int) -> None:
    found = stars(JUDGE[:n], HUMAN[:n])
    for name in NOMINAL - {"accuracy"} | ORDERED | ALPHAS | {"pearson", "spearman", "kendall", "ccc"}:
        assert why(found, name)
    assert (found.n, found.disagreements) == (n, ())


def test_probabilities_have_a_curve_a_brier_score_and_an_error() -> None:
    found = calibrate([0.9, 0.8, 0.6, 0.3], [1, 1, 0, 0], kind="number", scale=PASS_FAIL, seed=7)
    assert value(found, "brier") == pytest.approx(0.125)
    assert isinstance(found.reliability, Reliability)
    assert found.statistics["ece"] == found.reliability.ece
    assert (found.seed, found.reliability.seed) == (7, 7)
    assert set(found.statistics) == ALPHAS | RATES | NUMERIC | {"alpha_ratio", "brier", "ece"}


def test_a_pass_fail_with_fractions_is_a_probability_and_passes_at_1() -> None:
    found = outcomes([1.0, 0.8, 0.6, 0.0], [1, 1, 0, 0])
    assert found.outcomes == Outcomes(true_positives=1, false_negatives=1, false_positives=0, true_negatives=2)
    assert isinstance(found.reliability, Reliability)
    assert value(found, "accuracy") == 0.75


def test_plain_outcomes_are_no_probabilities() -> None:
    found = outcomes([1.0, 0, 1], [1, 0, 0])
    assert isinstance(found.reliability, Undefined)
    assert "brier" not in found.statistics


def test_labels_have_agreement_and_no_distance() -> None:
    found = calibrate(list("aabbc"), list("aabcb"), kind="label", scale=Scale(), seed=1)
    assert set(found.statistics) == NOMINAL | RATES
    assert isinstance(found.confusion, Confusion)
    assert found.confusion.categories == ("a", "b", "c")
    assert value(found, "kappa") == pytest.approx((0.6 - 0.36) / 0.64)
    assert found.disagreements == (3, 4)


def test_labels_that_pass_have_rates_and_the_wrongly_passed_stand_first() -> None:
    judge, human = ["odd", "bad", "good", "good"], ["bad", "good", "good", "bad"]
    found = calibrate(judge, human, kind="label", scale=Scale(), seed=1, passes=["good"])
    assert (value(found, "tpr"), value(found, "tnr")) == (0.5, 0.5)
    assert found.passes == ("good",)
    assert found.disagreements == (3, 1, 0)


def test_a_critical_fail_is_a_category_of_its_own() -> None:
    found = calibrate([1, -1, 0, 1], [1, -1, -1, 0], kind="pass_fail_critical", scale=PASS_FAIL_CRITICAL, seed=1)
    assert isinstance(found.confusion, Confusion)
    assert found.confusion.categories == (-1, 0, 1)
    assert found.outcomes == Outcomes(true_positives=1, false_negatives=0, false_positives=1, true_negatives=2)
    assert set(found.statistics) >= ORDERED


def test_stars_between_whole_ones_have_no_category_and_keep_the_rest() -> None:
    found = stars([1.5, *JUDGE[1:]])
    assert "round them" in why(found, "kappa_quadratic")
    assert isinstance(found.confusion, Undefined)
    assert value(found, "alpha_interval") > 0.8
    assert value(found, "pearson") > 0.8


def test_whole_numbers_of_a_declared_range_are_categories_and_others_are_not() -> None:
    ten = Scale(low=1, high=10)
    assert set(calibrate(JUDGE, HUMAN, kind="number", scale=ten, seed=1).statistics) >= ORDERED
    open_ended = calibrate(JUDGE, HUMAN, kind="number", scale=Scale(), seed=1)
    assert set(open_ended.statistics) == ALPHAS | RATES | NUMERIC
    assert why(open_ended, "normalised_mae") == "the range is not declared"


def test_the_worst_disagreement_stands_first_then_the_kinder_judge() -> None:
    assert stars([3, 1, 5, 2, 4], [3, 5, 1, 3, 3]).disagreements == (2, 1, 4, 3)


def test_where_lower_is_better_a_lower_value_of_the_judge_is_the_kinder() -> None:
    lower = Scale(low=0, high=10, direction="lower")
    found = calibrate([5, 7, 6.0], [6, 6, 6.0], kind="number", scale=lower, seed=1, passes=5)
    assert found.disagreements == (0, 1)
    assert found.outcomes == Outcomes(true_positives=0, false_negatives=0, false_positives=1, true_negatives=2)


def test_differences_of_rounding_are_no_disagreement() -> None:
    found = calibrate([0.1 + 0.2], [0.3], kind="number", scale=Scale(), seed=1)
    assert found.disagreements == ()


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=25))
def test_every_disagreement_is_listed_once_and_nothing_else(pairs: list[tuple[int, int]]) -> None:
    judge, human = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    found = stars(judge, human).disagreements
    assert sorted(found) == [place for place, (one, other) in enumerate(pairs) if one != other]
    sizes = [abs(judge[place] - human[place]) for place in found]
    assert sizes == sorted(sizes, reverse=True)


def test_a_record_comes_back_from_json_as_it_was() -> None:
    random = np.random.default_rng(1)
    said = random.random(50)
    passed = (random.random(50) < said).astype(float).tolist()
    for found in (
        stars(passes=4),
        calibrate(said.tolist(), passed, kind="pass_fail", scale=PASS_FAIL, seed=1),
        calibrate(list("aab"), list("abb"), kind="label", scale=Scale(), seed=1, passes=["a"]),
    ):
        assert msgspec.json.decode(msgspec.json.encode(found), type=Calibration) == found


@pytest.mark.parametrize(
    ("judge", "human", "error"),
    [
        ([1], [1, 2], RecordError),
        ([1, "a"], [1, 2], RecordError),
        ([1, float("nan")], [1, 2], RecordError),
        ([1, 6], [1, 2], RecordError),
    ],
)
def test_sides_that_do_not_fit_are_refused(judge: list[float], human: list[float], error: type[Exception]) -> None:
    with pytest.raises(error):
        stars(judge, human)


def test_what_passes_has_to_fit_the_kind() -> None:
    with pytest.raises(ConfigurationError, match="not with labels"):
        calibrate(JUDGE, HUMAN, kind="five_star", scale=FIVE_STAR, seed=1, passes=["good"])
    with pytest.raises(ConfigurationError, match="a list of labels"):
        calibrate(["a"], ["a"], kind="label", scale=Scale(), seed=1, passes=4)
    with pytest.raises(RecordError, match="a label is text"):
        calibrate(["a", 1], ["a", "b"], kind="label", scale=Scale(), seed=1)


def test_every_number_says_what_it_means_and_what_it_does_not() -> None:
    probabilities = calibrate([0.9, 0.8, 0.6, 0.3], [1, 1, 0, 0], kind="number", scale=PASS_FAIL, seed=7)
    raters = agreement_among_raters([[1, 2, 3], [1, 3, 3]], kind="five_star", scale=FIVE_STAR)
    told = calibration_in_words(stars()) | calibration_in_words(probabilities) | calibration_in_words(raters)
    assert set(told) == set(MEANINGS)
    found = calibration_in_words(stars())
    assert found["kappa"].startswith("Cohen's κ 0.625 [0.288, 0.962] (n=10). Of the agreement that chance would leave")
    assert "62.5 % is reached" in found["kappa"]
    assert "It drops where nearly every item has the same value" in found["kappa"]
    assert found["tpr"] == (
        "True positive rate is undefined because nothing says from which value on this score passes."
    )


def test_agreement_below_chance_is_told_as_that() -> None:
    assert "same order throughout; what only one side ties counts against it" in in_words(
        "kendall", stars().statistics["kendall"]
    )
    assert "less often than chance" in in_words("kappa", stars([1, 2, 1, 2], [2, 1, 2, 1]).statistics["kappa"])


def test_a_correction_tells_the_raw_rate_the_corrected_ones_and_what_was_refused() -> None:
    labelled = Outcomes(true_positives=180, false_negatives=20, false_positives=40, true_negatives=160)
    told = correction_in_words(corrected_counts(1_380, 2_000, labelled, drawing="by_human_outcome"))
    assert told[0].startswith("The judge lets 69.0 % [66.9, 71.0] (n=2000) pass")
    assert "people would let 70.0 % [" in told[1]
    assert "refused, undefined because the labelled items were chosen by what people said" in told[2]
    cut = correction_in_words(corrected_counts(200, 2_000, labelled, drawing="by_human_outcome"))
    assert "The rate was cut to 0 from -0.1429" in cut[1]
    weighted = correction_in_words(corrected_counts(1_380, 2_000, labelled, drawing="by_judge_outcome"))
    assert "weighted to how often the judge passes and fails" in weighted[1]


@pytest.mark.parametrize("items", [None, [f"i{place // 2}" for place in range(10)]])
def test_agreement_does_not_depend_on_the_unit(items: list[str] | None) -> None:
    """Costs of 2e-13 dollars are compared as dollars are."""
    unit = 2e-13

    def found(unit: float) -> Calibration:
        sides = ([unit * one for one in side] for side in (JUDGE, HUMAN))
        return calibrate(*sides, kind="number", scale=Scale(), seed=1, items=items)

    here, there = found(1), found(unit)
    assert here.disagreements == there.disagreements
    for name, statistic in here.statistics.items():
        power = {"mse": 2}.get(name, 1 if name in NUMERIC - {"pearson", "spearman", "kendall", "ccc"} else 0)
        other = there.statistics[name]
        if isinstance(statistic, Estimate):
            assert isinstance(other, Estimate), name
            assert other.value == pytest.approx(statistic.value * unit**power, rel=1e-9, abs=0), name
            assert isinstance(other.interval, Undefined) == isinstance(statistic.interval, Undefined), name
        else:
            assert other == statistic
