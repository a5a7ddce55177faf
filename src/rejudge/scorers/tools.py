"""tool_call_check: the tools that a trace calls, with which arguments and in which order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType, structs

from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers.assignment import unassigned
from rejudge.scorers.deterministic import Deterministic, Reading, scorer_of
from rejudge.scorers.expected_tool import ExpectedTool, Wanted, argued, has_patterns, settled, shown, wanted_in
from rejudge.scorers.extraction import expected
from rejudge.scorers.gap import Gap
from rejudge.scorers.kind import Example, Kind
from rejudge.scorers.messages import NO_TRACE, RecordedCall, recorded_calls
from rejudge.scorers.wording import enumerated

if TYPE_CHECKING:
    from rejudge.scorers.scorer import Scorer

VERSION: Final = 1
"""Counts the changes in what this kind does with equal parameters; part of every scorer's id."""

_CALLS: Final = 8
"""So many calls a reason names."""


Rule: TypeAlias = "Callable[[Sequence[Wanted], Sequence[RecordedCall]], str | None]"
"""Why the calls are not those that are wanted; None where they are."""


class ToolCallCheck(Deterministic, frozen=True, kw_only=True):
    """Passes where the trace calls the expected tools: `any` of them, `all` in any order, `ordered`, or `never` one.

    Under `all` and `ordered` each expected tool needs a call of its own, so that a tool listed twice is to be called
    twice; other calls may lie between, unless `on_unexpected_tools` is `fail`: then every call has to be one of the
    expected tools with the expected arguments, as often as it likes (not asked under `never`). A call may have more
    arguments than expected. Arguments that are no JSON object count as none. Calls are those of the assistant's
    messages, as `tool_calls` or as content blocks of type `tool_use`; what the tools answered is not looked at.
    """

    expected_tools: (
        Annotated[
            Sequence[str | ExpectedTool],
            Meta(
                description="The tools expected of every item: names, or mappings of `tool_name` and `expected_args`.",
                min_length=1,
            ),
        ]
        | UnsetType
    ) = UNSET
    reference_key: Annotated[
        str | UnsetType,
        Meta(description="The reference field that lists the expected tools of each item; it may list none."),
    ] = UNSET
    match_mode: Annotated[
        Literal["any", "all", "ordered", "never"], Meta(description="Which of the expected tools are to be called.")
    ] = "all"
    on_unexpected_tools: Annotated[
        Literal["ignore", "fail"], Meta(description="What becomes of a call that is none of the expected ones.")
    ] = "ignore"

    def scorer(self) -> Scorer:
        """The scorer that looks at the calls."""
        tools = UNSET if isinstance(self.expected_tools, UnsetType) else [settled(tool) for tool in self.expected_tools]
        side = expected(tools, called="expected_tools", key=self.reference_key, through=UNSET)
        stated = None if isinstance(tools, UnsetType) else [Wanted(tool) for tool in tools]
        told = self._told()

        def check(view: View) -> str | Gap | None:
            if view.trace is None:
                return NO_TRACE
            wanted = _listed_in(side.extract(view), self.reference_key) if stated is None else stated
            if isinstance(wanted, Gap):
                return wanted
            if not wanted and stated is None and self.match_mode == "any":
                return Gap(Skip.MISSING_REFERENCE_KEY, f"reference_key {self.reference_key!r} lists no tool to call")
            return told(wanted, recorded_calls(view.trace))

        own = structs.replace(self, expected_tools=tools)
        patterns = isinstance(tools, UnsetType) or any(map(has_patterns, tools))
        reading = Reading(needs=side.needs, sees=side.sees, patterns=patterns)
        return scorer_of(own, check, kind="tool_call_check", version=VERSION, reading=reading)

    def _told(self) -> Rule:
        """The rule of the mode, and of what else is called, with a reason that says all of it."""
        rule, said = _RULES[self.match_mode], _SAID[self.match_mode]
        strict = self.on_unexpected_tools == "fail" and self.match_mode != "never"

        def told(wanted: Sequence[Wanted], calls: Sequence[RecordedCall]) -> str | None:
            why = rule(wanted, calls) or (_unexpected(wanted, calls) if strict else None)
            if why is None:
                return None
            return f"expected {said(wanted)}{' and nothing else' if strict else ''}; got {_listed(calls)}: {why}"

        return told


def _listed_in(reference: object, key: object) -> list[Wanted] | Gap:
    if isinstance(reference, Gap):
        return reference
    wanted = wanted_in(reference)
    return Gap(Skip.MISSING_REFERENCE_KEY, f"reference_key {key!r}: {wanted}") if isinstance(wanted, str) else wanted


def _any(wanted: Sequence[Wanted], calls: Sequence[RecordedCall]) -> str | None:
    return None if any(one.fits(call) for call in calls for one in wanted) else "none of them is called"


def _all(wanted: Sequence[Wanted], calls: Sequence[RecordedCall]) -> str | None:
    """Why some are not called, or not often enough; where several would do, calls go to as many as possible."""
    fitting = [[place for place, call in enumerate(calls) if one.fits(call)] for one in wanted]
    left = Counter(wanted[index].words for index in unassigned(fitting))
    if not left:
        return None
    times = Counter(one.words for one in wanted)
    return "no call is left for " + enumerated(
        [words if times[words] == 1 else f"{words} ({count} of {times[words]} times)" for words, count in left.items()]
    )


