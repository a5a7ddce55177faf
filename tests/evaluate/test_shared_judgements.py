"""A judgement is paid for once: by two processes, two evaluations in one, and after a kill."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

import rejudge
from rejudge.scorers import assertions
from rejudge.wiring import Address, open_store

COUNT = 200

SCRIPT = f"""
import asyncio, os, sys
import rejudge

ROWS = [{{"id": f"i{{n}}", "question": f"question {{n}}"}} for n in range({COUNT})]

def task(question):
    return question

class Judge:
    async def answer(self, call):
        await asyncio.sleep(float(os.environ.get("SECONDS", "0.01")))
        asked = call.messages[-1]["content"]
        name = asked[asked.rindex("question "):].split()[1].strip('"<>/')
        with open("log", "a") as log:
            log.write(f"{{name}}\\n")
        verdict = "no idea" if "FAILS" in os.environ else "pass"
        return rejudge.Reply(text=verdict, model="m", usage=rejudge.Usage(input_tokens=7, cost=0.25))

task.version = "1"
judge = rejudge.llm_judge(model="m", prompt_template="{{{{final_message}}}}", reasks=0)
plain = rejudge.contains(substring="question")
how, name = sys.argv[1:3]
if how == "live":
    result = rejudge.evaluate(ROWS, task, [judge], store="store.db", name=name, provider=Judge(), concurrency=8)
elif how == "plain":
    result = rejudge.evaluate(ROWS, task, [plain], store="store.db", name=name)
else:
    result = rejudge.evaluate_experiment(name, [judge], store="store.db", provider=Judge(), concurrency=8)
counts = result.summary("llm_judge").counts if how != "plain" else None
if counts:
    print(counts.scored, counts.scorer_errors)
