"""What a store promises about traces and cases: first write wins, all or nothing, nothing is changed."""

from __future__ import annotations

import msgspec
import pytest

from rejudge.domain.call import CallRecord, ModelCall, Reply
from rejudge.domain.case import Attempt
from rejudge.domain.errors import RejudgeError
from rejudge.domain.payload import encode
from rejudge.domain.span import Span, Spans
from rejudge.domain.trace import Produced, trace_digest
from rejudge.domain.usage import Usage
from rejudge.storage.promises.datasets import STRANGE
from rejudge.storage.promises.scene import Scene, StoreTests, passed
from rejudge.storage.records import Batch, ScoreHit, TraceRef

UNIT, OTHER, LAST = (0, 0), (1, 0), (2, 1)
NOWHERE = 1_000_000
"""A ref that no store has given out yet."""

LARGE: list[dict[str, object]] = [
    {"role": "tool", "content": "spam and eggs " * 2_000},
    {"role": "assistant", "content": "Ω" * 5_000},
]


class TracePromises(StoreTests):
    """A trace is filed under its key, once, and read back as it was."""

    def test_a_trace_is_read_back_as_it_was_stored(self, scene: Scene) -> None:
        run = scene.run("r")
        produced = Produced(output={"a": [1, 1.0, None]}, messages=[*LARGE], metadata={"k": 1}, extra={"more": "x"})
        calls = [CallRecord(call=ModelCall(model="m", messages=LARGE), reply=Reply(text="hi"), seconds=0.25)]
        new = msgspec.structs.replace(
            scene.trace(run, UNIT, usage=(3, 4, 0.1), seconds=1.5),
            digest=trace_digest(scene.key(UNIT), produced),
            body=encode(produced),
            calls=encode(calls),
        )
        (ref,) = scene.generate(run, new)
        assert (ref.key, ref.digest, ref.run) == (new.key, new.digest, run)
        trace = scene.store.load_traces([ref.ref])[ref.ref]
        assert (trace.key, trace.produced, trace.calls) == (new.key, produced, tuple(calls))
        assert trace.usage == Usage(input_tokens=3, output_tokens=4, cost=0.1)
        assert (trace.started_at, trace.seconds) == (new.started_at, 1.5)
        assert trace.digest() == ref.digest

    def test_spans_are_read_back_beside_the_trace_and_are_no_part_of_its_digest(self, scene: Scene) -> None:
        run = scene.run("r")
        small = Spans(
            spans=(Span(id=1, name="\ud800", kind="tool", started=0.5, seconds=0.25, input=[1, None, STRANGE]),)
        )
        large = Spans(spans=(Span(id=1, name="call", output=LARGE),), unended=1, waited=3.0, left_out=2)
        traces = [
            msgspec.structs.replace(scene.trace(run, unit), spans=None if spans is None else encode(spans))
            for unit, spans in ((UNIT, small), (OTHER, large), (LAST, None))
        ]
        refs = [trace.ref for trace in scene.generate(run, *traces)]
        assert scene.store.load_spans([*refs, NOWHERE]) == {refs[0]: small, refs[1]: large}
        loaded = scene.store.load_traces(refs)
        assert [loaded[ref].digest() for ref in refs] == [trace.digest for trace in traces]

    def test_spans_that_cannot_be_read_hinder_neither_their_trace_nor_others(self, scene: Scene) -> None:
        run = scene.run("r")
        good = Spans(spans=(Span(id=1, name="call"),))
        traces = [
            msgspec.structs.replace(scene.trace(run, UNIT), spans=b'{"spans'),
            msgspec.structs.replace(scene.trace(run, OTHER), spans=encode(good)),
        ]
        broken, whole = (trace.ref for trace in scene.generate(run, *traces))
        assert scene.store.load_spans([broken, whole]) == {whole: good}
        assert set(scene.store.load_traces([broken, whole])) == {broken, whole}

    def test_unknown_usage_stays_unknown(self, scene: Scene) -> None:
        run = scene.run("r")
        spent = [(1, None, None), (None, None, 0.0), None]
        traces = [scene.trace(run, (place, 0), usage=usage) for place, usage in enumerate(spent)]
        refs = [trace.ref for trace in scene.generate(run, *traces)]
        loaded = scene.store.load_traces(refs)
        assert [loaded[ref].usage for ref in refs] == [Usage(input_tokens=1), Usage(cost=0.0), None]

    def test_any_text_can_be_produced(self, scene: Scene) -> None:
        run = scene.run("r")
        (ref,) = scene.generate(run, scene.trace(run, UNIT, output=STRANGE))
        assert scene.store.load_traces([ref.ref])[ref.ref].produced.output == STRANGE

    def test_traces_are_found_by_key_in_the_order_of_their_batch(self, scene: Scene) -> None:
        run = scene.run("r")
        refs = scene.generate(run, scene.trace(run, LAST), scene.trace(run, UNIT), scene.trace(run, OTHER))
        assert [ref.key for ref in refs] == [scene.key(unit) for unit in (LAST, UNIT, OTHER)]
        found = scene.store.find_traces([scene.key(unit) for unit in (UNIT, (3, 1), LAST)])
        assert found == {refs[1].key: refs[1], refs[0].key: refs[0]}

    def test_what_is_not_stored_is_left_out(self, scene: Scene) -> None:
        assert scene.store.find_traces([scene.key(UNIT)]) == {}
        assert scene.store.find_traces([]) == {}
        assert scene.store.load_traces([]) == {}
        assert scene.store.load_traces([NOWHERE]) == {}

    def test_a_trace_that_cannot_be_read_is_left_out_and_hinders_no_other(self, scene: Scene) -> None:
        run = scene.run("r")
        broken = msgspec.structs.replace(scene.trace(run, UNIT), body=b'{"output')
        bad, good = scene.generate(run, broken, scene.trace(run, OTHER))
        assert set(scene.store.load_traces([bad.ref, good.ref])) == {good.ref}

    def test_the_first_trace_under_a_key_stays(self, scene: Scene) -> None:
        first, second = scene.run("r1"), scene.run("r2")
        (kept,) = scene.generate(first, scene.trace(first, UNIT, output="first"))
        late = scene.commit(Batch(traces=[scene.trace(second, OTHER), scene.trace(second, UNIT, output="late")]))
        assert late.lost == {1}
        assert late.traces[1] == kept
        assert scene.store.find_traces([scene.key(UNIT)]) == {kept.key: kept}
        assert scene.store.load_traces([kept.ref])[kept.ref].produced.output == "first"

    def test_of_two_traces_of_one_batch_under_one_key_the_first_stays(self, scene: Scene) -> None:
        run = scene.run("r")
        traces = [scene.trace(run, UNIT, output="first"), scene.trace(run, UNIT, output="second")]
        committed = scene.commit(Batch(traces=traces))
        assert committed.lost == {1}
        assert committed.traces[0] == committed.traces[1]
        assert committed.traces[0].digest == traces[0].digest

    def test_a_lost_trace_is_kept_as_spend_of_its_case(self, scene: Scene) -> None:
        first, second = scene.run("r1"), scene.run("r2")
        (kept,) = scene.generate(first, scene.trace(first, UNIT, output="first"))
        tried = encode([Attempt(error="busy", seconds=0.1, waited=1.0)])
        late = scene.trace(second, UNIT, output="late", usage=(7, 8, 0.5), seconds=2.5)
        scene.commit(Batch(traces=[late], cases=[scene.case(second, UNIT, fresh=0, attempts=tried)]))
        case = scene.store.case("r2", "q0").case
        assert (case.trace, case.reused) == (kept.digest, True)
        assert case.attempts[0] == Attempt(error="busy", seconds=0.1, waited=1.0)
        (lost,) = case.attempts[1:]
        assert (lost.seconds, lost.usage) == (2.5, Usage(input_tokens=7, output_tokens=8, cost=0.5))
        assert lost.error

    @pytest.mark.parametrize("stranger", ["case of a trace", "score of a trace", "hit on a score"])
    def test_a_batch_that_is_refused_leaves_nothing(self, scene: Scene, stranger: str) -> None:
        run = scene.run("r")
        other = scene.made("r2", OTHER).ref
        batch = Batch(
            traces=[scene.trace(run, UNIT)],
            cases=[scene.case(run, UNIT, fresh=0)],
            scores=[scene.score(run, TraceRef(other, b"", b"", run), passed())],
            claims=[scene.key(LAST)],
            dropped=[other],
        )
        nowhere = TraceRef(NOWHERE, b"", b"", run)
        if stranger == "case of a trace":
            batch.cases.append(scene.case(run, LAST, trace=nowhere))
        elif stranger == "score of a trace":
            batch.scores.append(scene.score(run, nowhere, passed()))
        else:
            batch.hits.append(ScoreHit(run, NOWHERE, 1.0))
        with pytest.raises(RejudgeError):
            scene.commit(batch)
        assert scene.store.find_traces([scene.key(UNIT), scene.key(OTHER)]).keys() == {scene.key(OTHER)}
        assert scene.store.executed("r") == set()
        assert scene.store.find_scores([other], [*scene.scorer_refs.values()]) == []
        assert scene.claim(LAST) == {scene.key(LAST)}

    def test_an_empty_batch_changes_nothing(self, scene: Scene) -> None:
        committed = scene.commit(Batch())
        assert (committed.granted, committed.traces, committed.lost) == (frozenset(), (), frozenset())

    def test_a_case_that_a_run_has_is_never_overwritten(self, scene: Scene) -> None:
        run, other = scene.run("r"), scene.run("other")
        (trace,) = scene.generate(run, scene.trace(run, UNIT, output="first"))
        (another,) = scene.generate(other, scene.trace(other, OTHER))
        scene.commit(Batch(cases=[scene.case(run, UNIT, trace=another), scene.case(run, OTHER, trace=another)]))
        assert scene.store.case("r", "q0").case.trace == trace.digest
        assert scene.store.case("r", "q1").case.trace == another.digest

    def test_executed_names_the_units_of_one_run(self, scene: Scene) -> None:
        run, other = scene.run("r"), scene.run("other")
        scene.generate(run, scene.trace(run, UNIT), scene.trace(run, LAST))
        scene.generate(other, scene.trace(other, OTHER))
        assert scene.store.executed("r") == {UNIT, LAST}
        assert scene.store.executed("other") == {OTHER}

    def test_many_records_are_committed_and_found_at_once(self, scene: Scene) -> None:
        run = scene.run("r")
        units = [(place, trial) for place in range(4) for trial in range(400)]
        refs = scene.generate(run, *(scene.trace(run, unit, output=list(unit)) for unit in units))
        found = scene.store.find_traces([scene.key(unit) for unit in units])
        assert [found[scene.key(unit)] for unit in units] == list(refs)
        loaded = scene.store.load_traces([ref.ref for ref in refs])
        assert [loaded[ref.ref].produced.output for ref in refs] == [list(unit) for unit in units]
        assert scene.store.executed("r") == set(units)