def _ordered(wanted: Sequence[Wanted], calls: Sequence[RecordedCall]) -> str | None:
    place = 0
    for one in wanted:
        after = place
        while place < len(calls) and not one.fits(calls[place]):
            place += 1
        if place == len(calls):
            return f"no {one.words}" + (f" after call {after}" if after else "")
        place += 1
    return None


def _never(wanted: Sequence[Wanted], calls: Sequence[RecordedCall]) -> str | None:
    for place, call in enumerate(calls, 1):
        if any(one.fits(call) for one in wanted):
            return f"{_at(place, call)} is one of them"
    return None


def _unexpected(wanted: Sequence[Wanted], calls: Sequence[RecordedCall]) -> str | None:
    for place, call in enumerate(calls, 1):
        if not any(one.fits(call) for one in wanted):
            return f"{_at(place, call)} is unexpected"
    return None


_RULES: Final[Mapping[str, Rule]] = {"any": _any, "all": _all, "ordered": _ordered, "never": _never}

_SAID: Final[Mapping[str, Callable[[Sequence[Wanted]], str]]] = {
    "any": lambda wanted: f"one of {_words(wanted)}",
    "all": lambda wanted: f"{_words(wanted)}" + (" in any order" if len(wanted) > 1 else ""),
    "ordered": lambda wanted: _words(wanted, by=", then "),
    "never": lambda wanted: f"no call of {_words(wanted, by=' or ')}",
}


def _words(wanted: Sequence[Wanted], *, by: str = ", ") -> str:
    return enumerated([one.words for one in wanted], by=by, most=_CALLS) or "no tool"


def _at(place: int, call: RecordedCall) -> str:
    """Which call it is, with its words where the list of calls ends before it."""
    return f"call {place}" if place <= _CALLS else f"call {place}, {_shown(call)},"


def _listed(calls: Sequence[RecordedCall]) -> str:
    return enumerated([_shown(call) for call in calls], most=_CALLS) if calls else "no tool call"


def _shown(call: RecordedCall) -> str:
    name = "a call without a name" if call.name is None else call.name
    if call.fault:
        return shown(name, [call.fault])
    return shown(name, [argued(argument, value) for argument, value in call.arguments.items()])


def _fail(reason: str) -> Verdict:
    return Verdict(values={"": 0.0}, reason=reason)


def _call(name: str, arguments: str) -> object:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


_TRACE: Final[list[object]] = [
    {"role": "user", "content": "Cancel my kettle."},
    {"role": "assistant", "tool_calls": [_call("find_order", '{"item": "kettle", "limit": 1}')]},
    {"role": "tool", "content": '{"order": 7}'},
    {"role": "assistant", "tool_calls": [_call("cancel", '{"order": 7}')]},
    {"role": "tool", "content": "done"},
    {"role": "assistant", "content": "It is cancelled."},
]

KIND: Final = Kind(
    name="tool_call_check",
    parameters=ToolCallCheck,
    examples=(
        Example(
            what="the order is looked up before it is cancelled",
            parameters={"expected_tools": ["find_order", "cancel"], "match_mode": "ordered"},
            view=View(trace=_TRACE),
            verdict=Verdict(values={"": 1.0}),
        ),
        Example(
            what="a tool is called with another argument than expected",
            parameters={"expected_tools": [{"tool_name": "cancel", "expected_args": {"order": {"value": 8}}}]},
            view=View(trace=_TRACE),
            verdict=_fail(
                'expected cancel(order=8); got find_order(item="kettle", limit=1), cancel(order=7): '
                "no call is left for cancel(order=8)"
            ),
        ),
        Example(
            what="a tool that is expected twice is called once",
            parameters={"expected_tools": ["cancel", "cancel"]},
            view=View(trace=_TRACE),
            verdict=_fail(
                'expected cancel, cancel in any order; got find_order(item="kettle", limit=1), cancel(order=7): '
                "no call is left for cancel (1 of 2 times)"
            ),
        ),
        Example(
            what="nothing else may be called",
            parameters={"expected_tools": ["cancel"], "on_unexpected_tools": "fail"},
            view=View(trace=_TRACE),
            verdict=_fail(
                'expected cancel and nothing else; got find_order(item="kettle", limit=1), cancel(order=7): '
                "call 1 is unexpected"
            ),
        ),
        Example(
            what="each item lists the tools that are expected of it",
            parameters={"reference_key": "tools"},
            view=View(trace=_TRACE, reference_data={"tools": ["cancel", "refund"]}),
            verdict=_fail(
                'expected cancel, refund in any order; got find_order(item="kettle", limit=1), cancel(order=7): '
                "no call is left for refund"
            ),
        ),
        Example(
            what="an item without a trace is skipped",
            parameters={"expected_tools": ["cancel"]},
            view=View(output="It is cancelled."),
            verdict=Verdict.skipped(Skip.MISSING_TRACE, "the task recorded no trace"),
        ),
    ),
)