"""


def _started(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    script = folder / "script.py"
    if not script.exists():  # another process may be about to read it
        script.write_text(textwrap.dedent(SCRIPT))
    return subprocess.Popen(
        [sys.executable, "script.py", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )


def _ended(process: subprocess.Popen[str]) -> list[int]:
    told = process.communicate(timeout=120)[0]
    assert process.returncode in (0, 3)
    return [int(number) for number in told.split()]


def _asked(folder: Path) -> Counter[str]:
    log = folder / "log"
    return Counter(log.read_text().split()) if log.exists() else Counter()


def test_two_processes_that_rescore_at_once_make_each_judgement_once(tmp_path: Path) -> None:
    _ended(_started(tmp_path, "plain", "one"))
    both = [_started(tmp_path, "rescore", "one") for _ in range(2)]
    assert [_ended(process) for process in both] == [[COUNT, 0], [COUNT, 0]]
    assert _asked(tmp_path) == Counter({str(number): 1 for number in range(COUNT)})


@pytest.mark.parametrize("second", ["live", "rescore"])
def test_a_live_run_and_another_at_once_make_each_judgement_once(tmp_path: Path, second: str) -> None:
    _ended(_started(tmp_path, "plain", "stored"))
    both = [_started(tmp_path, "live", "fresh"), _started(tmp_path, second, "stored")]
    assert [_ended(process) for process in both] == [[COUNT, 0], [COUNT, 0]]
    assert _asked(tmp_path) == Counter({str(number): 1 for number in range(COUNT)})


def test_what_was_paid_before_a_kill_is_not_paid_again_and_the_claims_of_the_dead_are_free(tmp_path: Path) -> None:
    _ended(_started(tmp_path, "plain", "one"))
    killed = _started(tmp_path, "rescore", "one", SECONDS="0.1")
    deadline = time.monotonic() + 60
    while sum(_asked(tmp_path).values()) < 40:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    with sqlite3.connect(tmp_path / "store.db") as store:
        (durable,) = store.execute("SELECT count(*) FROM scores WHERE input_tokens IS NOT NULL").fetchone()
    paid = sum(_asked(tmp_path).values())
    assert durable >= 24
    begun = time.monotonic()
    assert _ended(_started(tmp_path, "rescore", "one")) == [COUNT, 0]
    assert time.monotonic() - begun < 30
    assert sum(_asked(tmp_path).values()) - paid == COUNT - durable


def test_a_judge_that_fails_is_asked_by_each_that_wants_it_and_every_answer_is_kept(tmp_path: Path) -> None:
    _ended(_started(tmp_path, "plain", "one"))
    both = [_started(tmp_path, "rescore", "one", FAILS="1") for _ in range(2)]
    assert [_ended(process) for process in both] == [[0, COUNT], [0, COUNT]]
    asked = _asked(tmp_path)
    with sqlite3.connect(tmp_path / "store.db") as store:
        stored = store.execute("SELECT count(*), sum(cost) FROM scores WHERE cost IS NOT NULL").fetchone()
    assert stored == (sum(asked.values()), sum(asked.values()) * 0.25)
    assert set(asked.values()) <= {1, 2}


class Slow:
    """A provider that counts what it is asked and lets others run meanwhile."""

    def __init__(self, verdict: str = "pass") -> None:
        self.asked = 0
        self.verdict = verdict
        self._lock = threading.Lock()

    async def answer(self, call: rejudge.ModelCall) -> rejudge.Reply:
        with self._lock:
            self.asked += 1
        await asyncio.sleep(0.01)
        return rejudge.Reply(text=self.verdict, model="m", usage=rejudge.Usage(input_tokens=7, cost=0.25))


ROWS = [{"id": f"i{number}", "question": f"question {number}"} for number in range(COUNT)]


def task(question: str) -> str:
    return question


task.version = "1"  # type: ignore[attr-defined]
JUDGE = rejudge.llm_judge(model="m", reasks=0)


def test_two_threads_that_evaluate_at_once_make_each_judgement_once(store: Address) -> None:
    shared, provider = open_store(store), Slow()
    scored: list[int] = []

    def evaluate(name: str) -> None:
        result = rejudge.evaluate(ROWS, task, [JUDGE], store=shared, name=name, provider=provider, concurrency=8)
        scored.append(result.summary("llm_judge").counts.scored)

    threads = [threading.Thread(target=evaluate, args=(name,)) for name in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert scored == [COUNT] * 3
    assert provider.asked == COUNT


def test_two_evaluations_in_one_loop_pay_for_each_judgement_once_and_the_other_reuses_it(store: Address) -> None:
    shared, provider = open_store(store), Slow()

    async def both() -> list[rejudge.Result]:
        wanted = [
            rejudge.evaluation(ROWS, task, [JUDGE], store=shared, name=name, provider=provider, concurrency=8)
            for name in ("one", "two")
        ]
        return list(await asyncio.gather(*wanted))

    counts = [result.runs[0].counts.scores[0] for result in asyncio.run(both())]
    made = [one.made for one in counts]
    assert [one.scored for one in counts] == [COUNT, COUNT]
    assert sum(made) == provider.asked == COUNT
    assert min(made) > 0, "both take part"


def test_a_function_that_takes_its_time_is_asked_once_by_two_evaluations(store: Address) -> None:
    shared = open_store(store)
    asked: list[str] = []

    def judge(output: str) -> bool:
        asked.append(output)
        time.sleep(0.005)
        return True

    judge.version = "1"  # type: ignore[attr-defined]

    async def both() -> list[rejudge.Result]:
        wanted = [
            rejudge.evaluation(ROWS, task, [judge], store=shared, name=name, concurrency=4) for name in ("one", "two")
        ]
        return list(await asyncio.gather(*wanted))

    assert [result.summary("judge").n for result in asyncio.run(both())] == [COUNT, COUNT]
    assert Counter(asked) == Counter(row["question"] for row in ROWS)


def test_a_judgement_whose_maker_stops_is_made_by_whoever_waits_for_it(store: Address) -> None:
    shared = open_store(store)
    rejudge.evaluate(ROWS[:8], task, [rejudge.contains(substring="q")], store=shared, name="one")
    stuck, quick = asyncio.Event(), Slow()

    class Stuck:
        async def answer(self, call: rejudge.ModelCall) -> rejudge.Reply:
            stuck.set()
            await asyncio.sleep(60)
            raise AssertionError("nobody waits so long")

    async def both() -> rejudge.Result:
        first = asyncio.ensure_future(
            rejudge.evaluation(ROWS[:8], task, [JUDGE], store=shared, name="first", provider=Stuck())
        )
        await stuck.wait()
        second = asyncio.ensure_future(
            rejudge.evaluation(ROWS[:8], task, [JUDGE], store=shared, name="second", provider=quick)
        )
        await asyncio.sleep(0.2)
        assert not second.done()
        assert quick.asked == 0
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        return await second

    result = asyncio.run(asyncio.wait_for(both(), 30))
    assert result.summary("llm_judge").counts.scored == 8
    assert quick.asked == 8


def test_where_both_were_paid_for_after_a_lost_claim_the_first_counts_and_the_second_is_spend(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    rejudge.evaluate(ROWS[:4], task, [rejudge.contains(substring="q")], store=store, name="zero")
    asked, go = asyncio.Event(), asyncio.Event()

    class Held(Slow):
        async def answer(self, call: rejudge.ModelCall) -> rejudge.Reply:
            reply = await super().answer(call)
            asked.set()
            await go.wait()
            return reply

    late, early = Held("fail"), Slow("pass")

    async def both() -> tuple[rejudge.Result, rejudge.Result]:
        held = rejudge.evaluation(ROWS[:4], task, [JUDGE], store=store, name="late", provider=late)
        first = asyncio.ensure_future(held)
        await asked.wait()
        with sqlite3.connect(store) as connection:  # as after an expired lease
            connection.execute("DELETE FROM claims")
        second = await rejudge.evaluation(ROWS[:4], task, [JUDGE], store=store, name="early", provider=early)
        go.set()
        return await first, second

    results = asyncio.run(asyncio.wait_for(both(), 60))
    counts = [result.runs[0].counts.scores[0] for result in results]
    assert [result.summary("llm_judge").mean for result in results] == [1.0, 1.0]
    assert [(one.made, one.cost) for one in counts] == [(4, 1.0), (4, 1.0)]
    assert (late.asked, early.asked) == (4, 4)


def test_assertions_that_are_asked_in_one_call_are_asked_once_by_two_evaluations(store: Address) -> None:
    shared, provider = open_store(store), Slow('{"a1": {"holds": true}, "a2": {"holds": false}}')
    scorers = assertions(assertions=("It is short.", "It is long."), model="m", reasks=0)

    async def both() -> list[rejudge.Result]:
        wanted = [
            rejudge.evaluation(ROWS[:40], task, [scorers], store=shared, name=name, provider=provider, concurrency=4)
            for name in ("one", "two")
        ]
        return list(await asyncio.gather(*wanted))

    for result in asyncio.run(both()):
        assert [(one.scored, one.errors) for one in result.runs[0].counts.scores] == [(40, 0), (40, 0)]
    assert provider.asked == 40
