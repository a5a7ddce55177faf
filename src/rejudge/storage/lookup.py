"""Finding a record by its name or the beginning of its id, and saying what there is when it is not found."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from rejudge.domain.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rejudge.domain.rating import RatingSet
    from rejudge.storage.records import NewRating

LISTED = 5

_KIND = "ratings-"
"""How the id of every rating set begins, which names none of them."""


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


def set_named(name: str, known: Sequence[RatingSet]) -> RatingSet:
    """The last rating set of a name, or the one with this id or unique beginning of it; raises NotFound."""
    last = {one.name: one for one in known}
    if name in last:
        return last[name]
    by_id = {one.id: one for one in known}
    if name in _KIND or not any(one.startswith(name) for one in by_id):
        raise missing("rating set", name, last)
    return by_id[by_beginning("rating set", name, by_id)]


def has_its_name(rating_set: RatingSet, known: Sequence[RatingSet]) -> bool:
    """Whether a rating set is the last of its name among those that are known."""
    named = [one for one in known if one.name == rating_set.name]
    return bool(named) and named[-1].digest() == rating_set.digest()


def check_trace(new: NewRating, digest: bytes | None) -> None:
    """Raise NotFound unless the trace that a rating comes with, of this digest, is the one it names."""
    if digest != new.rating.trace:
        raise NotFound(f"a rating is of a trace that this store does not hold: {new.rating.trace.hex()}")


def missing(kind: str, text: str, known: Collection[str]) -> NotFound:
    """The error for a name that is not stored, with those that are near it."""
    near = get_close_matches(text, known, n=3, cutoff=0.5)
    if near:
        return NotFound(f"there is no {kind} {text!r}", fix=f"did you mean {' or '.join(map(repr, near))}?")
    stored = f"stored: {_listed(known)}" if known else "there is none yet"
    return NotFound(f"there is no {kind} {text!r}", fix=stored)


def _listed(names: Collection[str]) -> str:
    return ", ".join(sorted(names)[:LISTED]) + (", …" if len(names) > LISTED else "")
