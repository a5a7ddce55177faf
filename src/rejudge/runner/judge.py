"""The stage that scores stored traces. It reads views, never trace records, and never generates."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec

from rejudge.domain.call import CallRecord
from rejudge.domain.errors import RejudgeError
from rejudge.domain.ids import digest
from rejudge.domain.item import given_to_all
from rejudge.domain.payload import encode
from rejudge.domain.score import ScoreStatus
from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View
from rejudge.domain.way import Way
from rejudge.runner.drive import drive, spent
from rejudge.runner.threads import Escaped, ThreadLane
from rejudge.scorers.record import Recorder
from rejudge.scorers.scorer import as_verdict
from rejudge.storage.records import NewScore, ScoreHit

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from rejudge.domain.score import ScoreValue
    from rejudge.runner.generate import Generated
    from rejudge.runner.work import Judged, Shape, Work
    from rejudge.runner.writer import Writer
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.records import ScoreRef

Fields = dict[str, object]

CHUNK_SECONDS = 0.005
"""How long one visit to a thread may take before the rest is handed out again."""

UNJUDGED = 4096
"""Judgements that may wait for slow scorers before generation pauses."""


class Prepared:
    """A scorer with its ref in the store and a checker for its values."""

    def __init__(self, scorer: Scorer, *, ref: int) -> None:
        self.scorer = scorer
        self.ref = ref
        self.way = scorer.way
        self.name = scorer.config.name
        self.sees = scorer.config.sees
        self.recorder = Recorder(scorer.config)
        self.seconds_each = CHUNK_SECONDS


class Order(NamedTuple):
    """One judgement to make."""

    judged: Judged
    fields: Fields
    seen: bytes
    attempt: int


class Judge:
    """Scores traces by scorers: what is stored already becomes a hit, the rest is judged and handed to the writer."""

    def __init__(self, work: Work, scorers: Sequence[Prepared], *, writer: Writer[Generated]) -> None:
        self._work = work
        self._scorers = scorers
        self._sees = list({prepared.sees for prepared in scorers})
        self._writer = writer
        self._lane = ThreadLane(work.settings.concurrency, name="rejudge-scorer")
        self._slots = asyncio.Semaphore(work.settings.concurrency)
        self._tasks: set[asyncio.Task[None]] = set()
        self._open = 0
        self._room = asyncio.Event()
        self._room.set()
        work.stop.on_raise(self._room.set)

    async def room(self) -> None:
        """Return when fewer than UNJUDGED judgements wait for slow scorers."""
        await self._room.wait()

    @property
    def scorer_refs(self) -> list[int]:
        """The refs of its scorers."""
        return [prepared.ref for prepared in self._scorers]

    def take(self, judged: Sequence[Judged], *, known: Iterable[ScoreRef] = ()) -> None:
        """Score these traces, reusing the stored scores among `known`."""
        stored = _newest(known)
        orders: list[list[Order]] = [[] for _ in self._scorers]
        for one in judged:
            fields = one.unit.fields()
            seen_by = {sees: seen_digest(fields, sees) for sees in self._sees}
            for prepared, wanted in zip(self._scorers, orders, strict=True):
                seen = seen_by[prepared.sees]
                found = stored.get((one.ref.ref, prepared.ref, seen)) if stored else None
                if found is None:
                    wanted.append(Order(one, fields, seen, 0))
                elif found.status is ScoreStatus.ERROR and found.run != self._work.run:
                    wanted.append(Order(one, fields, seen, found.attempt + 1))
                else:
                    self._hit(found)
        views: dict[int, View] = {}
        for prepared, wanted in zip(self._scorers, orders, strict=True):
            if wanted:
                self._start(prepared, wanted, views)

    async def finish(self) -> None:
        """Return when everything taken is judged."""
        while self._tasks:
            await asyncio.gather(*self._tasks)
        self._lane.close()

    def abort(self) -> None:
        """Cancel what is in flight."""
        for task in self._tasks:
            task.cancel()

    def _hit(self, found: ScoreRef) -> None:
        if found.run != self._work.run:
            self._writer.put_hits([ScoreHit(self._work.run, found.ref, self._work.ports.clock.now())])
        self._work.progress.score_hits += 1

    def _start(self, prepared: Prepared, orders: list[Order], views: dict[int, View]) -> None:
        if prepared.way is Way.INLINE:
            self._store(prepared, [self._judge_inline(prepared, order, views) for order in orders])
            return
        self._open += len(orders)
        if self._open > UNJUDGED and not self._work.stop.raised:
            self._room.clear()
        work = self._in_threads if prepared.way is Way.THREAD else self._in_loop
        task = asyncio.create_task(work(prepared, orders))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _judge_inline(self, prepared: Prepared, order: Order, views: dict[int, View]) -> NewScore:
        view = views.get(id(order.judged))
        if view is None:
            view = views[id(order.judged)] = self._view(order)
        try:
            verdict = prepared.scorer.judge(view)
            return self._scored(prepared, order, cast("Verdict", verdict))
        except Exception as error:  # noqa: BLE001 - a scorer's failure is a stored error
            return self._error(prepared, order, error)

    async def _in_threads(self, prepared: Prepared, orders: list[Order]) -> None:
        start = 0
        running: set[asyncio.Task[None]] = set()
        while start < len(orders):
            size = min(256, max(1, int(CHUNK_SECONDS / prepared.seconds_each)))
            chunk = orders[start : start + size]
            start += size
            await self._slots.acquire()
            task = asyncio.create_task(self._chunk(prepared, chunk))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.gather(*running)

    async def _chunk(self, prepared: Prepared, orders: list[Order]) -> None:
        clock = self._work.ports.clock

        def judge_all() -> list[object]:
            return [_answer(prepared.scorer, self._fresh_view(order)) for order in orders]

        try:
            begun = clock.elapsed()
            answers = await self._lane.run(judge_all)
            prepared.seconds_each = max(1e-6, (clock.elapsed() - begun) / len(orders))
            for index, answer in enumerate(answers):
                if inspect.isawaitable(answer):
                    answers[index] = await _awaited(answer)
        finally:
            self._slots.release()
        self._finish(prepared, [self._settled(prepared, *pair) for pair in zip(orders, answers, strict=True)])

    async def _in_loop(self, prepared: Prepared, orders: list[Order]) -> None:
        await asyncio.gather(*(self._one_in_loop(prepared, order) for order in orders))

    async def _one_in_loop(self, prepared: Prepared, order: Order) -> None:
        calls: list[CallRecord] = []
        async with self._slots:
            try:
                answer = prepared.scorer.judge(self._fresh_view(order))
                if prepared.way is Way.STEPS:
                    steps = cast("Generator[object, object, object]", answer)
                    ports = self._work.ports
                    if ports.answer is None:
                        raise RejudgeError("the scorer yields model calls and nobody answers them")
                    answer = await drive(steps, answer=ports.answer, clock=ports.clock, records=calls)
                elif inspect.isawaitable(answer):
                    answer = await answer
            except Exception as error:  # noqa: BLE001 - a scorer's failure is a stored error
                answer = Escaped(error)
        score = self._settled(prepared, order, answer, calls)
        self._finish(prepared, [score])

    def _settled(self, prepared: Prepared, order: Order, answer: object, calls: Sequence[CallRecord] = ()) -> NewScore:
        if isinstance(answer, Escaped):
            return self._error(prepared, order, answer.error, calls)
        try:
            return self._scored(prepared, order, as_verdict(answer, prepared.scorer.config), calls)
        except Exception as error:  # noqa: BLE001 - a scorer's failure is a stored error
            return self._error(prepared, order, error, calls)

    def _finish(self, prepared: Prepared, scores: list[NewScore]) -> None:
        self._open -= len(scores)
        if self._open <= UNJUDGED:
            self._room.set()
        self._store(prepared, scores)

    def _store(self, prepared: Prepared, scores: list[NewScore]) -> None:
        progress = self._work.progress
        for score in scores:
            if score.status is ScoreStatus.SCORED:
                progress.count(score.values)
            elif score.status is ScoreStatus.SKIPPED:
                progress.scores_skipped += 1
            else:
                progress.scorer_errors += 1
        progress.judgements += len(scores)
        self._writer.put_scores(scores)
        reason = self._work.settings.stop.reached(errors=progress.errors, ended=progress.ended)
        if reason is not None:
            self._work.stop.stop(reason)

    def _scored(self, prepared: Prepared, order: Order, verdict: Verdict, calls: Sequence[CallRecord] = ()) -> NewScore:
        detail = _detail(verdict, calls)
        if verdict.skip is not None:
            return self._score(prepared, order, ScoreStatus.SKIPPED, (), verdict.reason, verdict.skip, detail)
        values = prepared.recorder.values(verdict)
        return self._score(prepared, order, ScoreStatus.SCORED, values, verdict.reason, None, detail)

    def _error(
        self, prepared: Prepared, order: Order, error: BaseException, calls: Sequence[CallRecord] = ()
    ) -> NewScore:
        reason = str(error) if isinstance(error, RejudgeError) else f"{type(error).__name__}: {error}"
        detail = _detail(Verdict(), calls)
        return self._score(prepared, order, ScoreStatus.ERROR, (), reason, type(error).__name__, detail)

    def _score(
        self,
        prepared: Prepared,
        order: Order,
        status: ScoreStatus,
        values: tuple[ScoreValue, ...],
        reason: str,
        cause: str | None,
        detail: bytes | None,
    ) -> NewScore:
        return NewScore(
            self._work.run,
            order.judged.ref.ref,
            prepared.ref,
            order.seen,
            status,
            values,
            self._work.ports.clock.now(),
            reason,
            cause,
            detail,
            0,
            order.attempt,
        )

    def _view(self, order: Order) -> View:
        return view_of(order.judged, order.fields, self._work.shape)

    def _fresh_view(self, order: Order) -> View:
        judged = order.judged
        fields = judged.unit.fields()
        copied = msgspec.structs.replace(judged, produced=_copy(judged.produced))
        return view_of(copied, fields, self._work.shape)


def view_of(judged: Judged, fields: Fields, shape: Shape) -> View:
    """What a scorer sees of a trace and its item (rulings 2 and 17)."""
    produced = judged.produced
    if shape.reference:
        reference = {name: fields[name] for name in shape.reference if name in fields} or None
    else:
        reference = fields
    if shape.given is None:
        task_input = given_to_all(fields, reference=shape.reference)
    else:
        task_input = {name: fields[name] for name in shape.given if name in fields}
    return View(
        output=produced.output,
        trace=produced.messages,
        reference_data=reference,
        task_input=task_input,
        item=fields,
        metadata=produced.metadata,
        extra=produced.extra or {},
        usage=judged.usage,
        latency=judged.seconds,
    )


def seen_digest(fields: Mapping[str, object], sees: tuple[str, ...] | None) -> bytes:
    """The digest of the item fields that a scorer reads; all of them where it does not say which."""
    if sees is None:
        return digest("seen", dict(fields))
    return digest("seen", {name: fields[name] for name in sees if name in fields})


def _newest(known: Iterable[ScoreRef]) -> dict[tuple[int, int, bytes], ScoreRef]:
    newest: dict[tuple[int, int, bytes], ScoreRef] = {}
    for score in known:
        key = (score.trace, score.scorer, score.seen)
        other = newest.get(key)
        if other is None or score.attempt > other.attempt:
            newest[key] = score
    return newest


def _answer(scorer: Scorer, view: View) -> object:
    try:
        return scorer.judge(view)
    except BaseException as error:  # noqa: BLE001 - whatever the user's code raises is a scorer error
        return Escaped(error)


async def _awaited(answer: object) -> object:
    try:
        return await cast("asyncio.Future[object]", answer)
    except Exception as error:  # noqa: BLE001 - a scorer's failure is a stored error
        return Escaped(error)


def _copy(value: object) -> object:
    return msgspec.convert(msgspec.to_builtins(value), type(value))


def _detail(verdict: Verdict, calls: Sequence[CallRecord]) -> bytes | None:
    if not calls and verdict.usage is None and verdict.evidence is None:
        return None
    usage = verdict.usage or spent(calls)
    return encode({"usage": usage, "evidence": verdict.evidence, "calls": list(calls) or None})
