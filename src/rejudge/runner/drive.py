"""The only loop that knows how a generator's calls are answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar, cast

import msgspec

from rejudge.domain.call import ANSWERS, CallRecord, ModelCall, Reply
from rejudge.domain.errors import ConfigurationError, TaskError
from rejudge.domain.usage import Usage, checked_usage

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from rejudge.domain.call import Answered, Call
    from rejudge.domain.demands import Demands
    from rejudge.runner.clock import Clock


Record = TypeVar("Record", bound=msgspec.Struct)


class Answer(Protocol):
    """Answers one call, with whatever limits and retries stand before the provider."""

    async def __call__(self, call: Call, failures: list[str]) -> Answered:
        """The reply, of the kind that the call gets; every try that failed is added to `failures` in words."""

    def check(self, who: str, demands: Demands) -> None:
        """Raise ConfigurationError for what `who` demands and nobody could answer; nobody is asked for it."""


async def drive(
    steps: Generator[object, object, object], *, answer: Answer, clock: Clock, records: list[CallRecord]
) -> object:
    """Run a generator to its end, answering each call it yields; every answered call is added to `records`.

    An error of a call is raised inside the generator, which may catch it and go on.
    """
    reply: Answered | None = None
    failure: Exception | None = None
    try:
        while True:
            try:
                asked = steps.send(reply) if failure is None else steps.throw(failure)
            except StopIteration as end:
                return end.value
            try:
                call = _call(asked)
            except TaskError as error:
                reply, failure = None, error
                continue
            reply, failure = None, None
            begun = clock.elapsed()
            failures: list[str] = []
            try:
                reply = cast("Answered", well_formed(await answer(call, failures), ANSWERS[type(call)]))
            except ConfigurationError:
                raise
            except Exception as error:  # noqa: BLE001 - the generator decides what its call's error means
                failure = error
            else:
                seconds = clock.elapsed() - begun
                records.append(CallRecord(call=call, reply=reply, seconds=seconds, failures=tuple(failures)))
    finally:
        steps.close()


def _call(asked: object) -> Call:
    kind = type(asked)
    if not isinstance(asked, msgspec.Struct) or kind not in ANSWERS:
        raise TaskError(f"the generator yielded a {kind.__name__}", fix="yield a ModelCall, an EmbedCall or a CodeCall")
    return cast("Call", well_formed(asked, type(asked)))


def well_formed(record: object, kind: type[Record]) -> Record:
    """The record, with every field of its type; raises TaskError, naming the field, for what could not be read back.

    Records check themselves when they are read, not when they are made.
    """
    if not isinstance(record, kind):
        raise TaskError(f"a {kind.__name__} was expected, not a {type(record).__name__}")
    try:
        checked = msgspec.convert(msgspec.to_builtins(record), kind)
        if isinstance(checked, Reply) and checked.usage is not None:
            checked_usage(checked.usage)
    except (ValueError, TypeError, RecursionError) as error:
        raise TaskError(f"the {kind.__name__} is not well formed: {error}") from None
    return checked


def spent(records: Sequence[CallRecord]) -> Usage | None:
    """The usage of all answered calls together; None where none reported any."""
    total: Usage | None = None
    for record in records:
        if record.reply.usage is not None:
            total = record.reply.usage if total is None else total + record.reply.usage
    return total


def conversation(records: list[CallRecord]) -> list[object] | None:
    """The messages of the last answered model call with its reply: what a judge of the trajectory reads."""
    for record in reversed(records):
        if isinstance(record.call, ModelCall) and isinstance(record.reply, Reply):
            answer: dict[str, object] = {"role": "assistant", "content": record.reply.text}
            if record.reply.tool_calls:
                answer["tool_calls"] = record.reply.tool_calls
            return [*record.call.messages, answer]
    return None
