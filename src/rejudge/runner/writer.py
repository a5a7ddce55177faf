"""The one writer of an evaluation: gathers what the loop hands over and commits it in groups.

The loop adds to the group that gathers; the writer's thread takes that group whenever it is free, so groups grow
with the load, nobody pays for a transaction alone, and neither side waits for the other. All methods are called in
the loop's thread, and so is everybody who is told what became of a group.
"""

from __future__ import annotations

import asyncio
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from rejudge.storage.records import Batch, Committed, TraceRef

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rejudge.storage.records import Inheritance, NewCase, NewScore, NewTrace, ScoreHit
    from rejudge.storage.store import Store

Token = TypeVar("Token")
Stored: TypeAlias = "tuple[Token, TraceRef, bool]"
"""What came back from the disk: the caller's token, the ref of the trace, and whether another was first."""

GROUP = 2048
"""Rows after which a group does not wait for more."""

ROW_BYTES = 4096
"""A large trace counts as so many rows as it has this many bytes."""

BACKLOG = 4 * GROUP
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
        self._lock = Lock()
        self._group: _Group[Token] = _Group()
        self._go = Event()
        self._closed = False
        self._undelivered = 0
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: list[asyncio.Future[None]] = []
        self._thread = Thread(target=self._work, name="rejudge-writer", daemon=True)
        self._thread.start()
        self.failure: Exception | None = None

    def put_traces(self, made: Sequence[tuple[NewTrace, NewCase, Token]]) -> None:
        """Write traces with their cases, whose `fresh` is set here; a token comes back when both are durable."""
        with self._lock:
            batch, tokens = self._group.batch, self._group.tokens
            for trace, case, token in made:
                case.fresh = len(batch.traces)
                batch.traces.append(trace)
                batch.cases.append(case)
                tokens.append(token)
            size = sum(len(trace.body) + len(trace.calls or b"") + len(trace.spans or b"") for trace, _, _ in made)
            self._grow(2 * len(made) + size // ROW_BYTES)

    def put_case(self, case: NewCase) -> None:
        """Write a case without a new trace."""
        with self._lock:
            self._group.batch.cases.append(case)
            self._grow(1)

    def put_cases(self, cases: Sequence[NewCase]) -> None:
        """Write cases without new traces."""
        with self._lock:
            self._group.batch.cases.extend(cases)
            self._grow(len(cases))

    def put_scores(self, scores: Sequence[NewScore], *, releases: Sequence[bytes] = ()) -> None:
        """Write scores, and give claims back in the moment in which they are durable."""
        with self._lock:
            self._group.batch.scores.extend(scores)
            self._group.batch.releases.extend(releases)
            self._grow(len(scores))

    def put_hits(self, hits: Sequence[ScoreHit]) -> None:
        """Write hit records of reused scores."""
        with self._lock:
            self._group.batch.hits.extend(hits)
            self._grow(len(hits))

    def inherit(self, inherited: Inheritance) -> None:
        """Take over what scorers said in an earlier run."""
        with self._lock:
            self._group.batch.inherited.append(inherited)
            self._grow(GROUP)

    def release(self, key: bytes) -> None:
        """Give a claim back without a trace."""
        with self._lock:
            self._group.batch.releases.append(key)
            self._grow(1)

    def drop(self, trace: int) -> None:
        """Unfile a trace that cannot be read any more."""
        with self._lock:
            self._group.batch.dropped.append(trace)
            self._grow(1)

    def claim(self, keys: Sequence[bytes]) -> asyncio.Future[frozenset[bytes]]:
        """Ask for claims; the future holds those that were granted."""
        future: asyncio.Future[frozenset[bytes]] = self._loop.create_future()
        with self._lock:
            self._group.batch.claims.extend(keys)
            self._group.claims.append(future)
            self._grow(GROUP)
        return future

    async def room(self) -> None:
        """Let the loop breathe, and wait while more than a few groups have gathered behind the one on its way."""
        await asyncio.sleep(0)
        while self._group.rows > BACKLOG and self.failure is None:
            self._waiting.append(self._loop.create_future())
            await self._waiting[-1]

    async def flush(self) -> None:
        """Return when everything handed over so far is durable and told; raises the store's error if it is not."""
        future: asyncio.Future[None] = self._loop.create_future()
        with self._lock:
            if self.failure is not None:
                raise self.failure
            if not self._undelivered and not self._group.rows:
                return
            self._group.durable.append(future)
            self._grow(GROUP)
        await future

    async def close(self) -> None:
        """Commit the rest and end the thread."""
        try:
            if self.failure is None:
                await self.flush()
        finally:
            self._closed = True
            self._go.set()

    def _grow(self, rows: int) -> None:
        """Count rows in, and wake the thread for a full group at once, for others in a moment."""
        group = self._group
        if self.failure is not None:
            self._group = _Group()
            self._fail(group, self.failure)
            return
        group.rows += rows
        if group.rows >= GROUP:
            if not self._go.is_set():
                self._go.set()
        elif self._timer is None:
            self._timer = self._loop.call_later(GATHER_SECONDS, self._ripe)

    def _ripe(self) -> None:
        self._timer = None
        if self._group.rows:
            self._go.set()

    def _work(self) -> None:
        while True:
            self._go.wait()
            with self._lock:
                if not self._closed:
                    self._go.clear()
                group, self._group = self._group, _Group()
                if group.rows:
                    self._undelivered += 1
            if not group.rows:
                if self._closed:
                    return
                continue
            try:
                committed = self._store.commit(group.batch, owner=self._owner)
            except Exception as error:  # noqa: BLE001 - handed to the loop, which ends the run with it
                self._tell(self._fail_all, group, error)
            else:
                self._tell(self._deliver, group, committed)

    def _tell(self, function: Callable[..., None], *arguments: object) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *arguments)

    def _deliver(self, group: _Group[Token], committed: Committed) -> None:
        try:
            self._told(group, committed)
        except Exception as error:  # noqa: BLE001 - whoever waits must not wait for ever
            self._fail_all(group, error)
            return
        with self._lock:
            self._undelivered -= 1
        _wake(group.durable)
        waiting, self._waiting = self._waiting, []
        _wake(waiting)

    def _told(self, group: _Group[Token], committed: Committed) -> None:
        for claim in group.claims:
            if not claim.done():
                claim.set_result(committed.granted)
        if group.tokens:
            lost = committed.lost
            stored = zip(group.tokens, committed.traces, strict=True)
            self._on_traces([(token, ref, index in lost) for index, (token, ref) in enumerate(stored)])

    def _fail_all(self, group: _Group[Token], error: Exception) -> None:
        self.failure = error
        self._on_failure(error)
        _wake(self._waiting)
        self._fail(group, error)
        with self._lock:
            self._undelivered -= 1
            rest, self._group = self._group, _Group()
        self._fail(rest, error)

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
