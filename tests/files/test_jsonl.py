from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import BadRow, Place
from rejudge.files.rows import Row, read_rows

Write = Callable[[str, str | bytes], Path]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(10**40), max_value=10**40)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
RECORDS = st.lists(st.dictionaries(st.text(), JSON, max_size=4), max_size=5)


def refused(path: Path) -> BadRow:
    with pytest.raises(BadRow) as caught:
        list(read_rows(path))
    return caught.value


def test_each_line_is_a_row_with_its_line_and_blank_lines_are_skipped(write: Write) -> None:
    path = write("a.jsonl", b'{"a": 1}\n\n   \r\n{"a": 2}\r\n{"a": 3}')
    assert list(read_rows(path)) == [Row({"a": 1}, 1), Row({"a": 2}, 4), Row({"a": 3}, 5)]


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "\ufeff\n"])
def test_a_file_without_rows_is_an_empty_table(write: Write, text: str) -> None:
    assert list(read_rows(write("a.ndjson", text))) == []


def test_a_byte_order_mark_is_accepted(write: Write) -> None:
    assert list(read_rows(write("a.jsonl", '\ufeff{"a": 1}\n'))) == [Row({"a": 1}, 1)]


def test_a_line_separator_inside_text_ends_no_line(write: Write) -> None:
    assert list(read_rows(write("a.jsonl", '{"a": "x\u2028y\x85z"}\n'))) == [Row({"a": "x\u2028y\x85z"}, 1)]


def test_integers_of_any_size_stay_exact_and_floats_stay_floats(write: Write) -> None:
    big = 2**64 + 1
    path = write("a.jsonl", f'{{"big": {big}, "small": -{big}, "one": 1, "float": 1.0, "e": 1e2}}\n')
    fields = next(read_rows(path)).fields
    assert fields == {"big": big, "small": -big, "one": 1, "float": 1.0, "e": 100.0}
    assert [type(value) for value in fields.values()] == [int, int, int, float, float]


def test_null_is_a_value_and_not_a_missing_cell(write: Write) -> None:
    assert next(read_rows(write("a.jsonl", '{"a": null}'))).fields == {"a": None}


def test_of_two_equal_keys_the_last_counts(write: Write) -> None:
    assert next(read_rows(write("a.jsonl", '{"a": 1, "a": 2}'))).fields == {"a": 2}


@pytest.mark.parametrize(
    ("line", "column", "said"),
    [
        ('{"a": NaN}', 7, "NaN is not a number"),
        ('{"NaN": "NaN", "b": [1, -Infinity]}', 25, "-Infinity is not a number"),
        ('{"a": "\\" NaN", "b": NaN}', 22, "NaN is not a number"),
        ('{"a": 1e999}', 7, "1e999 is not a number"),
        ('{"a": ' + "9" * 5000 + "}", 7, "9999… is not a number"),
        ('{"a": }', 7, "this is not JSON"),
        ('{"a": 01}', 8, "this is not JSON"),
        ("{'a': 1}", 2, "this is not JSON"),
        ('{"é": "x" "y"}', 11, "expecting ',' delimiter"),
        ('{"a": "\\q"}', 8, "escape"),
        ('{"a": "x\ty"}', 9, "control character"),
        ('{"a": 1} {"a": 2}', 10, "extra data"),
        ('{"a": "x', 7, "ends before its JSON does"),
        ('{"a": 1', 8, "ends before its JSON does"),
        ("{", 2, "ends before its JSON does"),
        ("[1]", 1, "not an object"),
        ("1", 1, "not an object"),
        ("null", 1, "not an object"),
        ('\ufeff{"a": 1}', 1, "this is not JSON"),
        ('{"a": ' + "[" * 100_000, 1, "nested too deeply"),
    ],
)
def test_a_bad_line_is_named_with_line_and_column(write: Write, line: str, column: int, said: str) -> None:
    path = write("a.jsonl", f'{{"good": 1}}\n{line}\n{{"good": 2}}\n')
    rows = read_rows(path)
    assert next(rows).fields == {"good": 1}
    with pytest.raises(BadRow) as caught:
        next(rows)
    assert caught.value.where == Place(file=str(path), line=2, column=column)
    assert said in str(caught.value)


def test_a_file_that_is_cut_short_names_its_last_line(write: Write) -> None:
    path = write("a.jsonl", '{"a": 1}\n{"a": "unfini')
    error = refused(path)
    assert error.where == Place(file=str(path), line=2, column=7)
    assert "cut short" in error.fix


def test_a_byte_that_is_not_utf8_is_named_with_line_and_column(write: Write) -> None:
    path = write("a.jsonl", '{"a": 1}\n{"é": "'.encode() + b'\xff"}\n')
    error = refused(path)
    assert error.where == Place(file=str(path), line=2, column=8)
    assert "0xff is not UTF-8" in str(error)


@given(RECORDS, st.booleans())
def test_any_json_reads_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, object]], escaped: bool
) -> None:
    lines = [json.dumps(record, ensure_ascii=escaped) for record in records]
    try:
        content = "\n".join(lines).encode()
    except UnicodeEncodeError:  # a lone surrogate can only be written as an escape
        content = "\n".join(json.dumps(record) for record in records).encode()
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    path.write_bytes(content)
    read = [row.fields for row in read_rows(path)]
    assert read == records
    assert repr(read) == repr(records)


@given(st.binary(max_size=40) | st.text('{}[]":,\\0123eE+-.NaIu d8\n', max_size=30).map(str.encode))
def test_no_bytes_raise_anything_but_a_placed_bad_row(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    path.write_bytes(content)
    outcome: list[Row] | Place | None
    try:
        outcome = list(read_rows(path))
    except BadRow as error:
        outcome = error.where
    assert outcome.column if isinstance(outcome, Place) else outcome is not None and all(row.line for row in outcome)


@given(st.text("-+.0123456789eE", min_size=1, max_size=24))
def test_a_number_is_read_as_the_standard_library_reads_it(
    tmp_path_factory: pytest.TempPathFactory, literal: str
) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "a.jsonl"
    path.write_text(f'{{"n": {literal}}}')
    try:
        expected = json.loads(literal)
    except ValueError:
        expected = math.inf
    if math.isinf(expected):
        assert refused(path).where is not None
    else:
        assert repr(next(read_rows(path)).fields["n"]) == repr(expected)
