"""How much a store writes: the same for every item, and large contents once."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from rejudge.domain.payload import encode
from rejudge.domain.trace import Produced
from rejudge.storage.promises.scene import Scene, new_item, passed, write
from rejudge.storage.records import Batch, TraceRef
from rejudge.storage.sqlite import open_sqlite

LARGE = "all work and no play makes jack a dull boy. " * 2_000


def bytes_per_item(path: Path, count: int) -> float:
    """The size of a store with this many traces, cases and scores, for each of them."""
    with closing(open_sqlite(path)) as store:
        scene = Scene(store)
        run = scene.run("r")
        trace, case = scene.trace(run, (0, 0)), scene.case(run, (0, 0))
        made: tuple[TraceRef, ...] = ()
        for start in range(0, count, 250):
            batch = Batch(
                traces=[replace(trace, key=os.urandom(32)) for _ in range(250)],
                cases=[replace(case, position=start + place, fresh=place) for place in range(250)],
                scores=[scene.score(run, one, passed(), seen=os.urandom(32)) for one in made],
            )
            made = scene.commit(batch).traces
    return path.stat().st_size / count


@pytest.mark.slow
def test_a_long_run_takes_no_more_space_per_item_than_a_short_one(tmp_path: Path) -> None:
    short = bytes_per_item(tmp_path / "short.db", 5_000)
    long = bytes_per_item(tmp_path / "long.db", 20_000)
    assert long == pytest.approx(short, rel=0.1)


def test_a_large_content_is_compressed_and_stored_once(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with closing(open_sqlite(path)) as store:
        scene = Scene(store)
        run = scene.run("r")
        body = encode(Produced(output=LARGE))
        traces = [replace(scene.trace(run, unit), body=body) for unit in ((0, 0), (1, 0))]
        made = [*scene.generate(run, *traces), *scene.generate(run, replace(scene.trace(run, (2, 0)), body=body))]
        version = write(store, "texts", [new_item(name, text=LARGE, name=name) for name in ("a", "b")])
        loaded = store.load_traces([trace.ref for trace in made])
        assert [loaded[trace.ref].produced.output for trace in made] == [LARGE] * 3
        assert [item.body for item in store.items(version.id, start=0, count=9)] == [
            encode({"text": LARGE, "name": name}) for name in ("a", "b")
        ]
    assert path.stat().st_size < 3 * len(LARGE)


def test_a_large_content_that_cannot_be_read_is_a_trace_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with closing(open_sqlite(path)) as store:
        scene = Scene(store)
        run = scene.run("r")
        large = replace(scene.trace(run, (0, 0)), body=encode(Produced(output=LARGE)))
        damaged, whole = scene.generate(run, large, scene.trace(run, (1, 0)))
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("DROP TRIGGER payloads_stay_on_update")
            connection.execute("UPDATE payloads SET compressed = x'00'")
            connection.commit()
        assert store.load_traces([damaged.ref, whole.ref]).keys() == {whole.ref}
        assert store.case("r", "q0").trace is None
