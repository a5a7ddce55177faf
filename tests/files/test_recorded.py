"""What a row of something recorded is about."""

from __future__ import annotations

import pytest

from rejudge.domain.errors import BadRow, Place
from rejudge.files.recorded import trial_at


def test_a_trial_of_more_digits_than_python_reads_is_told_with_its_line() -> None:
    with pytest.raises(BadRow, match=r"rows.csv:3: the trial at 'trial' is '9999") as refused:
        trial_at({"trial": "9" * 5000}, "trial", Place(file="rows.csv", line=3))
    assert len(str(refused.value)) < 200
