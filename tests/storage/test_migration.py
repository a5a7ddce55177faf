"""Stores of other ages: made new, brought up to date, refused."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from rejudge.domain.errors import StoreError, StoreTooNew
from rejudge.domain.payload import encode
from rejudge.domain.rating import RatingSet
from rejudge.domain.scale import ScoreSpec
from rejudge.storage.promises.scene import Scene
from rejudge.storage.schema import REVISION
from rejudge.storage.sqlite import APPLICATION_ID, open_sqlite


def before_all_migrations(path: Path) -> Path:
    """A store that no migration has reached yet."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    return path


def at_revision(path: Path, revision: str) -> Path:
    """A store as it was at an earlier revision."""
    config = Config()
    config.set_main_option("script_location", "rejudge.storage:migrations")
    engine = create_engine(f"sqlite+pysqlite:///{before_all_migrations(path)}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    engine.dispose()
    return path


def schema(path: Path) -> dict[tuple[str, str], str | None]:
    """Everything that is defined in the file."""
    with closing(sqlite3.connect(path)) as connection:
        return {
            (kind, name): None if text is None else " ".join(text.split())
            for kind, name, text in connection.execute("SELECT type, name, sql FROM sqlite_master")
        }


def execute(path: Path, *statements: str) -> None:
    """Change the file behind the store's back."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_all_migrations_together_make_what_a_new_store_is(tmp_path: Path) -> None:
    older = before_all_migrations(tmp_path / "older.db")
    for path in (older, tmp_path / "new.db"):
        open_sqlite(path).close()
    assert schema(older) == schema(tmp_path / "new.db")


def test_a_new_store_is_as_the_newest_migration_leaves_it() -> None:
    config = Config()
    config.set_main_option("script_location", "rejudge.storage:migrations")
    assert ScriptDirectory.from_config(config).get_current_head() == REVISION


def test_an_older_store_works_once_it_is_opened(tmp_path: Path) -> None:
    with closing(open_sqlite(before_all_migrations(tmp_path / "store.db"))) as store:
        trace = Scene(store).made("r", (0, 0))
        assert store.find_traces([trace.key]) == {trace.key: trace}


def test_what_judges_spent_before_it_had_columns_is_counted(tmp_path: Path) -> None:
    path = at_revision(tmp_path / "store.db", "r0001")
    detail = encode({"usage": {"input_tokens": 7, "output_tokens": None, "cost": 0.5}, "calls": None})
    row = "INSERT INTO scores (trace, scorer, rest, draw, seen, attempt, run, status, reason, at, detail)"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"{row} VALUES (1, 1, x'', 0, x'', 0, 1, 0, '', 0.0, ?)", (detail,))
        connection.execute(f"{row} VALUES (2, 1, x'', 0, x'', 0, 1, 0, '', 0.0, NULL)")
        connection.commit()
    open_sqlite(path).close()
    with closing(sqlite3.connect(path)) as connection:
        spent = connection.execute("SELECT input_tokens, output_tokens, cost FROM scores ORDER BY id").fetchall()
        assert spent == [(7, None, 0.5), (None, None, None)]
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            connection.execute("UPDATE scores SET cost = 0")


def test_traces_from_before_there_were_spans_have_none_and_stay_as_they_are(tmp_path: Path) -> None:
    path = at_revision(tmp_path / "store.db", "r0002")
    columns = "key, digest, item, run_config, trial, run, body, started_at, seconds, evaluation_made"
    execute(path, f"INSERT INTO traces ({columns}) VALUES (x'01', x'02', 1, 1, 0, 1, x'7b7d', 0.0, 0.5, 1)")
    with closing(open_sqlite(path)) as store:
        assert store.load_spans([1]) == {}
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.IntegrityError, match="never changed"):
        connection.execute("UPDATE traces SET spans = x'7b7d'")


def test_of_the_rating_sets_of_an_older_store_the_newest_has_the_name(tmp_path: Path) -> None:
    path = at_revision(tmp_path / "store.db", "r0006")
    asked = [RatingSet(name="tone", score=ScoreSpec(name="tone"), rubric=rubric) for rubric in ("polite", "kind")]
    with closing(sqlite3.connect(path)) as connection:
        for one in asked:
            connection.execute("INSERT INTO rating_sets (digest, record) VALUES (?, ?)", (one.digest(), encode(one)))
        connection.commit()
    with closing(open_sqlite(path)) as store:
        assert store.rating_sets() == asked
        assert store.rating_set("tone") == asked[1]
        store.save_rating_set(asked[0])
        assert store.rating_set("tone") == asked[0]


def test_an_older_store_can_be_opened_twice_at_once(tmp_path: Path) -> None:
    path = before_all_migrations(tmp_path / "store.db")
    with ThreadPoolExecutor(2) as pool:
        stores = list(pool.map(open_sqlite, [path, path]))
    for store in stores:
        with closing(store):
            assert store.versions() == []


def test_a_newer_store_says_which_version_it_needs(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    open_sqlite(path).close()
    execute(path, "UPDATE alembic_version SET version_num = 'r9999'", "UPDATE store_info SET needs = '9.8.7'")
    before = path.read_bytes()
    with pytest.raises(StoreTooNew, match=r"install rejudge 9\.8\.7 or later"):
        open_sqlite(path)
    assert path.read_bytes() == before


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    execute(path, "CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        open_sqlite(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.touch()
    with closing(open_sqlite(path)) as store:
        assert store.runs() == []
