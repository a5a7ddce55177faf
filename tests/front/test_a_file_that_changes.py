"""Scores from a file that somebody writes to while they are imported."""

from __future__ import annotations

from pathlib import Path, PosixPath
from typing import IO

import pytest

from rejudge.domain.errors import InputError
from rejudge.front.recorded_scores import Fields, recorded_scores


class Written(PosixPath):
    """A file that is written to when it has been opened so often."""

    opened = 0
    at = 0
    text = ""

    def open(self, mode: str = "r") -> IO[bytes]:  # type: ignore[override]
        self.opened += 1
        if self.opened == self.at:
            Path(self).write_text(self.text)
        return Path(self).open("rb")


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
@pytest.mark.parametrize("at", [2, 3])
@pytest.mark.parametrize("broken", [False, True])
def test_a_file_that_changes_between_its_hash_and_its_rows_is_refused(
    tmp_path: Path, suffix: str, at: int, broken: bool
) -> None:
    if suffix == "csv":
        before, after = "id,value\n1,0.5\n", "id,value\n1,0.5\n2,{}\n"
    else:
        before, after = '{"id": "1", "value": 0.5}\n', '{{"id": "1", "value": 0.5}}\n{{"id": "2", "value": {}}}\n'
    path = Written(tmp_path / f"scores.{suffix}")
    Path(path).write_text(before)
    path.at, path.text = at, after.format("[" if broken else 1)
    scorer = {"name": "quality", "type": "number"}
    with pytest.raises(InputError, match="the file was changed while it was read"):
        recorded_scores(path, scorer, fields=Fields(), trials=1)


def test_a_file_that_nobody_writes_to_is_read(tmp_path: Path) -> None:
    path = Written(tmp_path / "scores.jsonl")
    Path(path).write_text('{"id": "1", "value": 0.5}\n')
    assert list(recorded_scores(path, "quality", fields=Fields(), trials=1).lines) == [("1", 0)]
