from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.counts import Counts

FIELDS = ("scored", "skipped", "scorer_errors", "task_errors", "pending")


@given(st.lists(st.integers(0, 10_000), min_size=5, max_size=5))
def test_counts_that_add_up_are_accepted_and_tell_what_is_missing(parts: list[int]) -> None:
    counts = Counts(planned=sum(parts), **dict(zip(FIELDS, parts, strict=True)))
    assert counts.missing == sum(parts[1:])


@given(st.lists(st.integers(0, 100), min_size=5, max_size=5), st.integers(-100, 100).filter(bool))
def test_counts_that_lose_or_invent_a_unit_are_refused(parts: list[int], off: int) -> None:
    with pytest.raises(RecordError, match="planned"):
        Counts(planned=sum(parts) + off, **dict(zip(FIELDS, parts, strict=True)))


def test_the_refusal_shows_the_whole_sum() -> None:
    with pytest.raises(RecordError, match=r"planned 10 is not 7 scored \+ 1 skipped \+ .* \+ 0 pending = 8"):
        Counts(planned=10, scored=7, skipped=1)


def test_a_negative_count_is_refused_even_where_the_sum_fits() -> None:
    with pytest.raises(RecordError, match="skipped = -1"):
        Counts(planned=10, scored=11, skipped=-1)


def test_counts_read_from_storage_are_checked_again() -> None:
    with pytest.raises(RecordError):
        msgspec.json.decode(b'{"planned": 2, "scored": 1}', type=Counts)
