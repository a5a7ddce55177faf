"""How a command ends: with its exit code, and with a message where it could not do what it was asked."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from traceback import format_exc
from typing import ParamSpec

import typer

from rejudge.cli.exit_code import ExitCode
from rejudge.cli.keywords import Door
from rejudge.cli.output import tell, use_any_locale
from rejudge.domain.errors import (
    ConfigurationError,
    InputError,
    NoStore,
    NotFound,
    RejudgeError,
    StoreReadOnly,
    StoreTooNew,
)

P = ParamSpec("P")

USAGE = (ConfigurationError, InputError, NotFound, NoStore, StoreReadOnly, StoreTooNew)
"""What the user mends by giving something else; after any other error the work is not done."""


def command(function: Callable[P, int]) -> Callable[P, None]:
    """A function that returns an exit code, as a command; its option `traceback` shows where it failed."""

    @wraps(function)
    def ended(*given: P.args, **named: P.kwargs) -> None:
        use_any_locale()
        try:
            code = function(*given, **named)
        except KeyboardInterrupt:
            tell("interrupted")
            code = ExitCode.INTERRUPTED
        except Exception as error:  # noqa: BLE001 - people are told in words what went wrong
            if named.get("traceback"):
                tell(format_exc())
            tell(_words(error, function))
            code = ExitCode.USAGE if isinstance(error, USAGE) else ExitCode.INCOMPLETE
        raise typer.Exit(code)

    return ended


def in_words(error: RejudgeError, command: Callable[..., object]) -> str:
    """What went wrong and what to do next, in the words of this command."""
    return str(RejudgeError(error.what, where=error.where, fix=Door.of(command).words(error.fix)))


def _words(error: Exception, command: Callable[..., object]) -> str:
    if isinstance(error, RejudgeError):
        return f"error: {in_words(error, command)}"
    return f"this is a bug in rejudge: {type(error).__name__}: {error}\n  next: report it with what --traceback shows"
