"""The contract itself: stores that break a promise fail it, and only test suites load it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.architecture.source import sources

BROKEN = """
import pytest
from msgspec.structs import replace

from rejudge.domain.rating import current
from rejudge.storage.contract import StoreContract
from rejudge.storage.memory import MemoryStore
from rejudge.storage.records import Committed, EvaluationMade


class GrantsWhatOthersHold(MemoryStore):
    def commit(self, batch, *, owner):
        committed = super().commit(batch, owner=owner)
        return Committed(frozenset(batch.claims), committed.traces, committed.lost)


class LetsTheLastTraceWin(MemoryStore):
    def commit(self, batch, *, owner):
        stored = self.find_traces([trace.key for trace in batch.traces])
        batch.dropped.extend(trace.ref for trace in stored.values())
        return super().commit(batch, owner=owner)


class WritesHalfABatch(MemoryStore):
    def commit(self, batch, *, owner):
        super().commit(replace(batch, cases=[], scores=[], hits=[]), owner=owner)
        return super().commit(batch, owner=owner)


class ForgetsHits(MemoryStore):
    def hits(self, run_id, *, start=0, count=500):
        return super().hits(run_id, start=start, count=count)[:0]


class LeaksGeneratedTraces(MemoryStore):
    def listed_traces(self, *, evaluation_made):
        return super().listed_traces(evaluation_made=EvaluationMade.INCLUDED)


class AdoptsFromTheLiving(MemoryStore):
    def adopt_run(self, run_id, *, owner):
        self._claims.leave(1)
        return super().adopt_run(run_id, owner=owner)


class ForgetsWhatWasSaidBefore(MemoryStore):
    def ratings(self, rating_set):
        return current(super().ratings(rating_set))


def contract_of(kind):
    class TestStore(StoreContract):
        @pytest.fixture
        def store(self):
            return kind()

    return TestStore


TestGrantsWhatOthersHold = contract_of(GrantsWhatOthersHold)
TestLetsTheLastTraceWin = contract_of(LetsTheLastTraceWin)
TestWritesHalfABatch = contract_of(WritesHalfABatch)
TestForgetsHits = contract_of(ForgetsHits)
TestLeaksGeneratedTraces = contract_of(LeaksGeneratedTraces)
TestAdoptsFromTheLiving = contract_of(AdoptsFromTheLiving)
TestForgetsWhatWasSaidBefore = contract_of(ForgetsWhatWasSaidBefore)
"""

PROMISES = {
    "GrantsWhatOthersHold": "test_a_key_that_one_holds_already_is_not_granted_again",
    "LetsTheLastTraceWin": "test_the_first_trace_under_a_key_stays",
    "WritesHalfABatch": "test_a_batch_that_is_refused_leaves_nothing",
    "ForgetsHits": "test_what_is_reused_is_recorded_with_all_five_fields",
    "LeaksGeneratedTraces": "test_traces_made_by_an_evaluation_are_listed_only_when_asked_for",
    "AdoptsFromTheLiving": "test_a_run_whose_owner_left_is_taken_over",
    "ForgetsWhatWasSaidBefore": "test_a_later_rating_supersedes_and_the_earlier_stays_readable",
}


def test_a_store_that_breaks_a_promise_fails_the_test_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "test_broken.py").write_text(BROKEN, encoding="utf-8")
    chosen = " or ".join(PROMISES.values())
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-k", chosen]
    run = subprocess.run([*command, "test_broken.py"], cwd=tmp_path, capture_output=True, text=True)
    failed = set(re.findall(r"^FAILED test_broken\.py::Test(\w+)::(\w+)", run.stdout, flags=re.MULTILINE))
    assert set(PROMISES.items()) <= failed
    assert "assert ['trace-" in run.stdout, "a failure shows what was found"


def test_only_test_suites_load_the_contract() -> None:
    inside = tuple(
        f"src/rejudge/{room}" for room in ("storage/contract.py", "storage/promises/", "providers/contract.py")
    )
    outside = [source for source in sources() if source.path.startswith("src/") and not source.path.startswith(inside)]
    importers = [
        source.path
        for source in outside
        if re.search(r"\b(storage|providers)\.(contract|promises)\b|\bpytest\b", source.text)
    ]
    assert outside
    assert importers == []
