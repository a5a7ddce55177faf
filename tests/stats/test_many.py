from __future__ import annotations

import math

import numpy as np
import pytest

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.comparison import Comparison, compare
from rejudge.stats.decision import ComparisonVerdict
from rejudge.stats.interval import Undefined
from rejudge.stats.many import compare_pairs, correct
from rejudge.stats.multiple import holm
from rejudge.stats.scale import PASS_FAIL, Scale

BETTER, WORSE, DIFFERENT, NOTHING, TOO_LITTLE = ComparisonVerdict


def passes(b: int, c: int, *, both: int = 100, level: float = 0.95) -> Comparison:
    first, second = [1.0] * both + [0.0] * b + [1.0] * c, [1.0] * both + [1.0] * b + [0.0] * c
    return compare(first, second, name="ok", kind="pass_fail", scale=PASS_FAIL, seed=0, level=level, resamples=0)


def p(found: float | Undefined) -> float:
    assert not isinstance(found, Undefined), found
    return found


def test_several_metrics_are_corrected_by_holm() -> None:
    metrics = [passes(10, 2), passes(20, 2), passes(5, 5), passes(3, 15)]
    found = correct(metrics)
    assert [one.p for one in found] == holm([p(metric.p) for metric in metrics])
    assert [one.comparison.verdict for one in found] == [BETTER, BETTER, NOTHING, WORSE]
    assert [one.verdict for one in found] == [NOTHING, BETTER, NOTHING, WORSE]
    assert "0.05" in found[0].because
    assert {one.family for one in found} == {4}


def test_a_verdict_lost_to_the_correction_is_too_little_data_where_data_are_few() -> None:
    metrics = [passes(10, 2, both=0), passes(1, 1, both=0)]
    assert metrics[0].verdict is BETTER
    assert correct(metrics)[0].verdict is TOO_LITTLE


def test_a_comparison_without_a_p_value_counts_in_the_family_and_stays_without() -> None:
    empty = compare([], [], name="ok", kind="pass_fail", scale=PASS_FAIL, seed=0)
    corrected, nothing = correct([passes(10, 2), empty])
    assert p(corrected.p) == pytest.approx(2 * 0.0385742, abs=1e-6)
    assert isinstance(nothing.p, Undefined)
    assert nothing.verdict is TOO_LITTLE


def test_no_comparison_and_one_comparison_need_no_correction() -> None:
    assert correct([]) == ()
    alone = passes(10, 2)
    assert correct([alone])[0].p == alone.p


def test_different_levels_are_no_family() -> None:
    with pytest.raises(ConfigurationError, match="one level"):
        correct([passes(10, 2), passes(10, 2, level=0.9)])


def test_every_two_columns_are_compared_as_one_family() -> None:
    random = np.random.default_rng(3)
    base = random.random(500)
    columns = {"a": base, "b": base + random.normal(0, 0.1, 500), "c": base + random.normal(0.05, 0.1, 500)}
    found = compare_pairs(columns, name="quality", kind="number", scale=Scale(), seed=1)
    assert [(pair.first, pair.second) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [pair.corrected.p for pair in found] == holm([p(pair.corrected.comparison.p) for pair in found])
    assert [pair.corrected.verdict for pair in found] == [NOTHING, BETTER, BETTER]
    assert found[1].corrected.comparison.difference == pytest.approx(float((columns["c"] - base).mean()))


def test_the_family_errs_no_more_often_than_one_comparison_may() -> None:
    random, samples, false = np.random.default_rng(21), 400, 0
    for _ in range(samples):
        columns = {str(one): (random.random(60) < 0.5).astype(float) for one in range(4)}
        pairs = compare_pairs(columns, name="ok", kind="pass_fail", scale=PASS_FAIL, seed=0)
        false += any(pair.corrected.verdict in (BETTER, WORSE) for pair in pairs)
    assert false / samples <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / samples)
