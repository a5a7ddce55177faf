"""Whole traces are judged: tools, steps, and what they took."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path

import pytest

import rejudge
from rejudge.domain.score import ScoreStatus
from rejudge.wiring import Address

ITEMS = [{"id": "a", "product": "kettle"}, {"id": "b", "product": "lamp"}]


def agent(product: str) -> dict[str, object]:
    """An agent that forgets to look the lamp up."""
    looked_up = [] if product == "lamp" else [_asks("find_order", {"product": product})]
    messages: list[object] = [
        {"role": "user", "content": f"Cancel my {product}."},
        *looked_up,
        _asks("cancel", {"order": 7}),
        {"role": "assistant", "content": "Done."},
    ]
    return {"output": "Done.", "messages": messages}


def _asks(tool: str, arguments: dict[str, object]) -> dict[str, object]:
    return {
        "role": "assistant",
        "tool_calls": [{"type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}],
    }


def test_an_agent_that_forgets_a_step_is_told_which(store: Address) -> None:
    in_order = rejudge.tool_call_check(expected_tools=["find_order", "cancel"], match_mode="ordered")
    steps = rejudge.step_count_check(count_type="tool_calls", max_count=2)
    result = rejudge.evaluate(ITEMS, agent, [in_order, steps], store=store)
    assert result.summary("tool_call_check").mean == 0.5
    assert result.summary("step_count_check").mean == 1
    (reason,) = [score.reason for score in result.runs[0].case("b").scores if score.reason]
    assert reason == "expected find_order, then cancel; got cancel(order=7): no find_order"


def test_a_task_without_messages_is_skipped_and_counted(store: Address) -> None:
    checks = [
        rejudge.tool_call_check(expected_tools=["cancel"]),
        rejudge.step_count_check(count_type="turns", max_count=1),
    ]
    result = rejudge.evaluate(ITEMS, lambda product: f"no {product}", checks, store=store)
    for name in ("tool_call_check", "step_count_check"):
        summary = result.summary(name)
        assert (summary.n, summary.skipped, summary.planned) == (0, 2, 2)
    assert result.runs[0].case("a").scores[0].cause == "missing_trace"


def asking(product: str) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
    reply = yield rejudge.ModelCall(model="m", messages=[{"role": "user", "content": product}])
    return reply.text


def test_tokens_and_seconds_are_scores_and_an_unknown_price_is_no_price(store: Address) -> None:
    usage = rejudge.Usage(input_tokens=10, output_tokens=5)
    provider = rejudge.ScriptedProvider(lambda call: rejudge.Reply(text="ok", usage=usage))
    spent = [rejudge.scorers.token_count(at_most=12), rejudge.scorers.latency(), rejudge.scorers.cost()]
    result = rejudge.evaluate(ITEMS, asking, spent, store=store, provider=provider)
    tokens = result.summary("token_count")
    assert (tokens.mean, tokens.n) == (15, 2)
    assert result.summary("latency").n == 2
    assert (result.summary("cost").n, result.summary("cost").skipped) == (0, 2)
    scores = {score.scorer: score for score in result.runs[0].case("a").scores}
    assert len(scores) == 3
    outcomes = [value.outcome for score in scores.values() for value in score.values if value.name == "token_count"]
    assert outcomes == [rejudge.Outcome.FAILED]


def test_nobody_knows_how_long_a_recorded_output_took(store: Address, tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_text("".join(json.dumps({"id": item["id"], "output": "ok"}) + "\n" for item in ITEMS))
    result = rejudge.evaluate(ITEMS, rejudge.replay(path), rejudge.scorers.latency(at_most=1), store=store)
    (score,) = result.runs[0].case("a").scores
    assert (score.status, score.cause) == (ScoreStatus.SKIPPED, "missing_usage")


@pytest.mark.parametrize("corrected", [["late"], '["late"]'])
def test_a_corrected_reference_set_is_judged_again_without_a_task_call(store: Address, corrected: object) -> None:
    calls: list[str] = []

    def labels(text: str) -> list[str]:
        calls.append(text)
        return ["late"]

    labels.version = "1"  # type: ignore[attr-defined]
    check = rejudge.set_check(mode="equal", reference_key="gold")
    means = []
    for gold in (["late", "broken"], corrected):
        rows = [{"id": "1", "text": "It came late.", "gold": gold}]
        means.append(rejudge.evaluate(rows, labels, check, reference=["gold"], store=store).summary("set_check").mean)
    assert means == [0, 1]
    assert calls == ["It came late."]
