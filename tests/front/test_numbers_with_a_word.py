"""Scores that are imported: a word among numbers is told, with its line, and turns nothing into labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from rejudge.domain.errors import BadRow
from rejudge.front.recorded_scores import Fields, recorded_scores


@pytest.mark.parametrize("values", [["0.8", "n/a", "0.6"], ["n/a", "0.8", "0.6"]])
def test_a_word_among_numbers_is_told_with_its_line(tmp_path: Path, values: list[str]) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("id,value\n" + "".join(f"i{n},{value}\n" for n, value in enumerate(values)))
    line = values.index("n/a") + 2
    with pytest.raises(BadRow, match=rf"csv:{line}.*'n/a' is no number, and 2 other values at 'value' are"):
        recorded_scores(path, "quality", fields=Fields(), trials=1)
    labels = recorded_scores(path, {"name": "quality", "type": "label"}, fields=Fields(), trials=1)
    assert labels.unvalued == 0
