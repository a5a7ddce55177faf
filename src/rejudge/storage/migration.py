"""Making a store, knowing how old one is, and bringing an older one up to date."""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import TYPE_CHECKING

from sqlalchemy import create_mock_engine, inspect, select

from rejudge.domain.errors import StoreTooNew
from rejudge.storage.schema import REVISION, metadata, revision, store_info

if TYPE_CHECKING:
    from alembic.config import Config
    from sqlalchemy import Connection, Dialect
    from sqlalchemy.schema import ExecutableDDLElement


class Age(Enum):
    """How a store stands to this program."""

    NOTHING = "nothing"
    OLDER = "older"
    CURRENT = "current"


def make(connection: Connection) -> None:
    """Create all tables as the newest migration leaves them."""
    cursor = connection.connection.cursor()  # the driver's own: SQLAlchemy's way takes longer than SQLite itself
    for statement in _all_tables(connection.dialect):
        cursor.execute(statement)
    cursor.close()
    connection.execute(revision.insert().values(version_num=REVISION))
    connection.execute(store_info.insert().values(needs=_this_version()))


@cache
def _all_tables(dialect: Dialect) -> tuple[str, ...]:
    """The statements that make every table, with its indices and triggers, in the words of a database."""
    made: list[str] = []

    def note(statement: ExecutableDDLElement, *_: object, **__: object) -> None:
        made.append(str(statement.compile(dialect=dialect)))

    recorder = create_mock_engine(f"{dialect.name}://", note)
    metadata.create_all(recorder, checkfirst=False)
    return tuple(made)


def age(connection: Connection) -> Age:
    """Whether a store can be used or must be migrated; raises StoreTooNew where this program is too old."""
    found = _revision(connection)
    if found == REVISION:
        return Age.CURRENT
    if found is None or _knows(found):
        return Age.OLDER
    needs = connection.execute(select(store_info.c.needs)).scalar() or "a later version"
    raise StoreTooNew(
        f"this store was last migrated by rejudge {needs}, and this is rejudge {_this_version()}",
        fix=f"install rejudge {needs} or later",
    )


def migrate(connection: Connection) -> None:
    """Bring an older store up to date; the caller holds the write lock."""
    from alembic import command

    config = _migrations()
    config.attributes["connection"] = connection
    command.upgrade(config, REVISION)
    connection.execute(store_info.delete())
    connection.execute(store_info.insert().values(needs=_this_version()))


def _knows(found: str) -> bool:
    from alembic.script import ScriptDirectory

    steps = ScriptDirectory.from_config(_migrations()).walk_revisions()
    return any(step.revision == found for step in steps)


def _migrations() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "rejudge.storage:migrations")
    return config


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(revision.name):
        return None
    return connection.execute(select(revision.c.version_num)).scalar()


@cache
def _this_version() -> str:
    from importlib.metadata import version

    return version("rejudge")
