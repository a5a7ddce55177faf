"""Where a command writes: data to stdout, everything else to stderr."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from rejudge.domain.errors import ConfigurationError, Place

if TYPE_CHECKING:
    from collections.abc import Callable

NARROWEST, WIDEST_PIPED = 40, 100


def put(text: str) -> None:
    """Write data for people."""
    _write(sys.stdout, text)


def put_json(document: object) -> None:
    """Write one JSON document, as UTF-8 whatever the locale."""
    from rejudge.front.export import json_text

    _reconfigure(sys.stdout, encoding="utf-8")
    _write(sys.stdout, json_text(document))


class Finding(Protocol):
    """A finding in the forms that a command can give it."""

    def to_dict(self) -> dict[str, object]:
        """The finding for programs."""

    def to_html(self, path: str | Path | None = None) -> str:
        """The page, written to `path` too, where one is given."""


def put_finding(finding: Finding, text: Callable[[], str], *, page: Path | None, json: bool) -> None:
    """Print a finding for programs or for people, and write it to `page` where one was asked for.

    Raises ConfigurationError where the page cannot be written.
    """
    if page is not None:
        try:
            finding.to_html(page)
        except OSError as error:
            raise ConfigurationError(
                f"the page cannot be written: {error.strerror or error}", where=Place(file=str(page))
            ) from None
        tell(f"page written to {page}")
    if json:
        put_json(finding.to_dict())
    else:
        put(text())


def tell(text: str) -> None:
    """Write what is not data: messages, hints, errors. Nothing in it can steer a terminal."""
    from rejudge.front.lines import block

    _write(sys.stderr, "\n".join(block(text)))


def columns() -> int:
    """How wide text for people may be: what COLUMNS says, or the terminal, or 100 where there is none."""
    from shutil import get_terminal_size

    return max(NARROWEST, get_terminal_size((WIDEST_PIPED, 24)).columns)


def use_any_locale() -> None:
    """Write a character that the terminal's encoding lacks as its escape instead of failing."""
    _reconfigure(sys.stdout, errors="backslashreplace")
    _reconfigure(sys.stderr, errors="backslashreplace")


def _reconfigure(stream: TextIO, *, encoding: str | None = None, errors: str | None = None) -> None:
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding=encoding, errors=errors)


def _write(stream: TextIO, text: str) -> None:
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        # Whoever was reading has seen enough (`| head`); the exit code still says how the command went.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
