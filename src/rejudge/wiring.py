"""The only place that names concrete back ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rejudge.domain.errors import ConfigurationError, UnknownName

if TYPE_CHECKING:
    from rejudge.sandbox.sandbox import Sandbox
    from rejudge.sandbox.trust import Trust
    from rejudge.storage.records import Owner
    from rejudge.storage.store import Store

Address: TypeAlias = "str | Path | Store"

DEFAULT_STORE = "rejudge.db"
"""Where records live when nobody says otherwise: a file in the working directory."""

MEMORY = "memory:"

SANDBOXES = ("monty", "bubblewrap")


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


def sandbox_named(name: str) -> Sandbox:
    """The sandbox of that name, which starts when it is used. A missing one is never replaced by another."""
    if name == "monty":
        from rejudge.sandbox.monty import Monty

        return Monty()
    if name == "bubblewrap":
        from rejudge.sandbox.bubblewrap import Bubblewrap

        return Bubblewrap()
    raise UnknownName.among("sandbox", name, SANDBOXES)


def trusted_code() -> Trust:
    """The user's list of code from elsewhere that may run: `rejudge/trusted-code` where settings are kept."""
    from rejudge.sandbox.trust import Trust

    stated = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(stated) if stated.startswith("/") else Path.home() / ".config"
    return Trust(folder / "rejudge" / "trusted-code")


def this_owner() -> Owner:
    """A new owner of claims in this process."""
    from rejudge.storage.liveness import this_process

    return this_process()
