from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.domain.trace import Produced, Trace, TraceKey, trace_digest
from rejudge.domain.usage import Usage
from tests.domain.values import any_text, any_value, told_apart

ONE, TWO = b"\1" * 32, b"\2" * 32

keys = st.builds(
    TraceKey,
    item_id=any_text | st.sampled_from(["1", "11"]),
    given=st.sampled_from([ONE, TWO]),
    run_config=st.sampled_from([ONE, TWO]),
    trial=st.integers(0, 12),
)


@given(keys, keys)
def test_two_keys_share_a_digest_exactly_when_all_four_parts_are_the_same(left: TraceKey, right: TraceKey) -> None:
    assert (left.digest() == right.digest()) == (left == right)
    assert len(left.digest()) == 32


@given(any_value, any_value)
def test_two_outputs_share_a_trace_id_exactly_when_they_are_the_same(left: object, right: object) -> None:
    same = told_apart(left) == told_apart(right)
    assert (trace_digest(ONE, Produced(output=left)) == trace_digest(ONE, Produced(output=right))) == same


@pytest.mark.parametrize(
    "produced",
    [
        Produced(output="b"),
        Produced(output="a", messages=[]),
        Produced(output="a", metadata={"k": 1}),
        Produced(output="a", extra={"k": 1}),
    ],
)
def test_everything_that_was_produced_is_covered_by_the_id(produced: Produced) -> None:
    assert Trace(key=ONE, produced=produced).id != Trace(key=ONE, produced=Produced(output="a")).id


def test_the_key_is_covered_and_when_how_fast_and_for_how_much_is_not() -> None:
    trace = Trace(key=ONE, produced=Produced(output="a"))
    costly = Trace(key=ONE, produced=trace.produced, usage=Usage(cost=1.0), started_at=9.0, seconds=3.0)
    assert costly.id == trace.id
    assert Trace(key=TWO, produced=trace.produced).id != trace.id
    assert trace.id.startswith("trace-")


@pytest.mark.parametrize("value", [math.nan, math.inf, b"bytes", {1: 2}, object()])
def test_an_output_without_canonical_form_is_refused(value: object) -> None:
    for produced in (Produced(output=value), Produced(output="a", metadata={"k": value})):
        with pytest.raises(RecordError):
            trace_digest(ONE, produced)
