"""The only loop that knows how a generator's calls are answered."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

from rejudge.domain.call import CallRecord, ModelCall, Reply, Usage
from rejudge.domain.errors import ConfigurationError, TaskError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from rejudge.runner.clock import Clock


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
            reply, failure = None, None
            begun = clock.elapsed()
            failures: list[str] = []
            try:
                reply = await answer(asked, failures)
            except ConfigurationError:
                raise
            except Exception as error:  # noqa: BLE001 - the generator decides what its call's error means
                failure = error
            else:
                seconds = clock.elapsed() - begun
                records.append(CallRecord(call=asked, reply=reply, seconds=seconds, failures=tuple(failures)))
    finally:
        steps.close()


def spent(records: Sequence[CallRecord]) -> Usage | None:
    """The usage of all answered calls together; None where none reported any."""
    total: Usage | None = None
    for record in records:
        if record.reply.usage is not None:
            total = record.reply.usage if total is None else total + record.reply.usage
    return total


def known_usage(usage: Usage | None) -> Usage | None:
    """The usage, unless a provider reported what is no number."""
    if usage is None or (usage.cost is not None and not math.isfinite(usage.cost)):
        return None
    return usage


def conversation(records: list[CallRecord]) -> list[object] | None:
    """The messages of the last answered call with its reply: what a judge of the trajectory reads."""
    if not records:
        return None
    last = records[-1]
    answer: dict[str, object] = {"role": "assistant", "content": last.reply.text}
    if last.reply.tool_calls:
        answer["tool_calls"] = last.reply.tool_calls
    return [*last.call.messages, answer]
