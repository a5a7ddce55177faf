"""SVG elements as text: whatever comes from outside is escaped, and no element needs an id, a script or a style."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final, Literal, TypeAlias

from rejudge.front.lines import one_line, width

Anchor: TypeAlias = Literal["start", "middle", "end"]

WIDE: Final = 680
NARROW: Final = 340
"""The widths, in pixels, that every plot is drawn for; below `ROOMY` names and numbers get lines of their own."""

ROOMY: Final = 520
BOLD: Final = 1.1
"""How much more room bold text takes, as that of numbers."""

LINE: Final = 17.0
"""Pixels from one line of text to the next."""

_LONGEST: Final = 400
_NARROW_MARKS: Final = frozenset(" iljtfrI|!.,:;'`()[]{}-/\\")
_BROAD_MARKS: Final = frozenset("mwMW@%<>=+~#&")


def element(tag: str, *children: str, **attributes: str | float) -> str:
    """One element; `children` are markup, attributes are escaped, and `text_anchor` is written text-anchor."""
    told = "".join(f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"' for name, value in attributes.items())
    return f"<{tag}{told}>{''.join(children)}</{tag}>" if children else f"<{tag}{told}/>"


def picture(size: tuple[float, float], title: str, description: str, body: Iterable[str]) -> str:
    """A whole plot; `title` names it to a screen reader, and `description` says what is to be seen."""
    across, down = size
    return element(
        "svg",
        element("title", escape(one_line(title))),
        element("desc", escape(one_line(description))),
        *body,
        role="img",
        viewBox=f"0 0 {_value(across)} {_value(down)}",
        width=across,
        height=down,
        class_="wide" if across >= ROOMY else "narrow",
    )


def label(x: float, y: float, text: str, *, anchor: Anchor = "start", style: str = "") -> str:
    """A line of text."""
    more = {"text_anchor": anchor} if anchor != "start" else {}
    named = {"class_": style} if style else {}
    return element("text", escape(one_line(text)) or " ", x=x, y=y, **more, **named)


def paired_label(x: float, y: float, number: str, text: str, *, room: float) -> str:
    """A number in bold with words behind it, cut to so many pixels."""
    words = fitted(text, room - bold([number]) - 8)
    inside = element("tspan", escape(number), class_="number") + element("tspan", escape(words), dx=8, class_="dim")
    return element("text", inside, x=x, y=y)


def named(name: str, y: float, room: float) -> str:
    """The name of a row whose middle is `y`, in the column at the left, in up to two lines."""
    lines = name_lines(name, room)
    return "".join(
        label(0, y + 4 + 16 * (place - (len(lines) - 1) / 2), line, style="row") for place, line in enumerate(lines)
    )


def fitted(text: str, room: float) -> str:
    """`text` cut to what fits into so many pixels; one mark and an ellipsis always do."""
    line = one_line(text[:_LONGEST])
    if len(text) <= _LONGEST and _breadth(line) <= room:
        return line
    used = _breadth("…")
    for place, mark in enumerate(line):
        used += _breadth(mark)
        if used > room:
            return line[: max(1, place)] + "…"
    return line + "…"


def name_lines(text: str, room: float) -> list[str]:
    """A name in one line of so many pixels, or in two that break at a blank."""
    line = one_line(text[:_LONGEST])
    if _breadth(line) <= room:
        return [line]
    breaks = [place for place, mark in enumerate(line) if mark == " " and _breadth(line[:place]) <= room]
    if not breaks:
        return [fitted(text, room)]
    return [line[: breaks[-1]], fitted(text[breaks[-1] + 1 :] if line == text else line[breaks[-1] + 1 :], room)]


def pixels(texts: Iterable[str]) -> float:
    """The pixels that the longest of the texts takes, in a font that is rather wide."""
    return max((_breadth(one_line(text[:_LONGEST])) for text in texts), default=0.0)


def bold(texts: Iterable[str]) -> float:
    """The pixels that the longest of the texts takes in bold."""
    return BOLD * pixels(texts)


def hover(text: str) -> str:
    """What a pointer that rests on the surrounding element shows."""
    return element("title", escape(one_line(text)))


def _breadth(text: str) -> float:
    return sum(map(_mark_breadth, text))


def _mark_breadth(mark: str) -> float:
    if mark in _NARROW_MARKS:
        return 4.6
    if mark in _BROAD_MARKS:
        return 13.0
    return 9.0 if mark.isupper() else 7.9 if mark.isascii() else 8.5 * width(mark)


def _value(value: str | float) -> str:
    if isinstance(value, str):
        return escape(value)
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"
