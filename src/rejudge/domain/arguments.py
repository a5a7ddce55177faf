"""What people hand in, checked to be of the kind that is meant before anything is made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from rejudge.domain.errors import ConfigurationError


def text_in(name: str, given: object) -> str:
    """The text; raises ConfigurationError for anything else."""
    if not isinstance(given, str):
        raise ConfigurationError(f"{name}= is a {type(given).__name__}", fix="give a text")
    return given


def optional_text_in(name: str, given: object) -> str | None:
    """The text or None; raises ConfigurationError for anything else."""
    return None if given is None else text_in(name, given)


def mapping_in(name: str, given: object) -> dict[str, object]:
    """The mapping, empty for None; raises ConfigurationError for anything else."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ConfigurationError(f"{name}= is a {type(given).__name__}", fix="give a dict")
    return dict(given)


def list_in(name: str, given: object) -> list[object]:
    """The members; raises ConfigurationError for a text, a mapping, and what has no members."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise ConfigurationError(f"{name}= is a {type(given).__name__}", fix="give a list")
    return list(cast("Iterable[object]", given))


def whole_in(name: str, given: object, *, least: int = 1, most: int | None = None) -> int:
    """The whole number; raises ConfigurationError for anything else, and beyond the bounds."""
    if isinstance(given, bool) or not isinstance(given, int):
        raise ConfigurationError(f"{name} is {given!r}, which is no whole number", fix=f"give {least} or more")
    if given < least or (most is not None and given > most):
        above = "or more" if most is None else f"to {most:,}"
        raise ConfigurationError(f"{name} is {given}", fix=f"give {least} {above}")
    return given
