"""A store in one SQLite file, for one machine and any number of processes on it."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack
from functools import cache, partial
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import QueuePool

from rejudge.domain.errors import NoStore, StoreError
from rejudge.storage.database import Database
from rejudge.storage.migration import Age, age, make, migrate
from rejudge.storage.sql_archive import SqlArchive
from rejudge.storage.sql_calibrations import SqlCalibrations
from rejudge.storage.sql_claims import SqlClaims
from rejudge.storage.sql_datasets import SqlDatasets
from rejudge.storage.sql_ratings import SqlRatings
from rejudge.storage.sql_results import SqlResults
from rejudge.storage.sql_runs import SqlRuns
from rejudge.storage.sql_work import SqlWork
from rejudge.storage.sqlite_faults import primary_code, sqlite_faults

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection
    from sqlalchemy.engine.interfaces import DBAPIConnection

    from rejudge.domain.run import RunState

APPLICATION_ID = 0x726A6467
"""`rjdg`: how a file says that it is a store of rejudge."""

POLL_SECONDS = 0.01
"""How often a process looks whether another one has finished changing the journal."""

_OLDEST_SQLITE = (3, 35)
_EACH = ("temp_store = MEMORY",)
_WAITING = "synchronous = FULL"
"""A commit waits until the disk has it, and everything before it."""
_NOT_WAITING = "synchronous = NORMAL"
"""A commit waits for nothing; the next one that waits takes it along. None is ever there without those before it."""
_WRITER = (
    *_EACH,
    "journal_mode = WAL",
    _WAITING,
    "cache_size = -65536",
    "wal_autocheckpoint = 8000",
)
_READER = (*_EACH, "query_only = ON", "cache_size = -32768")
_BEGIN_WRITING = "BEGIN IMMEDIATE"
_CONNECTIONS_KEPT = 4
_SYNCHRONOUS = "synchronous"

_compiled: dict[Any, Any] = {}
"""The statements that were composed so far, once for all stores of the process; there are a few dozen of them."""


class SqliteStore(SqlDatasets, SqlClaims, SqlWork, SqlRuns, SqlArchive, SqlResults, SqlRatings, SqlCalibrations):
    """The whole bundle on one SQLite file."""

    def __init__(self, database: Database, *, path: Path) -> None:
        super().__init__(database)
        self._path = path
        self._place = path.resolve()
        self._file = _identity(self._place)

    def move_run(self, run_id: str, *, old: RunState, new: RunState, at: float, reason: str | None = None) -> None:
        """Write a move if the run is still where the caller believes it, and the file still where it was opened."""
        if _identity(self._place) != self._file:
            raise StoreError(
                f"{self._path} was deleted or replaced while it was in use; run {run_id} is not in what is there now",
                fix="put the file back if you moved it, or evaluate again",
            )
        super().move_run(run_id, old=old, new=new, at=at, reason=reason)

    def leave(self, owner: int) -> None:
        """Free every claim of an owner, forget it, and hold no file open for writing until somebody writes again."""
        super().leave(owner)
        self._database.rest()

    def close(self) -> None:
        """Finish writing and let go of the file."""
        self._database.close()


def open_sqlite(path: Path, *, busy_seconds: float = 30.0) -> SqliteStore:
    """Open the store at `path`; make it if there is none, and bring an older one up to date.

    A store that cannot be written can still be read. `busy_seconds` is how long a writer waits for
    another process before it raises StoreBusy.
    """
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreError(f"SQLite is {sqlite3.sqlite_version}, older than {'.'.join(map(str, _OLDEST_SQLITE))}")
    faults = partial(sqlite_faults, path)
    engine = partial(_engine, path, busy_seconds=busy_seconds)
    writer = engine("mode=rw", _WRITER, begin=_BEGIN_WRITING)
    with faults(), ExitStack() as ending:
        if not path.is_file() or not path.stat().st_size:
            maker = engine("mode=rwc", _WRITER, begin=_BEGIN_WRITING).execution_options(**{_SYNCHRONOUS: _NOT_WAITING})
            ending.callback(maker.dispose)  # once there are readers: the last who closes a file cleans up after it
            _bring_up_to_date(maker, path)
        readers = engine("mode=rw", _READER)
        try:
            found = _look(readers, path)
        except OperationalError as error:
            if not _unshared(path, error):
                raise
            readers = engine("immutable=1", _READER)
            found = _look(readers, path)
        if found is not Age.CURRENT:
            ending.callback(writer.dispose)
            _bring_up_to_date(writer, path)
    noting = writer.execution_options(**{_SYNCHRONOUS: _NOT_WAITING})
    return SqliteStore(Database(readers=readers, writer=writer, noting=noting, faults=faults), path=path)


def _engine(path: Path, mode: str, settings: tuple[str, ...], *, begin: str = "BEGIN", busy_seconds: float) -> Engine:
    """Connections with these settings, whose transactions begin with `begin`."""
    uri = f"{path.resolve().as_uri()}?{mode}"  # now: the working directory may be another one later

    def connect() -> DBAPIConnection:
        connection = sqlite3.connect(
            uri,
            uri=True,
            timeout=busy_seconds,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        for setting in settings:
            _set(connection, setting, busy_seconds=busy_seconds)
        return cast("DBAPIConnection", connection)

    shared = _any_store()
    pool = QueuePool(connect, pool_size=_CONNECTIONS_KEPT, max_overflow=-1, dialect=shared.dialect)
    engine = Engine(pool, shared.dialect, shared.url, execution_options={"compiled_cache": _compiled})
    event.listen(engine, "begin", partial(_begin, statement=begin))
    return engine


def _begin(connection: Connection, *, statement: str) -> None:
    """Begin a transaction, after saying whether its commit waits for the disk; inside, that cannot be said any more."""
    wanted = connection.get_execution_options().get(_SYNCHRONOUS, _WAITING)
    if connection.info.get(_SYNCHRONOUS, _WAITING) != wanted:
        connection.exec_driver_sql(f"PRAGMA {wanted}")
        connection.info[_SYNCHRONOUS] = wanted
    connection.exec_driver_sql(statement)


def _set(connection: sqlite3.Connection, setting: str, *, busy_seconds: float) -> None:
    """Make a setting; SQLite itself waits for nobody where it changes the journal of a new file."""
    until = monotonic() + busy_seconds
    while True:
        try:
            connection.execute(f"PRAGMA {setting}")
        except sqlite3.OperationalError as error:
            if primary_code(error) != sqlite3.SQLITE_BUSY or monotonic() >= until:
                raise
            sleep(POLL_SECONDS)
        else:
            return


@cache
def _any_store() -> Engine:
    """An engine that has met SQLite: what it learned there, every store of the process shares."""
    engine = create_engine("sqlite+pysqlite://")
    with engine.connect():
        return engine


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file is at the path; another one under the same name has another identity."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _look(engine: Engine, path: Path) -> Age:
    """How the store stands to this program; leaves nothing open where that cannot be said."""
    try:
        with engine.begin() as connection:
            return _age(connection, path)
    except BaseException:
        engine.dispose()
        raise


def _age(connection: Connection, path: Path) -> Age:
    if connection.exec_driver_sql("PRAGMA application_id").scalar() == APPLICATION_ID:
        return age(connection)
    if connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar():
        raise NoStore(f"{path} is an SQLite file of another program", fix="name another file, or a new one")
    return Age.NOTHING


def _bring_up_to_date(writer: Engine, path: Path) -> None:
    """Make or migrate under the write lock; another process may have been faster."""
    with writer.begin() as connection:
        match _age(connection, path):
            case Age.NOTHING:
                make(connection)
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
            case Age.OLDER:
                migrate(connection)


def _unshared(path: Path, error: OperationalError) -> bool:
    """Whether the file can only be read as it lies there.

    Readers and writers share two more files; in a folder that cannot be written, they are missing after
    every writer has left properly.
    """
    refused = isinstance(error.orig, sqlite3.Error) and primary_code(error.orig) in {
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_READONLY,
    }
    if not refused or not path.is_file():
        return False
    file = path.resolve()
    ahead = file.with_name(f"{file.name}-wal")
    return not ahead.exists() or not ahead.stat().st_size
