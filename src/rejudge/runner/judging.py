"""How a scorer is asked: where it stands, in a lane of threads, in the loop, or step by step."""

from __future__ import annotations

import asyncio
import inspect
from contextvars import copy_context
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec import Struct

from rejudge.domain.errors import ScorerError, TaskTimeout
from rejudge.domain.ids import digest_of_bytes
from rejudge.domain.way import Way
from rejudge.runner.cancelling import is_cancelled, take_back
from rejudge.runner.drive import drive
from rejudge.runner.patience import GRACE_SECONDS, within
from rejudge.runner.remembering import Remembering
from rejudge.runner.saying import said
from rejudge.runner.threads import Escaped, LaneExhausted, ThreadLane
from rejudge.runner.views import Fields, fresh_view, view_of
from rejudge.scorers.pairwise import PairwiseScorer
from rejudge.scorers.record import Recorder
from rejudge.tasks.spans import PLACE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence

    from rejudge.domain.call import CallRecord
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.domain.view import View
    from rejudge.runner.work import Judged, Shape, Work
    from rejudge.scorers.recorded import RecordedScorer
    from rejudge.scorers.scorer import Scorer

VISIT_SECONDS = 0.005
"""How long one visit to a thread may take before the rest is handed out again."""

LARGEST_VISIT = 256

LONGEST_HOLD_SECONDS = 0.5
"""How long a scorer may hold the loop with the orders of one page before the rest of them goes to threads."""

CHEAP_SECONDS = 0.001
"""A function that takes less than this for a judgement asks nobody over a network."""


class Prepared:
    """A scorer with its ref in the store and a checker for its values.

    One that is only remembered (`scorer` is None) was at work in an earlier run: what it said is taken over, and it
    is not asked again.
    """

    def __init__(self, config: ScorerConfig, *, ref: int, scorer: Scorer | None) -> None:
        self.config = config
        self.declared = config.unbound().digest()
        self.ref = ref
        self.scorer = scorer
        self.sees = config.sees
        self.recorder = Recorder(config)
        self.seconds_each = VISIT_SECONDS
        self.has_held_the_loop = False
        self.together: object = getattr(scorer, "together", None)

    @property
    def way(self) -> Way:
        """How it is to be asked; what was thought to be quick and was not is asked in threads from then on."""
        way = self.live.way
        return Way.THREAD if self.has_held_the_loop and way is Way.INLINE else way

    @property
    def live(self) -> Scorer:
        """The scorer itself; only asked for where there is one."""
        assert self.scorer is not None
        return self.scorer

    @property
    def may_cost(self) -> bool:
        """Whether a judgement may cost money or much time, so that it is to be made once among all who want it.

        What is pure and quick never does, and a user's function does until it has shown that it is quick.
        """
        if self.way is Way.THREAD:
            return self.seconds_each >= CHEAP_SECONDS
        return self.way in (Way.LOOP, Way.STEPS)

    @cached_property
    def _asks(self) -> bytes:
        """What of the scorer names what it asks of a trace."""
        if self.together is None:
            return self.config.digest()
        return digest_of_bytes("together", repr(self.together).encode("utf-8", "surrogatepass"))

    def claim(self, order: Order) -> bytes:
        """The key under which a judgement is claimed: that of its score, or of the calls that several scores share."""
        return digest_of_bytes("judgement", order.judged.ref.digest + self._asks + order.seen)


class Judges(NamedTuple):
    """The scorers of a run: those that judge every item, and by position all those of an item that has its own."""

    everywhere: Sequence[Prepared]
    own: Mapping[int, Sequence[Prepared]] = {}

    @property
    def all(self) -> list[Prepared]:
        """Every scorer, each once."""
        found = {one.ref: one for one in self.everywhere}
        for scorers in self.own.values():
            found.update((one.ref, one) for one in scorers if one.ref not in found)
        return list(found.values())

    def at(self, position: int) -> Sequence[Prepared]:
        """Those that judge the item at a position."""
        return self.own.get(position, self.everywhere) if self.own else self.everywhere


