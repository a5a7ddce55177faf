from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import BadRow, Place
from rejudge.files.rows import Row, read_rows

Write = Callable[[str, str | bytes], Path]


def refused(path: Path) -> BadRow:
    with pytest.raises(BadRow) as caught:
        list(read_rows(path))
    return caught.value


def at(path: Path, line: int, column: int | None = None) -> Place:
    return Place(file=str(path), line=line, column=column)


def test_every_cell_is_the_text_it_is(write: Write) -> None:
    cells = ["007", "NA", "null", "1e5", "TRUE", " x ", "nan", "0.10", "2024-01-31", "=1+1", "None", "é", "\u2028"]
    path = write("a.csv", "cell\n" + "\n".join(cells) + "\n")
    assert [row.fields for row in read_rows(path)] == [{"cell": cell} for cell in cells]


def test_only_an_empty_cell_is_missing_quoted_or_not(write: Write) -> None:
    path = write("a.csv", 'a,b,c\n1,,3\n1,"",3\n1, ,3\n,,\n')
    assert [row.fields for row in read_rows(path)] == [
        {"a": "1", "c": "3"},
        {"a": "1", "c": "3"},
        {"a": "1", "b": " ", "c": "3"},
        {},
    ]


@pytest.mark.parametrize("text", ["", "\ufeff", "a,b\n", "a,b", "\n\n"])
def test_a_file_without_rows_is_an_empty_table(write: Write, text: str) -> None:
    assert list(read_rows(write("a.csv", text))) == []


def test_a_row_carries_the_line_it_begins_on_also_after_quoted_newlines_and_blank_lines(write: Write) -> None:
    path = write("a.csv", 'a,b\n1,"two\nlines"\n\n2,"three\r\n\r\nlines"\n3,x')
    assert list(read_rows(path)) == [
        Row({"a": "1", "b": "two\nlines"}, 2),
        Row({"a": "2", "b": "three\r\n\r\nlines"}, 5),
        Row({"a": "3", "b": "x"}, 8),
    ]


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_a_cell(write: Write) -> None:
    path = write("a.csv", b'\xef\xbb\xbf"id",q\r\n1,x\r\n2,y\r\n')
    assert [row.fields for row in read_rows(path)] == [{"id": "1", "q": "x"}, {"id": "2", "q": "y"}]


def test_tsv_is_split_at_tabs_and_keeps_commas(write: Write) -> None:
    path = write("a.tsv", 'a\tb\nx,y\t"tab\there"\n')
    assert [row.fields for row in read_rows(path)] == [{"a": "x,y", "b": "tab\there"}]


def test_a_cell_longer_than_the_csv_modules_usual_limit_is_read(write: Write) -> None:
    long = "x" * 1_000_000
    assert next(read_rows(write("a.csv", f"a\n{long}\n"))).fields == {"a": long}


def test_a_file_is_utf8_whatever_the_locale_says(write: Write) -> None:
    path = write("a.csv", "name\nZoë 語\n")
    code = (
        "from pathlib import Path; from rejudge.files.rows import read_rows;"
        f"print(ascii(list(read_rows(Path({str(path)!r})))))"
    )
    env = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert "Zo\\xeb \\u8a9e" in done.stdout


def test_rows_before_a_bad_one_are_delivered(write: Write) -> None:
    path = write("a.csv", "a,b\n1,2\n3,4\n5\n6,7\n")
    rows = read_rows(path)
    assert [next(rows).fields["a"], next(rows).fields["a"]] == ["1", "3"]
    with pytest.raises(BadRow):
        next(rows)


def test_a_row_with_too_many_cells_is_placed_at_the_first_cell_too_many(write: Write) -> None:
    path = write("a.csv", 'a,b\n"x\ny",2,3,4\n')
    error = refused(path)
    assert error.where == at(path, 3, 6)
    assert "expected 2 cells, as in the header, and found 4" in str(error)


def test_a_row_with_too_few_cells_names_both_counts(write: Write) -> None:
    path = write("a.csv", "a,b,c\n1,2,3\n1,2\n")
    error = refused(path)
    assert error.where == at(path, 3)
    assert "expected 3 cells, as in the header, and found 2" in str(error)


def test_a_name_that_stands_twice_in_the_header_is_refused_with_both_columns(write: Write) -> None:
    path = write("a.csv", "id,q,id\n1,2,3\n")
    error = refused(path)
    assert error.where == at(path, 1, 6)
    assert "'id' stands over column 1 and column 3" in str(error)


