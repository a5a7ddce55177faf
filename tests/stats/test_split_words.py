from __future__ import annotations

import msgspec
import numpy as np
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


def test_a_part_without_an_interval_has_the_digits_of_an_amount_and_noise_is_0() -> None:
    part = msgspec.structs.replace(split(judge=0.25).judge, value=-0.00644505, interval=Undefined("too few"))
    assert render_part(part, "pass_fail").startswith("-0.645 points [")
    assert render_part(msgspec.structs.replace(part, value=-1.7e-16), "pass_fail").startswith("0 points [")
