"""A sign of life: an evaluation registers as the owner of its claims and renews the lease until it ends."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import TYPE_CHECKING

from rejudge.domain.errors import StoreError
from rejudge.runner.settings import LEASE_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.storage.records import Owner
    from rejudge.storage.store import Store


@contextmanager
def lease(store: Store, owner: Owner) -> Iterator[int]:
    """The owner's ref while the block runs; its claims are free afterwards."""
    ref = store.enter(owner, lease_seconds=LEASE_SECONDS)
    ended = Event()

    def renew() -> None:
        while not ended.wait(LEASE_SECONDS / 4):
            with suppress(StoreError):  # one that lasts is met by the next commit, which ends the run with it
                store.enter(owner, lease_seconds=LEASE_SECONDS)

    thread = Thread(target=renew, name="rejudge-lease", daemon=True)
    thread.start()
    try:
        yield ref
    finally:
        ended.set()
        thread.join()
        with suppress(StoreError):  # the owner is seen to be dead once its process is
            store.leave(ref)
