from __future__ import annotations

import re

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from rejudge.stats.decompose import Cells, Scores, Split, decompose
from rejudge.stats.interval import Undefined
from rejudge.stats.split_words import headline, render_part, shown, what_it_does_not_mean, what_it_means

N = 40
Floats = NDArray[np.float64]


def split(
    *, judge: float = 0, task: float = 0, both: float = 0, alone: float | None = None, crossed: bool = True
) -> Split:
    """A judge that gives `judge` more, a task worth `task` more, `both` together, and half as many items of `alone`."""
    base = np.sin(np.arange(N)) + 2
    more = [alone + (n % 3) / 10 for n in range(N // 2)] if alone is not None else []
    jitter = np.cos(np.arange(N)) / 20

    def of(values: Floats, own: list[float]) -> Scores:
        column: list[float | None] = list(map(float, values))
        return Scores.of([*column, *own, *[None] * (len(more) - len(own))])

    none = Undefined("the judge is gone")
    return decompose(
        Cells(
            first=of(base, []),
            second=of(base + judge + task + both + jitter * (bool(task) + 2 * bool(judge)), more),
            first_on_second=of(base + task + jitter * bool(task), []) if crossed else none,
            second_on_first=of(base + judge + 2 * jitter * bool(judge), []) if crossed else none,
            same=np.array([True] * N + [False] * len(more)),
        ),
        resamples=200,
    ).split


def means(found: Split) -> str:
    return " ".join(what_it_means(found, "number", first="old", second="new"))


def test_the_headline_names_every_cause_that_is_shown() -> None:
    assert headline(split(judge=1)) == "the judge"
    assert headline(split(task=-1)) == "the task"
    assert headline(split(alone=9)) == "the data"
    assert headline(split(judge=1, task=-1, alone=9)) == "the judge and the task and the data"
    assert headline(split()) == "the number did not move"
    assert headline(split(task=0.001)) == "no cause is shown"
    assert headline(split(judge=1, crossed=False)) == "the judge or the task, which cannot be told apart"


def test_what_moved_nothing_is_said_to_have_moved_nothing() -> None:
    found = split(task=1)
    assert "The judge moved nothing: on the same traces the scores are the same." in means(found)
    assert "The traces of new in place of those of old move the mean by +1.0" in means(found)
    assert not shown(found.judge)


def test_what_the_order_matters_is_told_with_what_each_order_says() -> None:
    found = split(judge=1, task=1, both=0.5)
    assert "+1.0" in means(found)
    assert "on the traces of old and +1.5" in means(found)
    denied = " ".join(what_it_does_not_mean(found, "number"))
    assert "Judge and task do not simply add up: +0.5 of the difference" in denied
    assert "not corrected for there being several" in denied


def test_a_judge_that_is_gone_leaves_one_number_for_both() -> None:
    told = means(split(judge=1, task=1, crossed=False))
    assert "Judge and task together moved the mean of the 40 items" in told
    assert "which of them it was is undefined because the judge is gone" in told


def test_the_datas_part_says_in_whose_eyes_it_is() -> None:
    found = split(alone=9)
    assert "20 items in one run alone or with other content move the mean by +2." in means(found)
    assert "in the eyes of each run's own judge" in " ".join(what_it_does_not_mean(found, "number"))


def test_shares_are_told_in_points_and_with_their_n() -> None:
    assert render_part(split(judge=0.25).judge, "pass_fail").endswith("] n=40")
    assert render_part(split(judge=0.25).judge, "pass_fail").startswith("+25.4 points [+23.1, +27.7]")
    assert render_part(split(crossed=False).judge, "number") == "undefined because the judge is gone"


def test_a_part_without_an_interval_has_the_digits_of_an_amount() -> None:
    part = msgspec.structs.replace(split(judge=0.25).judge, value=-0.00644505, interval=Undefined("too few"))
    assert render_part(part, "pass_fail").startswith("-0.645 points [")


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
def test_what_only_rounding_moved_is_0_in_any_unit(unit: float) -> None:
    base = unit * np.array([0.1, 0.7, 0.3])
    first, second = Scores.of(list(base + unit * 0.2)), Scores.of(list(unit * np.array([0.3, 0.9, 0.5])))
    found = decompose(Cells(first=first, second=second, same=np.array([True] * 3)), resamples=200).split
    assert headline(found) == "the number did not move"
    assert render_part(found.together, "number").startswith("0 [")
    swapped = Scores.of([unit * 0.2, unit * 0.1, unit * 0.3])
    found = decompose(
        Cells(first=Scores.of([unit * 0.1, unit * 0.2, unit * 0.3]), second=swapped, same=np.array([True] * 3)),
        resamples=200,
    ).split
    assert found.difference.value == found.together.value == 0


@pytest.mark.parametrize("unit", [1e-12, 2e-10, 1e10])
def test_words_do_not_depend_on_the_unit_of_the_scores(unit: float) -> None:
    """Costs of 2e-10 dollars are told as shares are."""

    def told(unit: float) -> list[str]:
        base = unit * (np.sin(np.arange(N)) + 2)
        jitter = unit * np.cos(np.arange(N)) / 20
        found = decompose(
            Cells(
                first=Scores.of([*base, *[None] * 5]),
                second=Scores.of([*(base + unit + 3 * jitter), *(unit * np.arange(9.0, 14))]),
                first_on_second=Scores.of([*(base + unit / 4 + jitter), *[None] * 5]),
                second_on_first=Scores.of([*(base + unit / 2 + 2 * jitter), *[None] * 5]),
                same=np.array([True] * N + [False] * 5),
            ),
            resamples=200,
        ).split
        told = [headline(found), *what_it_means(found, "number", first="old", second="new")]
        return [re.sub(r"[-+]?[\d.]+(e[-+]\d+)?", "#", one) for one in [*told, *what_it_does_not_mean(found, "number")]]

    assert told(unit) == told(1)
    assert "do not simply add up" in " ".join(told(unit))
