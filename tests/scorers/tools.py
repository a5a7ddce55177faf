"""tool_call_check as tests use it: traces of calls, and whether a check passes on them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View
from rejudge.scorers import Scorer, as_verdict, create


def trace_of(*calls: tuple[str, Mapping[str, object]] | str) -> list[object]:
    """A trace of one message of the assistant for each call, with results of tools between them."""
    messages: list[object] = [{"role": "user", "content": "Hi"}]
    for call in calls:
        name, arguments = (call, {}) if isinstance(call, str) else call
        function = {"name": name, "arguments": json.dumps(arguments)}
        messages.append(
            {"role": "assistant", "content": None, "tool_calls": [{"type": "function", "function": function}]}
        )
        messages.append({"role": "tool", "content": name})
    return messages


def judged(scorer: Scorer, trace: list[object] | None) -> Verdict:
    return as_verdict(scorer.judge(View(output="a", trace=trace)), scorer.config)


def passes(scorer: Scorer, trace: list[object]) -> bool:
    verdict = judged(scorer, trace)
    assert verdict.skip is None, verdict
    assert bool(verdict.reason) is (verdict.values == {"tool_call_check": 0.0})
    return verdict.values == {"tool_call_check": 1.0}


def check(tools: object, mode: str = "all", **others: object) -> Scorer:
    return create("tool_call_check", {"expected_tools": tools, "match_mode": mode, **others})


def argument(value: object, match_mode: str = "exact") -> Scorer:
    expected = {"x": {"value": value, "match_mode": match_mode}}
    return check([{"tool_name": "a", "expected_args": expected}])
