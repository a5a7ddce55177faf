from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections import UserDict
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rejudge.domain.errors import BadRow, InputError, Place
from rejudge.files.frames import rows_of
from rejudge.files.row import Row


def fields(value: object) -> list[dict[str, object]]:
    return [row.fields for row in rows_of(value)]


def types(value: Mapping[str, object]) -> dict[str, type]:
    return {key: type(inner) for key, inner in value.items()}


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Old(str, Enum):  # noqa: UP042  what people had before StrEnum
    A = "a"


def test_records_are_numbered_from_one_and_copied() -> None:
    tags = ["x"]
    rows = list(rows_of([{"a": 1, "tags": tags}, {"a": None}]))
    tags.append("y")
    assert rows == [Row({"a": 1, "tags": ["x"]}, 1), Row({"a": None}, 2)]


def test_a_generator_of_records_is_read_as_it_is_asked_for() -> None:
    seen: list[int] = []

    def records() -> Iterable[dict[str, int]]:
        for number in range(1000):
            seen.append(number)
            yield {"n": number}

    rows = rows_of(records())
    assert next(rows).fields == {"n": 0}
    assert seen == [0]


def test_database_rows_and_other_mappings_are_records() -> None:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    assert fields(connection.execute("select 1 as a, 'x' as b, null as c")) == [{"a": 1, "b": "x", "c": None}]
    connection.close()
    assert fields([UserDict({"a": UserDict({"b": 1})})]) == [{"a": {"b": 1}}]


def test_values_become_what_json_has() -> None:
    record = {
        "int64": np.int64(7),
        "uint8": np.uint8(7),
        "float64": np.float64(0.5),
        "float32": np.float32(0.5),
        "bool": np.bool_(True),
        "str": np.str_("x"),
        "array": np.array([[1, 2], [3, 4]]),
        "numpy date": np.datetime64("2024-01-31T10:00:00.000000001"),
        "dates": np.array(["2024-01-31"], dtype="datetime64[D]"),
        "zero dimensions": np.array(3),
        "tuple": (1, (2.0, "x")),
        "date": date(2024, 1, 31),
        "datetime": datetime(2024, 1, 31, 10, 30, tzinfo=UTC),
        "time": time(10, 30),
        "decimal": Decimal("1.50"),
        "colour": Colour.RED,
        "level": Level.HIGH,
        "old": Old.A,
        "nested": {"n": [np.int32(1), {"d": date(2024, 1, 31)}]},
        "big": 2**100,
    }
    [row] = fields([record])
    assert row == {
        "int64": 7,
        "uint8": 7,
        "float64": 0.5,
        "float32": 0.5,
        "bool": True,
        "str": "x",
        "array": [[1, 2], [3, 4]],
        "numpy date": "2024-01-31T10:00:00.000000001",
        "dates": ["2024-01-31"],
        "zero dimensions": 3,
        "tuple": [1, [2.0, "x"]],
        "date": "2024-01-31",
        "datetime": "2024-01-31T10:30:00+00:00",
        "time": "10:30:00",
        "decimal": "1.50",
        "colour": "red",
        "level": 3,
        "old": "a",
        "nested": {"n": [1, {"d": "2024-01-31"}]},
        "big": 2**100,
    }
    assert set(types(row).values()) <= {int, float, bool, str, list, dict}


@pytest.mark.parametrize(
    "nothing",
    [float("nan"), np.float32("nan"), np.float64("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("nan")],
)
def test_a_cell_that_is_not_a_number_is_missing_and_null_inside_a_list(nothing: object) -> None:
    assert fields([{"a": nothing, "b": [nothing, {"c": nothing}]}]) == [{"b": [None, {"c": None}]}]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (b"x", "a value of type bytes"),
        ({1, 2}, "a value of type set"),
        (object(), "a value of type object"),
        (1j, "a value of type complex"),
        (timedelta(1), "a value of type timedelta"),
        (float("inf"), "inf is not a number"),
        (np.float32("-inf"), "-inf is not a number"),
        (Decimal("inf"), "inf is not a number"),
        ({"x": {1: 2}}, "the key 1 is not text"),
    ],
)
def test_a_value_that_json_has_no_form_for_is_refused_with_row_and_column(value: object, said: str) -> None:
    rows = rows_of([{"a": 1}, {"a": value}])
    assert next(rows).fields == {"a": 1}
    with pytest.raises(BadRow, match=said) as caught:
        next(rows)
    assert caught.value.where == Place(line=2, field="a")


def test_a_record_that_contains_itself_is_refused() -> None:
    record: dict[str, object] = {}
    record["me"] = record
    with pytest.raises(BadRow, match="nested too deeply"):
        fields([record])


