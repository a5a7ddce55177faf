from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.comparison import Comparison, compare
from rejudge.stats.decision import ComparisonVerdict, NonInferiority, detectable_difference, least_units
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.mcnemar import mcnemar_exact, paired_share_interval
from rejudge.stats.mcnemar_power import items_for_exact_test
from rejudge.stats.p_value import PValue, Test
from rejudge.stats.scale import FIVE_STAR, PASS_FAIL, Direction, Kind, Scale

FIRST = [0.70, 0.55, 0.80, 0.62, 0.91, 0.40, 0.66, 0.73]
SECOND = [0.74, 0.60, 0.79, 0.70, 0.93, 0.47, 0.66, 0.81]
BETTER, WORSE, DIFFERENT, NOTHING, TOO_LITTLE = ComparisonVerdict


def of(first: Any, second: Any, *, kind: Kind = "number", scale: Scale = PASS_FAIL, **terms: Any) -> Comparison:  # noqa: ANN401 - lists and arrays alike
    return compare(first, second, name="quality", kind=kind, scale=scale, **{"seed": 7, **terms})


def passes(*, both: int = 0, b: int = 0, c: int = 0, neither: int = 0, **terms: Any) -> Comparison:  # noqa: ANN401
    first = [1.0] * both + [0.0] * b + [1.0] * c + [0.0] * neither
    second = [1.0] * both + [1.0] * b + [0.0] * c + [0.0] * neither
    return of(first, second, kind="pass_fail", **terms)


def p_of(comparison: Comparison, test: Test) -> float:
    found = comparison.tests[test]
    assert isinstance(found, PValue), found
    return found.p


def ends(interval: Interval | Undefined) -> tuple[float, float]:
    assert isinstance(interval, Interval), interval
    return interval.low, interval.high


def number(value: float | Estimate | Undefined) -> float:
    assert not isinstance(value, Undefined), value
    return value.value if isinstance(value, Estimate) else value


def test_numbers_get_every_reference_value() -> None:
    found = of(FIRST, SECOND)
    assert number(found.difference) == pytest.approx(0.04125, abs=1e-9)
    assert ends(found.interval) == pytest.approx((0.0117979, 0.0707021), abs=1e-7)
    assert p_of(found, "t") == pytest.approx(0.0129087, abs=1e-7)
    assert p_of(found, "sign-flip-exact") == 8 / 256
    assert p_of(found, "wilcoxon-drop") == pytest.approx(0.0277123, abs=1e-7)
    assert p_of(found, "wilcoxon-pratt") == pytest.approx(0.0293720, abs=1e-7)
    assert p_of(found, "wilcoxon-exact") == 8 / 256
    assert number(found.d_z) == pytest.approx(1.1709155, abs=1e-7)
    assert number(found.correlation) == pytest.approx(0.9766641, abs=1e-7)
    assert (found.primary, found.p, found.verdict) == ("sign-flip-exact", 8 / 256, BETTER)
    assert [number(found.mean_first), number(found.mean_second)] == pytest.approx([0.67125, 0.7125])
    assert (found.n, found.units, found.seed, found.level) == (8, 8, 7, 0.95)


def test_costs_of_a_tenth_of_a_billionth_are_compared_as_any_other() -> None:
    random = np.random.default_rng(11)
    first, second = 1.5e-10 + 2e-11 * random.random(40), 3.5e-10 + 2e-11 * random.random(40)
    found = of(first, second, scale=Scale(direction="lower"))
    assert found.verdict is WORSE
    assert number(found.difference) == pytest.approx(2e-10, rel=0.05)
    assert p_of(found, "t") < 1e-40
    assert all(p_of(found, test) < 1e-4 for test in ("sign-flip-drawn", "wilcoxon-pratt", "wilcoxon-exact"))
    scaled = of(1e10 * first, 1e10 * second, scale=Scale(direction="lower"))
    assert p_of(found, "wilcoxon-exact") == p_of(scaled, "wilcoxon-exact")


