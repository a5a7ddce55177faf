"""What a store says when the disk, the file system or another process will not let it work."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest
from msgspec.structs import replace

from rejudge.domain.errors import StoreBusy, StoreError, StoreFull
from rejudge.storage.liveness import this_process
from rejudge.storage.promises.scene import Scene
from rejudge.storage.records import Batch, EvaluationMade
from rejudge.storage.sqlite import open_sqlite
from tests.storage.children import RUN, child, new_store, try_without_permission


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may look into, unlike pytest's own."""
    with TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        yield path
        path.chmod(0o755)


@pytest.fixture
def small_disk(folder: Path) -> Iterator[Path]:
    """A disk of four megabytes."""
    disk = folder / "disk"
    disk.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)], capture_output=True)
    if mount.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def said_without_permission(path: Path) -> object:
    """What a process that may write only what anybody may reads, and which error it gets when it writes."""
    with child(try_without_permission, path) as (_, pipe):
        return pipe.recv()


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes, which nobody wants to lose\n" * 50)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="no store of rejudge"):
        open_sqlite(path)
    assert path.read_bytes() == before


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"folder .*nowhere does not exist"):
        open_sqlite(tmp_path / "nowhere" / "store.db")


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder"):
        open_sqlite(tmp_path)


def test_a_damaged_store_says_so(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    new_store(path)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    with pytest.raises(StoreError, match="damaged"), closing(open_sqlite(path)) as store:
        store.versions()


def test_a_store_in_a_folder_that_cannot_be_written_can_be_read(folder: Path) -> None:
    path = folder / "store.db"
    new_store(path)
    path.chmod(0o444)
    folder.chmod(0o555)
    assert said_without_permission(path) == [RUN, "StoreReadOnly"]


def test_a_file_that_cannot_be_written_can_be_read(folder: Path) -> None:
    path = folder / "store.db"
    new_store(path)
    path.chmod(0o444)
    folder.chmod(0o777)
    assert said_without_permission(path) == [RUN, "StoreReadOnly"]


def test_a_file_that_may_not_be_read_is_no_store(folder: Path) -> None:
    new_store(folder / "store.db")
    (folder / "store.db").chmod(0)
    assert said_without_permission(folder / "store.db") == ["NoStore"]
    folder.chmod(0)
    assert said_without_permission(folder / "store.db") == ["NoStore"]


def test_a_store_that_another_user_has_open_can_be_read(folder: Path) -> None:
    path = folder / "store.db"
    new_store(path)
    with closing(open_sqlite(path)) as store:
        Scene(store).run("unfinished")
        for file in folder.iterdir():
            file.chmod(0o444)
        folder.chmod(0o555)
        assert said_without_permission(path) == [RUN, "unfinished", "StoreReadOnly"]


def test_a_new_store_cannot_be_made_in_a_folder_that_cannot_be_written(folder: Path) -> None:
    folder.chmod(0o555)
    assert said_without_permission(folder / "store.db") == ["StoreReadOnly"]


def test_a_full_disk_loses_nothing_and_the_store_works_again_when_there_is_space(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(500_000))
    with closing(open_sqlite(small_disk / "store.db")) as store:
        scene = Scene(store)
        run, committed = scene.run(RUN), 0

        def commit() -> int:
            trace = scene.trace(run, (0, 0))
            batch = [replace(trace, key=os.urandom(32), body=os.urandom(3_000)) for _ in range(20)]
            return len(scene.commit(Batch(traces=batch)).traces)

        def commit_until_full() -> None:
            nonlocal committed
            while True:
                committed += commit()

        with pytest.raises(StoreFull, match="everything committed before is kept"):
            commit_until_full()
        with pytest.raises(StoreFull):
            commit()
        assert len(store.listed_traces(evaluation_made=EvaluationMade.INCLUDED)) == committed
        ballast.unlink()
        committed += commit()
        assert len(store.listed_traces(evaluation_made=EvaluationMade.INCLUDED)) == committed


def test_a_writer_that_waits_too_long_is_told_why(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    new_store(path)
    with closing(open_sqlite(path, busy_seconds=0.01)) as store, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy, match="held the write lock"):
            Scene(store)
        other.rollback()
        assert Scene(store).run("now") > 0


def test_readers_do_not_wait_for_a_writer_and_see_nothing_unfinished(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    new_store(path)
    with closing(open_sqlite(path, busy_seconds=0.01)) as store, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("UPDATE runs SET state = 'cancelled'")
        assert store.run(RUN).state.value == "created"
        other.commit()
        assert store.run(RUN).state.value == "cancelled"


def test_an_owner_that_cannot_leave_a_full_disk_holds_nothing_once_there_is_room(small_disk: Path) -> None:
    with closing(open_sqlite(small_disk / "store.db")) as store:
        scene = Scene(store)
        key = bytes(32)
        assert store.commit(Batch(claims=[key]), owner=scene.owner).granted == frozenset([key])
        ballast = small_disk / "ballast"
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(bytes(4096)):
                pass
        with suppress(StoreError):
            while True:
                scene.run(str(uuid4()))
        with pytest.raises(StoreError):
            store.leave(scene.owner)
        ballast.unlink()
        another = store.enter(this_process(), lease_seconds=60.0)
        assert store.commit(Batch(claims=[key]), owner=another).granted == frozenset([key])