@pytest.mark.parametrize(("header", "column"), [("a,,b", 3), ("a,b,", 5), ('"",b', 1), ("a, ,b", 3)])
def test_a_column_without_a_name_is_refused(write: Write, header: str, column: int) -> None:
    path = write("a.csv", f"{header}\n1,2,3\n")
    error = refused(path)
    assert error.where == at(path, 1, column)
    assert "has no name in the header" in str(error)


def test_a_quote_that_is_never_closed_is_placed_where_it_opened(write: Write) -> None:
    path = write("a.csv", 'a,b\n1,2\n3,"open\n4,5\n6,7\n')
    error = refused(path)
    assert error.where == at(path, 3, 3)
    assert "never closed" in str(error)


def test_a_quote_that_closes_in_a_later_row_is_placed_where_it_opened(write: Write) -> None:
    path = write("a.csv", 'a,b\n1,"hello\n2,"world"\n')
    error = refused(path)
    assert error.where == at(path, 2, 3)
    assert "closes before the text at line 3, column 4" in str(error)


def test_a_quote_inside_an_unquoted_cell_is_text(write: Write) -> None:
    assert next(read_rows(write("a.csv", 'a,b\n5" pipe,x\n'))).fields == {"a": '5" pipe', "b": "x"}


@pytest.mark.parametrize(
    ("text", "line", "column"), [("a,b\n1,x\ry\n", 2, 4), ("a,b\nx\ry,1\n", 2, 2), ('a,b\n"1"\r2,y\n', 2, 4)]
)
def test_a_carriage_return_alone_is_refused_where_it_stands(write: Write, text: str, line: int, column: int) -> None:
    path = write("a.csv", text)
    error = refused(path)
    assert error.where == at(path, line, column)
    assert "carriage return" in str(error)


def test_a_byte_that_is_not_utf8_is_named_with_line_and_column(write: Write) -> None:
    path = write("a.csv", "a,b\n1,2\né,caf".encode() + b"\xe9\n")
    error = refused(path)
    assert error.where == at(path, 3, 6)
    assert "0xe9 is not UTF-8" in str(error)


def test_a_nul_byte_is_named_with_line_and_column(write: Write) -> None:
    path = write("a.csv", b"a,b\n1,x\0y\n")
    error = refused(path)
    assert error.where == at(path, 2, 4)
    assert "NUL" in str(error)


def test_a_utf16_file_says_to_save_it_as_utf8(write: Write) -> None:
    error = refused(write("a.csv", "a,b\n1,2\n".encode("utf-16")))
    assert error.fix == "save the file as UTF-8"


QUOTING: list[Literal[0, 1, 2, 3]] = [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]
CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
CELL_WITH_SPECIALS = CELL | st.text('",\r\n\t; x', max_size=8)
TABLE = st.integers(1, 4).flatmap(
    lambda width: st.tuples(
        st.lists(CELL_WITH_SPECIALS.filter(str.strip), min_size=width, max_size=width, unique=True),
        st.lists(st.lists(CELL_WITH_SPECIALS, min_size=width, max_size=width), max_size=5),
    )
)


@given(
    TABLE,
    st.sampled_from(QUOTING),
    st.sampled_from([(".csv", ","), (".tsv", "\t")]),
    st.booleans(),
)
def test_what_the_csv_module_writes_reads_back_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    table: tuple[list[str], list[list[str]]],
    quoting: Literal[0, 1, 2, 3],
    kind: tuple[str, str],
    bom: bool,
) -> None:
    header, records = table
    suffix, delimiter = kind
    written = io.StringIO(newline="")
    csv.writer(written, quoting=quoting, delimiter=delimiter).writerows([header, *records])
    path = tmp_path_factory.mktemp("csv") / f"a{suffix}"
    path.write_bytes(written.getvalue().encode("utf-8-sig" if bom else "utf-8"))
    expected = [{key: cell for key, cell in zip(header, cells, strict=True) if cell} for cells in records]
    assert [row.fields for row in read_rows(path)] == expected


@given(st.binary(max_size=60) | st.text('",\r\n\tab', max_size=30).map(str.encode))
def test_no_bytes_raise_anything_but_a_placed_bad_row(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    path.write_bytes(content)
    outcome: list[Row] | Place | None
    try:
        outcome = list(read_rows(path))
    except BadRow as error:
        outcome = error.where
    assert outcome.line if isinstance(outcome, Place) else outcome is not None and all(row.line for row in outcome)
