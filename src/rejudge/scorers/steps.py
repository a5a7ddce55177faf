"""step_count_check: how many tool calls, model responses or turns a trace has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers.deterministic import Deterministic, Reading, scorer_of
from rejudge.scorers.kind import Example, Kind
from rejudge.scorers.messages import NO_TRACE, model_responses, requests, turns
from rejudge.scorers.wording import counted

if TYPE_CHECKING:
    from rejudge.scorers.gap import Gap
    from rejudge.scorers.scorer import Scorer

VERSION: Final = 1
"""Counts the changes in what this kind does with equal parameters; part of every scorer's id."""

_COUNTS: Final[Mapping[str, Callable[[Sequence[object]], int]]] = {
    "tool_calls": lambda trace: sum(1 for _ in requests(trace)),
    "model_responses": model_responses,
    "turns": turns,
}

_NOUNS: Final = {"tool_calls": "tool call", "model_responses": "model response", "turns": "turn"}


class StepCountCheck(Deterministic, frozen=True, kw_only=True):
    """Passes where the trace has no fewer and no more steps than the bounds say; both bounds are included.

    Tool calls are those that the assistant asks for, model responses its messages, those that only call tools
    included, and turns the messages of the user, those that only hold results of tools left out. An empty trace
    has 0 of each; an item whose task recorded no trace is skipped.
    """

    count_type: Annotated[Literal["tool_calls", "model_responses", "turns"], Meta(description="What is counted.")]
    min_count: Annotated[int, Meta(description="The smallest number that passes.")] | UnsetType = UNSET
    max_count: Annotated[int, Meta(ge=0, description="The largest number that passes.")] | UnsetType = UNSET

    def scorer(self) -> Scorer:
        """The scorer that counts."""
        low = 0 if isinstance(self.min_count, UnsetType) else self.min_count
        high = None if isinstance(self.max_count, UnsetType) else self.max_count
        if high is None and self.min_count is UNSET:
            raise ConfigurationError(
                "step_count_check has no bound, so that every trace would pass", fix="give min_count, max_count or both"
            )
        if high is not None and low > high:
            raise ConfigurationError(
                f"min_count {low} is larger than max_count {high}, so that no trace would pass", fix="mend one of them"
            )
        count, noun, wanted = _COUNTS[self.count_type], _NOUNS[self.count_type], _bounds(low, high)

        def check(view: View) -> str | Gap | None:
            if view.trace is None:
                return NO_TRACE
            found = count(view.trace)
            if low <= found and (high is None or found <= high):
                return None
            return f"{counted(found, noun)}, expected {wanted}"

        return scorer_of(self, check, kind="step_count_check", version=VERSION, reading=Reading())


def _bounds(low: int, high: int | None) -> str:
    if high is None:
        return f"at least {low}"
    if low == high:
        return f"exactly {low}"
    return f"{low} to {high}" if low else f"at most {high}"


_TRACE: Final[list[object]] = [
    {"role": "user", "content": "Where is my kettle?"},
    {"role": "assistant", "tool_calls": [{"function": {"name": "search", "arguments": '{"order": "kettle"}'}}]},
    {"role": "tool", "content": "sent on Monday"},
    {"role": "assistant", "content": "It was sent on Monday."},
]

KIND: Final = Kind(
    name="step_count_check",
    parameters=StepCountCheck,
    examples=(
        Example(
            what="one tool call is within the bounds",
            parameters={"count_type": "tool_calls", "min_count": 1, "max_count": 3},
            view=View(trace=_TRACE),
            verdict=Verdict(values={"": 1.0}),
        ),
        Example(
            what="a message that only calls a tool is a model response too",
            parameters={"count_type": "model_responses", "max_count": 1},
            view=View(trace=_TRACE),
            verdict=Verdict(values={"": 0.0}, reason="2 model responses, expected at most 1"),
        ),
        Example(
            what="an item without a trace is skipped",
            parameters={"count_type": "turns", "max_count": 5},
            view=View(output="It was sent on Monday."),
            verdict=Verdict.skipped(Skip.MISSING_TRACE, "the task recorded no trace"),
        ),
    ),
)
