"""Reads a reply: JSON of the asked form first, else what the reply itself says last; nothing is ever guessed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

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


def read(
    text: str,
    menus: Sequence[Menu],
    *,
    judged: Sequence[str] = (),
    instructions: str = "",
    finish_reason: str | None = None,
) -> Reading:
    """The verdict in `text`, of a judge that was shown the texts `judged`; raises Unreadable.

    `instructions` are the words in `judged` that are no material, such as the template of a prompt; `finish_reason`
    is why the reply ended, as its provider says: `length` where it was cut off.
    """
    if not text.strip():
        raise Unreadable("the reply is empty")
    text = text[-LONGEST_REPLY:]
    if (whole := _whole(text, menus)) is not None:
        return whole
    text = without_thoughts(text, judged)
    if (whole := _whole(text, menus)) is not None:
        return whole
    quotations = Quotations(text, judged, instructions)
    documents = _documents(text, menus, quotations)
    prose = Prose(_blanked(text, documents), quotations, finish_reason=finish_reason)
    own = [one for one in documents if one.own]
    if not own:
        return _from_prose(text, prose, menus)
    stated = _settled(text, own)
    _check_agreement(stated.values, prose, menus)
    return _reading(text, stated.document, stated.values)


def without_thoughts(text: str, judged: Sequence[str]) -> str:
    """The text with what a model thought aloud blanked out, so that every other character keeps its place.

    An end without a beginning ends thoughts as well, unless the judged material may be what it was taken from.
    """
    for name in _THOUGHTS:
        text = re.sub(rf"<{name}>.*?(?:</{name}>|\Z)", _blank, text, flags=re.IGNORECASE | re.DOTALL)
        closing = re.compile(rf"\A.*</{name}>", re.IGNORECASE | re.DOTALL)
        if closing.match(text) and any(map(closing.match, judged)):
            raise Unreadable("it cannot be told where the model's thoughts end")
        text = closing.sub(_blank, text)
    if not text.strip():
        raise Unreadable("the reply holds the model's thoughts and no verdict")
    return text


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


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


class _Stated(NamedTuple):
    """A document that states grades, or why they cannot be taken, and whether it is the reply's own."""

    document: Document
    values: dict[str, float | str]
    refused: str
    own: bool


def _documents(text: str, menus: Sequence[Menu], quotations: Quotations) -> list[_Stated]:
    found: list[_Stated] = []
    for document in documents_in(text):
        start, end = document.start, document.end
        refused = ""
        try:
            values = grades_in(document.value, menus)
        except Refused as error:
            values, refused = {}, str(error)
        if values is not None:
            own = not quotations.quotes(start) and not quotations.repeats(start, end)
            found.append(_Stated(document, values, refused, own))
    return found


def _blanked(text: str, documents: Sequence[_Stated]) -> str:
    for document, *_ in documents:
        text = text[: document.start] + " " * (document.end - document.start) + text[document.end :]
    return text


def _settled(text: str, own: Sequence[_Stated]) -> _Stated:
    """The last document of the reply's own; raises Unreadable where it cannot be taken."""
    for earlier, later in pairwise(own):
        between = text[earlier.document.end : later.document.start].replace("json", "")
        if earlier.values != later.values and not re.search(r"\w{2}", between):
            raise Unreadable("it gives two verdicts, one right after the other")
    if own[-1].refused:
        raise Unreadable(own[-1].refused)
    return own[-1]


def _check_agreement(values: dict[str, float | str], prose: Prose, menus: Sequence[Menu]) -> None:
    """Refuse a reply that says in plain words, before or behind its JSON, something else than the JSON."""
    for menu in menus:
        said = prose.verdict(menu, alone=menus)
        if said is None or said.rank < Rank.ALONE or said.value is None:
            continue
        if said.value != values[menu.key]:
            raise Unreadable(f"its JSON says {values[menu.key]} of {menu.key!r}, and its words {said.value}")


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
