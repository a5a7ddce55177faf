"""Correcting a whole sample of which people labelled a part: what is corrected, and what trials of an item change.

The simulated judges are those of test_correction: truth .7, sensitivity .9, specificity .8, and truth .9, sensitivity
.75, specificity .7. With trials, items differ in how often they pass and the judge in how often it is right on them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from rejudge.domain.errors import RecordError
from rejudge.domain.rating import Drawing
from rejudge.stats.advice import advice
from rejudge.stats.correction import Corrected, Correction, corrected_rate
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.judged_sample import MeanCorrection, corrected_mean, corrected_sample
from rejudge.stats.meaning import correction_in_words
from rejudge.stats.prediction_powered import prediction_powered_mean

JUDGES = pytest.mark.parametrize(("truth", "sensitivity", "specificity"), [(0.7, 0.9, 0.8), (0.9, 0.75, 0.7)])
RUNS = 600

Ints = NDArray[np.int_]
Floats = NDArray[np.float64]


def judged(random: np.random.Generator, people: Ints, sensitivity: float | Floats, specificity: float | Floats) -> Ints:
    right = np.where(people == 1, sensitivity, specificity)
    return np.where(random.random(len(people)) < right, people, 1 - people)


def some(values: Ints, kept: NDArray[np.bool_]) -> list[int | None]:
    return [int(value) if keep else None for value, keep in zip(values, kept, strict=True)]


def holds(found: Corrected | Undefined, truth: float) -> bool:
    if isinstance(found, Undefined) or isinstance(found.interval, Undefined):
        return False
    return found.interval.low <= truth <= found.interval.high


def chosen(random: np.random.Generator, by: Ints, each: int) -> NDArray[np.bool_]:
    kept = np.zeros(len(by), dtype=bool)
    for outcome in (0, 1):
        kept[random.permutation(np.flatnonzero(by == outcome))[:each]] = True
    return kept


def covered(
    run: Callable[[], Correction], number: Callable[[Correction], Corrected | Undefined], truth: float
) -> float:
    return float(np.mean([holds(number(run()), truth) for _ in range(RUNS)]))


def test_labels_at_random_leave_the_others_for_the_correction() -> None:
    judge, human = [1, 0, 0, 1, 1, 0, 1, 0], [1, 1, 0, 0, 1, 0, 1, 0]
    alone = [1, 1, 0, 1, 0, 1, 0, 1]
    found = corrected_sample([*judge, *alone], [*human, *[None] * 8], drawing="at_random")
    expected = corrected_rate(alone, judge, human, drawing="at_random")
    assert found.prediction_powered == expected.prediction_powered
    assert found.formula == pytest.approx(0.75)
    assert isinstance(found.raw, Estimate)
    assert (found.raw.value, found.raw.n, found.unlabelled) == (9 / 16, 16, 8)


@JUDGES
def test_labels_chosen_out_of_the_sample_correct_the_whole_of_it(
    truth: float, sensitivity: float, specificity: float
) -> None:
    random = np.random.default_rng(21)

    def run(drawing: Drawing) -> Correction:
        people = (random.random(2_400) < truth).astype(int)
        judge = judged(random, people, sensitivity, specificity)
        kept = chosen(random, people if drawing == "by_human_outcome" else judge, 200)
        return corrected_sample(judge.tolist(), some(people, kept), drawing=drawing)

    # The labels are part of what is corrected, which Rogan–Gladen's interval does not count in its favour.
    assert 0.935 <= covered(lambda: run("by_human_outcome"), lambda found: found.rogan_gladen, truth) <= 0.995
    assert 0.93 <= covered(lambda: run("by_judge_outcome"), lambda found: found.reweighted, truth) <= 0.97


def trials_of_items(
    random: np.random.Generator, judge_of: tuple[float, float, float], *, by_item: bool, trials: int = 4
) -> Correction:
    truth, sensitivity, specificity = judge_of
    items, labelled = 400, 100
    item = np.repeat(np.arange(items), trials)
    rates = [random.beta(3 * mean, 3 * (1 - mean), items)[item] for mean in (truth, sensitivity, specificity)]
    people = (random.random(len(item)) < rates[0]).astype(int)
    judge = judged(random, people, rates[1], rates[2])
    names = item.tolist() if by_item else None
    return corrected_sample(judge.tolist(), some(people, item < labelled), drawing="at_random", items=names)


@JUDGES
def test_trials_taken_for_items_claim_too_much_and_by_item_they_do_not(
    truth: float, sensitivity: float, specificity: float
) -> None:
    random = np.random.default_rng(22)
    judge = (truth, sensitivity, specificity)
    by_item = covered(
        lambda: trials_of_items(random, judge, by_item=True), lambda found: found.prediction_powered, truth
    )
    as_items = covered(
        lambda: trials_of_items(random, judge, by_item=False), lambda found: found.prediction_powered, truth
    )
    assert 0.925 <= by_item <= 0.975
    assert as_items < 0.88


@JUDGES
def test_what_a_correction_rests_on_counts_items_too(truth: float, sensitivity: float, specificity: float) -> None:
    random = np.random.default_rng(23)
    judge = (truth, sensitivity, specificity)
    numbers: dict[str, tuple[Callable[[Correction], object], float]] = {
        "rogan_gladen": (lambda found: found.rogan_gladen, truth),
        "tpr": (lambda found: found.true_positive_rate, sensitivity),
        "tnr": (lambda found: found.true_negative_rate, specificity),
        "human": (lambda found: found.human, truth),
    }
    held: dict[str, list[list[bool]]] = {name: [[], []] for name in numbers}
    for _ in range(RUNS // 2):
        for way, by_item in enumerate((False, True)):
            found = trials_of_items(random, judge, by_item=by_item)
            for name, (number, true) in numbers.items():
                told = number(found)
                if isinstance(told, Estimate | Corrected) and isinstance(told.interval, Interval):
                    held[name][way].append(told.interval.low <= true <= told.interval.high)
    for name, (as_cases, by_items) in held.items():
        assert np.mean(by_items) >= 0.92, name
        assert np.mean(as_cases) < np.mean(by_items), name
    assert np.mean(held["human"][0]) < 0.88


def test_trials_that_never_differ_count_as_one_case() -> None:
    judge, human = [1, 1, 0, 1, 0, 0, 1, 1] * 5, [1, 1, 0, 1, 0, 1, 1, 0] * 5
    once = corrected_sample(judge, human, drawing="by_human_outcome")
    names = [place % 40 for place in range(120)]
    thrice = corrected_sample(judge * 3, human * 3, drawing="by_human_outcome", items=names)
    for one, other in ((once.raw, thrice.raw), (once.true_positive_rate, thrice.true_positive_rate)):
        assert isinstance(one, Estimate)
        assert isinstance(other, Estimate)
        assert isinstance(one.interval, Interval)
        assert isinstance(other.interval, Interval)
        widths = [found.interval.high - found.interval.low for found in (one, other)]  # type: ignore[union-attr]
        assert widths[1] == pytest.approx(widths[0], rel=0.1)
        assert other.interval.method == "cluster-wilson"


def test_items_that_come_once_change_nothing() -> None:
    judge, human = [1, 0, 1, 1, 0, 1], [1, 0, None, None, 1, None]
    plain = corrected_sample(judge, human, drawing="at_random")
    assert corrected_sample(judge, human, drawing="at_random", items=list("abcdef")) == plain


def test_labels_and_values_have_to_be_aligned() -> None:
    with pytest.raises(RecordError, match="1 labels for 2 values"):
        corrected_sample([1, 0], [1], drawing="at_random")


def test_a_mean_is_that_of_ppi_over_items() -> None:
    judge = [float(place % 5 + place % 2) for place in range(40)]
    human: list[float | None] = [float(place % 5) if place < 24 else None for place in range(40)]
    found = corrected_mean(judge, human, drawing="at_random")
    people = [float(place % 5) for place in range(24)]
    assert found.prediction_powered == prediction_powered_mean(people, judge[:24], judge[24:])
    doubled = corrected_mean(judge * 2, human * 2, drawing="at_random", items=[*range(40), *range(40)])
    assert doubled == found
    assert (found.judged, found.labelled) == (40, 24)


def test_a_mean_of_few_labels_or_of_labels_without_an_error_is_that_of_people_alone() -> None:
    judge = [float(place % 5) for place in range(200)]
    few = corrected_mean(judge, [*judge[:19], *[None] * 181], drawing="at_random")
    alike = corrected_mean(judge, [*judge[:60], *[None] * 140], drawing="at_random")
    assert "fewer than 20 items have a label" in str(few.prediction_powered)
    assert "differ much from the judge on fewer than 5 labelled items" in str(alike.prediction_powered)
    for found in (few, alike):
        assert advice(found).use == "human"
        assert isinstance(found.human, Estimate)
        assert isinstance(found.human.interval, Interval)


def test_trials_of_few_items_are_few_labels() -> None:
    judge, human = [1, 1, 0, 1] * 100, [1, 1, 0, 1] * 15
    items = [place // 4 for place in range(400)]
    found = corrected_sample(judge, [*human, *[None] * 340], drawing="at_random", items=items)
    assert "fewer than 20 items have a label" in str(found.prediction_powered)
    assert advice(found).use == "human"


def test_labels_in_a_small_unit_differ_from_the_judges_too() -> None:
    random, unit = np.random.default_rng(3), 1e-10
    judge = unit * random.random(200)
    human = [float(one + unit * random.normal() / 10) if place < 40 else None for place, one in enumerate(judge)]
    found = corrected_mean(judge.tolist(), human, drawing="at_random").prediction_powered
    assert isinstance(found, Estimate), found


def test_a_mean_of_labels_that_were_chosen_is_refused() -> None:
    judge, human = [float(place) for place in range(40)], [float(place) if place > 29 else None for place in range(40)]
    odd = corrected_mean(judge, human, drawing="at_random")
    assert "hardly drawn at random" in str(odd.prediction_powered)
    assert advice(odd).use is None
    ways: tuple[Drawing, ...] = ("by_human_outcome", "by_judge_outcome")
    for drawing in ways:
        refused = corrected_mean(judge, human, drawing=drawing)
        assert isinstance(refused.human, Undefined)
        assert advice(refused).use is None
        assert "Use none of them" in " ".join(correction_in_words(refused))


def test_nothing_judged_has_no_mean() -> None:
    found = corrected_mean([], [], drawing="at_random")
    assert isinstance(found, MeanCorrection)
    assert all(isinstance(one, Undefined) for one in (found.raw, found.human, found.prediction_powered))


@pytest.mark.parametrize(
    ("drawing", "use"),
    [
        ("at_random", "prediction_powered"),
        ("by_human_outcome", "rogan_gladen"),
        ("by_judge_outcome", "reweighted"),
    ],
)
def test_the_advice_follows_the_way_of_drawing(drawing: Drawing, use: str) -> None:
    people = [1, 1, 1, 0] * 100
    judge = [value if place % 9 else 1 - value for place, value in enumerate(people)]
    labels: list[int | None] = [value if place < 160 else None for place, value in enumerate(people)]
    found = corrected_sample(judge, labels, drawing=drawing)
    assert advice(found).use == use
    assert any(line.startswith("Use ") for line in correction_in_words(found))


def test_small_differences_do_not_hide_that_no_error_was_seen() -> None:
    people = [1.0] * 30 + [0.0] * 10
    close = [value + (-0.03 if value else 0.03) for value in people]
    labels = [*people, *[None] * 40]
    refused = corrected_mean([*close, *close], labels, drawing="at_random").prediction_powered
    assert "differ much from the judge on fewer than 5 labelled items" in str(refused)
    wrong = [1 - value if place in (0, 1, 2, 30, 31) else value for place, value in enumerate(close)]
    assert isinstance(corrected_mean([*wrong, *close], labels, drawing="at_random").prediction_powered, Estimate)
