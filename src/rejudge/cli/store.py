"""The store that a command looks into: none is made by looking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import NotFound, Place
from rejudge.wiring import MEMORY, is_missing, open_store

if TYPE_CHECKING:
    from rejudge.front.workspace import Workspace
    from rejudge.storage.store import Store


def opened(address: str) -> Workspace:
    """The store at an address; raises NotFound where there is none."""
    from rejudge.front.workspace import Workspace

    if is_missing(address):
        raise NotFound("there is no store here", where=Place(file=address), fix="name one with --store")
    return Workspace(open_store(address))


def store_or_empty(address: str) -> Store:
    """The store at an address, or an empty one in memory where there is none yet."""
    return open_store(MEMORY if is_missing(address) else address)
