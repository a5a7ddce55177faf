"""What is paid for or reported waits for the disk; who is at work on what goes there with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event

import rejudge

WRITING = re.compile(r"(?:INSERT[ \w]* INTO|UPDATE|DELETE FROM) (\w+)")
FULL = 2

Transactions = list[tuple[set[str], int]]
"""The tables that each transaction wrote to, and how its commit treated the disk."""


@pytest.fixture
def transactions() -> Iterator[Transactions]:
    ended: Transactions = []
    written: set[str] = set()

    def note(connection: Connection, cursor: object, statement: str, *_: object) -> None:
        written.update(WRITING.findall(statement))

    def end(connection: Connection) -> None:
        if written:
            ended.append((set(written), connection.exec_driver_sql("PRAGMA synchronous").scalar_one()))
            written.clear()

    event.listen(Engine, "before_cursor_execute", note)
    event.listen(Engine, "commit", end)
    yield ended
    event.remove(Engine, "before_cursor_execute", note)
    event.remove(Engine, "commit", end)


def waits_for_the_disk(transactions: Transactions, *tables: str) -> set[bool]:
    return {setting == FULL for written, setting in transactions if not written.isdisjoint(tables)}


def test_an_evaluation_waits_for_the_disk_with_what_it_paid_for_and_what_it_reports(
    tmp_path: Path, transactions: Transactions
) -> None:
    rows = [{"id": f"i{number}", "answer": str(number)} for number in range(100)]
    rejudge.evaluate(rows, answer, rejudge.contains(reference_key="answer"), store=tmp_path / "s.db")
    assert waits_for_the_disk(transactions, "traces", "cases", "scores", "score_values") == {True}
    last_of_the_run = [setting for written, setting in transactions if "runs" in written][-1]
    last_of_the_dataset = [setting for written, setting in transactions if "versions" in written][-1]
    assert (last_of_the_run, last_of_the_dataset) == (FULL, FULL)


def test_an_evaluation_does_not_wait_for_the_disk_to_say_who_is_at_work(
    tmp_path: Path, transactions: Transactions
) -> None:
    rejudge.evaluate([{"answer": "1"}], answer, store=tmp_path / "s.db")
    alone = [setting for written, setting in transactions if written in ({"claims"}, {"owners"})]
    assert alone
    assert FULL not in alone


def answer(answer: str) -> str:
    """The task."""
    return answer
