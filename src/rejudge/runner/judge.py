"""The stage that scores stored traces. It shows views, never trace records, and never generates."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rejudge.domain.call import Embeddings
from rejudge.domain.code import CodeCall
from rejudge.domain.payload import encode
from rejudge.domain.score import ScoreStatus
from rejudge.domain.verdict import Verdict
from rejudge.domain.way import Way
from rejudge.runner.collecting import rare_collection
from rejudge.runner.drive import spent
from rejudge.runner.judging import Answered, Judges, Judging, Order, Prepared
from rejudge.runner.saying import located
from rejudge.runner.sharing import Sharing
from rejudge.runner.span_reader import SpanReader
from rejudge.runner.threads import Escaped
from rejudge.runner.views import seen_digest, seen_with
from rejudge.scorers.scorer import as_verdict
from rejudge.storage.records import NewScore, ScoreHit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rejudge.domain.call import CallRecord
    from rejudge.domain.score import ScoreValue
    from rejudge.domain.usage import Usage
    from rejudge.domain.view import View
    from rejudge.runner.generate import Generated
    from rejudge.runner.sharing import Wanted
    from rejudge.runner.work import Judged, Work
    from rejudge.runner.writer import Writer
    from rejudge.storage.records import ScoreRef

_NOTHING: dict[tuple[str, ...] | None, bytes] = {}

UNJUDGED = 1024
"""Judgements that may wait for slow scorers before generation pauses."""


class Judge:
    """Scores traces by scorers: what is stored already becomes a hit, the rest is judged and handed to the writer."""

    def __init__(self, work: Work, judges: Judges, *, writer: Writer[Generated]) -> None:
        self._work = work
        self._judges = judges
        self._scorers = scorers = judges.all
        self._seen_nothing = seen_digest({}, (), work.shape)
        self._sees = list(
            {one.sees for one in scorers if one.sees or one.sees is None or work.shape.given_is_elsewhere}
        )
        self._writer = writer
        self._judging = Judging(work, then=self._answered)
        self._sharing = Sharing(work, writer=writer, missing=self._missing, begin=self._begin_shared)
        self._open = 0
        self._room = asyncio.Event()
        self._room.set()
        work.stop.on_raise(self._room.set)

    @property
    def scorer_refs(self) -> list[int]:
        """The refs of its scorers."""
        return [prepared.ref for prepared in self._scorers]

    def take(self, judged: Sequence[Judged], *, known: Iterable[ScoreRef] = ()) -> None:
        """Score these traces, reusing the stored scores among `known`."""
        with rare_collection():  # a user's function is asked later, in a thread or in the loop
            self._take(judged, _newest(known))

    def _take(self, judged: Sequence[Judged], stored: dict[tuple[int, int, bytes], ScoreRef]) -> None:
        orders: dict[int, tuple[Prepared, list[Order]]] = {one.ref: (one, []) for one in self._judges.everywhere}
        shape = self._work.shape
        for one in judged:
            fields = one.unit.fields()
            seen_by = {sees: seen_digest(fields, sees, shape) for sees in self._sees} if self._sees else _NOTHING
            for prepared in self._judges.at(one.unit.position):
                seen = seen_with(seen_by.get(prepared.sees, self._seen_nothing), one.other)
                found = stored.get((one.ref.ref, prepared.ref, seen)) if stored else None
                if found is not None and not self._to_retry(found):
                    self._hit(found)
                else:
                    order = Order(one, fields, seen, _attempt_after(found))
                    wanted = orders.get(prepared.ref) or orders.setdefault(prepared.ref, (prepared, []))
                    wanted[1].append(order)
        views: dict[int, View] = {}
        if any(wanted for _, wanted in orders.values()):
            reader = SpanReader(self._work.store, [one.ref.ref for one in judged], task=self._work.progress.task)
            for one in judged:
                one.spans = reader
        shared: list[Wanted] = []
        for prepared, some in orders.values():
            if some and prepared.may_cost:
                shared += [(prepared, order) for order in some]
            elif some:
                self._begin(prepared, some, views)
        if shared:
            self._opened(len(shared))
            self._sharing.add(shared)

    async def room(self) -> None:
        """Return when no more than UNJUDGED judgements wait for slow scorers."""
        await self._room.wait()

    async def finish(self) -> None:
        """Return when everything taken is judged."""
        await self._sharing.finish()
        await self._judging.finish()
        self._sharing.close()

    async def abort(self) -> None:
        """Cancel what is in flight."""
        await self._sharing.abort()
        await self._judging.abort()
        self._sharing.close()

    def _to_retry(self, found: ScoreRef) -> bool:
        return found.status is ScoreStatus.ERROR and found.run != self._work.run

    def _hit(self, found: ScoreRef) -> None:
        if found.run != self._work.run:
            self._writer.put_hits([ScoreHit(self._work.run, found.ref, self._work.ports.clock.now())])
        self._work.progress.score_hits += 1

    def _begin(self, prepared: Prepared, orders: list[Order], views: dict[int, View]) -> None:
        if prepared.way is Way.INLINE:
            answers = self._judging.inline(prepared, orders, views)
            self._store([self._scored(prepared, one) for one in answers])
            if rest := orders[len(answers) :]:
                self._opened(len(rest))
                self._sharing.add([(prepared, order) for order in rest])
            return
        if prepared.way is Way.RECORDED:
            self._store([self._scored(prepared, one) for one in self._judging.look_up(prepared, orders)])
            return
        self._opened(len(orders))
        self._judging.begin(prepared, orders)

    def _begin_shared(self, wanted: list[Wanted]) -> None:
        orders: dict[int, tuple[Prepared, list[Order]]] = {}
        for prepared, order in wanted:
            orders.setdefault(prepared.ref, (prepared, []))[1].append(order)
        together = [pair for pair in orders.values() if pair[0].together is not None]
        for prepared, some in orders.values():
            if prepared.together is None:
                self._judging.begin(prepared, some)
        if together:
            self._judging.begin_together(together)

    def _missing(self, wanted: list[Wanted]) -> list[Wanted]:
        """What of this is not stored by now; the rest is reused."""
        if not wanted:
            return []
        traces = list({order.judged.ref.ref for _, order in wanted})
        stored = _newest(self._work.store.find_scores(traces, list({prepared.ref for prepared, _ in wanted})))
        missing: list[Wanted] = []
        for prepared, order in wanted:
            found = stored.get((order.judged.ref.ref, prepared.ref, order.seen))
            if found is not None and not self._to_retry(found):
                self._hit(found)
            else:
                missing.append((prepared, order._replace(attempt=_attempt_after(found))))
        self._closed(len(wanted) - len(missing))
        return missing

    def _opened(self, orders: int) -> None:
        self._open += orders
        if self._open > UNJUDGED and not self._work.stop.raised:
            self._room.clear()

    def _closed(self, orders: int) -> None:
        self._open -= orders
        if self._open <= UNJUDGED:
            self._room.set()

    def _answered(self, prepared: Prepared, answers: list[Answered]) -> None:
        self._closed(len(answers))
        claims = [one.order.claim for one in answers if one.order.claim]
        scores = [self._scored(prepared, one) for one in answers]
        self._store(scores, releases=self._sharing.given_back(claims) if claims else ())

    def _store(self, scores: list[NewScore], *, releases: Sequence[bytes] = ()) -> None:
        progress = self._work.progress
        for score in scores:
            if score.status is ScoreStatus.SCORED:
                progress.count(score.values)
            elif score.status is ScoreStatus.SKIPPED:
                progress.scores_skipped += 1
            else:
                progress.scorer_errors += 1
        self._writer.put_scores(scores, releases=releases)
        reason = self._work.settings.stop.reached(errors=progress.errors, ended=progress.ended)
        if reason is not None:
            self._work.stop.stop(reason)

    def _scored(self, prepared: Prepared, one: Answered) -> NewScore:
        if isinstance(one.answer, Escaped):
            return self._error(prepared, one, one.answer.error)
        try:
            verdict = one.answer
            if prepared.way is not Way.INLINE or not isinstance(verdict, Verdict):
                verdict = as_verdict(verdict, prepared.config)
            values = prepared.recorder.values(verdict)
            detail = _detail(verdict, one.calls)
        except Exception as error:  # noqa: BLE001 - an answer that cannot be stored is the scorer's failure
            return self._error(prepared, one, error)
        status = ScoreStatus.SCORED if verdict.skip is None else ScoreStatus.SKIPPED
        told = (verdict.reason, verdict.skip, detail, _spent(verdict, one.calls))
        return self._score(prepared, one.order, status, values, told)

    def _error(self, prepared: Prepared, one: Answered, error: BaseException) -> NewScore:
        told = (located(error), type(error).__name__, _detail(Verdict(), one.calls), _spent(Verdict(), one.calls))
        return self._score(prepared, one.order, ScoreStatus.ERROR, (), told)

    def _score(
        self,
        prepared: Prepared,
        order: Order,
        status: ScoreStatus,
        values: tuple[ScoreValue, ...],
        told: tuple[str, str | None, bytes | None, Usage | None],
    ) -> NewScore:
        reason, cause, detail, usage = told
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
            b"" if order.judged.other is None else order.judged.other.ref.digest,
            None if usage is None else (usage.input_tokens, usage.output_tokens, usage.cost),
        )


def _attempt_after(found: ScoreRef | None) -> int:
    return 0 if found is None else found.attempt + 1


def _newest(known: Iterable[ScoreRef]) -> dict[tuple[int, int, bytes], ScoreRef]:
    newest: dict[tuple[int, int, bytes], ScoreRef] = {}
    for score in known:
        key = (score.trace, score.scorer, score.seen)
        other = newest.get(key)
        if other is None or score.attempt > other.attempt:
            newest[key] = score
    return newest


def _detail(verdict: Verdict, calls: Sequence[CallRecord]) -> bytes | None:
    if not calls and verdict.usage is None and verdict.evidence is None:
        return None
    parts = {"usage": _spent(verdict, calls), "evidence": verdict.evidence, "calls": list(map(_kept, calls))}
    return encode({name: part for name, part in parts.items() if part})


def _kept(record: CallRecord) -> CallRecord:
    """A call as its score keeps it: without vectors, and what the scorer's config and the trace hold already."""
    call, reply = record.call, record.reply
    if isinstance(call, CodeCall):
        return replace(record, call=replace(call, code="", arguments={}))
    return replace(record, reply=replace(reply, vectors=[])) if isinstance(reply, Embeddings) else record


def _spent(verdict: Verdict, calls: Sequence[CallRecord]) -> Usage | None:
    return verdict.usage or (spent(calls) if calls else None)
