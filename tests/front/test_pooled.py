"""Scorers of one name that judge different items are told as one: the same numbers as over all items at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.front.summaries import pooled
from rejudge.stats.moments import Moments
from rejudge.storage.records import ValueMoments, trial_counts

Items = list[list[bool]]


def over(items: Items) -> ValueMoments:
    moments = Moments.of([sum(trials) / len(trials) for trials in items])
    assert moments.mean is not None
    assert moments.minimum is not None
    assert moments.maximum is not None
    return ValueMoments(
        scorer=b"s",
        name="passed",
        items=len(items),
        values=sum(map(len, items)),
        mean=moments.mean,
        squares=moments.squares,
        minimum=moments.minimum,
        maximum=moments.maximum,
        binary=moments.zero_or_one,
        total=float(sum(map(sum, items))),
        judged=sum(map(len, items)),
        trials=trial_counts(items),
    )


groups = st.lists(st.lists(st.lists(st.booleans(), min_size=1, max_size=4), min_size=1, max_size=5), min_size=1)


@given(groups)
def test_groups_of_items_together_have_the_numbers_of_all_items(parts: list[Items]) -> None:
    whole, together = over([item for part in parts for item in part]), pooled([over(part) for part in parts])
    assert together is not None
    assert together.mean == pytest.approx(whole.mean)
    assert together.squares == pytest.approx(whole.squares, abs=1e-9)
    for name in ("items", "values", "minimum", "maximum", "binary", "total", "judged", "trials"):
        assert getattr(together, name) == getattr(whole, name)


def test_no_group_has_no_numbers() -> None:
    assert pooled([]) is None
