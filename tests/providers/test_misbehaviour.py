"""A model server that misbehaves loses no item, costs bounded time, and is asked again only where that may help."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

import rejudge
from rejudge.domain.case import ExecutionErrorType, ExecutionStatus
from rejudge.domain.score import ScoreStatus
from rejudge.providers import misbehaviour
from rejudge.providers.fake_server import Asked, FakeModelServer, Script
from rejudge.providers.misbehaviour import Raw
from rejudge.providers.openai_compatible import openai_compatible
from rejudge.providers.provider import Limits
from tests.providers.conftest import IMPATIENT, ITEMS, QUICK, asking, echo, judge

Serve = Callable[[Script], FakeModelServer]

CURABLE = {
    "429": misbehaviour.throttled(),
    "429 with Retry-After": misbehaviour.throttled(retry_after=0.05),
    "500": misbehaviour.status(500),
    "503 with Retry-After": Raw.of({"error": "busy"}, status=503, retry_after="0.05"),
    "hangs": misbehaviour.hanging(),
    "cut": misbehaviour.cut(),
    "broken JSON": misbehaviour.not_json(),
    "empty": misbehaviour.nothing(),
    "an error of a router inside a 200": Raw.of({"error": {"message": "upstream is down", "code": 502}}),
}
"""What another try may cure."""


def _limits(fault: str) -> Limits:
    return IMPATIENT if fault == "hangs" else QUICK


HOPELESS = {
    "400": (misbehaviour.status(400), "400: it went wrong"),
    "401": (misbehaviour.status(401, "bad key"), "check the key"),
    "403": (misbehaviour.status(403), "may not use"),
    "404": (misbehaviour.status(404), "check the model's name"),
    "422": (misbehaviour.status(422), "422"),
    "no credit": (misbehaviour.status(429, "pay first", code="insufficient_quota"), "no credit left"),
    "wrong shape": (misbehaviour.wrong_shape(), "no chat completion"),
    "no choice": (misbehaviour.wrong_shape({"choices": []}), "without any choice"),
    "a list": (misbehaviour.wrong_shape([1, 2]), "no object"),
    "a web page": (misbehaviour.web_page(), "text/html in place of JSON"),
    "a redirect": (misbehaviour.redirect("http://elsewhere.example/v1"), "elsewhere.example"),
}
"""What no further try cures, and what is said about it."""


@pytest.mark.parametrize("fault", CURABLE)
def test_what_passes_is_tried_again_and_every_item_is_answered(serve: Serve, fault: str) -> None:
    failed: set[str] = set()

    def script(asked: Asked) -> str | Raw:
        if asked.text in failed:
            return "fine"
        failed.add(asked.text)
        return CURABLE[fault]

    server = serve(script)
    begun = time.perf_counter()
    result = rejudge.evaluate(
        ITEMS, asking, provider=openai_compatible(server.url, limits=_limits(fault)), store="memory:"
    )
    assert [row.trace.produced.output for row in result.cases() if row.trace] == ["fine"] * len(ITEMS)
    assert len(server.asked) == 2 * len(ITEMS)
    assert time.perf_counter() - begun < 60


@pytest.mark.parametrize("fault", CURABLE)
def test_what_does_not_pass_ends_as_an_error_of_the_environment(serve: Serve, fault: str) -> None:
    server = serve(lambda asked: CURABLE[fault])
    provider = openai_compatible(server.url, limits=_limits(fault))
    result = rejudge.evaluate(ITEMS[:2], asking, provider=provider, store="memory:", retries=1)
    assert len(server.asked) == 4
    for row in result.cases():
        assert row.case.execution_status is ExecutionStatus.ERROR
        assert row.case.execution_error.type is ExecutionErrorType.ENVIRONMENT_ERROR


@pytest.mark.parametrize("fault", HOPELESS)
def test_what_cannot_succeed_is_asked_once_and_said_in_words(serve: Serve, fault: str) -> None:
    raw, words = HOPELESS[fault]
    server = serve(lambda asked: raw)
    provider = openai_compatible(server.url, limits=QUICK)
    result = rejudge.evaluate(ITEMS, asking, provider=provider, store="memory:")
    assert len(server.asked) == len(ITEMS)
    for row in result.cases():
        assert row.case.execution_status is ExecutionStatus.ERROR
        assert words in row.case.execution_error.message


@pytest.mark.parametrize("fault", [*CURABLE, *HOPELESS])
def test_a_judge_whose_server_fails_is_a_scorer_error_and_keeps_the_trace(serve: Serve, fault: str) -> None:
    raw = CURABLE[fault] if fault in CURABLE else HOPELESS[fault][0]
    server = serve(lambda asked: raw if "0+0" in asked.text else "yes")
    provider = openai_compatible(server.url, limits=_limits(fault))
    result = rejudge.evaluate(ITEMS, echo, [judge], provider=provider, store="memory:", retries=1)
    statuses = [row.scores[0].status for row in result.cases()]
    assert statuses == [ScoreStatus.ERROR, *[ScoreStatus.SCORED] * (len(ITEMS) - 1)]
    assert all(row.trace is not None for row in result.cases())
    assert result.summary("judge").scorer_errors == 1


def test_a_refusal_is_the_models_reply_and_is_not_asked_again(serve: Serve) -> None:
    server = serve(lambda asked: rejudge.Reply(refusal="I would rather not"))
    provider = openai_compatible(server.url, limits=QUICK)
    result = rejudge.evaluate(ITEMS, asking, provider=provider, store="memory:")
    assert [row.trace.produced.output for row in result.cases() if row.trace] == ["refused: I would rather not"] * 4
    assert len(server.asked) == len(ITEMS)


def test_a_slow_server_is_waited_for(serve: Serve) -> None:
    server = serve(lambda asked: Raw.of({"choices": [{"message": {"content": "at last"}}]}, delay=0.2))
    result = rejudge.evaluate(ITEMS[:1], asking, provider=openai_compatible(server.url, limits=QUICK), store="memory:")
    assert result.runs[0].case("q0").case.execution_status is ExecutionStatus.COMPLETED


def test_a_reply_without_end_is_not_taken_in(serve: Serve) -> None:
    server = serve(lambda asked: misbehaviour.huge(40 * 2**20))
    provider = openai_compatible(server.url)
    result = rejudge.evaluate(ITEMS[:1], asking, provider=provider, store="memory:")
    assert "more than 32 MiB" in result.runs[0].case("q0").case.execution_error.message
    assert len(server.asked) == 1


def test_a_server_that_is_not_there_is_an_error_of_the_environment() -> None:
    with FakeModelServer(lambda asked: "gone") as server:
        address = server.url
    result = rejudge.evaluate(
        ITEMS[:1], asking, provider=openai_compatible(address, limits=QUICK), store="memory:", retries=1
    )
    error = result.runs[0].case("q0").case.execution_error
    assert error.type is ExecutionErrorType.ENVIRONMENT_ERROR
    assert "was lost" in error.message


def test_a_redirect_to_another_host_is_not_followed_with_the_key(serve: Serve) -> None:
    elsewhere = serve(lambda asked: "thank you for the key")
    server = serve(lambda asked: misbehaviour.redirect(elsewhere.url + "/chat/completions", code=308))
    provider = openai_compatible(server.url, api_key="sk-a-long-enough-key", limits=QUICK)
    rejudge.evaluate(ITEMS, asking, provider=provider, store="memory:")
    assert elsewhere.asked == []


def test_a_provider_serves_one_evaluation_after_another_each_in_a_loop_of_its_own(serve: Serve) -> None:
    server = serve(lambda asked: "fine")
    provider = openai_compatible(server.url, limits=QUICK)
    for name in ("first", "second"):
        result = rejudge.evaluate(ITEMS, asking, provider=provider, store="memory:", name=name)
        assert result.runs[0].counts.cases.completed == len(ITEMS)
