from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

import numpy as np
import pydantic
import pytest
from hypothesis import given

from rejudge.domain.call import CallRecord, ModelCall, Reply
from rejudge.domain.canonical import canonical
from rejudge.domain.case import Attempt
from rejudge.domain.errors import RecordError
from rejudge.domain.payload import as_json, decode, decode_as, encode
from rejudge.domain.trace import Produced
from rejudge.domain.usage import Usage
from tests.domain.values import any_value, told_apart


@given(any_value)
def test_every_json_like_value_comes_back_unchanged(value: object) -> None:
    assert told_apart(decode(encode(value))) == told_apart(value)


@given(any_value)
def test_what_is_stored_is_legal_json(value: object) -> None:
    assert told_apart(json.loads(encode(value))) == told_apart(value)


@given(any_value)
def test_a_record_comes_back_unchanged_whatever_text_is_in_it(value: object) -> None:
    produced = Produced(output=value, metadata={"k": value})
    back = decode_as(encode(produced), Produced)
    assert told_apart([back.output, back.metadata]) == told_apart([produced.output, produced.metadata])


def test_nested_records_come_back_as_records() -> None:
    call = ModelCall(model="m", messages=[{"role": "user", "content": "\ud800"}])
    calls = (CallRecord(call=call, reply=Reply(text="t", usage=Usage(cost=0.1)), seconds=1.0),)
    assert decode_as(encode(calls), tuple[CallRecord, ...]) == calls


def test_each_reader_gets_a_value_of_its_own() -> None:
    stored = encode({"a": [1]})
    mine, yours = decode(stored), decode(stored)
    assert mine == yours
    assert mine is not yours


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("beside", [None, "text", "\ud800"])
def test_nan_and_infinity_are_refused_and_never_become_null(number: float, beside: object) -> None:
    for value in ({"a": number, "b": beside}, Produced(output=[number, beside])):
        with pytest.raises(RecordError, match="cannot be stored"):
            encode(value)


@pytest.mark.parametrize("beside", ["text", "\ud800"])
def test_what_json_cannot_say_is_refused_whatever_text_is_beside_it(beside: str) -> None:
    for value in (object(), 10**5000):
        with pytest.raises(RecordError, match="cannot be stored"):
            encode([beside, value])


def test_bytes_that_hold_another_record_are_told_apart_from_good_ones() -> None:
    for stored in (b"{}", b'{"output', b"[1]", b' {"output"'):
        with pytest.raises(ValueError, match=r"."):
            decode_as(stored, Produced)


class Colour(str, Enum):  # noqa: UP042
    RED = "red"


@dataclass
class Point:
    x: float
    around: tuple[int, ...]


class Page(pydantic.BaseModel):
    title: str
    at: datetime


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ((1, (2,)), [1, [2]]),
        ({"a": {3}}, {"a": [3]}),
        ({Colour.RED: Colour.RED}, {"red": "red"}),
        (Attempt(error="e", seconds=0.5), {"error": "e", "seconds": 0.5}),
        (Point(0.5, (1, 2)), {"x": 0.5, "around": [1, 2]}),
        (Page(title="t", at=datetime(2026, 1, 2, tzinfo=UTC)), {"title": "t", "at": "2026-01-02T00:00:00Z"}),
        (np.float64(0.5), 0.5),
        (np.float32(0.5), 0.5),
        (np.int64(7), 7),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array([1.5]), [1.5]),
        ([True, None, 1, 1.0, "a"], [True, None, 1, 1.0, "a"]),
    ],
)
def test_what_tasks_return_becomes_plain_json_that_reads_back_as_the_same(value: object, plain: object) -> None:
    assert told_apart(as_json(value, where="the output")) == told_apart(plain)
    assert canonical(decode(encode(as_json(value, where="the output")))) == canonical(as_json(value, where="it"))


@given(any_value)
def test_plain_json_stays_as_it_is_and_is_copied(value: object) -> None:
    made = as_json(value, where="the output")
    assert told_apart(made) == told_apart(value)
    assert made is not value or not isinstance(value, dict | list)


def test_what_has_no_json_form_is_refused_by_place(tmp_path: Path) -> None:
    circle: list[object] = []
    circle.append(circle)
    with (tmp_path / "f").open("w") as handle:
        for value in (handle, {1: "a"}, {"a": {None: 1}}, [math.nan], np.array([math.inf]), circle, object()):
            with pytest.raises(RecordError, match="the output of item 'x' cannot be stored as JSON"):
                as_json(value, where="the output of item 'x'")