class Order(NamedTuple):
    """One judgement to make; `attempt` counts earlier ones that ended in an error, `claim` is held while it is made."""

    judged: Judged
    fields: Fields
    seen: bytes
    attempt: int
    claim: bytes = b""


class Answered(Struct, gc=False):
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
        self._failure: BaseException | None = None
        self._context = copy_context()
        self._context.run(PLACE.set, None)  # what scorers and judges do is no part of any task

    def inline(self, prepared: Prepared, orders: Sequence[Order], views: dict[int, View]) -> list[Answered]:
        """Ask a pure and quick scorer where it stands; `views` are shared between such scorers.

        One that holds the loop for too long is asked about the first of the orders only.
        """
        judge = prepared.live.judge
        elapsed = self._work.ports.clock.elapsed
        latest = elapsed() + LONGEST_HOLD_SECONDS
        answers: list[Answered] = []
        for order in orders:
            if elapsed() > latest:
                prepared.has_held_the_loop = True
                break
            view = views.get(id(order.judged))
            if view is None:
                view = views[id(order.judged)] = view_of(order.judged, order.fields, self._work.shape)
            try:
                answers.append(Answered(order, judge(view)))
            except Exception as error:  # noqa: BLE001 - a scorer's failure is a stored error
                answers.append(Answered(order, Escaped(error)))
        return answers

    def look_up(self, prepared: Prepared, orders: Sequence[Order]) -> list[Answered]:
        """What was recorded elsewhere of each order's item and trial."""
        recorded = cast("RecordedScorer", prepared.live).recorded
        units = [(order, order.judged.unit) for order in orders]
        return [Answered(order, recorded(unit.item.item_id, unit.trial)) for order, unit in units]

    def begin(self, prepared: Prepared, orders: Sequence[Order]) -> None:
        """Ask a scorer in the background; `then` gets the answers as they come."""
        asking = self._in_threads if prepared.way is Way.THREAD else self._in_loop
        self._start(asking(prepared, orders))

    def begin_together(self, scorers: Sequence[tuple[Prepared, Sequence[Order]]]) -> None:
        """Ask scorers that ask the same of a trace side by side, so that they ask it once."""
        groups: dict[tuple[object, int], list[tuple[Prepared, Order]]] = {}
        for prepared, orders in scorers:
            for order in orders:
                groups.setdefault((prepared.together, id(order.judged)), []).append((prepared, order))
        self._start(self._groups_in_loop(list(groups.values())))

    async def finish(self) -> None:
        """Return when everything begun is answered, or, once the run is to stop, what is in flight is."""
        while self._tasks:
            await asyncio.wait(self._tasks)
        self._lane.close()
        if self._failure is not None:
            raise self._failure

    async def abort(self) -> None:
        """Cancel what is in flight; what does not let itself be cancelled is left behind."""
        self._work.stop.abandoned = True
        if self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks, timeout=GRACE_SECONDS)
        self._lane.close()

    def _start(self, work: Coroutine[None, None, None]) -> None:
        # Not the context of the writer's thread, which may be what tells us to begin.
        task = asyncio.create_task(work, context=self._context.copy())
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failure = self._failure or error
            self._work.stop.stop(said(error))

    async def _in_threads(self, prepared: Prepared, orders: Sequence[Order]) -> None:
        """Hand the orders out in visits that take about VISIT_SECONDS: many of a quick scorer, one of a slow one."""
        start = 0
        while start < len(orders):
            await self._slots.acquire()
            if self._work.stop.raised:
                self._slots.release()
                return
            timeout = self._work.settings.timeout
            size = 1 if timeout else min(LARGEST_VISIT, max(1, int(VISIT_SECONDS / prepared.seconds_each)))
            self._start(self._visit(prepared, orders[start : start + size]))
            start += size

    async def _visit(self, prepared: Prepared, orders: Sequence[Order]) -> None:
        clock, shape = self._work.ports.clock, self._work.shape

        def ask_all() -> list[object]:
            return [_answer(prepared.live, fresh_view(order.judged, shape)) for order in orders]

        try:
            begun = clock.elapsed()
            try:
                answers = await self._lane.run(ask_all, timeout=self._work.settings.timeout)
            except (TaskTimeout, LaneExhausted) as error:
                answers = [Escaped(ScorerError(f"no verdict: {said(error)}")) for _ in orders]
            prepared.seconds_each = max(1e-6, (clock.elapsed() - begun) / len(orders))
            for index, answer in enumerate(answers):
                if inspect.isawaitable(answer):
                    answers[index] = await self._awaited(answer)
        finally:
            self._slots.release()
        self._then(prepared, [Answered(*pair) for pair in zip(orders, answers, strict=True)])

    async def _in_loop(self, prepared: Prepared, orders: Sequence[Order]) -> None:
        for order in orders:
            await self._slots.acquire()
            if self._work.stop.raised:
                self._slots.release()
                return
            self._start(self._one_in_loop(prepared, order))

    async def _groups_in_loop(self, groups: Sequence[Sequence[tuple[Prepared, Order]]]) -> None:
        for group in groups:
            await self._slots.acquire()
            if self._work.stop.raised:
                self._slots.release()
                return
            self._start(self._group_in_loop(group))

    async def _group_in_loop(self, group: Sequence[tuple[Prepared, Order]]) -> None:
        """One after the other: whoever asks first pays, and the next who asks the same gets the same reply."""
        answer = Remembering(self._work.ports.answered)
        told: list[tuple[Prepared, Answered]] = []
        try:
            for prepared, order in group:
                calls: list[CallRecord] = []
                steps = _asked(prepared.live, order.judged, self._work.shape)
                if inspect.isgenerator(steps):
                    driven = cast("Generator[object, object, object]", steps)
                    clock = self._work.ports.clock
                    steps = await self._awaited(drive(driven, answer=answer, clock=clock, records=calls))
                told.append((prepared, Answered(order, steps, calls)))
        finally:
            self._slots.release()
        for prepared, answered in told:
            self._then(prepared, [answered])

    async def _one_in_loop(self, prepared: Prepared, order: Order) -> None:
        calls: list[CallRecord] = []
        try:
            answer = _asked(prepared.live, order.judged, self._work.shape)
            if inspect.isawaitable(answer):
                answer = await self._awaited(answer)
            elif inspect.isgenerator(answer):
                answer = await self._awaited(self._driven(cast("Generator[object, object, object]", answer), calls))
        finally:
            self._slots.release()
        self._then(prepared, [Answered(order, answer, calls)])

    async def _driven(self, steps: Generator[object, object, object], calls: list[CallRecord]) -> object:
        ports = self._work.ports
        return await drive(steps, answer=ports.answered, clock=ports.clock, records=calls)

    async def _awaited(self, answer: Awaitable[object]) -> object:
        """What came of it; everything but our own cancellation is a scorer's failure."""
        timeout = self._work.settings.timeout
        try:
            return await (answer if timeout is None else within(timeout, answer, stop=self._work.stop))
        except asyncio.CancelledError as error:
            if self._work.stop.cancels and is_cancelled():
                raise
            return Escaped(error)
        except TaskTimeout as error:
            return Escaped(ScorerError(f"no verdict: {said(error)}"))
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and self._work.stop.raised:
                raise  # the second Ctrl-C, not the scorer
            return Escaped(error)
        finally:
            if is_cancelled() and not self._work.stop.cancels:
                await take_back()


def _asked(scorer: Scorer, judged: Judged, shape: Shape) -> object:
    """The steps of a scorer in the loop; a judge of pairs is shown both traces."""
    view = fresh_view(judged, shape)
    if not isinstance(scorer, PairwiseScorer):
        return _answer(scorer, view)
    return scorer.compare(view, None if judged.other is None else fresh_view(judged.other, shape))


def _answer(scorer: Scorer, view: View) -> object:
    try:
        return scorer.judge(view)
    except BaseException as error:  # noqa: BLE001 - whatever the user's code raises is a scorer error
        return Escaped(error)
