"""Code that means harm ends as a fault within its limit, harms nothing, and the next call is as good as ever."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import pytest

from rejudge.domain.code import CodeResult, Fault
from rejudge.domain.errors import ConfigurationError
from rejudge.sandbox.sandbox import Sandbox, ToolFailed
from tests.sandbox.conftest import (
    Victim,
    assert_gone,
    call_of,
    descendants,
    honest_call,
    namespaces,
    result_of,
)
from tests.sandbox.hostile import HOSTILE

LIMIT_SECONDS = 1.0
MARGIN_SECONDS = 20.0
"""For a machine that is busy with other things."""

RunInSandbox = Callable[[Callable[[Sandbox], Awaitable[None]]], None]


@pytest.mark.parametrize("program", HOSTILE)
def test_a_hostile_program_ends_as_a_fault_and_leaves_no_effect(
    program: str, kind: str, in_sandbox: RunInSandbox, victim: Victim
) -> None:
    seen: set[int] = set()
    worlds: set[str] = set()
    results: list[CodeResult] = []

    async def attacked(sandbox: Sandbox) -> None:
        code = HOSTILE[program]
        if (refusal := await refusal_of(sandbox, code)) is not None:
            assert kind == "monty", "the real Python has a form for all of them"
            assert "has no form for this" in refusal.what
            assert refusal.where is not None
            return
        assert await result_of(sandbox, honest_call()) == CodeResult(value=1.0)
        before = descendants()
        seen.update(before)
        worlds.update(namespaces(before))
        begun = time.monotonic()
        results.append(await result_of(sandbox, call_of(code, victim.described(), seconds=LIMIT_SECONDS)))
        assert time.monotonic() - begun < LIMIT_SECONDS + MARGIN_SECONDS
        seen.update(descendants())
        assert await result_of(sandbox, honest_call()) == CodeResult(value=1.0)
        assert len(descendants()) <= len(before), "a process was left"
        worlds.update(namespaces(descendants()))
        seen.update(descendants())

    in_sandbox(attacked)

    for result in results:
        assert isinstance(result.fault, Fault)
        assert result.story
        assert result.value is None
        assert len(result.printed) <= 4096
    victim.assert_unharmed()
    assert_gone(seen, worlds)


@pytest.mark.parametrize("kind", ["bubblewrap"], indirect=True)
def test_a_request_for_a_tool_that_was_not_given_ends_the_call_and_reaches_nobody(in_sandbox: RunInSandbox) -> None:
    asked = []

    async def ask(name: str, arguments: dict[str, object]) -> object:
        asked.append(name)
        raise ToolFailed("there is none")

    async def attacked(sandbox: Sandbox) -> None:
        result = await sandbox.run(call_of(HOSTILE["asking for tools without end"]), ask)
        assert result.fault is Fault.CRASHED
        assert "a tool that it was not given" in result.story

    in_sandbox(attacked)
    assert asked == []


async def refusal_of(sandbox: Sandbox, code: str) -> ConfigurationError | None:
    """Why the sandbox does not take the code at all; None where it does."""
    try:
        await sandbox.check(code)
    except ConfigurationError as refusal:
        return refusal
    return None


def test_there_are_at_least_thirty_of_them() -> None:
    assert len(HOSTILE) >= 30
