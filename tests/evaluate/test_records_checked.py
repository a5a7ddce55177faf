"""Records that users' providers, tasks and judges make are checked when they come: a bad one fails its item alone."""

from __future__ import annotations

from collections.abc import Generator

import pytest

import rejudge
from rejudge.domain.usage import Usage
from rejudge.wiring import Address
from tests.evaluate.conftest import QUESTIONS, Counting, length

ROWS = QUESTIONS[:3]


def ask(question: str) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
    answer = yield rejudge.ModelCall(model="m", messages=[])
    return answer.text


@pytest.mark.parametrize(
    "reply",
    [
        rejudge.Reply(text="x", usage=Usage(input_tokens=-1, output_tokens=1)),
        rejudge.Reply(text="x", usage=Usage(cost=float("nan"))),
        rejudge.Reply(text=7),  # type: ignore[arg-type]
    ],
    ids=["negative", "nan", "text-is-a-number"],
)
def test_a_reply_that_could_not_be_read_back_fails_its_item_and_the_store_stays_readable(
    store: Address, reply: rejudge.Reply
) -> None:
    provider = rejudge.ScriptedProvider(lambda call: reply)
    result = rejudge.evaluate(ROWS, ask, [length], store=store, provider=provider, concurrency=1)
    assert result.runs[0].counts.cases.errors == 3
    again = rejudge.evaluate(ROWS, ask, [length], store=store, provider=provider, concurrency=1)
    assert again.runs[0].counts.cases.errors == 3


def test_a_call_that_could_not_be_read_back_fails_its_item_before_it_is_asked(store: Address) -> None:
    asked: list[rejudge.ModelCall] = []

    def odd(question: str) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
        answer = yield rejudge.ModelCall(model=5, messages=[])  # type: ignore[arg-type]
        return answer.text

    def reply(call: rejudge.ModelCall) -> str:
        asked.append(call)
        return "x"

    provider = rejudge.ScriptedProvider(reply)
    result = rejudge.evaluate(ROWS, odd, [length], store=store, provider=provider, concurrency=1)
    assert result.runs[0].counts.cases.errors == 3
    assert asked == []


@pytest.mark.parametrize(
    "verdict",
    [
        rejudge.Verdict(values={"ok": True}, reason=5),  # type: ignore[arg-type]
        rejudge.Verdict(values={"ok": True}, evidence=[1]),  # type: ignore[arg-type]
        rejudge.Verdict(values=[True]),  # type: ignore[arg-type]
        rejudge.Verdict(values={"ok": True}, usage=Usage(cost=float("nan"))),
        rejudge.Verdict(values={"ok": True}, usage=Usage(output_tokens=-1)),
    ],
    ids=["reason", "evidence", "values", "nan", "negative"],
)
def test_a_verdict_that_could_not_be_read_back_is_an_error_of_its_score(
    store: Address, adder: Counting, verdict: rejudge.Verdict
) -> None:
    def odd(output: str) -> rejudge.Verdict:
        return verdict

    odd.version = "1"  # type: ignore[attr-defined]
    result = rejudge.evaluate(ROWS, adder, [odd], store=store, concurrency=1)
    assert result.runs[0].counts.cases.completed == 3
    assert result.summary("odd").scorer_errors == 3
