"""Claims in SQL: which owner is at work on which key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, select

from rejudge.domain.errors import StoreError
from rejudge.storage.bulk import Listed, Rows
from rejudge.storage.liveness import has_ended
from rejudge.storage.schema import claims, owners, traces
from rejudge.storage.sql_owners import add_owner, dead_among, forget_if_ours, forget_owner, owners_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Connection

    from rejudge.storage.database import Database
    from rejudge.storage.records import Owner

_claims = Rows(claims, "key", "owner")
_holders = Listed(select(claims.c.key, claims.c.owner), claims.c.key)
_any = select(claims.c.owner).limit(1)
_release = Listed(delete(claims).where(claims.c.owner == bindparam("owner")), claims.c.key)
_filed = Listed(select(traces.c.key).where(traces.c.dropped_at.is_(None)), traces.c.key)


class SqlClaims:
    """Who is at work."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def enter(self, owner: Owner, *, lease_seconds: float) -> int:
        """Register an owner or renew its lease, and free what dead ones hold."""
        with self._database.note() as connection:
            ref = add_owner(connection, owner, lease_seconds=lease_seconds)
            known = connection.execute(select(owners.c.id).union(select(claims.c.owner))).scalars().all()
            _bury(connection, dead_among(connection, set(known) - {ref}))
        return ref

    def leave(self, owner: int) -> None:
        """Free every claim of an owner and forget it; where that cannot be written, this process knows it for dead."""
        try:
            with self._database.note() as connection:
                connection.execute(delete(claims).where(claims.c.owner == owner))
                forget_owner(connection, owner)
        except StoreError:
            with self._database.read() as connection:
                for one in owners_of(connection, {owner}):
                    has_ended(one)
            raise

    def holders(self, keys: Sequence[bytes]) -> list[Owner]:
        """Who holds claims on these keys."""
        with self._database.read() as connection:
            return owners_of(connection, {owner for _, owner in _holders.rows(connection, keys)})


def take_claims(connection: Connection, keys: Sequence[bytes], *, owner: int) -> frozenset[bytes]:
    """Claim the keys that have no trace and are free or held by the dead; returns those that are newly ours."""
    if not keys:
        return frozenset()
    if not connection.execute(select(owners.c.id).where(owners.c.id == owner)).first():
        raise StoreError(f"owner {owner} is not registered", fix="enter the store before you claim in it")
    filed = {key for (key,) in _filed.tuples(connection, keys)}
    wanted = [key for key in dict.fromkeys(keys) if key not in filed]
    holders: dict[bytes, int] = {}
    if connection.execute(_any).first():  # most often nobody is at work on anything else
        holders.update(_holders.tuples(connection, wanted))
    dead = dead_among(connection, set(holders.values()) - {owner})
    _bury(connection, dead)
    granted = [key for key in wanted if key not in holders or holders[key] in dead]
    _claims.insert_columns(connection, [granted, [owner] * len(granted)])
    return frozenset(granted)


def release_claims(connection: Connection, keys: Sequence[bytes], *, owner: int) -> None:
    """Give back those of the keys that this owner holds."""
    _release.change(connection, keys, owner=owner)


def settle_claims(connection: Connection, *, first_trace: int) -> None:
    """Free the keys under which traces are stored from this one on, whoever holds them."""
    stored = select(traces.c.key).where(traces.c.id >= first_trace)
    connection.execute(delete(claims).where(claims.c.key.in_(stored)))


def _bury(connection: Connection, dead: Collection[int]) -> None:
    """Free what dead owners hold."""
    for owner in dead:
        connection.execute(delete(claims).where(claims.c.owner == owner))
        forget_if_ours(connection, owner)
