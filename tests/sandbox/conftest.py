"""What the tests of the sandboxes share: the sandboxes themselves, and what programs in them must not harm."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from rejudge.domain.code import CodeCall, CodeResult
from rejudge.domain.errors import ConfigurationError
from rejudge.sandbox.bubblewrap import Bubblewrap
from rejudge.sandbox.monty import Monty
from rejudge.sandbox.sandbox import Sandbox, ToolFailed

T = TypeVar("T")

KINDS: dict[str, Callable[[], Sandbox]] = {"monty": Monty, "bubblewrap": Bubblewrap}

HONEST = """
def score(output, reference_data):
    return 1.0 if output == reference_data["answer"] else 0.0
"""


async def no_tools(name: str, arguments: dict[str, object]) -> object:
    """Nobody answers."""
    raise ToolFailed(f"there is no {name}")


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """The name of a sandbox that works here; skips where it does not."""
    name: str = request.param

    async def tried() -> None:
        sandbox = KINDS[name]()
        try:
            await sandbox.check("")
        finally:
            await sandbox.close()

    try:
        asyncio.run(tried())
    except ConfigurationError as error:
        pytest.skip(str(error))
    return name


@pytest.fixture
def in_sandbox(kind: str) -> Callable[[Callable[[Sandbox], Awaitable[T]]], T]:
    """Run an async function with a sandbox that is closed behind it."""

    def run(use: Callable[[Sandbox], Awaitable[T]]) -> T:
        async def used() -> T:
            sandbox = KINDS[kind]()
            try:
                return await use(sandbox)
            finally:
                await sandbox.close()

        return asyncio.run(used())

    return run


def honest_call() -> CodeCall:
    """A call whose answer is 1.0."""
    arguments: dict[str, object] = {"output": "Rome", "reference_data": {"answer": "Rome"}}
    return CodeCall(sandbox="", code=HONEST, function="score", arguments=arguments, seconds=60.0)


def call_of(code: str, output: object = "Rome", *, seconds: float = 60.0, tools: tuple[str, ...] = ()) -> CodeCall:
    """A call of `score(output)`."""
    return CodeCall(sandbox="", code=code, function="score", arguments={"output": output}, seconds=seconds, tools=tools)


async def result_of(sandbox: Sandbox, call: CodeCall) -> CodeResult:
    """What came of a call without tools."""
    return await sandbox.run(call, no_tools)


class Victim:
    """A folder with a file, a secret, a listening port and a process: what a program could harm."""

    def __init__(self, folder: Path, listener: socket.socket) -> None:
        self.folder = folder
        self.file = folder / "rejudge.db"
        self.file.write_bytes(b"what was stored")
        self._listener = listener

    def described(self) -> dict[str, object]:
        """All that a program is told of it."""
        port: int = self._listener.getsockname()[1]
        return {"file": str(self.file), "folder": str(self.folder), "pid": os.getpid(), "port": port}

    def assert_unharmed(self) -> None:
        """Nothing was written, sent or killed."""
        assert [path.name for path in self.folder.iterdir()] == ["rejudge.db"]
        assert self.file.read_bytes() == b"what was stored"
        self._listener.setblocking(False)
        with pytest.raises(BlockingIOError):
            self._listener.accept()


@pytest.fixture
def victim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Victim]:
    monkeypatch.setenv("REJUDGE_TEST_SECRET", "a secret")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Victim(tmp_path, listener)


_BEFORE: set[int] = set()
"""What came from this process before the test began: servers that other tests have left running on purpose."""


@pytest.fixture(autouse=True)
def processes_of_others() -> Iterator[None]:
    """Leave alone what was there before."""
    _BEFORE.update(descendants())
    yield
    _BEFORE.clear()


def descendants() -> set[int]:
    """The processes that come from this one since the test began, by pid."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()} - _BEFORE


def namespaces(pids: set[int]) -> set[str]:
    """The worlds of process ids that these live in, beside our own."""
    found = set()
    for pid in pids:
        try:
            found.add(str(Path(f"/proc/{pid}/ns/pid").readlink()))
        except OSError:
            continue
    return found - {str(Path("/proc/self/ns/pid").readlink())}


def assert_gone(pids: set[int], worlds: set[str]) -> None:
    """None of these processes is left, and nobody in their worlds; a moment is given to end."""
    deadline = time.monotonic() + 20
    while True:
        left = descendants() & pids
        inside = [
            entry.name
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and worlds and namespaces({int(entry.name)}) & worlds
        ]
        if not left and not inside:
            return
        assert time.monotonic() < deadline, f"{left} and {inside} are still there"
        time.sleep(0.05)
