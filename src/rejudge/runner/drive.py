"""The only loop that knows how a generator's calls are answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from rejudge.domain.call import CallRecord, ModelCall, Reply, Usage, checked_usage
from rejudge.domain.errors import ConfigurationError, TaskError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from rejudge.runner.clock import Clock


Record = TypeVar("Record", bound=msgspec.Struct)


class Answer(Protocol):
    """Answers one call, with whatever limits and retries stand before the provider."""

    async def __call__(self, call: ModelCall, failures: list[str]) -> Reply:
        """The reply; every try that failed is added to `failures` in words."""


async def drive(
    steps: Generator[object, object, object], *, answer: Answer, clock: Clock, records: list[CallRecord]
) -> object:
    """Run a generator to its end, answering each call it yields; every answered call is added to `records`.

    An error of a call is raised inside the generator, which may catch it and go on.
    """
    reply: Reply | None = None
    failure: Exception | None = None
    try:
        while True:
            try:
                asked = steps.send(reply) if failure is None else steps.throw(failure)
            except StopIteration as end:
                return end.value
            if not isinstance(asked, ModelCall):
                raise TaskError(f"the generator yielded a {type(asked).__name__}", fix="yield a ModelCall")
            try:
                asked = well_formed(asked, ModelCall)
            except TaskError as error:
                reply, failure = None, error
                continue
            reply, failure = None, None
            begun = clock.elapsed()
            failures: list[str] = []
            try:
                reply = well_formed(await answer(asked, failures), Reply)
            except ConfigurationError:
                raise
            except Exception as error:  # noqa: BLE001 - the generator decides what its call's error means
                failure = error
            else:
                seconds = clock.elapsed() - begun
                records.append(CallRecord(call=asked, reply=reply, seconds=seconds, failures=tuple(failures)))
    finally:
        steps.close()


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
    """The messages of the last answered call with its reply: what a judge of the trajectory reads."""
    if not records:
        return None
    last = records[-1]
    answer: dict[str, object] = {"role": "assistant", "content": last.reply.text}
    if last.reply.tool_calls:
        answer["tool_calls"] = last.reply.tool_calls
    return [*last.call.messages, answer]
