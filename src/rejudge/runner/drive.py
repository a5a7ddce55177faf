"""The only loop that knows how a generator's calls are answered."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol, TypeVar, cast

import msgspec

from rejudge.domain.call import ANSWERS, CallRecord, Elapsed, ModelCall, Reply, ToolResult
from rejudge.domain.code import CodeResult
from rejudge.domain.errors import ConfigurationError, TaskError
from rejudge.domain.usage import Usage, checked_usage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Generator, Sequence

    from rejudge.domain.call import Answered, Call
    from rejudge.domain.demands import Demands
    from rejudge.runner.clock import Clock


_CUT_OFF: Final = "_rejudge_cut_off"
_FREE: Final = (CodeResult, ToolResult)

Record = TypeVar("Record", bound=msgspec.Struct)


class Answer(Protocol):
    """Answers one call, with whatever limits and retries stand before the provider."""

    async def __call__(self, call: Call, failures: list[str]) -> Answered:
        """The reply, of the kind that the call gets; every try that failed is added to `failures` in words."""


class CheckedAnswer(Answer, Protocol):
    """One that can say beforehand what nobody could answer."""

    def check(self, who: str, demands: Demands) -> None:
        """Raise ConfigurationError for what `who` demands and nobody could answer; nobody is asked for it."""


async def drive(
    steps: Generator[object, object, object], *, answer: Answer, clock: Clock, records: list[CallRecord]
) -> object:
    """Run a generator to its end, answering each call it yields; every answered call is added to `records`.

    The calls of a list are answered at the same time, and the generator is sent the list of replies. An error of a call
    is raised inside the generator, which may catch it and go on; of a list, the first one, once all have ended.
    """
    reply: Answered | list[Answered] | float | None = None
    failure: Exception | None = None
    begun = clock.elapsed()
    try:
        while True:
            try:
                asked = steps.send(reply) if failure is None else steps.throw(failure)
            except StopIteration as end:
                return end.value
            reply, failure = None, None
            try:
                if isinstance(asked, list):
                    reply = await _all_answered(asked, answer=answer, clock=clock, records=records)
                elif isinstance(asked, Elapsed):
                    reply = clock.elapsed() - begun
                else:
                    reply = await _answered(_call(asked), answer=answer, clock=clock, records=records)
            except ConfigurationError:
                raise
            except Exception as error:  # noqa: BLE001 - the generator decides what its call's error means
                failure = error
    finally:
        steps.close()


def note_cut_off(error: BaseException, so_far: CodeResult) -> None:
    """Note on what ends a call of code what its tools did until then, so that it is recorded and charged for."""
    with suppress(AttributeError, TypeError):
        setattr(error, _CUT_OFF, so_far)


async def _answered(call: Call, *, answer: Answer, clock: Clock, records: list[CallRecord]) -> Answered:
    begun = clock.elapsed()
    failures: list[str] = []
    try:
        reply = cast("Answered", well_formed(await answer(call, failures), ANSWERS[type(call)]))
    except BaseException as error:
        so_far = getattr(error, _CUT_OFF, None)
        if isinstance(so_far, CodeResult) and so_far.tools:
            seconds = clock.elapsed() - begun
            records.append(CallRecord(call=call, reply=so_far, seconds=seconds, failures=tuple(failures)))
        raise
    seconds = clock.elapsed() - begun
    records.append(CallRecord(call=call, reply=reply, seconds=seconds, failures=tuple(failures)))
    return reply


async def _all_answered(
    asked: list[object], *, answer: Answer, clock: Clock, records: list[CallRecord]
) -> list[Answered]:
    """The replies to all calls; what was answered is recorded, in the order of the calls, whatever became of others."""
    calls = [_call(one) for one in asked]
    kept: list[list[CallRecord]] = [[] for _ in calls]
    waiting = [
        _contained(_answered(call, answer=answer, clock=clock, records=own))
        for call, own in zip(calls, kept, strict=True)
    ]
    try:
        ended = await asyncio.gather(*waiting, return_exceptions=True)
    finally:
        records.extend(record for own in kept for record in own)
    failed = [one for one in ended if isinstance(one, BaseException)]
    for error in failed:
        if not isinstance(error, Exception) or isinstance(error, ConfigurationError):
            raise error
    if failed:
        raise failed[0]
    return [one for one in ended if not isinstance(one, BaseException)]


async def _contained(answered: Awaitable[Answered]) -> Answered | BaseException:
    """The reply, or what would end the whole loop if it left the loop's task."""
    try:
        return await answered
    except (SystemExit, KeyboardInterrupt) as error:
        return error


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
    """The usage of all answered calls together; None where none reported any.

    What one of them did not report is unknown of all. Code and tools that asked nobody spent nothing, and report
    nothing.
    """
    told = [one.reply.usage for one in records if one.reply.usage is not None or not isinstance(one.reply, _FREE)]
    if all(usage is None for usage in told):
        return None
    first, *others = [usage or Usage() for usage in told]
    return sum(others, start=first)


def conversation(records: list[CallRecord]) -> list[object] | None:
    """The messages of the last answered model call with its reply: what a judge of the trajectory reads."""
    for record in reversed(records):
        if isinstance(record.call, ModelCall) and isinstance(record.reply, Reply):
            answer: dict[str, object] = {"role": "assistant", "content": record.reply.text}
            if record.reply.tool_calls:
                answer["tool_calls"] = record.reply.tool_calls
            return [*record.call.messages, answer]
    return None
