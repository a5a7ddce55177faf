"""JSON in a reply: every whole document in the text, and the grades that one of them states."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from rejudge.domain.scale import normalised
from rejudge.scorers.reply.menu import Menu
from rejudge.scorers.wording import quoted

GENERIC: Final = frozenset({"score", "scores", "verdict", "rating", "grade", "value", "result", "label", "judgement"})
"""Keys that stand for a score where its own name is not used."""

REASONING: Final = ("reasoning", "reason", "explanation", "rationale", "justification", "analysis", "thoughts")
_WRAPPERS: Final = GENERIC | {
    "results", "ratings", "grades", "verdicts", "values", "labels", "judgements", "judgment", "judgments",
    "evaluation", "evaluations", "assessment", "metrics", "criteria", "dimensions",
}  # fmt: skip
"""Keys that a verdict may stand below; below any other stands what the reply talks about."""

_NAMES: Final = frozenset({"name", "metric", "criterion", "criteria", "score_name", "dimension"})
_ATTEMPTS: Final = 400
"""Opening brackets that are tried; text with more of them is no judge's reply."""

_DEEPEST: Final = 4


class Document(NamedTuple):
    """A JSON value and where its text stands in the reply."""

    value: object
    start: int
    end: int


class Clash(dict[str, object]):
    """An object that names one key twice with two values."""


class Refused(Exception):
    """A document that states grades which cannot be taken, with the reason."""


def documents_in(text: str) -> Iterator[Document]:
    """The outermost objects and lists of the text that are whole, in order."""
    at, attempts = 0, 0
    while attempts < _ATTEMPTS:
        starts = [found for mark in "{[" if (found := text.find(mark, at)) >= 0]
        if not starts:
            return
        start, attempts = min(starts), attempts + 1
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        yield Document(value, start, end)
        at = end


def document_of(text: str) -> Document | None:
    """The whole text as one JSON value; text within text is opened once."""
    stripped = text.strip()
    start = text.find(stripped)
    try:
        value, end = _DECODER.raw_decode(stripped)
        if end != len(stripped):
            return None
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            value = _DECODER.decode(value)
    except (ValueError, RecursionError):
        return None
    return Document(value, start, start + end)


def grades_in(value: object, menus: Sequence[Menu]) -> dict[str, float | str] | None:
    """The value of every score that a document states; None where it states none.

    Raises Refused for a value that is not on the menu, for a score that is left out, and for two values of one.
    """
    stated = _stated(value, menus)
    if not stated:
        return None
    found: dict[str, float | str] = {}
    for menu in menus:
        if menu.key not in stated:
            raise Refused(f"there is no value for {menu.key!r}")
        said = stated[menu.key]
        meant = menu.value(said)
        if meant is None:
            raise Refused(f"{quoted(said)} is no value of {menu.key!r}, which is {menu.listed}")
        found[menu.key] = meant
    return found


def reasoning_in(value: object) -> str:
    """The words that a document gives for its grades."""
    if isinstance(value, list):
        return " ".join(filter(None, map(reasoning_in, value)))
    if not isinstance(value, dict):
        return ""
    for name in REASONING:
        if isinstance(found := value.get(name), str) and found.strip():
            return found.strip()
    return next((found for inner in value.values() if (found := reasoning_in(inner))), "")


def value_start(text: str, key: str, start: int) -> int | None:
    """Where the value of a member begins in the text of the object at `start`."""
    at = start + 1
    while True:
        at = _after_blanks(text, at)
        if text[at : at + 1] != '"':
            return None
        name, at = _DECODER.raw_decode(text, at)
        at = _after_blanks(text, _after_blanks(text, at) + 1)
        if normalised(str(name)) == key:
            return at
        _, at = _DECODER.raw_decode(text, at)
        at = _after_blanks(text, at) + 1


def _stated(value: object, menus: Sequence[Menu], depth: int = 0) -> dict[str, object]:
    """What a document says of each score, by the score's key."""
    if depth > _DEEPEST:
        return {}
    if isinstance(value, Clash):
        raise Refused("it names one key twice, with two values")
    if isinstance(value, dict):
        return _stated_by_object(value, menus, depth)
    if isinstance(value, list):
        return _merged([_stated(one, menus, depth + 1) for one in value])
    return {}


def _stated_by_object(value: dict[str, object], menus: Sequence[Menu], depth: int) -> dict[str, object]:
    named: dict[str, object] = {}
    for name, inner in value.items():
        key = normalised(name)
        if key in named and named[key] != inner:
            raise Refused("it names one key twice, with two values")
        named[key] = inner
    own = {menu.key: _unwrapped(named[menu.key]) for menu in menus if menu.key in named}
    if own:
        return own
    by_name = [named[name] for name in _NAMES if isinstance(named.get(name), str)]
    generic = [inner for name, inner in named.items() if name in GENERIC]
    if by_name and len(generic) == 1:
        key = normalised(str(by_name[0]))
        return {key: generic[0]} if any(menu.key == key for menu in menus) else {}
    plain = [inner for inner in generic if not isinstance(inner, dict | list)]
    if len(menus) == 1 and len(plain) == 1 and (depth == 0 or menus[0].value(plain[0]) is not None):
        return {menus[0].key: plain[0]}
    if len(menus) == 1 and depth == 0 and len({json.dumps(one) for one in plain}) > 1:
        raise Refused("it gives several verdicts")
    below = [inner for name, inner in named.items() if name in _WRAPPERS and isinstance(inner, dict | list)]
    return _merged([_stated(inner, menus, depth + 1) for inner in below])


def _unwrapped(value: object) -> object:
    """The value of `{"score": 4, "reason": …}`, or of a list of one."""
    if isinstance(value, list) and len(value) == 1:
        return _unwrapped(value[0])
    if isinstance(value, dict) and not isinstance(value, Clash):
        generic = [inner for name, inner in value.items() if normalised(name) in GENERIC]
        return generic[0] if len(generic) == 1 else value
    return value


def _merged(parts: Sequence[dict[str, object]]) -> dict[str, object]:
    merged: dict[str, object] = {}
    for part in parts:
        for key, value in part.items():
            if key in merged and merged[key] != value:
                raise Refused(f"it gives {key!r} twice: {quoted(merged[key])} and {quoted(value)}")
            merged[key] = value
    return merged


def _after_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\n", "\r"):
        at += 1
    return at


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, value in pairs:
        if name in made and made[name] != value:
            return Clash(pairs)
        made[name] = value
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_object, strict=False)
