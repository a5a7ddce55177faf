"""latency, token_count and cost: what a trace took, as scores of which less is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import Direction, ScoreSpec, ScoreType
from rejudge.domain.usage import Usage
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers.deterministic import Reading
from rejudge.scorers.kind import Example, Kind
from rejudge.scorers.measure import Measure, measuring

if TYPE_CHECKING:
    from rejudge.scorers.scorer import Scorer

VERSION: Final = 1
"""Counts the changes in what these kinds do with equal parameters; part of every scorer's id."""

_Amount: TypeAlias = "Callable[[View], float | None]"
"""What a trace took; None where nobody knows."""


class _Words(NamedTuple):
    """How a kind is called, what it counts, and what is unknown where nobody recorded it."""

    kind: str
    unit: str
    unknown: str


class Latency(Measure, frozen=True, kw_only=True):
    """How many seconds the task took; less is better. A skip where the time is unknown."""

    at_most: (
        Annotated[float, Meta(ge=0, description="The most seconds that pass; no outcome, if left out.")] | UnsetType
    ) = UNSET

    def scorer(self) -> Scorer:
        """The scorer that reads the time."""
        told = _Words("latency", "s", "how long the task took")
        return _limited(self, lambda view: view.latency, told, at_most=self.at_most)


class TokenCount(Measure, frozen=True, kw_only=True):
    """How many tokens the task used; fewer is better. A skip where a count is unknown, never a part of the sum."""

    part: Annotated[
        Literal["total", "input", "output", "cached", "reasoning"],
        Meta(
            description="Which tokens: input and output together, one of them, or those read from a cache or thought."
        ),
    ] = "total"
    at_most: (
        Annotated[int, Meta(ge=0, description="The most tokens that pass; no outcome, if left out.")] | UnsetType
    ) = UNSET

    def scorer(self) -> Scorer:
        """The scorer that reads the tokens."""
        unit = "tokens" if self.part == "total" else f"{self.part} tokens"
        told = _Words("token_count", unit, f"how many {unit} the task used")
        return _limited(self, _used(_TOKENS[self.part]), told, at_most=self.at_most)


class Cost(Measure, frozen=True, kw_only=True):
    """How many US dollars the task cost; less is better. A skip where the price is unknown, which is never 0."""

    at_most: (
        Annotated[float, Meta(ge=0, description="The most US dollars that pass; no outcome, if left out.")] | UnsetType
    ) = UNSET

    def scorer(self) -> Scorer:
        """The scorer that reads the cost."""
        told = _Words("cost", "US dollars", "what the task cost")
        return _limited(self, _used(lambda usage: usage.cost), told, at_most=self.at_most)


_TOKENS: Final[Mapping[str, Callable[[Usage], int | None]]] = {
    "total": lambda usage: _sum(usage.input_tokens, usage.output_tokens),
    "input": lambda usage: usage.input_tokens,
    "output": lambda usage: usage.output_tokens,
    "cached": lambda usage: usage.cached_tokens,
    "reasoning": lambda usage: usage.reasoning_tokens,
}


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _used(amount: Callable[[Usage], float | None]) -> _Amount:
    return lambda view: None if view.usage is None else amount(view.usage)


def _limited(parameters: Measure, amount: _Amount, words: _Words, *, at_most: float | UnsetType) -> Scorer:
    limit = None if isinstance(at_most, UnsetType) else at_most
    if parameters.required and limit is None:
        raise ConfigurationError(f"{words.kind} is required but nothing says when it passes", fix="give at_most")

    def measured(view: View) -> Verdict:
        found = amount(view)
        if found is None:
            return Verdict.skipped(Skip.MISSING_USAGE, f"nobody recorded {words.unknown}")
        if limit is None or found <= limit:
            return Verdict.of(found)
        return Verdict.of(found, f"{found:,.6g} {words.unit}, at most {limit:,.6g}")

    score = ScoreSpec(name=words.kind, type=ScoreType.NUMBER, low=0, direction=Direction.LOWER, passes_at=limit)
    return measuring(parameters, measured, kind=words.kind, version=VERSION, reading=Reading(), score=score)


LATENCY: Final = Kind(
    name="latency",
    parameters=Latency,
    examples=(
        Example(
            what="the seconds are the score",
            parameters={},
            view=View(output="Paris", latency=1.5),
            verdict=Verdict(values={"": 1.5}),
        ),
        Example(
            what="a slow answer fails where a limit is given",
            parameters={"at_most": 1},
            view=View(output="Paris", latency=1.5),
            verdict=Verdict(values={"": 1.5}, reason="1.5 s, at most 1"),
        ),
    ),
)

TOKEN_COUNT: Final = Kind(
    name="token_count",
    parameters=TokenCount,
    examples=(
        Example(
            what="input and output together",
            parameters={"at_most": 1000},
            view=View(output="Paris", usage=Usage(input_tokens=900, output_tokens=20)),
            verdict=Verdict(values={"": 920.0}),
        ),
        Example(
            what="an item is skipped where one of them is unknown",
            parameters={},
            view=View(output="Paris", usage=Usage(input_tokens=900)),
            verdict=Verdict.skipped(Skip.MISSING_USAGE, "nobody recorded how many tokens the task used"),
        ),
    ),
)

COST: Final = Kind(
    name="cost",
    parameters=Cost,
    examples=(
        Example(
            what="an expensive answer fails where a limit is given",
            parameters={"at_most": 0.01},
            view=View(output="Paris", usage=Usage(input_tokens=9000, output_tokens=20, cost=0.027)),
            verdict=Verdict(values={"": 0.027}, reason="0.027 US dollars, at most 0.01"),
        ),
        Example(
            what="an unknown price is no price of 0",
            parameters={},
            view=View(output="Paris", usage=Usage(input_tokens=900, output_tokens=20)),
            verdict=Verdict.skipped(Skip.MISSING_USAGE, "nobody recorded what the task cost"),
        ),
    ),
)
