from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.changes import Changes, changes
from rejudge.stats.interval import Undefined
from rejudge.stats.scale import FIVE_STAR, PASS_FAIL, Kind, Scale

LOWER = Scale(low=0, direction="lower")


def places(
    first: list[float], second: list[float], *, kind: Kind, scale: Scale, passes_at: float | None = None
) -> tuple[list[int], list[int], list[int] | None]:
    found = changes(first, second, kind=kind, scale=scale, passes_at=passes_at)
    assert isinstance(found, Changes), found
    wrong = None if isinstance(found.both_wrong, Undefined) else found.both_wrong.tolist()
    return found.regressions.tolist(), found.fixes.tolist(), wrong


def test_passes_and_fails_fall_into_regressions_fixes_and_both_wrong() -> None:
    first, second = [1.0, 1, 0, 0, 1, 0], [1.0, 0, 1, 0, 0, 0]
    assert places(first, second, kind="pass_fail", scale=PASS_FAIL) == ([1, 4], [2], [3, 5])


def test_the_greatest_loss_comes_first_and_of_equal_losses_the_worst_value() -> None:
    first, second = [5.0, 3, 4, 2, 1], [4.0, 1, 3, 1, 5]
    assert places(first, second, kind="five_star", scale=FIVE_STAR) == ([1, 3, 2, 0], [4], None)


def test_losses_that_only_rounding_tells_apart_are_equal() -> None:
    assert places([0.3, 0.8], [0.2, 0.7], kind="number", scale=PASS_FAIL)[0] == [0, 1]
    assert places([0.8, 0.3], [0.7, 0.2], kind="number", scale=PASS_FAIL)[0] == [1, 0]


def test_small_scores_are_put_in_order_too() -> None:
    first, second = [5e-10, 3e-10, 4e-10, 2e-10, 1e-10], [4e-10, 1e-10, 3e-10, 1e-10, 5e-10]
    assert places(first, second, kind="number", scale=Scale()) == ([1, 3, 2, 0], [4], None)


def test_where_less_is_better_a_rise_is_a_regression() -> None:
    found = places([1.0, 5, 3], [4.0, 2, 3 + 1e-12], kind="number", scale=LOWER, passes_at=2.5)
    assert found == ([0], [1], [2])


def test_a_fractional_pass_is_wrong_until_it_passes() -> None:
    found = places([2 / 3, 1, 0], [1 / 3, 2 / 3, 0.1 + 0.9], kind="pass_fail", scale=PASS_FAIL)
    assert found == ([0, 1], [2], [0])


def test_stars_without_a_value_to_pass_at_are_never_wrong() -> None:
    found = changes([1], [2], kind="five_star", scale=FIVE_STAR)
    assert isinstance(found, Changes)
    assert isinstance(found.both_wrong, Undefined)
    assert "passes_at" in found.both_wrong.reason


def test_a_score_without_a_better_end_has_no_regressions() -> None:
    found = changes([1], [2], kind="number", scale=Scale(direction="informational"))
    assert found == Undefined("an informational score has no better end")


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=30))
def test_swapping_the_sides_swaps_regressions_and_fixes(pairs: list[tuple[int, int]]) -> None:
    first, second = [float(one) for one, _ in pairs], [float(two) for _, two in pairs]
    worse, better, wrong = places(first, second, kind="five_star", scale=FIVE_STAR, passes_at=4)
    turned = places(second, first, kind="five_star", scale=FIVE_STAR, passes_at=4)
    assert (sorted(worse), sorted(better)) == (sorted(turned[1]), sorted(turned[0]))
    assert sorted(wrong or []) == [place for place, pair in enumerate(pairs) if max(pair) < 4]
    losses = np.subtract(second, first)[worse]
    assert (np.diff(losses) >= 0).all()


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(RecordError, match="cannot be paired"):
        changes([1], [1, 0], kind="pass_fail", scale=PASS_FAIL)
