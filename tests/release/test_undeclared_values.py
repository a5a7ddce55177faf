"""A function that gives several values without declaring them: every verb sees all, whatever they are called."""

from __future__ import annotations

import pytest

import rejudge
from rejudge.wiring import Address
from tests.release.runs import judged, rows

IDS = [f"i{number:02}" for number in range(40)]


def multi(output: object) -> dict[str, object]:
    """A scorer of which one value is named as itself, beside a number and a label."""
    grade = int(str(output))
    return {"multi": grade > 4, "style": grade / 10, "tone": "warm" if grade % 2 else "cold"}


@pytest.fixture
def result(store: Address) -> rejudge.Result:
    """Two runs whose outputs are digits."""
    first = {id: place * 7 % 10 for place, id in enumerate(IDS)}
    return judged(store, rows(IDS), {"a": first, "b": {id: place * 3 % 10 for place, id in enumerate(IDS)}}, multi)


ALL = ["multi", "multi.style", "multi.tone = cold", "multi.tone = warm"]


def test_a_value_named_as_its_scorer_hides_no_other_one(result: rejudge.Result) -> None:
    assert sorted(one.measure for one in rejudge.describe(result.runs[0]).described.scores) == ALL
    assert sorted(one.measure for one in rejudge.compare(result).scores) == ALL
    assert sorted(one.leaderboard.name for one in rejudge.leaderboard(result).rankings) == ALL


def test_each_of_them_can_be_asked_for_alone(result: rejudge.Result) -> None:
    assert rejudge.compare(result, value="style").score().measure == "multi.style"
    assert rejudge.compare(result, value="multi").score().measure == "multi"
    assert rejudge.power(result, value="style", difference=0.1).power.measure == "multi.style"
    with pytest.raises(rejudge.ConfigurationError, match="measures multi"):
        rejudge.power(result, difference=0.1)
