"""A run from its first move to its last: begun or re-attached, executed, and ended whatever happens."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import UUID

import msgspec

from rejudge.domain.errors import RejudgeError
from rejudge.domain.run import Run, RunState
from rejudge.runner.saying import said
from rejudge.runner.work import Ports, StopFlag

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from random import Random

    from rejudge.domain.experiment import Experiment
    from rejudge.runner.judging import Prepared
    from rejudge.runner.progress import Progress
    from rejudge.runner.work import Work
    from rejudge.storage.store import Store

TICK_SECONDS = 0.1


class Control:
    """The handle to stop an evaluation from outside."""

    def __init__(self) -> None:
        self.cancelled = False
        self._flag: StopFlag | None = None

    def cancel(self) -> None:
        """Begin nothing new; what is in flight is finished and kept."""
        self.cancelled = True
        if self._flag is not None:
            self._flag.cancel()

    def mark(self) -> None:
        """Begin nothing new; the part of `cancel` that a signal handler may do. The rest is to follow in the loop."""
        self.cancelled = True
        if self._flag is not None:
            self._flag.mark_cancelled()

    def watch(self, flag: StopFlag) -> None:
        """Pass a cancellation on to the run that is now at work."""
        self._flag = flag
        if self.cancelled:
            flag.cancel()


class Lifecycle:
    """Moves runs through their states on behalf of one owner of claims."""

    def __init__(
        self, store: Store, *, owner: int, ports: Ports, control: Control, listen: Callable[[Progress], None]
    ) -> None:
        self._store = store
        self._owner = owner
        self._ports = ports
        self._control = control
        self._listen = listen

    def begin(
        self,
        experiment: Experiment,
        *,
        run_config: bytes,
        scorers: Sequence[Prepared],
        planned: int,
        earlier: Sequence[Run],
        opponent: Run | None = None,
    ) -> tuple[Run, int]:
        """A run in the state `running`: one that `attach` finds, else a new one."""
        attached = self.attach(earlier, scorers=scorers, opponent=opponent)
        if attached is not None:
            return attached
        names = tuple(prepared.config.digest() for prepared in scorers)
        ended = [run.id for run in earlier if run.state.terminal]
        declared = set(experiment.scorers)
        run = Run(
            id=str(new_id(self._ports.clock.now(), self._ports.random)),
            experiment=experiment.id,
            run_config=run_config,
            scorers=names,
            added_later=tuple(one.config.digest() for one in scorers if one.declared not in declared)
            if earlier
            else (),
            planned=planned,
            resumed_from_run_id=ended[-1] if ended else None,
            opponent_run_id=None if opponent is None else opponent.id,
            created_at=self._ports.clock.now(),
        )
        ref = self._store.save_run(run, owner=self._owner)
        return self._advance(run), ref

    def attach(
        self, earlier: Sequence[Run], *, scorers: Sequence[Prepared], opponent: Run | None = None
    ) -> tuple[Run, int] | None:
        """The last run again, in the state `running`, if its process died in it and it names these scorers.

        With other scorers, or another opponent, it is left to whoever asks for those. Earlier runs whose process died
        are ended as failed.
        """
        names = tuple(prepared.config.digest() for prepared in scorers)
        against = None if opponent is None else opponent.id
        for run in earlier:
            last = run is earlier[-1]
            if run.state.terminal or (last and (run.scorers != names or run.opponent_run_id != against)):
                continue
            ref = self._store.adopt_run(run.id, owner=self._owner)
            if ref is None:
                continue
            adopted = self._advance(run)
            if last:
                return adopted, ref
            self._move(adopted, RunState.FAILED, "its process died")
        return None

    def end_unbegun(self, run: Run, *, after: Run) -> Run:
        """End a run of which nothing was executed, because an earlier one of the evaluation stopped."""
        state = RunState.CANCELLED if after.state is RunState.CANCELLED else RunState.FAILED
        return self._move(run, state, f"not begun: the evaluation {after.reason or 'stopped'} before")

    async def finish(self, run: Run, work: Work, execute: Callable[[], Awaitable[None]]) -> Run:
        """Execute a running run and move it to its end, whatever that is."""
        self._control.watch(work.stop)
        ticker = asyncio.create_task(self._tick(work.progress))
        try:
            await execute()
        except BaseException as error:
            with suppress(RejudgeError):
                cancelled = isinstance(error, asyncio.CancelledError)
                self._move(run, RunState.CANCELLED if cancelled else RunState.FAILED, said(error))
            raise
        finally:
            ticker.cancel()
        if work.stop.cancelled:
            run = self._move(run, RunState.CANCELLED, "cancelled")
        elif work.stop.raised:
            run = self._move(run, RunState.FAILED, work.stop.reason)
        else:
            run = self._move(run, RunState.COMPLETED)
        self._report(work.progress)
        return run

    def _advance(self, run: Run) -> Run:
        if run.state is RunState.CREATED:
            run = self._move(run, RunState.QUEUED)
        if run.state is RunState.QUEUED:
            run = self._move(run, RunState.RUNNING)
        return run

    def _move(self, run: Run, new: RunState, reason: str | None = None) -> Run:
        self._store.move_run(run.id, old=run.state, new=new, at=self._ports.clock.now(), reason=reason)
        return msgspec.structs.replace(run, state=new, reason=reason)

    async def _tick(self, progress: Progress) -> None:
        while True:
            self._report(progress)
            await self._ports.clock.sleep(TICK_SECONDS)

    def _report(self, progress: Progress) -> None:
        progress.seconds = self._ports.clock.now() - progress.started_at
        self._listen(progress)


def new_id(now: float, random: Random) -> UUID:
    """A run id: a UUID version 7 (RFC 9562), so that ids sort by time."""
    milliseconds = int(now * 1000)
    value = (milliseconds & (2**48 - 1)) << 80 | 0x7 << 76 | random.getrandbits(12) << 64
    return UUID(int=value | 0b10 << 62 | random.getrandbits(62))
