"""Claims in memory: who is at work on which key, and whether they can still be."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING

from rejudge.domain.errors import StoreError
from rejudge.storage.liveness import known_dead

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rejudge.storage.records import Owner


class MemoryClaims:
    """The owners and claims of one store; its caller holds the lock."""

    def __init__(self) -> None:
        self._owners: dict[int, Owner] = {}
        self._refs: dict[Owner, int] = {}
        self._leases: dict[int, float] = {}
        self._holders: dict[bytes, int] = {}
        self._entered = 0

    def enter(self, owner: Owner, lease_seconds: float) -> int:
        """Register an owner or renew its lease."""
        ref = self._refs.get(owner)
        if ref is None:
            self._entered += 1
            ref = self._refs[owner] = self._entered
            self._owners[ref] = owner
        self._leases[ref] = time() + lease_seconds
        dead = {holder for holder in set(self._holders.values()) if not self.alive(holder)}
        self._free(dead)
        return ref

    def leave(self, ref: int) -> None:
        """Free the claims of an owner and forget it."""
        self._free({ref})
        owner = self._owners.pop(ref, None)
        if owner is not None:
            del self._refs[owner], self._leases[ref]

    def holders(self, keys: Iterable[bytes]) -> list[Owner]:
        """Who holds claims on these keys."""
        refs = {self._holders[key] for key in keys if key in self._holders}
        return [self._owners[ref] for ref in sorted(refs) if ref in self._owners]

    def alive(self, ref: int) -> bool:
        """Whether an owner can still be at work; one that left cannot."""
        owner = self._owners.get(ref)
        return owner is not None and not known_dead(owner, lease_until=self._leases[ref], now=time())

    def check(self, ref: int) -> None:
        """Raise StoreError for an owner that never entered or that left."""
        if ref not in self._owners:
            raise StoreError(f"owner {ref} is not registered", fix="enter the store before you claim in it")

    def take(self, keys: Iterable[bytes], ref: int) -> frozenset[bytes]:
        """Claim the keys that are free or held by the dead; what one holds already is not granted again."""
        living = {ref}
        granted = set()
        for key in keys:
            holder = self._holders.get(key)
            if holder is not None and holder not in living and self.alive(holder):
                living.add(holder)
            if holder not in living:
                self._holders[key] = ref
                granted.add(key)
        return frozenset(granted)

    def release(self, keys: Iterable[bytes], ref: int) -> None:
        """Give back those of the keys that this owner holds."""
        for key in keys:
            if self._holders.get(key) == ref:
                del self._holders[key]

    def settle(self, key: bytes) -> None:
        """Free a key whose trace is stored, whoever holds it."""
        self._holders.pop(key, None)

    def _free(self, refs: set[int]) -> None:
        if refs:
            self._holders = {key: holder for key, holder in self._holders.items() if holder not in refs}
