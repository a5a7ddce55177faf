"""A record whose bytes have changed under us is told by its name, with its store and what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import rejudge
from rejudge.domain.errors import StoreError
from tests.evaluate.conftest import QUESTIONS, length


def troubled(question: str) -> str:
    """A task that fails on one item."""
    if question == "2+2":
        raise ValueError("no")
    return question


def _evaluated(path: Path) -> rejudge.Result:
    return rejudge.evaluate(QUESTIONS, troubled, length, store=path, name="e")


def _damage(path: Path, table: str, column: str) -> None:
    """Put other bytes into a column of every row, as a failing disk may."""
    with closing(sqlite3.connect(path)) as connection, connection:
        triggers = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?"
        for (name,) in connection.execute(triggers, [table]).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(f"UPDATE {table} SET {column} = x'7b22' WHERE {column} IS NOT NULL")


def _list(path: Path) -> object:
    return rejudge.open(path).experiments()


def _show(path: Path) -> object:
    return rejudge.open(path).runs()


def _case(path: Path) -> object:
    return list(rejudge.open(path).result("e").cases())


def _report(path: Path) -> object:
    return str(rejudge.open(path).result("e"))


@pytest.mark.parametrize(
    ("table", "column", "look", "named"),
    [
        ("experiments", "record", _list, "experiment "),
        ("runs", "record", _show, "run RUN"),
        ("run_configs", "record", _report, "run config "),
        ("scorers", "record", _report, "scorer "),
        ("versions", "fields", _report, "version 1 of dataset 'items'"),
        ("cases", "attempts", _case, "the case of item 'q1', trial 0, in run RUN"),
        ("items", "body", _case, "item 'q1'"),
    ],
)
def test_a_damaged_record_is_named_with_its_store(
    tmp_path: Path, table: str, column: str, look: Callable[[Path], object], named: str
) -> None:
    path = tmp_path / "store.db"
    run = _evaluated(path).runs[0].id
    _damage(path, table, column)
    with pytest.raises(StoreError) as refused:
        look(path)
    told = str(refused.value)
    assert told.startswith(f"{path}: {named.replace('RUN', run)}")
    assert "is damaged" in told
    assert "next: restore the store from a backup" in told


def test_a_damaged_item_ends_the_next_evaluation_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    _evaluated(path)
    _damage(path, "items", "body")
    version = rejudge.open(path).dataset("items").version()
    with pytest.raises(StoreError, match=r"item 'q1' is damaged"):
        rejudge.evaluate(version, troubled, length, store=path, name="other")
    with pytest.raises(StoreError, match=r"item 'q2' is damaged"):
        rejudge.evaluate_experiment("e", [rejudge.contains(substring="2")], store=path)
