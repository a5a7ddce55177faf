"""The only place that names concrete back ends."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rejudge.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from rejudge.storage.records import Owner
    from rejudge.storage.store import Store

Address: TypeAlias = "str | Path | Store"

DEFAULT_STORE = "rejudge.db"
"""Where records live when nobody says otherwise: a file in the working directory."""

MEMORY = "memory:"


def open_store(address: Address) -> Store:
    """The store at a path or address; a store object is itself. `memory:` keeps nothing after the process ends."""
    if not isinstance(address, str | Path):
        if not hasattr(address, "commit"):
            raise ConfigurationError(f"a store is a path, an address or an open store, not a {type(address).__name__}")
        return address
    text = str(address)
    if text == MEMORY:
        from rejudge.storage.memory import MemoryStore

        return MemoryStore()
    scheme, separator, _ = text.partition("://")
    if separator and scheme != "sqlite":
        raise ConfigurationError(
            f"no store answers to the address {scheme}://…", fix="give the path of an SQLite file, or memory:"
        )
    from rejudge.storage.sqlite import open_sqlite

    return open_sqlite(Path(text.removeprefix("sqlite://")))


def this_owner() -> Owner:
    """A new owner of claims in this process."""
    from rejudge.storage.liveness import this_process

    return this_process()
