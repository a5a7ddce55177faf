from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from rejudge.datasets.source import source_of
from rejudge.domain.errors import FileMissing, InputError


@pytest.mark.parametrize("as_text", [True, False])
def test_a_path_means_the_file_and_can_be_read_twice(tmp_path: Path, as_text: bool) -> None:
    path = tmp_path / "data.csv"
    path.write_text("id,q\na,1\n")
    source = source_of(str(path) if as_text else path)
    assert source.file == str(path)
    assert [*source.rows()] == [*source.rows()] == [({"id": "a", "q": "1"}, 2)]


def test_records_and_frames_are_rows_without_a_file() -> None:
    for value in ([{"q": 1}], pd.DataFrame({"q": [1]})):
        source = source_of(value)
        assert source.file == ""
        assert [*source.rows()] == [({"q": 1}, 1)]


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        source_of(7).rows()
    with pytest.raises(FileMissing):
        source_of(tmp_path / "none.csv").rows()
