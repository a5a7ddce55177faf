"""A process that is killed while it judges for an explanation: the next one pays for nothing that was answered."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import rejudge
from rejudge.stats.decompose import Order
from rejudge.stats.interval import Undefined
from rejudge.wiring import open_store
from tests.release.planted import BETTER, World

DIES = """
import asyncio, os
import rejudge
from tests.release.planted import World

world = World()


class Dies:
    async def answer(self, call):
        if world.judges == 60:
            await asyncio.sleep(0.5)  # what was answered is on the disk by now
            os._exit(9)
        with open("answered", "a") as log:
            log.write(f"{call.model} {call.messages[-1]['content'].splitlines()[0]}\\n")
        return await world.provider.answer(call)


rejudge.explain("before", "after", store="store.db", provider=Dies(), concurrency=1)
"""


@pytest.mark.crash
def test_killed_in_the_middle_it_goes_on_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    world = World()
    path = tmp_path / "store.db"
    store = open_store(path)
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")
    tasks = world.tasks
    store.close()
    root = Path(__file__).resolve().parents[2]
    died = subprocess.run(
        [sys.executable, "-c", DIES],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert died.returncode == 9, died.stderr
    answered = (tmp_path / "answered").read_text().splitlines()
    assert len(answered) == 60
    found = rejudge.explain("before", "after", store=path, provider=world.provider)
    split = found.score().split
    assert not isinstance(split, Undefined)
    assert (split.order, split.n_split) == (Order.BOTH, 80)
    again = [f"{one.model} {str(one.messages[-1]['content']).splitlines()[0]}" for one in world.provider.calls]
    asked_again = [one for one in again[-100:] if one.startswith("judge/")]
    assert found.spent.made == 160 - 60
    assert found.spent.cost == pytest.approx(1.0)
    assert max(Counter([*answered, *asked_again]).values()) == 1
    assert world.tasks == tasks
    assert [first.runs[0].id, second.runs[0].id] == [found.first.run, found.second.run]


def test_interrupted_it_keeps_what_was_judged() -> None:
    world = World()
    store = open_store("memory:")
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")
    asked: list[rejudge.ModelCall] = []

    def reply(call: rejudge.ModelCall) -> rejudge.Reply:
        asked.append(call)
        if len(asked) == 30:
            signal.raise_signal(signal.SIGINT)
        return world._reply(call)

    with pytest.raises(rejudge.Interrupted):
        rejudge.explain(first, second, provider=rejudge.ScriptedProvider(reply), concurrency=1)
    judges = world.judges
    found = rejudge.explain(first, second, provider=world.provider)
    assert found.spent.made == world.judges - judges == 160 - 30
    assert found.spent.errors == 0
