"""Keywords of the verbs that compare: a mistyped one is told, and never taken for nothing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import rejudge
from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.storage.memory import MemoryStore

ROWS = [{"id": f"t{number}", "question": f"{number}"} for number in range(12)]


@pytest.fixture(scope="module")
def runs() -> tuple[rejudge.Result, rejudge.Result]:
    """Two evaluations of the same items."""
    store = MemoryStore()

    def even(output: str) -> bool:
        return int(output) % 2 == 0

    def same(item: dict[str, str]) -> str:
        return item["question"]

    def doubled(item: dict[str, str]) -> str:
        return str(2 * int(item["question"]))

    first = rejudge.evaluate(ROWS, same, even, store=store, name="before", progress="silent")
    return first, rejudge.evaluate(ROWS, doubled, even, store=store, name="after", progress="silent")


VERBS: dict[str, Callable[..., object]] = {
    "compare": rejudge.compare,
    "leaderboard": rejudge.leaderboard,
    "describe": lambda first, _, **question: rejudge.describe(first, **question),
    "power": rejudge.power,
    "explain": lambda first, second, **question: rejudge.explain(first, second, progress="silent", **question),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_mistyped_keyword_is_refused_with_the_one_that_is_meant(
    verb: str, runs: tuple[rejudge.Result, rejudge.Result]
) -> None:
    with pytest.raises(UnknownName, match="unknown option 'cluster'") as error:
        VERBS[verb](*runs, cluster="topic")
    assert "clusters" in str(error.value)


@pytest.mark.parametrize("verb", ["compare", "describe", "explain"])
def test_the_command_lines_limit_is_called_listed_here(verb: str, runs: tuple[rejudge.Result, rejudge.Result]) -> None:
    with pytest.raises(UnknownName) as error:
        VERBS[verb](*runs, limit=2)
    assert "what is meant is called listed=" in str(error.value)


@pytest.mark.parametrize(
    ("verb", "question", "said"),
    [
        ("compare", {"level": "0.9"}, "level='0.9'"),
        ("compare", {"seed": 1.5}, "seed=1.5"),
        ("compare", {"clusters": 3}, "clusters=3"),
        ("compare", {"scorer": ["even"]}, "scorer="),
        ("compare", {"listed": -1}, "-1 items cannot be named"),
        ("describe", {"listed": "x"}, "listed='x'"),
        ("leaderboard", {"smallest": "a"}, "smallest='a'"),
        ("power", {"items": 2.5, "difference": 0.1}, "items=2.5"),
        ("explain", {"listed": -1}, "-1 items cannot be named"),
    ],
)
def test_a_value_of_another_type_is_refused_by_its_keyword(
    verb: str, question: dict[str, object], said: str, runs: tuple[rejudge.Result, rejudge.Result]
) -> None:
    with pytest.raises(ConfigurationError) as error:
        VERBS[verb](*runs, **question)
    assert said in str(error.value)


def test_numbers_of_numpy_are_numbers(runs: tuple[rejudge.Result, rejudge.Result]) -> None:
    plain = rejudge.compare(*runs, level=0.9, seed=3)
    assert rejudge.compare(*runs, level=np.float64(0.9), seed=int(np.int64(3))).to_dict() == plain.to_dict()
