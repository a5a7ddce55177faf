"""latency, token_count and cost: the amounts as scores, unknown ones as skips, and limits that make an outcome."""

from __future__ import annotations

import pytest

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import Direction, Outcome
from rejudge.domain.usage import Usage
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers import Scorer, as_verdict, cost, create, latency, scored_values, token_count

FULL = View(
    output="a",
    usage=Usage(input_tokens=100, output_tokens=20, cost=0.03, cached_tokens=80, reasoning_tokens=15),
    latency=1.5,
)
EMPTY = View(output="a")


def judged(scorer: Scorer, view: View) -> Verdict:
    return as_verdict(scorer.judge(view), scorer.config)


def number(scorer: Scorer, view: View = FULL) -> float | None:
    (value,) = scored_values(judged(scorer, view), scorer.config)
    return value.number


def test_the_amount_is_the_score() -> None:
    assert number(latency()) == 1.5
    assert number(cost()) == 0.03
    parts = {"total": 120, "input": 100, "output": 20, "cached": 80, "reasoning": 15}
    assert {part: number(create("token_count", {"part": part})) for part in parts} == parts


def test_nothing_spent_is_zero_and_not_unknown() -> None:
    view = View(output="a", usage=Usage(input_tokens=0, output_tokens=0, cost=0.0), latency=0.0)
    assert [number(make(), view) for make in (latency, token_count, cost)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("scorer", "view", "unknown"),
    [
        (latency(), EMPTY, "how long the task took"),
        (cost(), EMPTY, "what the task cost"),
        (cost(at_most=1), View(usage=Usage(input_tokens=1, output_tokens=1)), "what the task cost"),
        (token_count(), View(usage=Usage(input_tokens=1)), "how many tokens the task used"),
        (token_count(), View(usage=Usage(output_tokens=1)), "how many tokens the task used"),
        (
            token_count(part="reasoning"),
            View(usage=Usage(input_tokens=1, output_tokens=1)),
            "how many reasoning tokens the task used",
        ),
    ],
)
def test_an_unknown_amount_is_a_skip_and_never_zero(scorer: Scorer, view: View, unknown: str) -> None:
    verdict = judged(scorer, view)
    assert verdict.skip == Skip.MISSING_USAGE
    assert verdict.reason == f"nobody recorded {unknown}"


def test_a_limit_makes_an_outcome_and_is_included() -> None:
    for limit, outcome, reason in (
        (120, Outcome.PASSED, ""),
        (119, Outcome.FAILED, "120 tokens, at most 119"),
        (0, Outcome.FAILED, "120 tokens, at most 0"),
    ):
        scorer = token_count(at_most=limit)
        verdict = judged(scorer, FULL)
        assert scored_values(verdict, scorer.config)[0].outcome is outcome
        assert verdict.reason == reason
    assert scored_values(judged(cost(), FULL), cost().config)[0].outcome is None
    assert judged(cost(at_most=0.01), FULL).reason == "0.03 US dollars, at most 0.01"


def test_less_is_better_and_nothing_is_below_zero() -> None:
    for scorer in (latency(), token_count(), cost()):
        (spec,) = scorer.config.scores
        assert (spec.direction, spec.range, spec.name) == (Direction.LOWER, (0.0, None), scorer.config.name)
    assert latency(name="speed").config.scores[0].name == "speed"


def test_a_required_limit_is_to_be_stated() -> None:
    assert cost(at_most=0.5, required=True).config.scores[0].required
    for kind in ("latency", "token_count", "cost"):
        with pytest.raises(ConfigurationError, match=f"{kind} is required but nothing says when it passes"):
            create(kind, {"required": True})


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        ("latency", {"at_most": -1}, "at_most: expected `float` >= 0"),
        ("cost", {"at_most": "1"}, "at_most: expected `float`"),
        ("cost", {"at_most": float("inf")}, "inf is not a finite number"),
        ("token_count", {"at_most": 1.5}, "at_most: expected `int`"),
        ("token_count", {"part": "all"}, "part: invalid enum value 'all'"),
    ],
)
def test_a_wrong_parameter_is_refused_when_created(kind: str, parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        create(kind, parameters)
