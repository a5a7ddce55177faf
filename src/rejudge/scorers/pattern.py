"""The regular expressions that people write in parameters: Python's language, with a limit on the time of a match."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rejudge.domain.errors import ConfigurationError, ScorerError
from rejudge.scorers.wording import quoted

ENGINE: Final[dict[str, object]] = {"patterns": "regex"}
"""In the settings of every scorer that meets text with patterns, because engines differ in rare characters."""

LIMIT_SECONDS: Final = 1.0
"""Processor time after which a match is given up: it would go on for hours, and its answer is not known."""

_PARTS: Final = re.compile(
    r"""
    (?P<kept> \\N\{[^}]*\} | \\. | \(\?\#[^)]*\) )
    | (?P<set> \[ \^? \]? (?: \\. | [^\]\\] )*+ \] )
    | (?P<brace> \{ ) (?! \d+ (?:,\d*)? \} | ,\d* \} )
    | (?P<comment> \#[^\n]* )
    """,
    re.VERBOSE | re.DOTALL,
)


class Pattern:
    """A regular expression as Python's `re` reads it, matched by an engine that gives up in time."""

    __slots__ = ("_search", "groups", "text")

    def __init__(self, text: str) -> None:
        """Raises ValueError, in the engine's words, for what is no regular expression."""
        import regex  # type: ignore[import-untyped]

        try:
            flags = re.compile(text).flags
            compiled = regex.compile(_for_the_engine(text, flags), regex.VERSION0)
        except (re.error, regex.error, OverflowError, RecursionError) as error:
            raise ValueError(str(error)) from None
        self.text = text
        self.groups: int = compiled.groups
        self._search = compiled.search

    def search(self, text: str) -> re.Match[str] | None:
        """The first match anywhere in the text; raises ScorerError where finding out takes too long."""
        try:
            found: re.Match[str] | None = self._search(text, timeout=LIMIT_SECONDS)
        except TimeoutError:
            size = f"{len(text):,} characters"
            raise ScorerError(
                f"pattern {quoted(self.text)} was given up after {LIMIT_SECONDS:g} s on a text of {size}",
                fix="write it without repeats inside repeats or alternatives that begin alike, such as (a|aa)+",
            ) from None
        return found


@lru_cache(maxsize=1024)
def pattern(text: str) -> Pattern:
    """The pattern, made once; raises ValueError for what is no regular expression."""
    return Pattern(text)


def compiled(text: str, *, called: str) -> Pattern:
    """The pattern that the parameter `called` states; raises ConfigurationError for what is none."""
    try:
        return pattern(text)
    except ValueError as error:
        raise ConfigurationError(f"{called} {quoted(text)} is no regular expression: {error}") from None


def _for_the_engine(text: str, flags: int) -> str:
    """The pattern with a backslash before what `re` takes as it stands and the engine for a command of its own.

    These are braces that hold no number (the engine's fuzzy matching) and brackets inside a set (its named classes).
    """

    def told(part: re.Match[str]) -> str:
        if part["brace"]:
            return r"\{"
        if part["set"]:
            return part[0][0] + re.sub(r"(\\.)|\[", lambda one: one[1] or r"\[", part[0][1:], flags=re.DOTALL)
        if part["comment"] and not flags & re.VERBOSE:
            return "#" + _PARTS.sub(told, part[0][1:])
        return part[0]

    return _PARTS.sub(told, text)
