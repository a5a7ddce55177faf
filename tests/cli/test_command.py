from __future__ import annotations

import pytest
import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.domain.errors import (
    BadRow,
    ConfigurationError,
    FileMissing,
    NoStore,
    NotFound,
    Place,
    RecordError,
    StoreBusy,
    StoreFull,
    StoreReadOnly,
    StoreTooNew,
    UnknownName,
)


def ended(error: BaseException | None, *, traceback: bool = False) -> int:
    """The exit code of a command in which this was raised."""

    @command
    def failing(*, traceback: bool) -> int:
        if error is not None:
            raise error
        return ExitCode.DONE

    with pytest.raises(typer.Exit) as end:
        failing(traceback=traceback)
    return end.value.exit_code


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (None, 0),
        (ConfigurationError("no"), 2),
        (UnknownName("no"), 2),
        (BadRow("no"), 2),
        (FileMissing("no"), 2),
        (NotFound("no"), 2),
        (NoStore("no"), 2),
        (StoreReadOnly("no"), 2),
        (StoreTooNew("no"), 2),
        (StoreFull("no"), 3),
        (StoreBusy("no"), 3),
        (RecordError("no"), 3),
        (ZeroDivisionError("no"), 3),
        (KeyboardInterrupt(), 130),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_the_user_mends_ends_with_2_and_what_was_not_done_with_3(error: BaseException | None, code: int) -> None:
    assert ended(error) == code


def test_an_error_of_ours_says_what_where_and_what_next(capsys: pytest.CaptureFixture[str]) -> None:
    ended(BadRow("three cells", where=Place(file="a.csv", line=3), fix="add one"))
    assert capsys.readouterr() == ("", "error: a.csv:3: three cells\n  next: add one\n")


def test_anything_else_is_a_bug_in_one_line_with_the_way_to_its_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    ended(ZeroDivisionError("by zero"))
    said = "this is a bug in rejudge: ZeroDivisionError: by zero\n  next: report it with what --traceback shows\n"
    assert capsys.readouterr() == ("", said)
    ended(ZeroDivisionError("by zero"), traceback=True)
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_message_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    ended(BadRow("the value '\x1b[2J' is no number"))
    assert capsys.readouterr().err == "error: the value '\\x1b[2J' is no number\n"
