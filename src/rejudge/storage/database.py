"""Transactions over one database: any number that read, one that writes."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from rejudge.domain.errors import StoreError
from rejudge.storage.switching import prompt_switching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection, Engine


class Database:
    """Gives out transactions; whatever fails in the back end comes out as a StoreError.

    `readers` begins transactions that see one state of the database throughout, `writer` such as hold
    the write lock from their beginning, and `noting` such ones that need not wait for the disk. `faults` translates
    the back end's errors.
    """

    def __init__(
        self, *, readers: Engine, writer: Engine, noting: Engine, faults: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._readers = readers
        self._writer = writer
        self._noting = noting
        self._faults = faults
        self._writing = Lock()
        self._closed = False

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One state of the database, however many questions are asked of it."""
        self._check_open()
        with self._faults(), prompt_switching(), self._readers.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """All or nothing, and durable afterwards; an exception takes everything back."""
        with self._begun(self._writer) as connection:
            yield connection

    @contextmanager
    def note(self) -> Iterator[Connection]:
        """All or nothing, seen by everybody at once, and durable when the next `write` is, which waits for both.

        For what nobody is told of and a crash of the machine may forget with all that would have followed: who is at
        work on what, a version that is not committed, a run of which nothing is stored yet.
        """
        with self._begun(self._noting) as connection:
            yield connection

    def rest(self) -> None:
        """Let go of the connection that writes until it is needed again."""
        with self._writing:
            self._writer.dispose()

    def close(self) -> None:
        """Wait for the writer and let go of all connections."""
        with self._writing:
            self._closed = True
            self._writer.dispose()
            self._readers.dispose()

    @contextmanager
    def _begun(self, engine: Engine) -> Iterator[Connection]:
        self._check_open()
        with self._writing, self._faults(), prompt_switching(), engine.begin() as connection:
            yield connection

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError("the store is closed", fix="open it again")
