"""One call knows nothing of another, in whichever sandbox."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from rejudge.domain.code import CodeCall, CodeResult, Fault
from rejudge.domain.errors import ConfigurationError
from rejudge.sandbox.sandbox import Sandbox, ToolFailed
from tests.sandbox.conftest import assert_gone, call_of, descendants, honest_call, namespaces, result_of

RunInSandbox = Callable[[Callable[[Sandbox], Awaitable[None]]], None]

LEAVES_TRACES = """
import json, math, os, sys
def score(output):
    with open("left", "w") as file:
        file.write("a secret")
    json.dumps = None
    math.pi = 3.0
    os.environ["LEFT"] = "a secret"
    sys.modules["left"] = json
    return 1.0
"""

LOOKS_FOR_TRACES = """
import json, math, os, sys
def score(output):
    return [os.listdir("."), json.dumps is None, math.pi == 3.0, "LEFT" in os.environ, "left" in sys.modules]
"""

GLOBALS = """
kept = []
def score(output):
    kept.append(output)
    return len(kept)
"""


def test_globals_live_for_one_call(in_sandbox: RunInSandbox) -> None:
    async def called_often(sandbox: Sandbox) -> None:
        results = [await result_of(sandbox, call_of(GLOBALS)) for _ in range(5)]
        assert results == [CodeResult(value=1)] * 5

    in_sandbox(called_often)


@pytest.mark.parametrize("kind", ["bubblewrap"], indirect=True)
def test_files_and_patched_modules_are_gone_with_their_call(in_sandbox: RunInSandbox) -> None:
    async def left_and_looked_for(sandbox: Sandbox) -> None:
        for _ in range(20):
            assert (await result_of(sandbox, call_of(LEAVES_TRACES))).value == 1.0
        results = await asyncio.gather(*[result_of(sandbox, call_of(LOOKS_FOR_TRACES)) for _ in range(20)])
        assert [result.value for result in results] == [[[], False, False, False, False]] * 20

    in_sandbox(left_and_looked_for)


def test_calls_at_once_get_each_its_own_answer(in_sandbox: RunInSandbox) -> None:
    async def asked_at_once(sandbox: Sandbox) -> None:
        echo = "def score(output):\n    return output\n"
        results = await asyncio.gather(*[result_of(sandbox, call_of(echo, number)) for number in range(100)])
        assert [result.value for result in results] == list(range(100))

    in_sandbox(asked_at_once)


def test_values_come_through_as_they_are(in_sandbox: RunInSandbox) -> None:
    async def echoed(sandbox: Sandbox) -> None:
        value: list[object] = [None, True, 1, 1.5, -0.25, "ä\n\u2028\"'\\", {"a": [{}, []]}, "x" * 100_000]
        echo = "def score(output):\n    return output\n"
        assert (await result_of(sandbox, call_of(echo, value))).value == value

    in_sandbox(echoed)


def test_an_async_function_is_awaited(in_sandbox: RunInSandbox) -> None:
    async def awaited(sandbox: Sandbox) -> None:
        code = "import asyncio\nasync def score(output):\n    await asyncio.sleep(0.01)\n    return 1.0\n"
        assert await result_of(sandbox, call_of(code)) == CodeResult(value=1.0)

    in_sandbox(awaited)


def test_an_error_names_its_line(in_sandbox: RunInSandbox) -> None:
    async def raised(sandbox: Sandbox) -> None:
        result = await result_of(sandbox, call_of("def score(output):\n    part = output\n    return part / 2\n"))
        assert result.fault is Fault.RAISED
        assert result.story.startswith("TypeError: ")
        assert result.story.endswith("(line 3)")

    in_sandbox(raised)


def test_the_beginning_of_what_is_printed_is_kept(in_sandbox: RunInSandbox) -> None:
    async def printed(sandbox: Sandbox) -> None:
        code = "def score(output):\n    for number in range(2000):\n        print(number)\n    return 1.0\n"
        result = await result_of(sandbox, call_of(code))
        assert result.value == 1.0
        assert result.printed.startswith("0\n1\n2\n")
        assert len(result.printed) == 4096

    in_sandbox(printed)


def test_a_tool_is_called_on_our_side_and_its_time_does_not_count(in_sandbox: RunInSandbox) -> None:
    asked = []

    async def ask(name: str, arguments: dict[str, object]) -> object:
        asked.append((name, arguments))
        await asyncio.sleep(1.5)
        return {"price": 2.5}

    async def called(sandbox: Sandbox) -> None:
        code = 'def score(output):\n    return lookup(key=output)["price"]\n'
        call = call_of(code, "tea", seconds=1.0, tools=("lookup",))
        assert await sandbox.run(call, ask) == CodeResult(value=2.5)

    in_sandbox(called)
    assert asked == [("lookup", {"key": "tea"})]


def test_a_tool_that_fails_raises_where_it_was_called(in_sandbox: RunInSandbox) -> None:
    async def ask(name: str, arguments: dict[str, object]) -> object:
        raise ToolFailed("the shop is closed")

    async def called(sandbox: Sandbox) -> None:
        caught = "def score(output):\n    try:\n        return lookup(key=1)\n    except RuntimeError as error:\n"
        call = call_of(caught + "        return str(error)\n", tools=("lookup",))
        assert (await sandbox.run(call, ask)).value == "the shop is closed"
        result = await sandbox.run(call_of("def score(output):\n    return lookup(key=1)\n", tools=("lookup",)), ask)
        assert result.fault is Fault.RAISED
        assert "the shop is closed" in result.story

    in_sandbox(called)


def test_a_tool_takes_its_arguments_by_name(in_sandbox: RunInSandbox) -> None:
    async def called(sandbox: Sandbox) -> None:
        result = await result_of(sandbox, call_of("def score(output):\n    return lookup(1)\n", tools=("lookup",)))
        assert result.fault is Fault.RAISED
        assert "lookup() takes its arguments by name" in result.story

    in_sandbox(called)


def test_a_cancelled_call_takes_its_process_along(in_sandbox: RunInSandbox) -> None:
    async def cancelled(sandbox: Sandbox) -> None:
        endless = call_of("def score(output):\n    while True:\n        pass\n", seconds=600.0)
        running = asyncio.create_task(result_of(sandbox, endless))
        await asyncio.sleep(1)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await result_of(sandbox, honest_call()) == CodeResult(value=1.0)

    in_sandbox(cancelled)


def test_nothing_runs_on_after_closing_and_a_closed_sandbox_can_be_used_again(in_sandbox: RunInSandbox) -> None:
    async def closed(sandbox: Sandbox) -> None:
        for _ in range(2):
            assert await result_of(sandbox, honest_call()) == CodeResult(value=1.0)
            running = descendants()
            worlds = namespaces(running)
            await sandbox.close()
            assert_gone(running, worlds)

    in_sandbox(closed)


@pytest.mark.parametrize("kind", ["bubblewrap"], indirect=True)
def test_a_sandbox_that_was_killed_while_it_was_idle_is_replaced(in_sandbox: RunInSandbox) -> None:
    async def killed(sandbox: Sandbox) -> None:
        assert await result_of(sandbox, honest_call()) == CodeResult(value=1.0)
        for pid in descendants():
            os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(0.2)
        assert await result_of(sandbox, honest_call()) == CodeResult(value=1.0)

    in_sandbox(killed)


def test_a_missing_program_is_said_with_how_to_install_it(
    tmp_path: Path, in_sandbox: RunInSandbox, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "monty":
        monkeypatch.setitem(sys.modules, "pydantic_monty", None)
        wanted = r"pip install 'rejudge\[sandbox\]'"
    else:
        monkeypatch.setenv("PATH", str(tmp_path))
        wanted = "apt-get install bubblewrap"

    async def checked(sandbox: Sandbox) -> None:
        with pytest.raises(ConfigurationError, match=f"(?s){kind} is not installed here.*{wanted}"):
            await sandbox.check("def score(output):\n    return 1.0\n")

    in_sandbox(checked)


@pytest.mark.parametrize("kind", ["monty"], indirect=True)
def test_a_monty_without_its_worker_says_so(
    tmp_path: Path, in_sandbox: RunInSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MONTY_BIN", str(tmp_path / "monty"))

    async def checked(sandbox: Sandbox) -> None:
        with pytest.raises(ConfigurationError, match=r"(?s)monty cannot start.*No such file.*pip install"):
            await sandbox.check("")

    in_sandbox(checked)


@pytest.mark.parametrize("kind", ["bubblewrap"], indirect=True)
def test_a_bubblewrap_that_cannot_work_here_says_what_it_needs(
    tmp_path: Path, in_sandbox: RunInSandbox, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    async def checked(sandbox: Sandbox) -> None:
        with pytest.raises(ConfigurationError, match=r"(?s)No permissions to create new namespace.*user namespaces"):
            await sandbox.check("")

    in_sandbox(checked)


@pytest.mark.parametrize("kind", ["bubblewrap"], indirect=True)
def test_little_memory_is_enough_for_little_code(in_sandbox: RunInSandbox) -> None:
    async def called(sandbox: Sandbox) -> None:
        call = CodeCall(sandbox="", code="def score():\n    return 1\n", function="score", seconds=60.0, megabytes=64)
        assert (await result_of(sandbox, call)).value == 1

    in_sandbox(called)