def test_a_small_shift_of_large_numbers_is_found() -> None:
    first = 1.7e9 + np.random.default_rng(2).random(40)
    found = of(first, first + 1.05 + 0.1 * np.random.default_rng(3).random(40), scale=Scale())
    assert found.verdict is BETTER
    assert number(found.difference) == pytest.approx(1.1, abs=0.03)


def test_passes_and_fails_are_decided_by_mcnemars_exact_test() -> None:
    found = passes(both=20, b=10, c=2, neither=8)
    assert (found.primary, found.verdict) == ("mcnemar-exact", BETTER)
    assert found.p == pytest.approx(0.0385742, abs=1e-7)
    assert p_of(found, "mcnemar-mid-p") == pytest.approx(0.0224609, abs=1e-7)
    assert p_of(found, "mcnemar-chi2-corrected") == pytest.approx(0.0433081, abs=1e-7)
    assert p_of(found, "mcnemar-chi2") == pytest.approx(0.0209213, abs=1e-7)
    assert found.outcomes is not None
    assert (found.outcomes.b, found.outcomes.c) == (10, 2)
    assert found.difference == pytest.approx(8 / 40)
    assert found.interval == paired_share_interval(found.outcomes)
    assert number(found.odds_ratio) == 5


def test_fractions_of_trials_are_no_passes_and_fails() -> None:
    found = of([1, 0, 0.5] * 20, [1, 1, 0.5] * 20, kind="pass_fail")
    assert found.outcomes is None
    assert "t" in found.tests
    assert isinstance(found.odds_ratio, Undefined)


def test_one_star_for_all_is_no_pass() -> None:
    assert of([1] * 40, [1] * 40, kind="five_star", scale=FIVE_STAR).outcomes is None


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_swapping_the_sides_turns_the_sign_and_leaves_p(pairs: list[tuple[int, int]]) -> None:
    first, second = [one / 4 for one, _ in pairs], [two / 4 for _, two in pairs]
    found, turned = of(first, second, resamples=0), of(second, first, resamples=0)
    assert number(found.difference) == -number(turned.difference)
    assert (found.p, found.primary) == (turned.p, turned.primary)
    opposite = {BETTER: WORSE, WORSE: BETTER}
    assert turned.verdict == opposite.get(found.verdict, found.verdict)
    if isinstance(found.interval, Interval):
        low, high = ends(found.interval)
        assert ends(turned.interval) == pytest.approx((-high, -low), abs=1e-9)


@pytest.mark.parametrize(("direction", "verdict"), [("higher", BETTER), ("lower", WORSE), ("informational", DIFFERENT)])
def test_the_verdict_follows_the_direction_of_the_score(direction: Direction, verdict: ComparisonVerdict) -> None:
    found = of(FIRST, SECOND, scale=Scale(low=0, high=1, direction=direction))
    assert (found.verdict, found.direction) == (verdict, direction)


def test_few_pairs_that_show_nothing_are_not_enough_data() -> None:
    found = of([0.1, 0.4, 0.3], [0.2, 0.3, 0.3])
    assert found.verdict is TOO_LITTLE
    assert "3 pairs are fewer than 32" in found.because


def test_enough_pairs_that_show_nothing_are_no_difference_shown() -> None:
    found = passes(both=20, b=4, c=4, neither=4)
    assert (found.n, found.verdict) == (least_units(0.95), NOTHING)
    assert passes(both=19, b=4, c=4, neither=4).verdict is TOO_LITTLE


def test_a_smallest_difference_of_interest_asks_for_data_that_would_show_it() -> None:
    found = passes(both=500, b=50, c=45, neither=405, smallest=0.02)
    assert found.verdict is TOO_LITTLE
    assert "more than the smallest of interest" in found.because
    assert 0.02 < number(found.detectable) < 0.03
    assert passes(both=500, b=50, c=45, neither=405, smallest=0.03).verdict is NOTHING
    assert passes(both=500, b=80, c=15, neither=405, smallest=0.02).verdict is BETTER


