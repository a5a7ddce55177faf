from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rejudge.domain.errors import BadRow, InputError, Place
from rejudge.files.rows import Row, read_rows

Write = Callable[[str, str | bytes], Path]


def written(folder: Path, table: pa.Table) -> Path:
    path = folder / "a.parquet"
    pq.write_table(table, path, row_group_size=1000)
    return path


def test_every_kind_of_value_becomes_what_json_has(tmp_path: Path) -> None:
    table = pa.table(
        {
            "int": pa.array([2**62]),
            "float": pa.array([1.0]),
            "bool": pa.array([True]),
            "text": pa.array(["007"]),
            "dictionary": pa.array(["x"]).dictionary_encode(),
            "list": pa.array([[1, None, 3]]),
            "struct": pa.array([{"a": 1, "b": [{"c": None}]}]),
            "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
            "date": pa.array([date(2024, 1, 31)]),
            "time": pa.array([time(10, 30)]),
            "timestamp": pa.array([datetime(2024, 1, 31, 10, 30)], pa.timestamp("us")),  # noqa: DTZ001  no zone
            "zoned": pa.array([datetime(2024, 1, 31, 10, 30, tzinfo=UTC)], pa.timestamp("ms", "UTC")),
            "nanoseconds": pa.array([1], pa.timestamp("ns")),
            "decimal": pa.array([Decimal("1.50")]),
        }
    )
    [row] = read_rows(written(tmp_path, table))
    assert row.fields == {
        "int": 2**62,
        "float": 1.0,
        "bool": True,
        "text": "007",
        "dictionary": "x",
        "list": [1, None, 3],
        "struct": {"a": 1, "b": [{"c": None}]},
        "map": {"k": 1},
        "date": "2024-01-31",
        "time": "10:30:00",
        "timestamp": "2024-01-31T10:30:00",
        "zoned": "2024-01-31T10:30:00+00:00",
        "nanoseconds": "1970-01-01T00:00:00.000000001",
        "decimal": "1.50",
    }
    assert type(row.fields["float"]) is float


def test_null_and_nan_cells_are_missing_and_whole_numbers_with_gaps_stay_whole(tmp_path: Path) -> None:
    table = pa.table({"n": pa.array([1, None]), "f": pa.array([float("nan"), 2.0]), "t": pa.array([None, "x"])})
    rows = list(read_rows(written(tmp_path, table)))
    assert rows == [Row({"n": 1}, 1), Row({"f": 2.0, "t": "x"}, 2)]
    assert type(rows[0].fields["n"]) is int


def test_rows_are_numbered_through_all_batches(tmp_path: Path) -> None:
    path = written(tmp_path, pa.table({"n": list(range(5000))}))
    assert [(row.line, row.fields["n"]) for row in read_rows(path)] == [(n + 1, n) for n in range(5000)]


@pytest.mark.parametrize(
    "column",
    [
        pa.array([None, b"x"]),
        pa.array([None, {"image": b"x"}], pa.struct([("image", pa.binary())])),
        pa.array([None, 1], pa.duration("s")),
        pa.array([0.0, float("inf")]),
        pa.array([None, [(1, 2)]], pa.map_(pa.int64(), pa.int64())),
        pa.array([None, [("k", 1), ("k", 2)]], pa.map_(pa.string(), pa.int64())),
    ],
)
def test_what_json_has_no_form_for_is_refused_with_its_column(
    tmp_path: Path, column: pa.Array[pa.Scalar[pa.DataType]]
) -> None:
    path = written(tmp_path, pa.table({"ok": ["x", "y"], "blob": column}))
    with pytest.raises(BadRow) as caught:
        list(read_rows(path))
    assert caught.value.where is not None
    assert caught.value.where.file == str(path)
    assert caught.value.where.field == "blob"


def test_a_binary_cell_is_refused_after_the_rows_before_it(tmp_path: Path) -> None:
    rows = read_rows(written(tmp_path, pa.table({"blob": pa.array([None, b"x"])})))
    assert next(rows) == Row({}, 1)
    with pytest.raises(BadRow, match="a value of type bytes has no form in JSON") as caught:
        next(rows)
    assert caught.value.where is not None
    assert caught.value.where.line == 2


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]))
    with pytest.raises(InputError, match="'a' stands over column 1 and column 2"):
        list(read_rows(path))


@pytest.mark.parametrize("content", [b"", b"PAR1", b"not parquet at all", b"PAR1" + b"x" * 100 + b"PAR1"])
def test_a_file_that_is_not_parquet_is_an_input_error(write: Write, content: bytes) -> None:
    path = write("a.parquet", content)
    with pytest.raises(InputError) as caught:
        list(read_rows(path))
    assert caught.value.where == Place(file=str(path))


def test_a_parquet_file_that_is_damaged_is_an_input_error(tmp_path: Path) -> None:
    path = written(tmp_path, pa.table({"t": [f"text {n}" for n in range(5000)]}))
    raw = bytearray(path.read_bytes())
    raw[100:2000] = b"\xff" * 1900
    path.write_bytes(raw)
    with pytest.raises(InputError):
        list(read_rows(path))


def test_without_pyarrow_the_extra_to_install_is_named_before_the_first_row(tmp_path: Path) -> None:
    path = written(tmp_path, pa.table({"a": [1]}))
    code = f"""
import sys
sys.modules["pyarrow"] = None
from pathlib import Path
from rejudge.domain.errors import ConfigurationError
from rejudge.files.rows import read_rows
try:
    read_rows(Path({str(path)!r}))
except ConfigurationError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'rejudge[data]'" in done.stdout
