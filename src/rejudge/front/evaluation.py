"""One evaluation as an object: awaited for its result, iterated for its events, cancelled from outside."""

from __future__ import annotations

import asyncio
import signal
from contextlib import contextmanager, suppress
from logging import getLogger
from random import Random
from threading import Event, Thread, current_thread, main_thread
from typing import TYPE_CHECKING, Protocol

import msgspec

from rejudge.domain.errors import Interrupted
from rejudge.front.own_loop import OwnLoop
from rejudge.front.result import Result
from rejudge.front.run_scoring import score_runs
from rejudge.runner.answering import Answering
from rejudge.runner.clock import SystemClock
from rejudge.runner.evaluate import Engine, Evaluated
from rejudge.runner.lease import lease
from rejudge.runner.lifecycle import Control
from rejudge.runner.limits import Limiters, limiters_of_this_process
from rejudge.runner.processes import refuse_while_loading
from rejudge.runner.sandboxes import Sandboxes
from rejudge.runner.work import Ports
from rejudge.wiring import (
    Address,
    PricesLike,
    ProviderLike,
    endpoints,
    open_store,
    prices_for,
    provider_for,
    release,
    sandbox_named,
    this_owner,
    trusted_code,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence

    from rejudge.front.run_scoring import RunScorer
    from rejudge.runner.clock import Clock
    from rejudge.runner.progress import Progress

LOOK_UP_SECONDS = 0.2
"""How often the thread that waits for an evaluation looks whether somebody pressed Ctrl-C."""


class Wanted(Protocol):
    """What is to be done with an engine, once there is one."""

    async def __call__(self, engine: Engine) -> Evaluated:
        """Do it."""


class Evaluation:
    """A piece of work that has not begun: `await` it, iterate over its events, or run it to its end."""

    def __init__(
        self,
        wanted: Wanted,
        *,
        store: Address,
        provider: ProviderLike = None,
        prices: PricesLike = None,
        retries: int = 2,
        run_scorers: Sequence[RunScorer] = (),
        clock: Clock | None = None,
        random: Random | None = None,
    ) -> None:
        self._wanted = wanted
        self._address = store
        self._provider = provider_for(provider)
        self._prices = prices_for(prices)
        self._limiters = limiters_of_this_process() if clock is None else Limiters(clock)
        self._retries = retries
        self._run_scorers = run_scorers
        self._clock = clock or SystemClock()
        self._random = random or Random()  # noqa: S311 - for ids and jitter, not for secrets
        self._control = Control()
        self._listeners: list[Callable[[Progress], None]] = []
        self._engine: Engine | None = None
        self._interrupted = False

    def listen(self, listener: Callable[[Progress], None]) -> Evaluation:
        """Call `listener` with the progress, several times a second while it runs."""
        self._listeners.append(listener)
        return self

    def cancel(self) -> None:
        """Begin nothing new; what is in flight is finished, everything is kept, and the result still comes."""
        self._control.cancel()

    def __await__(self) -> Generator[object, None, Result]:
        return self._run().__await__()

    async def __aiter__(self) -> AsyncGenerator[Progress, None]:
        """Copies of the progress as it goes, the last one when the work has ended; `result` then has the result."""
        events: asyncio.Queue[Progress | None] = asyncio.Queue()
        self._listeners.append(lambda progress: events.put_nowait(msgspec.structs.replace(progress)))
        running = asyncio.create_task(self._run())
        running.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
        finally:
            if not running.done():
                self.cancel()
            self.result = await running

    def run(self) -> Result:
        """Run to the end, also where an event loop is already running (a notebook).

        Ctrl-C stops after what is in flight and raises Interrupted, which carries the result; a second one stops at
        once, and carries what there is.
        """
        return self._run_in_thread() if _in_a_loop() else self._run_here()

    def _run_here(self) -> Result:
        with OwnLoop() as own, self._listening(own.loop):
            result: Result | None = None
            with suppress(KeyboardInterrupt, asyncio.CancelledError):
                result = own.run(self._run())
        if self._interrupted or result is None:
            raise Interrupted(self._so_far())
        return result

    @contextmanager
    def _listening(self, loop: asyncio.AbstractEventLoop) -> Iterator[None]:
        """Ctrl-C asks the evaluation to stop; a second one interrupts whatever is running, a regex included."""

        def interrupt(signum: int, frame: object) -> None:
            if self._interrupted:
                raise KeyboardInterrupt
            self._interrupted = True
            self._control.mark()  # at once: a task may keep the loop from ever getting to the next line's call
            loop.call_soon_threadsafe(self.cancel)

        if current_thread() is not main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return
        before = signal.signal(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _run_in_thread(self) -> Result:
        # The loop that waits for us may hold turns at our accounts, which cannot end before we do.
        self._limiters = Limiters(self._clock)
        outcome: list[Result | BaseException] = []
        ended_at = Event()
        begun: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[object] | None]] = []

        async def running() -> Result:
            begun.append((asyncio.get_running_loop(), asyncio.current_task()))
            return await self._run()

        def work() -> None:
            try:
                with OwnLoop() as own:
                    ended = own.run(running())
                outcome.append(ended)
            except BaseException as error:  # noqa: BLE001 - raised again where the caller waits
                outcome.append(error)
            finally:
                ended_at.set()

        thread = Thread(target=work, name="rejudge-evaluation", daemon=True)
        thread.start()
        # Not `join`: interrupted, it takes a living thread for one that has ended (until Python 3.13). Not one long
        # wait: a signal that comes just as it begins would be noticed only at its end.
        while not ended_at.is_set():
            try:
                ended_at.wait(LOOK_UP_SECONDS)
            except KeyboardInterrupt:
                for loop, task in begun:
                    stop = task.cancel if self._interrupted and task is not None else self.cancel
                    with suppress(RuntimeError):  # it ended in this moment
                        loop.call_soon_threadsafe(stop)
                self._interrupted = True
        (ended,) = outcome
        if self._interrupted and not isinstance(ended, Exception):
            raise Interrupted(self._so_far())
        if isinstance(ended, BaseException):
            raise ended
        return ended

    def _so_far(self) -> Result | None:
        """What there is of a result; None where not even the experiment was there."""
        if self._engine is None or self._engine.begun is None:
            return None
        return Result(self._engine.store, self._engine.begun.experiment, self._engine.begun.runs)

    async def _run(self) -> Result:
        refuse_while_loading()
        store = open_store(self._address)
        asked = endpoints()
        answer = Answering(
            self._provider,
            retries=self._retries,
            clock=self._clock,
            random=self._random,
            limiters=self._limiters,
            prices=self._prices,
            endpoints=asked,
        )
        sandboxes = Sandboxes(sandbox_named, trust=trusted_code, models=answer, clock=self._clock)
        ports = Ports(clock=self._clock, random=self._random, answer=answer, sandboxes=sandboxes)
        try:
            with lease(store, this_owner()) as owner:
                self._engine = Engine(store, owner=owner, ports=ports, control=self._control, listen=self._tell)
                evaluated = await self._wanted(self._engine)
        finally:
            await sandboxes.close()
            await release(self._provider, asked)
        result = Result(store, evaluated.experiment, evaluated.runs)
        await score_runs(result, self._run_scorers, clock=self._clock)
        return result

    def _tell(self, progress: Progress) -> None:
        """Tell the listeners; one that fails is not asked again, and costs the evaluation nothing."""
        for listener in list(self._listeners):
            try:
                listener(progress)
            except Exception:
                getLogger(__name__).warning("a listener failed and is told no more", exc_info=True)
                self._listeners.remove(listener)


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