def test_pairs_that_all_tie_are_never_called_equal() -> None:
    few, many = passes(both=5, neither=1), passes(both=900, neither=100)
    assert (few.verdict, many.verdict) == (TOO_LITTLE, NOTHING)
    assert few.p == many.p == 1
    stars = of([3, 4] * 50, [3, 4] * 50, kind="five_star", scale=FIVE_STAR)
    reach = 4 * (1 - 0.025 ** (1 / 100))
    assert ends(stars.interval) == pytest.approx((-reach, reach))
    endless = of([3, 4] * 50, [3, 4] * 50, scale=Scale(), smallest=0.1)
    assert isinstance(endless.interval, Undefined)
    assert endless.verdict is TOO_LITTLE


def test_items_to_decide_are_those_of_the_formulas() -> None:
    found = of(FIRST, SECOND, smallest=0.01)
    assert found.items_to_decide == 100  # statsmodels: TTestPower().solve_power(0.01 / 0.03522884, power=0.8) is 99.3
    assert passes(both=500, b=60, c=40, neither=400).items_to_decide == items_for_exact_test(0.02, 0.1)
    assert isinstance(passes(both=30, b=5, c=5).items_to_decide, Undefined)
    assert isinstance(passes(both=30, b=5, c=5, smallest=0.1).items_to_decide, int)


def test_the_items_to_decide_would_show_the_difference_8_times_in_10() -> None:
    needed = passes(both=65, b=15, c=5, neither=15).items_to_decide
    assert isinstance(needed, int)
    drawn = np.random.default_rng(1).multinomial(needed, [0.65, 0.15, 0.05, 0.15], size=4_000).tolist()
    shown = [passes(both=a, b=b, c=c, neither=d, resamples=0).verdict is BETTER for a, b, c, d in drawn]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_so_few_pairs_that_the_exact_test_can_reject_nothing_detect_no_difference(n: int) -> None:
    for found in (passes(b=n), passes(both=n), of([0.0] * n, [0.1] * (n - 1) + [0.2])):
        assert isinstance(found.detectable, Undefined)
        assert f"{n} items are too few" in found.detectable.reason
        assert found.verdict is TOO_LITTLE
    assert found.clusters_to_decide is None


@pytest.mark.parametrize("counts", [(30, 3, 4, 13), (5, 2, 1, 2), (900, 0, 0, 100), (300, 60, 50, 90)])
def test_a_difference_of_pass_rates_that_is_detectable_is_found_8_times_in_10(counts: tuple[int, ...]) -> None:
    both, b, c, neither = counts
    found = passes(both=both, b=b, c=c, neither=neither)
    difference, discordant = number(found.detectable), (b + c) / found.n
    assert 0 < difference <= 1
    share = max(discordant, difference)
    up, down = (share + difference) / 2, (share - difference) / 2
    drawn = np.random.default_rng(1).multinomial(found.n, [up, max(0.0, down), 1 - share], size=4_000)
    shown = [mcnemar_exact(int(rose), int(fell)).p <= 0.05 for rose, fell, _ in drawn]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.03)


