from __future__ import annotations

from itertools import product

import pytest

from rejudge.domain.errors import MoveRefused
from rejudge.domain.run import RunState, check_move

FIVE = {
    ("created", "queued"),
    ("queued", "running"),
    ("running", "completed"),
    ("running", "failed"),
    ("running", "cancelled"),
}


@pytest.mark.parametrize(("old", "new"), list(product(RunState, RunState)))
def test_of_all_ordered_pairs_of_states_exactly_five_are_moves(old: RunState, new: RunState) -> None:
    if (old.value, new.value) in FIVE:
        check_move(old, new)
        return
    with pytest.raises(MoveRefused, match=f"from {old.value} to {new.value}") as refused:
        check_move(old, new)
    assert ("resume it as a new run" in str(refused.value)) == old.terminal


def test_there_are_six_states_and_three_of_them_are_final() -> None:
    assert len(RunState) == 6
    assert {state.value for state in RunState if state.terminal} == {"completed", "failed", "cancelled"}
