"""What SQLite's errors mean for the one who asked."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from rejudge.domain.errors import NoStore, Place, StoreBusy, StoreDamaged, StoreError, StoreFull, StoreReadOnly

if TYPE_CHECKING:
    from collections.abc import Iterator

_LITTLE_BYTES = 1 << 20
"""With less space left than this, a failed read or write is taken for a full disk."""


@contextmanager
def sqlite_faults(path: Path) -> Iterator[None]:
    """Turn every error of SQLite inside into the StoreError that it means for the store at `path`."""
    try:
        yield
    except sqlite3.Error as error:
        raise _meaning(error, path) from error
    except StoreDamaged as error:
        error.where = Place(file=str(path))
        raise
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None)
        raise (_meaning(cause, path) if isinstance(cause, sqlite3.Error) else StoreError(f"{path}: {error}")) from error
    except OverflowError as error:
        raise StoreError(f"a number is too large for {path}: {error}") from error
    except OSError as error:
        raise NoStore(
            f"{path} cannot be opened: {error.strerror}", fix="make the file accessible to you, or name another one"
        ) from error


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's result code without its details; 0 for what Python's module refused by itself."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _meaning(error: sqlite3.Error, path: Path) -> StoreError:
    match primary_code(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreBusy(
                f"another process held the write lock of {path} for too long",
                fix="try again; if it persists, look for a process that is stuck with the store open",
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_AUTH:
            return _read_only(path)
        case sqlite3.SQLITE_CANTOPEN:
            return _cannot_open(path)
        case sqlite3.SQLITE_FULL:
            return _full(path)
        case sqlite3.SQLITE_IOERR:
            if _free_bytes(path) < _LITTLE_BYTES:
                return _full(path)
            return StoreError(f"the disk failed under {path}: {error}", fix="look at the disk before you go on")
        case sqlite3.SQLITE_NOTADB:
            return NoStore(f"{path} is no store of rejudge", fix="name another file, or a new one")
        case sqlite3.SQLITE_CORRUPT:
            return StoreDamaged(f"{path} is damaged: {error}", fix="restore it from a backup")
    return StoreError(f"{path}: {error}")


def _read_only(path: Path) -> StoreReadOnly:
    return StoreReadOnly(f"{path} cannot be written", fix="make the file and its folder writable, or name another one")


def _full(path: Path) -> StoreFull:
    return StoreFull(
        f"there is no space left for {path}", fix="make space and try again; everything committed before is kept"
    )


def _cannot_open(path: Path) -> StoreError:
    if exhausted := _no_more_files():
        return StoreError(
            f"{path} cannot be opened: {exhausted}",
            fix="let go of results and stores that are not needed any more, or raise the limit (ulimit -n)",
        )
    folder = path.parent
    if not folder.is_dir():
        return NoStore(f"the folder {folder} does not exist", fix="make it, or name another file")
    if path.is_dir():
        return NoStore(f"{path} is a folder", fix="name a file in it")
    if _free_bytes(path) < _LITTLE_BYTES:
        return _full(path)
    if not path.exists() and os.access(folder, os.W_OK):
        return StoreError(f"{path} was deleted or moved while it was in use", fix="put it back, or evaluate again")
    if os.access(path, os.R_OK) or not path.exists():
        return _read_only(path)
    return NoStore(f"{path} cannot be opened", fix="make the file readable for you")


def _no_more_files() -> str:
    """What the system says where it opens no further file for this process, whichever it is; else nothing."""
    try:
        with Path(os.devnull).open("rb"):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def _free_bytes(path: Path) -> int:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return _LITTLE_BYTES