def test_what_did_not_show_the_observed_difference_is_never_said_to_be_enough() -> None:
    random = np.random.default_rng(12)
    for _ in range(150):
        n = int(random.integers(3, 25))
        changes = random.normal(0.4, 0.6, size=n).round(1)
        names = random.integers(0, max(3, n // 2), size=n).tolist()
        for clusters in (None, names):
            found = of(np.zeros(n), changes, scale=Scale(), clusters=clusters, resamples=0)
            if found.verdict in (TOO_LITTLE, NOTHING) and not isinstance(found.items_to_decide, Undefined):
                assert found.items_to_decide > n


def test_clusters_that_a_t_test_would_do_with_and_the_exact_test_would_not_say_so() -> None:
    moved = [0.1, 0.1, 0.1, 0.1, 0.12, 0, 0, 0]
    names = [place // 5 for place in range(40)]
    found = of(np.full(40, 0.5), np.repeat(moved, 5) + 0.5, clusters=names)
    assert (found.primary, found.verdict) == ("sign-flip-exact", TOO_LITTLE)
    assert p_of(found, "cluster-t") < 0.05 < number(found.p)
    assert isinstance(found.clusters_to_decide, Undefined)
    assert "the 8 clusters at hand would do; the exact test" in found.clusters_to_decide.reason
    assert found.items_to_decide == found.clusters_to_decide
    few = of([0.5] * 6, [0.6, 0.7, 0.6, 0.9, 0.6, 0.8], clusters=list("aabbcc"))
    assert isinstance(few.detectable, Undefined)
    assert "3 clusters are too few" in few.detectable.reason


def test_clusters_to_decide_go_with_the_items_that_they_hold() -> None:
    random = np.random.default_rng(4)
    names = np.repeat(np.arange(60), 5)
    found = of(np.zeros(300), np.repeat(random.normal(0.1, 1, size=60), 5), scale=Scale(), clusters=names)
    assert isinstance(found.clusters_to_decide, int)
    assert found.items_to_decide == 5 * found.clusters_to_decide


def test_what_can_be_detected_is_the_inverse_of_the_sample_size() -> None:
    changes = np.random.default_rng(3).normal(0, 1, size=1000)
    changes = (changes - changes.mean()) / changes.std(ddof=1) / 3
    found = of(np.zeros(1000), changes, scale=Scale())
    assert number(found.detectable) == pytest.approx(0.0295313, rel=2e-3)
    assert detectable_difference(Undefined("so")) == Undefined("so")


def test_clusters_decide_by_clusters() -> None:
    names = [f"conversation {place // 10}" for place in range(400)]
    first = np.repeat(np.random.default_rng(2).normal(size=40), 10)
    second = first + np.repeat(np.random.default_rng(5).normal(0.1, 1, size=40), 10)
    found = of(first, second, scale=Scale(), clusters=names)
    assert (found.primary, found.units, found.clustered) == ("cluster-t", 40, True)
    assert isinstance(found.interval, Interval)
    assert found.interval.method == "cluster-t"
    assert number(found.p) > 5 * number(of(first, second, scale=Scale()).p)
    assert isinstance(found.bootstrap, Interval)
    assert found.bootstrap.method == "cluster-bootstrap-bca"
    assert "share clusters" in str(found.tests["wilcoxon-pratt"])


def test_few_clusters_are_decided_by_flips_of_whole_clusters() -> None:
    found = of([0, 0, 0, 0] * 2, [1, 1, 0, 1] * 2, kind="pass_fail", clusters=list("aabbaacc"))
    assert (found.primary, found.units) == ("sign-flip-exact", 3)
    assert found.p == 2 / 2**3
    assert found.verdict is TOO_LITTLE
    assert "3 clusters are fewer than 32" in found.because
    assert isinstance(found.tests["mcnemar-exact"], Undefined)


def test_the_naive_bootstrap_finds_differences_that_clusters_only_feign() -> None:
    clusters, size, samples = 50, 10, 300
    random = np.random.default_rng(17)
    names = [str(place // size) for place in range(clusters * size)]
    naive = clustered = bootstrapped = 0
    for _ in range(samples):
        shared = np.repeat(random.normal(size=clusters), size)
        second = shared + 0.5 * random.normal(size=clusters * size)
        first = np.zeros(clusters * size)
        plain = of(first, second, scale=Scale(), resamples=1_000)
        grouped = of(first, second, scale=Scale(), resamples=1_000, clusters=names)
        naive += not ends(plain.bootstrap)[0] <= 0 <= ends(plain.bootstrap)[1]
        bootstrapped += not ends(grouped.bootstrap)[0] <= 0 <= ends(grouped.bootstrap)[1]
        clustered += grouped.verdict in (BETTER, WORSE)
    assert naive / samples > 0.3
    room = 3 * math.sqrt(0.05 * 0.95 / samples)
    assert clustered / samples <= 0.05 + room
    assert bootstrapped / samples <= 0.05 + room + 0.02


@pytest.mark.parametrize("n", [8, 40])
def test_a_verdict_is_false_no_more_often_than_its_level_says(n: int) -> None:
    samples = 1_500
    random = np.random.default_rng(n)
    first = random.integers(0, 5, size=(samples, n)) / 4
    second = random.integers(0, 5, size=(samples, n)) / 4
    false = [of(*pair, resamples=0).verdict in (BETTER, WORSE) for pair in zip(first, second, strict=True)]
    assert 0.01 < np.mean(false) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / samples)


@pytest.mark.parametrize(
    ("margin", "direction", "result"),
    [
        (0.0, "higher", "pass"),
        (0.08, "lower", "pass"),
        (0.05, "lower", "inconclusive"),
        (0.01, "lower", "fail"),
    ],
)
def test_a_margin_is_held_against_the_interval(margin: float, direction: Direction, result: str) -> None:
    found = of(FIRST, SECOND, scale=Scale(direction=direction), margin=margin).non_inferiority
    assert isinstance(found, NonInferiority)
    assert (found.result, found.margin) == (result, margin)


def test_a_margin_without_an_interval_or_a_worse_end_decides_nothing() -> None:
    found = of([1], [2], scale=Scale(), margin=0.1).non_inferiority
    assert isinstance(found, NonInferiority)
    assert found.result == "inconclusive"
    aimless = of(FIRST, SECOND, scale=Scale(direction="informational"), margin=0.1).non_inferiority
    assert isinstance(aimless, Undefined)
    assert of(FIRST, SECOND).non_inferiority is None


def test_nothing_paired_is_undefined_and_not_zero() -> None:
    found = of([], [], unpaired=(3, 4))
    assert (found.n, found.unpaired, found.verdict) == (0, (3, 4), TOO_LITTLE)
    for missing in (found.difference, found.interval, found.p, found.d_z, found.detectable, found.items_to_decide):
        assert isinstance(missing, Undefined)


def test_the_same_seed_gives_the_same_record_and_it_can_be_stored() -> None:
    random = np.random.default_rng(9)
    first, second = random.normal(size=(2, 300))
    found = of(first, second, scale=Scale())
    assert found == of(first.tolist(), second.tolist(), scale=Scale())
    assert isinstance(found.tests["sign-flip-drawn"], PValue)
    assert found.bootstrap != of(first, second, scale=Scale(), seed=8).bootstrap
    assert msgspec.json.decode(msgspec.json.encode(found), type=Comparison) == found


@pytest.mark.parametrize(
    ("terms", "error", "told"),
    [
        ({"kind": "label"}, RecordError, "labels have no mean"),
        ({"smallest": 0}, ConfigurationError, "smallest difference"),
        ({"margin": -0.1}, ConfigurationError, "not a margin"),
        ({"level": 95}, ConfigurationError, "confidence level"),
        ({"unpaired": (-1, 0)}, RecordError, "not counts"),
        ({"scale": FIVE_STAR}, RecordError, "outside the declared range"),
        ({"clusters": ["a"]}, RecordError, "clusters for 8 values"),
    ],
)
def test_what_cannot_be_compared_is_refused(terms: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        of(FIRST, SECOND, **terms)


@pytest.mark.scale
@pytest.mark.parametrize("kind", ["pass_fail", "number"])
def test_a_million_pairs_compare_within_a_second(kind: Kind) -> None:
    from time import perf_counter

    random = np.random.default_rng(1)
    first, second = random.random((2, 1_000_000))
    if kind == "pass_fail":
        first, second = first.round(), second.round()
    of(first[:100], second[:100], kind=kind)  # imports
    started = perf_counter()
    found = of(first, second, kind=kind)
    assert perf_counter() - started < 1
    assert found.n == 1_000_000


@pytest.mark.parametrize("orders", [[(0.1, 0.2, -0.3)], [(0.1, 0.2, -0.3), (0.2, 0.1, -0.3), (-0.3, 0.1, 0.2)]])
@pytest.mark.parametrize("clusters", [12, 40])
def test_clusters_whose_changes_cancel_but_for_rounding_show_no_difference(
    orders: list[tuple[float, ...]], clusters: int
) -> None:
    changes = [change for place in range(clusters) for change in orders[place % len(orders)]]
    names = [place // 3 for place in range(len(changes))]
    found = of([0.5] * len(changes), [0.5 + change for change in changes], clusters=names)
    assert found.verdict is (TOO_LITTLE if clusters == 12 else NOTHING)
    assert (found.p, found.difference) == (1.0, 0.0)
    for spread in (found.interval, found.bootstrap):
        assert isinstance(spread, Undefined)
        assert "same mean" in spread.reason
