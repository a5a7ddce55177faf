"""Asks judges and reads what they say; one whose reply cannot be read is asked again, a bounded number of times."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from rejudge.domain.errors import ConfigurationError, ScorerError
from rejudge.domain.verdict import Value
from rejudge.scorers.form import asked_again
from rejudge.scorers.geval import ALTERNATIVES, graded
from rejudge.scorers.panel import Member
from rejudge.scorers.reply import Menu, Reading, Unreadable, read
from rejudge.scorers.wording import quoted

if TYPE_CHECKING:
    from rejudge.domain.call import ModelCall, Reply

Asking: TypeAlias = "Generator[object, object, list[Member]]"
"""Steps that yield a call, or a list of calls that are answered at the same time, and end with a member for each."""


class JudgeQuestion(Struct, frozen=True, kw_only=True):
    """What is asked of every judge alike, and how a reply is read.

    `judged` are the prompts that were shown, `instructions` the words of the config that stand in them.
    """

    menus: tuple[Menu, ...]
    judged: tuple[str, ...]
    instructions: str
    reasoning: bool
    weighted: bool
    reasks: int


@dataclass(slots=True)
class _Place:
    """One judge: its next call, and what it has said."""

    call: ModelCall
    asked: int = 0
    member: Member | None = None


def ask(question: JudgeQuestion, calls: Sequence[ModelCall]) -> Asking:
    """The members that answer these calls; raises ScorerError for one whose last reply cannot be read."""
    if not all(call.model for call in calls):
        raise ConfigurationError("a judge asks a model, and none is named", fix="say which: model=")
    if question.weighted:
        calls = [replace(call, logprobs=ALTERNATIVES) for call in calls]
    places = [_Place(call) for call in calls]
    while waiting := [place for place in places if place.member is None]:
        replies = yield from _answered([place.call for place in waiting])
        for place, reply in zip(waiting, replies, strict=True):
            _hear(place, reply, question)
    return [place.member for place in places if place.member is not None]


def _answered(calls: list[ModelCall]) -> Generator[object, object, list[Reply]]:
    if len(calls) == 1:
        return [cast("Reply", (yield calls[0]))]
    return cast("list[Reply]", (yield calls))


def _hear(place: _Place, reply: Reply, question: JudgeQuestion) -> None:
    place.asked += 1
    if reply.refusal:
        raise ScorerError(f"grade_parse_failure: {place.call.model} declined to judge: {quoted(reply.refusal)}")
    try:
        reading = read(
            _text(reply, question),
            question.menus,
            judged=question.judged,
            instructions=question.instructions,
            finish_reason=reply.finish_reason,
        )
        values = _values(reading, reply, question)
    except Unreadable as why:
        if place.asked > question.reasks:
            raise _failure(place, reply, str(why)) from None
        place.call = _again(place.call, reply, str(why), question)
        return
    place.member = Member(
        model=place.call.model,
        version=reply.model,
        values=values,
        reasoning=reading.reasoning or (reply.reasoning or ""),
        asked=place.asked,
    )


def _text(reply: Reply, question: JudgeQuestion) -> str:
    """The text that is read: of the tokens, where they are weighed, so that places in both are the same."""
    if not question.weighted:
        return reply.text
    if reply.tokens is None:
        raise ScorerError(
            "the provider sent no log-probabilities, which g_eval weighs",
            fix="use a model that has them, or leave g_eval out",
        )
    return "".join(token.text for token in reply.tokens)


def _values(reading: Reading, reply: Reply, question: JudgeQuestion) -> dict[str, Value]:
    if not question.weighted:
        return dict(reading.values)
    found: dict[str, Value] = {}
    for menu in question.menus:
        start = reading.starts.get(menu.key)
        value = None if start is None else graded(menu.spec, reply.tokens or (), start)
        if value is None:
            raise Unreadable(f"no token is the value of {menu.key!r}")
        found[menu.key] = value
    return found


def _again(call: ModelCall, reply: Reply, why: str, question: JudgeQuestion) -> ModelCall:
    said = [{"role": "assistant", "content": reply.text}] if reply.text.strip() else []
    again = {"role": "user", "content": asked_again(why, question.menus, reasoning=question.reasoning)}
    return replace(call, messages=[*call.messages, *said, again])


def _failure(place: _Place, reply: Reply, why: str) -> ScorerError:
    cut = " (it was cut off at the limit of tokens)" if reply.finish_reason == "length" else ""
    after = f" after {place.asked} replies" if place.asked > 1 else ""
    return ScorerError(
        f"grade_parse_failure: {place.call.model}{after}: {why}{cut}; the reply was {quoted(reply.text)}",
        fix="raise max_tokens" if cut else "see what was asked and said: rejudge show NAME --item ID",
    )
