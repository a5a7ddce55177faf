"""Finding a record by its name or the beginning of its id, and saying what there is when it is not found."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from rejudge.domain.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Collection

LISTED = 5


def by_beginning(kind: str, text: str, known: Collection[str]) -> str:
    """The one known id that is `text` or begins with it; raises NotFound for none and for several."""
    if text in known:
        return text
    matches = [name for name in known if text and name.startswith(text)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise NotFound(f"{len(matches)} {kind}s begin with {text!r}", fix=f"write more of the id: {_listed(matches)}")
    raise missing(kind, text, known)


def missing(kind: str, text: str, known: Collection[str]) -> NotFound:
    """The error for a name that is not stored, with those that are near it."""
    near = get_close_matches(text, known, n=3, cutoff=0.5)
    if near:
        return NotFound(f"there is no {kind} {text!r}", fix=f"did you mean {' or '.join(map(repr, near))}?")
    stored = f"stored: {_listed(known)}" if known else "there is none yet"
    return NotFound(f"there is no {kind} {text!r}", fix=stored)


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names)[:LISTED]) + (", …" if len(names) > LISTED else "")
