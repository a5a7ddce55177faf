from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from rejudge.domain.errors import BadRow, InputError, Place
from rejudge.files.rows import Row, read_rows

Write = Callable[[str, str | bytes], Path]


def test_an_array_of_objects_is_a_table_numbered_by_record(write: Write) -> None:
    path = write("a.json", '[\n  {"a": 1},\n\n  {"a": "é"}\n]')
    assert list(read_rows(path)) == [Row({"a": 1}, 1), Row({"a": "é"}, 2)]


@pytest.mark.parametrize("key", ["items", "data", "rows", "examples"])
def test_an_object_may_hold_the_table_under_a_known_key(write: Write, key: str) -> None:
    path = write("a.json", json.dumps({"version": 3, key: [{"a": 1}]}))
    assert list(read_rows(path)) == [Row({"a": 1}, 1)]


def test_an_empty_array_is_an_empty_table(write: Write) -> None:
    assert list(read_rows(write("a.json", "[]"))) == []


@pytest.mark.parametrize("text", ["", " \n", "\ufeff"])
def test_an_empty_file_is_refused(write: Write, text: str) -> None:
    with pytest.raises(InputError, match="the file is empty"):
        list(read_rows(write("a.json", text)))


@pytest.mark.parametrize("text", ["1", '"x"', "null", "{}", '{"records": [{"a": 1}]}', '{"items": 1}'])
def test_a_value_that_is_no_table_says_what_is_accepted(write: Write, text: str) -> None:
    with pytest.raises(InputError, match="array of objects, or one under a key of items, data, rows, examples"):
        list(read_rows(write("a.json", text)))


def test_two_possible_tables_are_refused_by_name(write: Write) -> None:
    with pytest.raises(InputError, match="arrays items and rows could each be the table"):
        list(read_rows(write("a.json", '{"items": [], "rows": []}')))


@pytest.mark.parametrize(
    ("text", "line", "column", "kind"),
    [
        ('[\n  {"a": [1, {"b": "]"}]},\n  7\n]', 3, 3, "a number"),
        ('[{"a": 1}, "text"]', 1, 12, "text"),
        ('{"n": [1], "items":\n [{"a": 1}, null]}', 2, 13, "null"),
        ("[{}, [1]]", 1, 6, "an array"),
        ("[{}, true]", 1, 6, "a boolean"),
    ],
)
def test_a_record_that_is_no_object_is_placed_and_comes_after_the_good_ones(
    write: Write, text: str, line: int, column: int, kind: str
) -> None:
    path = write("a.json", text)
    rows = read_rows(path)
    assert next(rows).line == 1
    with pytest.raises(BadRow, match=f"record 2 is {kind}, not an object") as caught:
        next(rows)
    assert caught.value.where == Place(file=str(path), line=line, column=column)


def test_a_syntax_error_is_placed(write: Write) -> None:
    path = write("a.json", '[\n  {"a": 1}\n  {"a": 2}\n]')
    with pytest.raises(BadRow, match="expecting ',' delimiter") as caught:
        list(read_rows(path))
    assert caught.value.where == Place(file=str(path), line=3, column=3)


def test_a_byte_that_is_not_utf8_is_placed(write: Write) -> None:
    path = write("a.json", b'[\n {"a": "\xff"}]')
    with pytest.raises(BadRow, match="0xff is not UTF-8") as caught:
        list(read_rows(path))
    assert caught.value.where == Place(file=str(path), line=2, column=9)


def test_numbers_are_exact_and_nan_is_refused_as_in_json_lines(write: Write) -> None:
    assert next(read_rows(write("a.json", f'[{{"a": {2**70}}}]'))).fields == {"a": 2**70}
    path = write("b.json", '[{"a": 1},\n {"a": NaN}]')
    with pytest.raises(BadRow, match="NaN is not a number") as caught:
        list(read_rows(path))
    assert caught.value.where == Place(file=str(path), line=2, column=8)


def test_json_lines_under_the_wrong_name_are_told_so(write: Write) -> None:
    with pytest.raises(BadRow, match="in JSONL per line"):
        list(read_rows(write("a.json", '{"a": 1}\n{"a": 2}\n')))
