"""Connections of the HTTP library: one client for each event loop, closed when nothing is in flight on it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from httpx2 import AsyncClient

CONNECT_SECONDS = 15.0
CONNECTIONS = 1000


class _Line:
    """The connections of one loop, with the number of requests in flight on them."""

    def __init__(self, client: AsyncClient) -> None:
        self.client = client
        self.flying = 0
        self.closing = False

    async def end(self) -> None:
        """Close, unless something is in flight; whoever lands last then closes."""
        self.closing = True
        if not self.flying:
            await self.client.aclose()


class Connections:
    """Clients that follow no redirect. `seconds` bounds the wait for any one thing but the connection itself."""

    def __init__(self, *, seconds: float | None) -> None:
        self._seconds = seconds
        self._lines: WeakKeyDictionary[asyncio.AbstractEventLoop, _Line] = WeakKeyDictionary()

    @asynccontextmanager
    async def client(self) -> AsyncIterator[AsyncClient]:
        """The running loop's client, for one request."""
        line = self._line()
        line.flying += 1
        try:
            yield line.client
        finally:
            line.flying -= 1
            if line.closing and not line.flying:
                await line.client.aclose()

    async def release(self) -> None:
        """Let go of the running loop's connections, as soon as nothing is in flight on them."""
        line = self._lines.pop(asyncio.get_running_loop(), None)
        if line is not None:
            await line.end()

    def _line(self) -> _Line:
        loop = asyncio.get_running_loop()
        line = self._lines.get(loop)
        if line is None:
            import httpx2

            client = httpx2.AsyncClient(
                follow_redirects=False,
                timeout=httpx2.Timeout(self._seconds, connect=CONNECT_SECONDS),
                limits=httpx2.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS),
            )
            line = self._lines[loop] = _Line(client)
        return line


async def first_bytes(parts: AsyncIterator[bytes], most: int) -> bytes:
    """The body, or its beginning and a little more where it is longer than `most` bytes."""
    kept, size = [], 0
    async for part in parts:
        kept.append(part)
        size += len(part)
        if size > most:
            break
    return b"".join(kept)
