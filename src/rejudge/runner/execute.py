"""One run from its first page to its last score: find what is stored, claim and generate the rest, judge all."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rejudge.domain.case import ExecutionStatus
from rejudge.runner.claim_size import ClaimSize
from rejudge.runner.generate import Generated, Generation
from rejudge.runner.judge import Judge
from rejudge.runner.paging import Paging
from rejudge.runner.units import Page, SkippedUnit, page_of
from rejudge.runner.waiting import Waiting
from rejudge.runner.work import Judged, Unit, Work
from rejudge.runner.writer import Stored, Writer
from rejudge.storage.records import NewCase, StoredItem, TraceRef

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rejudge.domain.trace import Produced, Trace
    from rejudge.runner.assignment import Assignment
    from rejudge.runner.judging import Judges
    from rejudge.tasks.task import Task

Find: TypeAlias = "Callable[[Sequence[bytes]], dict[bytes, TraceRef]]"

LOOKS = 3
"""So many units are executed one at a time, at most, to see what a task returns; then the others need not wait."""


class Execution:
    """The stages of one run, wired to each other.

    `find` looks stored traces up; a claim is refused for a trace that it missed, which is then found.
    """

    def __init__(
        self,
        work: Work,
        task: Task,
        judges: Judges,
        *,
        run_config: bytes,
        assignment: Assignment,
        executed: set[tuple[int, int]],
        find: Find | None = None,
    ) -> None:
        self._look = work.look
        self._find = find or work.store.find_traces
        self._work = work
        self._task = task
        self._run_config = run_config
        self._assignment = assignment
        self._executed = executed
        self._writer: Writer[Generated] = Writer(
            work.store, owner=work.owner, on_traces=self._stored, on_failure=lambda error: work.stop.stop(str(error))
        )
        self._judge = Judge(work, judges, writer=self._writer)
        self._generation = Generation(work, task, writer=self._writer)
        self._waiting = Waiting(work)
        self._claim_size = ClaimSize(work.settings.concurrency)

    async def run(self, items: Callable[[int, int], list[StoredItem]], *, count: int) -> None:
        """Execute and judge `count` items, read page by page; raises the store's error if it cannot be written."""
        try:
            await self._feed(items, count)
            await self._generation.finish()
            await self._writer.flush()
            self._look.check()
            await self._judge.finish()
        except BaseException:
            await self._generation.abort()
            await self._judge.abort()
            raise
        finally:
            await self._writer.close()

    async def _feed(self, items: Callable[[int, int], list[StoredItem]], count: int) -> None:
        paging = Paging(trials=self._assignment.most_trials)
        start = 0
        while start < count and not self._work.stop.raised:
            read = items(start, paging.count)
            start += paging.count
            page = page_of(
                read,
                self._task,
                run_config=self._run_config,
                reference=self._work.shape.reference,
                trials=self._assignment.trials,
            )
            await self._look_first(page)
            paging.saw(read, await self._take(page))
            self._look.check()
        await self._waiting.end(self._settle)

    async def _look_first(self, page: Page) -> None:
        """Take the first units out of the page one by one, until one has shown what the task returns."""
        tries = 0
        while self._look.pending and page.units and tries < LOOKS and not self._work.stop.raised:
            tries += 1
            await self._take(Page(units=[page.units.pop(0)], first=page.first))
            await self._generation.rest()
            await self._writer.flush()
            self._look.check()

    async def _take(self, page: Page) -> Sequence[Produced]:
        """Put the units of a page to work; returns what the stored traces hold that serve some of them."""
        for skipped in page.skipped:
            self._skip(skipped)
        found = self._find([unit.key for unit in page.units])
        wanted = [unit for unit in page.units if unit.key not in found and not self._failed_before(unit)]
        reused = [(unit, found[unit.key]) for unit in page.units if unit.key in found]
        lost, stored = self._reuse(reused)
        wanted += lost
        start = 0
        while start < len(wanted) and not self._work.stop.raised:
            claimed = wanted[start : start + self._claim_size.now]
            start += len(claimed)
            await self._claim(claimed)
        await self._room()
        return stored

    async def _claim(self, units: Sequence[Unit]) -> None:
        await self._room()
        granted = await self._writer.claim([unit.key for unit in units])
        self._waiting.add(unit for unit in units if unit.key not in granted)
        mine = [unit for unit in units if unit.key in granted]
        if mine:
            self._generation.feed(mine)

    async def _room(self) -> None:
        """Wait until the stages have room, and fit the next claim to how quickly the last one was worked off."""
        clock = self._work.ports.clock
        begun = clock.elapsed()
        await self._generation.low.wait()
        self._claim_size.fit(clock.elapsed() - begun)
        await self._judge.room()
        await self._writer.room()

    def _reuse(self, found: Sequence[tuple[Unit, TraceRef]]) -> tuple[list[Unit], Sequence[Produced]]:
        """Take stored traces over; returns the units whose trace is gone or unreadable, and what the traces hold."""
        if not found:
            return [], ()
        work = self._work
        traces = work.store.load_traces([ref.ref for _, ref in found])
        known = work.store.find_scores(list(traces), self._judge.scorer_refs)
        judged: list[Judged] = []
        lost: list[Unit] = []
        for unit, ref in found:
            trace = traces.get(ref.ref)
            if trace is None or trace.key != unit.key:
                self._writer.drop(ref.ref)
                lost.append(unit)
                continue
            self._completed(unit, ref)
            self._look.see(trace.produced)
            judged.append(_judged(unit, ref, trace))
        if self._look.satisfied:
            self._judge.take(judged, known=known)
        return lost, [one.produced for one in judged]

    async def _settle(self, units: Sequence[Unit]) -> None:
        """Take over the traces that are there by now, and ask again for the claims of the others."""
        found = self._work.store.find_traces([unit.key for unit in units])
        again, _ = self._reuse([(unit, found[unit.key]) for unit in units if unit.key in found])
        again += [unit for unit in units if unit.key not in found]
        if again:
            await self._claim(again)

    def _stored(self, stored: list[Stored[Generated]]) -> None:
        judged: list[Judged] = []
        progress = self._work.progress
        for generated, ref, lost in stored:
            progress.completed += 1
            self._look.see(generated.produced)
            if lost:
                trace = self._work.store.load_traces([ref.ref]).get(ref.ref)
                if trace is not None:
                    judged.append(_judged(generated.unit, ref, trace))
                continue
            judged.append(Judged(generated.unit, ref, generated.produced, generated.usage, generated.seconds))
        if self._look.satisfied:
            self._judge.take(judged)
        else:
            self._work.stop.stop(str(self._look.error))

    def _completed(self, unit: Unit, ref: TraceRef) -> None:
        """Note that a unit has a trace already."""
        self._work.progress.completed += 1
        self._work.progress.reused += 1
        if (unit.position, unit.trial) in self._executed:
            return
        self._writer.put_case(
            NewCase(
                self._work.run,
                unit.position,
                unit.trial,
                unit.item.ref,
                ExecutionStatus.COMPLETED,
                trace=ref.ref,
                completed_at=self._work.ports.clock.now(),
            )
        )

    def _failed_before(self, unit: Unit) -> bool:
        """Whether this very run, before its process died, ended the unit with an error; a new run tries it again."""
        failed = (unit.position, unit.trial) in self._executed
        self._work.progress.task_errors += failed
        return failed

    def _skip(self, skipped: SkippedUnit) -> None:
        self._work.progress.skipped += 1
        if (skipped.position, skipped.trial) in self._executed:
            return
        self._writer.put_case(
            NewCase(
                self._work.run,
                skipped.position,
                skipped.trial,
                skipped.item.ref,
                ExecutionStatus.SKIPPED,
                message=skipped.reason,
                completed_at=self._work.ports.clock.now(),
            )
        )


def _judged(unit: Unit, ref: TraceRef, trace: Trace) -> Judged:
    return Judged(unit, ref, trace.produced, trace.usage, trace.seconds)
