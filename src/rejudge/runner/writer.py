"""The one writer of an evaluation: gathers what the loop hands over and commits it in groups.

All methods are called in the loop's thread; only `Store.commit` runs in the writer's own. One group is on
its way to the disk while the next one gathers, so a group grows with the load and nobody pays for a
transaction alone.
"""

from __future__ import annotations

import asyncio
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from rejudge.storage.records import Batch, Committed, TraceRef

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rejudge.storage.records import NewCase, NewScore, NewTrace, ScoreHit
    from rejudge.storage.store import Store

Token = TypeVar("Token")
Stored: TypeAlias = "tuple[Token, TraceRef, bool]"
"""What came back from the disk: the caller's token, the ref of the trace, and whether another was first."""

GROUP = 512
"""Rows after which a group does not wait for more."""

BACKLOG = 8 * GROUP
"""Rows that may gather before producers pause."""

GATHER_SECONDS = 0.004
"""How long the first row of a group waits for others."""


class _Group(Generic[Token]):
    """A batch with those who want to know what became of it."""

    def __init__(self) -> None:
        self.batch = Batch()
        self.rows = 0
        self.tokens: list[Token] = []
        self.claims: list[asyncio.Future[frozenset[bytes]]] = []
        self.durable: list[asyncio.Future[None]] = []
        self.after: list[Callable[[], None]] = []


class Writer(Generic[Token]):
    """Commits what it is given, in order; the first failure of the store fails everything after it."""

    def __init__(
        self,
        store: Store,
        *,
        owner: int,
        on_traces: Callable[[list[Stored[Token]]], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        self._store = store
        self._owner = owner
        self._on_traces = on_traces
        self._on_failure = on_failure
        self._loop = asyncio.get_running_loop()
        self._group: _Group[Token] = _Group()
        self._in_flight = False
        self._timer: asyncio.TimerHandle | None = None
        self._queue: SimpleQueue[_Group[Token] | None] = SimpleQueue()
        self._sent: list[asyncio.Future[None]] = []
        self._thread = Thread(target=self._work, name="rejudge-writer", daemon=True)
        self._thread.start()
        self.failure: Exception | None = None

    @property
    def next_trace(self) -> int:
        """The index that the next trace will have in its batch, for the case that belongs to it."""
        return len(self._group.batch.traces)

    def put_trace(self, trace: NewTrace, case: NewCase, *, token: Token) -> None:
        """Write a trace with its case; `token` comes back through `on_traces` when both are durable."""
        group = self._group
        group.batch.traces.append(trace)
        group.batch.cases.append(case)
        group.tokens.append(token)
        self._grow(2)

    def put_case(self, case: NewCase) -> None:
        """Write a case without a new trace."""
        self._group.batch.cases.append(case)
        self._grow(1)

    def put_scores(self, scores: Sequence[NewScore], *, then: Callable[[], None] | None = None) -> None:
        """Write scores; `then` is called when they are durable."""
        self._group.batch.scores.extend(scores)
        if then is not None:
            self._group.after.append(then)
        self._grow(len(scores))

    def put_hits(self, hits: Sequence[ScoreHit]) -> None:
        """Write hit records of reused scores."""
        self._group.batch.hits.extend(hits)
        self._grow(len(hits))

    def release(self, key: bytes) -> None:
        """Give a claim back without a trace."""
        self._group.batch.releases.append(key)
        self._grow(1)

    def drop(self, trace: int) -> None:
        """Unfile a trace that cannot be read any more."""
        self._group.batch.dropped.append(trace)
        self._grow(1)

    def claim(self, keys: Sequence[bytes]) -> asyncio.Future[frozenset[bytes]]:
        """Ask for claims; the future holds those that were granted."""
        future: asyncio.Future[frozenset[bytes]] = self._loop.create_future()
        self._group.batch.claims.extend(keys)
        self._group.claims.append(future)
        self._grow(GROUP)
        return future

    async def room(self) -> None:
        """Let the loop breathe, and wait while more than a few groups have gathered behind the one on its way."""
        await asyncio.sleep(0)
        while self._in_flight and self._group.rows > BACKLOG:
            future: asyncio.Future[None] = self._loop.create_future()
            self._sent.append(future)
            await future

    async def flush(self) -> None:
        """Return when everything handed over so far is durable; raises the store's error if it is not."""
        if self.failure is not None:
            raise self.failure
        if not self._in_flight and not self._group.rows:
            return
        future: asyncio.Future[None] = self._loop.create_future()
        self._group.durable.append(future)
        self._grow(GROUP)
        await future

    async def close(self) -> None:
        """Commit the rest and end the thread."""
        try:
            if self.failure is None:
                await self.flush()
        finally:
            self._queue.put(None)

    def _grow(self, rows: int) -> None:
        group = self._group
        if self.failure is not None:
            self._fail(group, self.failure)
            self._group = _Group[Token]()
            return
        group.rows += rows
        if self._in_flight:
            return
        if group.rows >= GROUP:
            self._send()
        elif self._timer is None:
            self._timer = self._loop.call_later(GATHER_SECONDS, self._send)

    def _send(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._in_flight or not self._group.rows:
            return
        self._in_flight = True
        self._queue.put(self._group)
        sent, self._sent = self._sent, []
        _wake(sent)
        self._group = _Group[Token]()

    def _work(self) -> None:
        while (group := self._queue.get()) is not None:
            try:
                committed = self._store.commit(group.batch, owner=self._owner)
            except Exception as error:  # noqa: BLE001 - handed to the loop, which ends the run with it
                self._call(self._fail_all, group, error)
            else:
                self._call(self._deliver, group, committed)

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)

    def _deliver(self, group: _Group[Token], committed: Committed) -> None:
        self._in_flight = False
        if self._group.rows:
            self._send()
        granted = committed.granted
        for claim in group.claims:
            if not claim.done():
                claim.set_result(granted)
        if group.tokens:
            lost = committed.lost
            self._on_traces(
                [
                    (token, ref, index in lost)
                    for index, (token, ref) in enumerate(zip(group.tokens, committed.traces, strict=True))
                ]
            )
        for after in group.after:
            after()
        _wake(group.durable)

    def _fail_all(self, group: _Group[Token], error: Exception) -> None:
        self._in_flight = False
        self.failure = error
        self._on_failure(error)
        _wake(self._sent)
        self._fail(group, error)
        self._fail(self._group, error)
        self._group = _Group[Token]()

    def _fail(self, group: _Group[Token], error: Exception) -> None:
        for claim in group.claims:
            if not claim.done():
                claim.set_exception(error)
        for future in group.durable:
            if not future.done():
                future.set_exception(error)


def _wake(futures: list[asyncio.Future[None]]) -> None:
    for future in futures:
        if not future.done():
            future.set_result(None)
