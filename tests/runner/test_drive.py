"""A generator may ask several things at once: all are answered together, and every answer is kept and paid for."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from rejudge.domain.call import Answered, Call, CallRecord, ModelCall, Reply
from rejudge.domain.code import CodeCall, CodeResult, ToolUse
from rejudge.domain.errors import ConfigurationError, ProviderError, TaskError
from rejudge.domain.usage import Usage
from rejudge.runner.clock import SystemClock
from rejudge.runner.drive import drive, spent

Steps = Generator[object, object, object]


def call(model: str) -> ModelCall:
    return ModelCall(model=model, messages=[])


class Together:
    """Answers once as many calls wait as are expected; some models fail."""

    def __init__(self, expected: int, **failures: Exception) -> None:
        self._all = asyncio.Barrier(expected)
        self._failures = failures

    async def __call__(self, call: Call, failures: list[str]) -> Answered:
        assert isinstance(call, ModelCall)
        await self._all.wait()
        if call.model in self._failures:
            raise self._failures[call.model]
        return Reply(text=call.model, usage=Usage(input_tokens=1, cost=0.5))


def driven(steps: Steps, records: list[CallRecord], *, expected: int, **failures: Exception) -> object:
    async def run() -> object:
        answer = Together(expected, **failures)
        return await asyncio.wait_for(drive(steps, answer=answer, clock=SystemClock(), records=records), 10)

    return asyncio.run(run())


def asking(*models: str) -> Steps:
    replies = yield [call(model) for model in models]
    assert isinstance(replies, list)
    return [reply.text for reply in replies]


def models_of(records: list[CallRecord]) -> list[str]:
    return [record.call.model for record in records if isinstance(record.call, ModelCall)]


def test_the_calls_of_a_list_are_answered_at_the_same_time_in_their_order() -> None:
    records: list[CallRecord] = []
    assert driven(asking("a", "b", "c"), records, expected=3) == ["a", "b", "c"]
    assert models_of(records) == ["a", "b", "c"]
    assert spent(records) == Usage(input_tokens=3, cost=1.5)


def test_what_was_answered_is_recorded_although_a_sibling_failed() -> None:
    records: list[CallRecord] = []
    with pytest.raises(ProviderError, match="b is gone"):
        driven(asking("a", "b", "c"), records, expected=3, b=ProviderError("b is gone"))
    assert models_of(records) == ["a", "c"]


def test_a_generator_may_catch_what_one_of_them_raised_and_go_on() -> None:
    def careful() -> Steps:
        try:
            yield [call("a"), call("b")]
        except ProviderError as error:
            return f"caught {error}"
        return "nothing to catch"

    assert driven(careful(), [], expected=2, a=ProviderError("first"), b=ProviderError("second")) == "caught first"


def test_a_mistake_in_the_configuration_ends_it() -> None:
    def careless() -> Steps:
        try:
            yield [call("a"), call("b")]
        except ConfigurationError:
            return "swallowed"
        return None

    with pytest.raises(ConfigurationError, match="no key"):
        driven(careless(), [], expected=2, b=ConfigurationError("no key"))


def test_what_is_no_call_in_a_list_is_told_before_anything_is_asked() -> None:
    def odd() -> Steps:
        return (yield [call("a"), "b"])

    records: list[CallRecord] = []
    with pytest.raises(TaskError, match="yielded a str"):
        driven(odd(), records, expected=1)
    assert not records


def test_nothing_asked_is_nothing_answered() -> None:
    def idle() -> Steps:
        return (yield [])

    assert driven(idle(), [], expected=1) == []


def test_what_was_answered_is_recorded_although_time_ran_out_for_a_sibling() -> None:
    async def answer(call: Call, failures: list[str]) -> Answered:
        assert isinstance(call, ModelCall)
        if call.model == "b":
            await asyncio.Event().wait()
        return Reply(text=call.model)

    records: list[CallRecord] = []

    async def run() -> None:
        steps = drive(asking("a", "b"), answer=answer, clock=SystemClock(), records=records)
        await asyncio.wait_for(steps, 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(run())
    assert models_of(records) == ["a"]


def record(usage: Usage | None) -> CallRecord:
    return CallRecord(call=call("m"), reply=Reply(text="pass", usage=usage), seconds=0.1)


PRICED = Usage(input_tokens=900, output_tokens=20, cost=0.01)


@pytest.mark.parametrize(
    ("usages", "together"),
    [
        ([PRICED, PRICED], Usage(input_tokens=1800, output_tokens=40, cost=0.02)),
        ([PRICED, Usage(input_tokens=900, output_tokens=20)], Usage(input_tokens=1800, output_tokens=40)),
        ([PRICED, None, Usage(input_tokens=900)], Usage()),
        ([None, PRICED], Usage()),
        ([None, None], None),
        ([], None),
    ],
)
def test_what_one_call_did_not_report_is_unknown_of_all(usages: list[Usage | None], together: Usage | None) -> None:
    assert spent([record(usage) for usage in usages]) == together


def test_code_that_asked_nobody_leaves_the_sum_of_the_others_known() -> None:
    ran = CallRecord(call=CodeCall(sandbox="s", code="", function="f"), reply=CodeResult(), seconds=0.1)
    assert spent([record(PRICED), ran]) == PRICED


def test_a_tool_that_asked_a_model_for_an_unknown_price_makes_the_sum_unknown() -> None:
    priced, unpriced = ToolUse(name="llm", usage=PRICED), ToolUse(name="llm", usage=Usage())
    assert CodeResult(tools=(priced, ToolUse(name="now"), unpriced)).usage == Usage()
