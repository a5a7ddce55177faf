from __future__ import annotations

import msgspec
import numpy as np

from rejudge.stats.comparison import Comparison, compare
from rejudge.stats.comparison_words import (
    TEST_WORDS,
    VERDICT_WORDS,
    render_difference,
    render_p,
    what_it_does_not_mean,
    what_it_means,
)
from rejudge.stats.decision import ComparisonVerdict
from rejudge.stats.many import correct
from rejudge.stats.scale import FIVE_STAR, PASS_FAIL, Scale

FIRST = [0.70, 0.55, 0.80, 0.62, 0.91, 0.40, 0.66, 0.73]
SECOND = [0.74, 0.60, 0.79, 0.70, 0.93, 0.47, 0.66, 0.81]


def numbers(scale: Scale = PASS_FAIL) -> Comparison:
    return compare(FIRST, SECOND, name="quality", kind="number", scale=scale, seed=0)


def passes(b: int, c: int, **terms: float) -> Comparison:
    first, second = [1.0] * 400 + [0.0] * b + [1.0] * c, [1.0] * 400 + [1.0] * b + [0.0] * c
    return compare(first, second, name="ok", kind="pass_fail", scale=PASS_FAIL, seed=0, **terms)  # type: ignore[arg-type]


def test_a_difference_is_one_line() -> None:
    assert render_difference(numbers()) == "+0.041 [0.012, 0.071] better, p = 0.031, n=8"
    assert render_difference(passes(2, 30)) == "-6.5 points [-9.3, -4.2] worse, p < 0.0001, n=432"


def test_tiny_p_values_are_not_written_as_zero() -> None:
    assert [render_p(p) for p in (1, 0.0312, 0.00012, 1e-9, 0)] == [
        "p = 1",
        "p = 0.031",
        "p = 0.00012",
        "p < 0.0001",
        "p < 0.0001",
    ]


def test_a_verdict_is_told_with_its_size_test_and_counts() -> None:
    told = " ".join(what_it_means(passes(30, 2, margin=0.02), first="gpt", second="claude"))
    assert "claude is better than gpt: the mean moves by +6.5 points [4.2, 9.3]." in told
    assert "McNemar's exact test" in told
    assert "claude alone passes 30 items, gpt alone 2; both pass 400, neither passes 0." in told
    assert "claude is not worse by 2.0 points or more." in told


def test_no_difference_shown_is_never_called_equal() -> None:
    comparison = passes(10, 10)
    told = " ".join([*what_it_means(comparison), *what_it_does_not_mean(comparison)])
    assert "no difference between the first and the second is shown" in told.lower()
    assert "does not say that the two are equal" in told


def test_too_little_data_says_how_much_would_decide() -> None:
    comparison = passes(10, 12, smallest=0.02)
    told = " ".join(what_it_means(comparison))
    assert "There is not enough data to tell the first and the second apart" in told
    assert f"About {comparison.items_to_decide} items would show a difference of 2.0 points" in told


def test_few_clusters_are_told_what_they_could_not_show_and_how_many_would_decide() -> None:
    few = compare(
        [0.5] * 6,
        [0.6, 0.7, 0.5, 0.9, 0.6, 0.8],
        name="n",
        kind="number",
        scale=PASS_FAIL,
        seed=0,
        clusters=list("aabbcc"),
    )
    told = " ".join(what_it_means(few))
    assert "No difference could have been shown: 3 clusters are too few" in told
    assert (
        f"in {few.clusters_to_decide} clusters like these would show" in told
        or "clusters would decide is not told" in told
    )


def test_items_without_a_partner_are_told() -> None:
    comparison = compare(FIRST, SECOND, name="quality", kind="number", scale=PASS_FAIL, seed=0, unpaired=(3, 1))
    assert "3 items that only the first side has a score for and 1 that" in " ".join(what_it_does_not_mean(comparison))


def test_an_interval_that_holds_zero_beside_a_test_that_shows_a_difference_is_told() -> None:
    uneven = compare([0.0] * 6, [0.1, 0.2, 0.3, 0.1, 0.2, 9], name="n", kind="number", scale=Scale(), seed=0)
    assert uneven.verdict is ComparisonVerdict.BETTER
    assert "still holds 0" in " ".join(what_it_does_not_mean(uneven))


def test_an_interval_that_is_bolder_than_the_test_is_told() -> None:
    agreeing = passes(8, 1)
    assert agreeing.verdict is ComparisonVerdict.BETTER
    assert "approximation" not in " ".join(what_it_does_not_mean(agreeing))
    bold = compare(
        [0.0] * 6 + [1.0] * 40, [1.0] * 5 + [0.0] + [1.0] * 40, name="ok", kind="pass_fail", scale=PASS_FAIL, seed=0
    )
    assert bold.verdict is ComparisonVerdict.NO_DIFFERENCE_SHOWN
    assert "the exact test decides" in " ".join(what_it_does_not_mean(bold))


def test_a_difference_that_only_the_correction_takes_away_is_not_laid_on_the_test() -> None:
    alone = passes(10, 2)
    (first, *_) = correct([alone, *[passes(10, 9)] * 5])
    assert (alone.verdict, first.verdict) == (ComparisonVerdict.BETTER, ComparisonVerdict.NO_DIFFERENCE_SHOWN)
    told = " ".join(what_it_does_not_mean(msgspec.structs.replace(alone, verdict=first.verdict)))
    assert "Alone it would show a difference; corrected because it is one of several, it does not." in told
    assert "exact test decides" not in told


def test_a_score_without_a_better_end_is_told_so() -> None:
    told = " ".join(what_it_means(numbers(Scale(direction="informational"))))
    assert "Neither end of this score is better" in told


def test_nothing_paired_and_nothing_varying_have_words() -> None:
    empty = compare([], [], name="stars", kind="five_star", scale=FIVE_STAR, seed=0)
    assert render_difference(empty) == "undefined because nothing was scored, n=0"
    assert "no item for which both" in what_it_means(empty)[0]
    same = compare(np.ones(40), np.ones(40), name="stars", kind="number", scale=Scale(low=1), seed=0)
    assert "0 [undefined because every value is equal" in render_difference(same)
    assert "would turn up in 100 of 100" in " ".join(what_it_means(same))


def test_every_verdict_and_test_has_words() -> None:
    from typing import get_args

    from rejudge.stats.p_value import Test

    assert set(VERDICT_WORDS) == set(ComparisonVerdict)
    assert set(TEST_WORDS) == set(get_args(Test))