def test_what_is_no_record_is_refused_with_its_row() -> None:
    with pytest.raises(BadRow, match="row 2: a value of type int is not a record"):
        fields([{}, 7])
    with pytest.raises(BadRow, match="row 1: the key 7 is not text"):
        fields([{7: "x"}])


@pytest.mark.parametrize("value", [{"a": 1}, "a.csv", b"x", 7, None, pl.LazyFrame({"a": [1]})])
def test_what_is_no_table_is_refused_at_once(value: object) -> None:
    with pytest.raises(InputError):
        rows_of(value)


def test_missing_cells_of_a_pandas_frame_are_left_out() -> None:
    frame = pd.DataFrame(
        {
            "f": [1.0, np.nan],
            "o": pd.Series(["x", None], dtype=object),
            "na": pd.Series(["x", pd.NA], dtype=object),
            "d": pd.Series([pd.Timestamp("2024-01-31"), pd.NaT]),
            "s": pd.array(["x", None], dtype="string"),
            "c": pd.Categorical(["x", None]),
        }
    )
    first, second = fields(frame)
    assert first == {"f": 1.0, "o": "x", "na": "x", "d": "2024-01-31T00:00:00", "s": "x", "c": "x"}
    assert second == {}


@pytest.mark.parametrize(
    "column",
    [
        pd.array([1, None, 2**60 + 1], dtype="Int64"),
        pd.array([1, None, 2**60 + 1], dtype="int64[pyarrow]"),
        pd.Categorical([1, None, 2**60 + 1]),
        pd.Series([1, None, 2**60 + 1], dtype=object),
    ],
)
def test_whole_numbers_with_gaps_stay_whole_where_pandas_knows_them(column: object) -> None:
    first, second, third = fields(pd.DataFrame({"n": column}))
    assert (first, second, third) == ({"n": 1}, {}, {"n": 2**60 + 1})
    assert type(first["n"]) is int


def test_pandas_values_are_pythons() -> None:
    frame = pd.DataFrame({"i": [1], "b": [True], "f": [0.5], "t": ["x"], "l": [np.array([1, 2])], "d": [{"a": 1.0}]})
    [row] = fields(frame)
    assert row == {"i": 1, "b": True, "f": 0.5, "t": "x", "l": [1, 2], "d": {"a": 1.0}}
    assert types(row) == {"i": int, "b": bool, "f": float, "t": str, "l": list, "d": dict}


def test_rows_of_a_pandas_frame_are_numbered_by_position_whatever_its_index() -> None:
    frame = pd.DataFrame({"n": range(3000)}, index=range(3000, 0, -1))
    assert [(row.line, row.fields["n"]) for row in rows_of(frame)] == [(n + 1, n) for n in range(3000)]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pd.DataFrame([[1, 2]]), "column 1 has no name that is text, but 0"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "the name 'a' stands over column 1 and column 2"),
        (pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])), "no name that is text"),
        (pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), "the name 'a' stands over column 1 and column 2"),
        (pl.DataFrame({"": [1]}), "no name that is text"),
    ],
)
def test_columns_without_a_name_of_their_own_are_refused(frame: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        fields(frame)


def test_a_pandas_value_that_json_has_no_form_for_is_refused_with_row_and_column() -> None:
    with pytest.raises(BadRow) as caught:
        fields(pd.DataFrame({"a": [1, 2], "t": [pd.NaT, pd.Timedelta(1)]}))
    assert caught.value.where == Place(line=2, field="t")


def test_a_polars_frame_is_read_with_null_and_nan_as_missing() -> None:
    frame = pl.DataFrame(
        {
            "i": [1, None],
            "f": [0.5, float("nan")],
            "t": ["x", None],
            "d": [date(2024, 1, 31), None],
            "l": [[1, None], None],
            "s": [{"x": 1}, {"x": None}],
            "m": [Decimal("1.50"), None],
        }
    )
    assert list(rows_of(frame)) == [
        Row({"i": 1, "f": 0.5, "t": "x", "d": "2024-01-31", "l": [1, None], "s": {"x": 1}, "m": "1.50"}, 1),
        Row({"s": {"x": None}}, 2),
    ]


def test_an_arrow_table_is_read_with_null_and_nan_as_missing() -> None:
    table = pa.table({"i": pa.array([1, None]), "f": pa.array([float("nan"), 0.5]), "l": pa.array([[1], None])})
    assert list(rows_of(table)) == [Row({"i": 1, "l": [1]}, 1), Row({"f": 0.5}, 2)]


def test_reading_records_imports_no_data_library() -> None:
    code = (
        "import sys; from rejudge.files.frames import rows_of; from rejudge.files.rows import read_rows;"
        "list(rows_of([{'a': 1}]));"
        "print(sorted({'pandas', 'polars', 'pyarrow', 'numpy', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
