"""What a cap may be: a wrong one is refused in words when the task is made."""

from __future__ import annotations

from typing import Any

import pytest

import rejudge
from rejudge.domain.errors import ConfigurationError


@pytest.mark.parametrize(
    ("cap", "told"),
    [
        ({"max_turns": 0}, "steps is 0"),
        ({"max_turns": True}, "steps is True, which is no whole number"),
        ({"max_turns": 2.5}, "steps is 2.5, which is no whole number"),
        ({"max_cost": "1"}, "cost is '1', which is no number"),
        ({"max_cost": -0.1}, "cost is -0.1"),
        ({"max_seconds": float("nan")}, "seconds is nan"),
        ({"max_repeats": 1}, "repeats is 1"),
    ],
)
def test_a_cap_that_could_not_be_kept_is_refused(cap: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        rejudge.agent("{{ question }}", model="m", **cap)


def test_an_amount_may_be_whole_or_not_and_no_cap_is_none() -> None:
    caps = rejudge.agent("{{ question }}", model="m", max_cost=3, max_seconds=0.5, max_turns=None).caps
    assert caps.settings() == {"tool_calls": 50, "cost": 3, "seconds": 0.5, "repeats": 3}
