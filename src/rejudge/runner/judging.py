"""How a scorer is asked: where it stands, in a lane of threads, in the loop, or step by step."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec import Struct

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.way import Way
from rejudge.runner.drive import drive
from rejudge.runner.threads import Escaped, ThreadLane
from rejudge.runner.views import Fields, fresh_view, view_of
from rejudge.scorers.record import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from rejudge.domain.call import CallRecord
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.domain.view import View
    from rejudge.runner.work import Judged, Work
    from rejudge.scorers.scorer import Scorer

VISIT_SECONDS = 0.005
"""How long one visit to a thread may take before the rest is handed out again."""

LARGEST_VISIT = 256


class Prepared:
    """A scorer with its ref in the store and a checker for its values.

    One that is only remembered (`scorer` is None) was at work in an earlier run: what it said is taken over, and it
    is not asked again.
    """

    def __init__(self, config: ScorerConfig, *, ref: int, scorer: Scorer | None) -> None:
        self.config = config
        self.ref = ref
        self.scorer = scorer
        self.sees = config.sees
        self.recorder = Recorder(config)
        self.seconds_each = VISIT_SECONDS

    @property
    def way(self) -> Way:
        """How it is to be asked."""
        return self.live.way

    @property
    def live(self) -> Scorer:
        """The scorer itself; only asked for where there is one."""
        assert self.scorer is not None
        return self.scorer


class Order(NamedTuple):
    """One judgement to make; `attempt` counts earlier ones that ended in an error."""

    judged: Judged
    fields: Fields
    seen: bytes
    attempt: int


class Answered(Struct):
    """What a scorer said about one order: a value, or the exception that escaped it, and the calls on the way."""

    order: Order
    answer: object
    calls: Sequence[CallRecord] = ()


class Judging:
    """Asks scorers that may take their time, in a bounded number of places at once."""

    def __init__(self, work: Work, *, then: Callable[[Prepared, list[Answered]], None]) -> None:
        self._work = work
        self._then = then
        self._lane = ThreadLane(work.settings.concurrency, name="rejudge-scorer")
        self._slots = asyncio.Semaphore(work.settings.concurrency)
        self._tasks: set[asyncio.Task[None]] = set()

    def inline(self, prepared: Prepared, orders: Sequence[Order], views: dict[int, View]) -> list[Answered]:
        """Ask a pure and quick scorer where it stands; `views` are shared between such scorers."""
        judge = prepared.live.judge
        answers: list[Answered] = []
        for order in orders:
            view = views.get(id(order.judged))
            if view is None:
                view = views[id(order.judged)] = view_of(order.judged, order.fields, self._work.shape)
            try:
                answers.append(Answered(order, judge(view)))
            except Exception as error:  # noqa: BLE001 - a scorer's failure is a stored error
                answers.append(Answered(order, Escaped(error)))
        return answers

    def begin(self, prepared: Prepared, orders: Sequence[Order]) -> None:
        """Ask a scorer in the background; `then` gets the answers as they come."""
        asking = self._in_threads if prepared.way is Way.THREAD else self._in_loop
        task = asyncio.create_task(asking(prepared, orders))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def finish(self) -> None:
        """Return when everything begun is answered."""
        while self._tasks:
            await asyncio.gather(*self._tasks)
        self._lane.close()

    def abort(self) -> None:
        """Cancel what is in flight."""
        for task in self._tasks:
            task.cancel()

    async def _in_threads(self, prepared: Prepared, orders: Sequence[Order]) -> None:
        """Hand the orders out in visits that take about VISIT_SECONDS: many of a quick scorer, one of a slow one."""
        start = 0
        visits: set[asyncio.Task[None]] = set()
        while start < len(orders):
            await self._slots.acquire()
            size = min(LARGEST_VISIT, max(1, int(VISIT_SECONDS / prepared.seconds_each)))
            task = asyncio.create_task(self._visit(prepared, orders[start : start + size]))
            start += size
            visits.add(task)
            task.add_done_callback(visits.discard)
        await asyncio.gather(*visits)

    async def _visit(self, prepared: Prepared, orders: Sequence[Order]) -> None:
        clock, shape = self._work.ports.clock, self._work.shape

        def ask_all() -> list[object]:
            return [_answer(prepared.live, fresh_view(order.judged, shape)) for order in orders]

        try:
            begun = clock.elapsed()
            answers = await self._lane.run(ask_all)
            prepared.seconds_each = max(1e-6, (clock.elapsed() - begun) / len(orders))
            for index, answer in enumerate(answers):
                if inspect.isawaitable(answer):
                    answers[index] = await _awaited(answer)
        finally:
            self._slots.release()
        self._then(prepared, [Answered(*pair) for pair in zip(orders, answers, strict=True)])

    async def _in_loop(self, prepared: Prepared, orders: Sequence[Order]) -> None:
        await asyncio.gather(*(self._one_in_loop(prepared, order) for order in orders))

    async def _one_in_loop(self, prepared: Prepared, order: Order) -> None:
        calls: list[CallRecord] = []
        async with self._slots:
            answer = _answer(prepared.live, fresh_view(order.judged, self._work.shape))
            if inspect.isawaitable(answer):
                answer = await _awaited(answer)
            elif inspect.isgenerator(answer):
                answer = await self._driven(cast("Generator[object, object, object]", answer), calls)
        self._then(prepared, [Answered(order, answer, calls)])

    async def _driven(self, steps: Generator[object, object, object], calls: list[CallRecord]) -> object:
        ports = self._work.ports
        try:
            if ports.answer is None:
                raise ConfigurationError("the scorer yields model calls and nobody answers them", fix="give provider=")
            return await drive(steps, answer=ports.answer, clock=ports.clock, records=calls)
        except Exception as error:  # noqa: BLE001 - a scorer's failure is a stored error
            return Escaped(error)


def _answer(scorer: Scorer, view: View) -> object:
    try:
        return scorer.judge(view)
    except BaseException as error:  # noqa: BLE001 - whatever the user's code raises is a scorer error
        return Escaped(error)


async def _awaited(answer: object) -> object:
    try:
        return await cast("asyncio.Future[object]", answer)
    except (SystemExit, KeyboardInterrupt, Exception) as error:  # noqa: BLE001 - a scorer's failure is a stored error
        return Escaped(error)
