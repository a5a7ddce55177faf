from __future__ import annotations

import pytest

from rejudge.front.amounts import counted, duration, money


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (0, "$0"),
        (0.00001234, "$0.000012"),
        (0.0034, "$0.0034"),
        (0.12, "$0.12"),
        (0.999, "$1.00"),
        (1204.5, "$1,204.50"),
    ],
)
def test_money_shows_two_digits_that_count(cost: float, text: str) -> None:
    assert money(cost) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0042, "4 ms"),
        (0.9996, "1.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (200, "3 min 20 s"),
        (3599.7, "1 h 00 min"),
        (7500, "2 h 05 min"),
    ],
)
def test_a_time_is_told_with_the_digits_that_matter(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_one_is_told_apart_from_many() -> None:
    assert [counted(number, "item") for number in (0, 1, 2)] == ["0 items", "1 item", "2 items"]
