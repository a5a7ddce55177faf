"""Judgements that cost something are made once among all who want them: claimed in groups, or waited for."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from rejudge.runner.claim_size import ClaimSize
from rejudge.runner.judging import Order, Prepared
from rejudge.runner.saying import said
from rejudge.runner.waiting import FIRST_POLL_SECONDS, LONGEST_POLL_SECONDS, PAGE, UNTOLD_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Sequence

    from rejudge.runner.generate import Generated
    from rejudge.runner.work import Work
    from rejudge.runner.writer import Writer

Wanted: TypeAlias = "tuple[Prepared, Order]"


class _Share(Struct, gc=False):
    """What is claimed as one: a judgement, or all that ask the same of a trace."""

    key: bytes
    wanted: list[Wanted]


class Sharing:
    """Hands out judgements whose claims are held; what others have claimed it takes over once they have judged.

    `missing` takes what was wanted and returns what of it is not stored by now, having counted the rest as hits;
    `begin` is given what is to be made now.
    """

    def __init__(
        self,
        work: Work,
        *,
        writer: Writer[Generated],
        missing: Callable[[list[Wanted]], list[Wanted]],
        begin: Callable[[list[Wanted]], None],
    ) -> None:
        self._work = work
        self._writer = writer
        self._missing = missing
        self._begin = begin
        self._size = ClaimSize(work.settings.concurrency)
        self._queue: deque[_Share] = deque()
        self._elsewhere: list[_Share] = []
        self._held: dict[bytes, int] = {}
        self._at_work = 0
        self._low_mark = 0
        self._low = asyncio.Event()
        self._low.set()
        self._poll_seconds = FIRST_POLL_SECONDS
        self._waiting_since: float | None = None
        self._claiming: asyncio.Task[None] | None = None
        self._polling: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        work.stop.on_raise(self._low.set)

    def add(self, wanted: Iterable[Wanted]) -> None:
        """Make these judgements, or take them over from whoever makes them."""
        shares: dict[bytes, _Share] = {}
        for prepared, order in wanted:
            key = prepared.claim(order)
            shares.setdefault(key, _Share(key, [])).wanted.append((prepared, order._replace(claim=key)))
        self._enqueue(shares.values())

    def given_back(self, claims: Iterable[bytes]) -> list[bytes]:
        """Note that judgements under these claims are made; returns the claims under which none is left to make."""
        done = []
        for key in claims:
            self._at_work -= 1
            self._held[key] -= 1
            if not self._held[key]:
                del self._held[key]
                done.append(key)
        if self._at_work <= self._low_mark:
            self._low.set()
        return done

    async def finish(self) -> None:
        """Return when everything added is begun or taken over, or the run is to stop."""
        while running := self._running():
            await asyncio.wait(running)
        if self._failure is not None:
            raise self._failure

    async def abort(self) -> None:
        """Claim nothing more and wait for nobody."""
        running = self._running()
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)

    def close(self) -> None:
        """Give back what is claimed and was not judged."""
        for key in self._held:
            self._writer.release(key)
        self._held.clear()

    def _running(self) -> list[asyncio.Task[None]]:
        return [task for task in (self._claiming, self._polling) if task is not None and not task.done()]

    def _started(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failure = self._failure or error
            self._work.stop.stop(said(error))

    def _enqueue(self, shares: Iterable[_Share]) -> None:
        self._queue.extend(shares)
        if self._queue and (self._claiming is None or self._claiming.done()):
            self._claiming = self._started(self._claim_all())

    async def _claim_all(self) -> None:
        stop, clock = self._work.stop, self._work.ports.clock
        while self._queue and not stop.raised:
            group = self._next_group()
            if group:
                granted = await self._writer.claim([share.key for share in group])
                self._divide(group, granted)
                if not self._low.is_set():
                    begun = clock.elapsed()
                    await self._low.wait()
                    self._size.fit(clock.elapsed() - begun)
            else:
                await asyncio.sleep(0)

    def _next_group(self) -> list[_Share]:
        """The next that are to be claimed; a function that was found to be quick is asked without."""
        group: list[_Share] = []
        unclaimed: list[Wanted] = []
        while self._queue and len(group) < self._size.now:
            share = self._queue.popleft()
            if all(prepared.may_cost for prepared, _ in share.wanted):
                group.append(share)
            else:
                unclaimed += [(prepared, order._replace(claim=b"")) for prepared, order in share.wanted]
        if unclaimed:
            self._begin(unclaimed)
        return group

    def _divide(self, group: Sequence[_Share], granted: frozenset[bytes]) -> None:
        """Begin what was granted and nobody has judged until then, and wait for the rest."""
        mine: list[_Share] = []
        for share in group:
            if share.key in granted and share.key not in self._held:
                self._held[share.key] = 0
                mine.append(share)
            else:
                self._elsewhere.append(share)
        wanted = self._missing([one for share in mine for one in share.wanted])
        for _, order in wanted:
            self._held[order.claim] += 1
        self._at_work += len(wanted)
        self._low_mark = self._work.settings.concurrency + len(wanted) // 2
        for share in mine:
            if not self._held[share.key]:
                del self._held[share.key]
                self._writer.release(share.key)
        if self._at_work > self._low_mark and not self._work.stop.raised:
            self._low.clear()
        if wanted:
            self._begin(wanted)
        if self._elsewhere and (self._polling is None or self._polling.done()):
            self._polling = self._started(self._poll())

    async def _poll(self) -> None:
        """Look again and again for what others have claimed, and claim what nobody holds any more."""
        clock, progress = self._work.ports.clock, self._work.progress
        if self._waiting_since is None:
            self._waiting_since = clock.elapsed()
        await clock.sleep(self._poll_seconds)
        shares, self._elsewhere = self._elsewhere, []
        left: list[_Share] = []
        for start in range(0, len(shares), PAGE):
            left += self._still_missing(shares[start : start + PAGE])
        if len(left) < len(shares):
            self._poll_seconds = FIRST_POLL_SECONDS
        else:
            self._poll_seconds = min(LONGEST_POLL_SECONDS, self._poll_seconds * 1.5)
        if not left:
            self._waiting_since = None
            progress.judgements_waiting = 0
        elif clock.elapsed() - self._waiting_since > UNTOLD_SECONDS:
            progress.judgements_waiting = sum(len(share.wanted) for share in left)
            owners = self._work.store.holders([share.key for share in left[:PAGE]])
            progress.waiting_for = tuple(sorted({owner.pid for owner in owners}))
        if not self._work.stop.raised:
            self._enqueue(left)

    def _still_missing(self, shares: Sequence[_Share]) -> list[_Share]:
        missing = self._missing([one for share in shares for one in share.wanted])
        left: dict[bytes, _Share] = {}
        for prepared, order in missing:
            left.setdefault(order.claim, _Share(order.claim, [])).wanted.append((prepared, order))
        return list(left.values())
