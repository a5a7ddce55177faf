"""A model server on this machine that replies by a script and misbehaves on command: for tests and examples.

    with FakeModelServer(lambda asked: "4" if "2+2" in asked.text else misbehaviour.status(500)) as server:
        provider = openai_compatible(server.url)

It speaks chat completions and embeddings as OpenAI does, and messages as Anthropic does.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, field

from rejudge.providers.fake_replies import as_embeddings, as_message, chat_completion
from rejudge.providers.misbehaviour import Raw

if TYPE_CHECKING:
    from types import TracebackType

    from rejudge.domain.call import Reply


class Asked(Struct, frozen=True, kw_only=True):
    """One request as the server got it; `number` counts them from 0."""

    number: int
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The contents of all messages, one below the other."""
        said = [message.get("content") for message in self.body.get("messages", [])]
        return "\n".join(content if isinstance(content, str) else json.dumps(content) for content in said)


Script: TypeAlias = "Callable[[Asked], str | Reply | Raw]"
"""What the server says to a request: text or a Reply, put into the form that was asked for, or raw HTTP."""


class FakeModelServer:
    """Serves on a free port of 127.0.0.1, in a thread of its own, for as long as the `with` block runs.

    `asked` holds every request in order, `at_once` says how many are under way together, `most_at_once` how many were.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fake-model-server", daemon=True)
        self._connections: set[asyncio.Task[object]] = set()
        self._server: asyncio.Server | None = None
        self.at_once = 0
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self.port = 0

    @property
    def url(self) -> str:
        """The address for an OpenAI-compatible client."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def root(self) -> str:
        """The address without a path, for Anthropic's client."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> FakeModelServer:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._open(), self._loop).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _open(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        if self._connections:
            await asyncio.wait(self._connections)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._serve(reader, writer):
                    pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection may be used for another."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        asked = Asked(
            number=len(self.asked), path=first.split(" ")[1], headers=headers, body=json.loads(body) if body else {}
        )
        self.asked.append(asked)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            raw = self._raw(asked)
            await asyncio.sleep(raw.delay)
            return await _send(raw, writer)
        finally:
            self.at_once -= 1

    def _raw(self, asked: Asked) -> Raw:
        said = self._script(asked)
        if isinstance(said, Raw):
            return said
        if asked.path.endswith("/embeddings"):
            return Raw.of(as_embeddings(asked.body))
        return Raw.of((as_message if asked.path.endswith("/messages") else chat_completion)(said, asked.body))


async def _send(raw: Raw, writer: asyncio.StreamWriter) -> bool:
    headers = {"content-type": raw.kind, "content-length": str(len(raw.body)), **raw.headers}
    lines = [f"HTTP/1.1 {raw.status} said", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
    writer.write(raw.body if raw.cut_after is None else raw.body[: raw.cut_after])
    await writer.drain()
    return raw.cut_after is None
