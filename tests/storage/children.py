"""What child processes do to a store: write until they are killed, race each other, or try without permission."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from msgspec.structs import replace

from rejudge.domain.errors import StoreError
from rejudge.storage.promises.scene import Scene, passed
from rejudge.storage.records import Batch, TraceRef
from rejudge.storage.sqlite import open_sqlite

Work: TypeAlias = "Callable[[Path, Connection], None]"
"""Something that a child does with the store at a path; it talks through a pipe."""

RUN = "r"
BATCH = 8
NOBODY = 65_534

_context = get_context("forkserver")
_context.set_forkserver_preload(["tests.storage.children"])


@contextmanager
def child(work: Work, path: Path) -> Iterator[tuple[BaseProcess, Connection]]:
    """A process that does this; it is gone afterwards."""
    ours, theirs = _context.Pipe()
    process = _context.Process(target=work, args=(path, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        yield process, ours
    finally:
        process.kill()
        process.join()
        ours.close()


def new_store(path: Path) -> None:
    """A store with a run that nobody executes."""
    with closing(open_sqlite(path)) as store:
        scene = Scene(store)
        scene.run(RUN)
        store.leave(scene.owner)


def commit_until_killed(path: Path, pipe: Connection) -> None:
    """Go on with the run, and tell after each commit how many cases it has now."""
    store = open_sqlite(path)
    scene = Scene(store)
    run = store.adopt_run(RUN, owner=scene.owner)
    assert run is not None
    traces: Sequence[TraceRef] = ()
    for first in count(len(store.executed(RUN)), BATCH):
        batch = Batch(
            traces=[replace(scene.trace(run, (0, 0)), key=os.urandom(32)) for _ in range(BATCH)],
            cases=[replace(scene.case(run, (0, 0)), position=first + place, fresh=place) for place in range(BATCH)],
            scores=[scene.score(run, trace, passed()) for trace in traces],
        )
        traces = scene.commit(batch).traces
        pipe.send(first + BATCH)


def file_and_claim(path: Path, pipe: Connection) -> None:
    """File traces under keys and claim other keys when told to; answer how many came too late, and what is ours."""
    with closing(open_sqlite(path)) as store:
        scene = Scene(store)
        run = scene.run(str(os.getpid()))
        pipe.send("ready")
        filed, claimed = pipe.recv()
        lost = 0
        granted: set[bytes] = set()
        for key, claim in zip(filed, claimed, strict=True):
            committed = scene.commit(Batch(traces=[replace(scene.trace(run, (0, 0)), key=key)], claims=[claim]))
            lost += len(committed.lost)
            granted |= committed.granted
        pipe.send((lost, granted))
        pipe.recv()


def open_at_once(path: Path, pipe: Connection) -> None:
    """Open the store when told to, and answer what it says."""
    pipe.send("ready")
    pipe.recv()
    pipe.send(_said(path))


def open_in_step(folder: Path, pipe: Connection) -> None:
    """Open each store that is named, and answer what is wrong with it."""
    while True:
        path = pipe.recv()
        try:
            open_sqlite(path).close()
        except StoreError as error:
            pipe.send(f"{type(error).__name__}: {error}")
        else:
            pipe.send("")


def try_without_permission(path: Path, pipe: Connection) -> None:
    """Read and write as nobody; answer what was read and which errors came."""
    with TemporaryDirectory() as folder:
        new_store(Path(folder) / "rehearsal.db")  # imports what nobody may not be allowed to read later
        _said(Path(folder) / "rehearsal.db")
    if os.getuid() == 0:
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    pipe.send(_said(path))


def _said(path: Path) -> list[str]:
    """The runs in the store and the error of a write, or the error of opening it."""
    try:
        store = open_sqlite(path)
    except StoreError as error:
        return [type(error).__name__]
    with closing(store):
        said = [run.id for run in store.runs()]
        try:
            Scene(store)
        except StoreError as error:
            said.append(type(error).__name__)
    return said
