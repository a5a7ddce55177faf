"""Reads a reply: JSON of the asked form first, else what the reply itself says last; nothing is ever guessed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from rejudge.scorers.reply.documents import (
    Document,
    Refused,
    document_of,
    documents_in,
    grades_in,
    reasoning_in,
    value_start,
)
from rejudge.scorers.reply.menu import Menu
from rejudge.scorers.reply.prose import Prose, Rank
from rejudge.scorers.reply.quotation import Quotations

LONGEST_REPLY: Final = 200_000
"""Of a longer reply the end is read, in characters: that is where a verdict stands."""

_THOUGHTS: Final = ("think", "thinking", "thought", "scratchpad")
"""Tags between which models think aloud."""

_FENCE = re.compile(r"\A\s*```[\w-]*[ \t]*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


class Reading(Struct, frozen=True, kw_only=True):
    """What a reply says: a value for every score, and the words for it.

    `starts` says where each value begins in the text that was read, where that is known.
    """

    values: dict[str, float | str]
    reasoning: str = ""
    starts: dict[str, int] = {}


class Unreadable(Exception):
    """A reply without a verdict on every score, or with more than one; the message says why."""


def read(text: str, menus: Sequence[Menu], *, judged: Sequence[str] = ()) -> Reading:
    """The verdict in `text`, of a judge that was shown the texts `judged`; raises Unreadable."""
    if not text.strip():
        raise Unreadable("the reply is empty")
    text = _without_thoughts(text[-LONGEST_REPLY:])
    if (whole := _whole(text, menus)) is not None:
        return whole
    quotations = Quotations(text, judged)
    stated, refused = _stated(text, menus, quotations)
    prose = Prose(text, quotations)
    if stated is not None:
        _check_agreement(stated, prose, menus)
        return _reading(text, stated[0], stated[1])
    if refused is not None:
        raise Unreadable(str(refused))
    return _from_prose(text, prose, menus)


def _without_thoughts(text: str) -> str:
    """The text with what a model thought aloud blanked out, so that every other character keeps its place."""
    for name in _THOUGHTS:
        while (start := text.find(f"<{name}>")) >= 0:
            end = text.find(f"</{name}>", start)
            if end < 0:
                if not text[:start].strip():
                    raise Unreadable("the reply ends within the model's thoughts")
                break
            end += len(name) + 3
            text = text[:start] + " " * (end - start) + text[end:]
    if not text.strip():
        raise Unreadable("the reply holds thoughts and no verdict")
    return text


def _whole(text: str, menus: Sequence[Menu]) -> Reading | None:
    """The reading of a reply that is one JSON document, fenced or not."""
    fenced = _FENCE.fullmatch(text)
    document = document_of(fenced[1] if fenced else text)
    if document is None or not isinstance(document.value, dict | list):
        return None
    shift = fenced.start(1) if fenced else 0
    moved = Document(document.value, document.start + shift, document.end + shift)
    try:
        values = grades_in(moved.value, menus)
    except Refused as refused:
        raise Unreadable(str(refused)) from None
    if values is None:
        bare = moved.value[0] if isinstance(moved.value, list) and len(moved.value) == 1 else None
        if len(menus) == 1 and (meant := menus[0].value(bare)) is not None:
            return Reading(values={menus[0].key: meant})
        names = ", ".join(repr(menu.key) for menu in menus)
        raise Unreadable(f"the reply is JSON without {names}")
    return _reading(text, moved, values)


def _stated(
    text: str, menus: Sequence[Menu], quotations: Quotations
) -> tuple[tuple[Document, dict[str, float | str]] | None, Refused | None]:
    """The last document of the reply's own that states grades, and why the last such one could not be taken."""
    found: list[tuple[Document, dict[str, float | str]]] = []
    refused: Refused | None = None
    for document in documents_in(text):
        if quotations.quotes(document.start):
            continue
        try:
            values = grades_in(document.value, menus)
        except Refused as error:
            refused = error
            continue
        if values is not None:
            found.append((document, values))
            refused = None
    fresh = [one for one in found if not quotations.repeats(one[0].start, one[0].end)] or found
    for (earlier, before), (later, after) in pairwise(fresh):
        if before != after and not re.search(r"\w{2}", text[earlier.end : later.start].replace("json", "")):
            return None, Refused("it gives two verdicts, one right after the other")
    return (fresh[-1] if fresh and refused is None else None), refused


def _check_agreement(stated: tuple[Document, dict[str, float | str]], prose: Prose, menus: Sequence[Menu]) -> None:
    """Refuse a reply that takes back in plain words, behind its JSON, what the JSON says."""
    document, values = stated
    for menu in menus:
        said = prose.verdict(menu, alone=menus)
        if said is None or said.rank < Rank.LABELLED or said.start < document.end or said.value is None:
            continue
        if said.value != values[menu.key]:
            raise Unreadable(f"its JSON says {values[menu.key]} of {menu.key!r}, and the words after it {said.value}")


def _from_prose(text: str, prose: Prose, menus: Sequence[Menu]) -> Reading:
    values: dict[str, float | str] = {}
    starts: dict[str, int] = {}
    for menu in menus:
        said = prose.verdict(menu, alone=menus)
        if said is None:
            raise Unreadable(f"it gives no verdict on {menu.key!r} of its own")
        if said.value is None:
            raise Unreadable(said.why)
        values[menu.key], starts[menu.key] = said.value, said.at
    return Reading(values=values, reasoning=text.strip(), starts=starts)


def _reading(text: str, document: Document, values: dict[str, float | str]) -> Reading:
    starts: dict[str, int] = {}
    if isinstance(document.value, dict) and text[document.start : document.start + 1] == "{":
        for key in values:
            start = value_start(text, key, document.start)
            if start is not None:
                starts[key] = start
    words = reasoning_in(document.value)
    outside = (text[: document.start] + text[document.end :]).strip(" \n`")
    return Reading(values=values, reasoning=words or outside.removesuffix("json").strip(" \n`"), starts=starts)
