"""A generator yields model calls; one loop answers them, and the trace keeps all of it."""

from __future__ import annotations

from collections.abc import Generator

import pytest

import rejudge
from rejudge.wiring import Address
from tests.evaluate.conftest import QUESTIONS

Steps = Generator[rejudge.ModelCall, rejudge.Reply, str]


def asking(question: str) -> Steps:
    """Asks a model twice."""
    first = yield rejudge.ModelCall(model="small", messages=[{"role": "user", "content": question}])
    second = yield rejudge.ModelCall(model="large", messages=[{"role": "user", "content": first.text + "?"}])
    return second.text


def test_calls_replies_and_usage_are_in_the_trace(store: Address) -> None:
    usage = rejudge.Usage(input_tokens=3, output_tokens=1, cost=0.5)
    provider = rejudge.ScriptedProvider(
        lambda call: rejudge.Reply(text=f"{call.model} says", model=f"{call.model}-v1", usage=usage)
    )
    result = rejudge.evaluate(QUESTIONS[:1], asking, store=store, provider=provider)
    trace = result.runs[0].case("q1").trace
    assert trace is not None
    assert trace.produced.output == "large says"
    calls = [record.call for record in trace.calls]
    replies = [record.reply for record in trace.calls]
    assert [call.model for call in calls if isinstance(call, rejudge.ModelCall)] == ["small", "large"]
    assert [reply.model for reply in replies if isinstance(reply, rejudge.Reply)] == ["small-v1", "large-v1"]
    assert trace.usage == rejudge.Usage(input_tokens=6, output_tokens=2, cost=1.0)
    assert trace.produced.messages == [
        {"role": "user", "content": "small says?"},
        {"role": "assistant", "content": "large says"},
    ]
    assert result.runs[0].usage.cost == 1.0


def test_a_transient_fault_of_the_model_is_tried_again(store: Address) -> None:
    faults = [rejudge.Transient("busy"), rejudge.Transient("busy")]
    for fault in faults:
        fault.retry_after = 0  # type: ignore[attr-defined]

    def script(call: rejudge.ModelCall) -> rejudge.Reply | str | Exception:
        return faults.pop() if faults else "answer"

    provider = rejudge.ScriptedProvider(script)
    result = rejudge.evaluate(QUESTIONS[:1], asking, store=store, provider=provider)
    assert result.runs[0].counts.cases.completed == 1
    assert len(provider.calls) == 4


def test_a_generator_may_catch_the_error_of_its_call(store: Address) -> None:
    def careful(question: str) -> Steps:
        try:
            reply = yield rejudge.ModelCall(model="m", messages=[])
        except ValueError as error:
            return f"caught {error}"
        return reply.text

    provider = rejudge.ScriptedProvider(lambda call: ValueError("refused"))
    result = rejudge.evaluate(QUESTIONS[:1], careful, store=store, provider=provider)
    trace = result.runs[0].case("q1").trace
    assert trace is not None
    assert trace.produced.output == "caught refused"


def test_a_generator_that_yields_something_else_is_told_so(store: Address) -> None:
    def odd(question: str) -> Generator[str, None, str]:
        yield "not a call"
        return "x"

    provider = rejudge.ScriptedProvider(lambda call: "")
    result = rejudge.evaluate(QUESTIONS[:1], odd, store=store, provider=provider)
    assert "yielded a str" in result.runs[0].case("q1").case.execution_error.message


def test_a_generator_without_a_provider_is_refused_before_the_first_call(store: Address) -> None:
    with pytest.raises(rejudge.ConfigurationError, match="provider="):
        rejudge.evaluate(QUESTIONS, asking, store=store)


def test_a_judge_is_a_generator_too_and_its_usage_is_its_own(store: Address) -> None:
    def task(question: str) -> str:
        return question

    def judge(output: str) -> Generator[rejudge.ModelCall, rejudge.Reply, bool]:
        reply = yield rejudge.ModelCall(model="judge", messages=[{"role": "user", "content": output}])
        return reply.text == "pass"

    provider = rejudge.ScriptedProvider(
        lambda call: rejudge.Reply(text="pass", usage=rejudge.Usage(input_tokens=5, cost=0.25))
    )
    result = rejudge.evaluate(QUESTIONS[:2], task, [judge], store=store, provider=provider)
    row = next(iter(result.cases()))
    assert result.summary("judge").mean == 1.0
    assert row.scores[0].usage == rejudge.Usage(input_tokens=5, cost=0.25)
    assert row.trace is not None
    assert row.trace.usage is None
    run = result.runs[0]
    assert run.usage.cost is None
    assert (run.counts.scores[0].made, run.counts.scores[0].cost, run.counts.scores[0].input_tokens) == (2, 0.5, 10)
    assert "judge cost $0.50, tokens 10 in" in str(result)


def test_what_cost_nothing_is_not_what_is_unknown(store: Address) -> None:
    provider = rejudge.ScriptedProvider(
        lambda call: rejudge.Reply(text="x", usage=rejudge.Usage(input_tokens=0, output_tokens=0, cost=0.0))
    )
    result = rejudge.evaluate(QUESTIONS[:1], asking, store=store, provider=provider)
    assert result.runs[0].usage.cost == 0.0
    assert result.runs[0].usage.known_costs == 1
