"""G-Eval: the weight of a grade is its probability among the likeliest tokens, each of which counts once."""

from __future__ import annotations

from math import log

import pytest

from rejudge.domain.call import Token
from rejudge.domain.scale import ScoreSpec, ScoreType
from rejudge.scorers.geval import UNKNOWN_LOGPROB, graded, weighted

STARS = ScoreSpec(name="quality", type=ScoreType.FIVE_STAR)


def test_a_chosen_token_of_unknown_probability_has_the_one_that_the_likeliest_tell() -> None:
    top = [("3", log(0.6)), ("4", log(0.4))]
    assert weighted(STARS, ("3", UNKNOWN_LOGPROB), top) == pytest.approx(3.4)


def test_a_chosen_token_of_unknown_probability_is_certain_where_nothing_tells() -> None:
    assert weighted(STARS, ("3", UNKNOWN_LOGPROB), [("4", log(0.5))]) == pytest.approx((3 + 4 * 0.5) / 1.5)


def test_a_chosen_token_that_is_not_among_the_likeliest_counts_beside_them() -> None:
    assert weighted(STARS, ("2", log(0.2)), [("4", log(0.6))]) == pytest.approx((2 * 0.2 + 4 * 0.6) / 0.8)


def test_tokens_that_say_one_grade_in_two_spellings_keep_the_mass_of_both() -> None:
    top = ((" 4", log(0.5)), ("4", log(0.1)), ("5", log(0.1)), (" 5", log(0.3)))
    tokens = [Token(text="quality:", logprob=0.0), Token(text=" 4", logprob=log(0.5), top=top)]
    assert graded(STARS, tokens, len("quality: ")) == pytest.approx(4.4)
