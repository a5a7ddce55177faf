"""SVG elements as text: whatever comes from outside is escaped, and no element needs an id, a script or a style."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final, Literal, TypeAlias

from rejudge.front.lines import clipped, one_line, width

Anchor: TypeAlias = Literal["start", "middle", "end"]

WIDE: Final = 680
NARROW: Final = 340
"""The widths, in pixels, that every plot is drawn for; below `ROOMY` names and numbers get lines of their own."""

ROOMY: Final = 520
COLUMN: Final = 7.4
BOLD: Final = 8.4
"""Pixels that a column of text takes on average, in a wide font; bold text, as that of numbers, takes more."""

LINE: Final = 17.0
"""Pixels from one line of text to the next."""


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


def fitted(text: str, room: float) -> str:
    """`text` cut to what fits into so many pixels."""
    return clipped(text, max(2, int(room / COLUMN)))


def pixels(texts: Iterable[str]) -> float:
    """The pixels that the longest of the texts takes."""
    return COLUMN * max(map(width, texts), default=0)


def bold(texts: Iterable[str]) -> float:
    """The pixels that the longest of the texts takes in bold."""
    return BOLD * max(map(width, texts), default=0)


def hover(text: str) -> str:
    """What a pointer that rests on the surrounding element shows."""
    return element("title", escape(one_line(text)))


def _value(value: str | float) -> str:
    if isinstance(value, str):
        return escape(value)
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"
