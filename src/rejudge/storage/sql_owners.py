"""The rows of owners: who holds claims, runs and drafts, and which of them can still be at work."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING

from msgspec.structs import asdict
from sqlalchemy import delete, insert, select, update

from rejudge.storage.liveness import known_dead, this_host
from rejudge.storage.records import Owner
from rejudge.storage.schema import owners

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

_identity = (owners.c.host, owners.c.boot, owners.c.pid, owners.c.started, owners.c.nonce)


def add_owner(connection: Connection, owner: Owner, *, lease_seconds: float) -> int:
    """Register an owner, or renew its lease; returns its ref."""
    same = [column == getattr(owner, column.name) for column in _identity]
    ref: int | None = connection.execute(select(owners.c.id).where(*same)).scalar()
    if ref is not None:
        renew_owner(connection, ref, lease_seconds=lease_seconds)
        return ref
    new = insert(owners).values(asdict(owner) | {"lease_until": time() + lease_seconds})
    return int(connection.execute(new.returning(owners.c.id)).scalar_one())


def renew_owner(connection: Connection, ref: int, *, lease_seconds: float) -> int:
    """Let the lease run from now on; returns 0 for an owner that was forgotten."""
    lease = update(owners).where(owners.c.id == ref).values(lease_until=time() + lease_seconds)
    return connection.execute(lease).rowcount


def forget_owner(connection: Connection, ref: int) -> None:
    """Remove an owner; what it still holds is free."""
    connection.execute(delete(owners).where(owners.c.id == ref))


def forget_if_ours(connection: Connection, ref: int) -> None:
    """Remove a dead owner of this host; one of another host may only have been out of reach, and comes back."""
    connection.execute(delete(owners).where(owners.c.id == ref, owners.c.host == this_host()))


def owners_of(connection: Connection, refs: Collection[int]) -> list[Owner]:
    """The owners behind these refs, without those that left."""
    query = select(*_identity).where(owners.c.id.in_(refs)).order_by(owners.c.id)
    return [Owner(*identity) for identity in connection.execute(query)]


def dead_among(connection: Connection, refs: Collection[int]) -> set[int]:
    """Those of these owners that cannot be at work any more: they left, or are known dead."""
    if not refs:
        return set()
    query = select(owners.c.id, *_identity, owners.c.lease_until).where(owners.c.id.in_(refs))
    now = time()
    living = {
        ref
        for ref, *identity, lease_until in connection.execute(query)
        if not known_dead(Owner(*identity), lease_until=lease_until, now=now)
    }
    return set(refs) - living
