"""A body that streams, as lines and as server-sent events, of a bounded size."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_LINE_END: Final = re.compile(rb"\r\n|\r|\n")
_BYTE_ORDER_MARK: Final = "\ufeff"


class TooLong(Exception):
    """A body has more bytes than are read."""


async def lines_of(parts: AsyncIterator[bytes], *, most: int) -> AsyncIterator[str]:
    """The lines without their ends, which are LF, CR or both and nothing else; raises TooLong beyond `most` bytes."""
    size, begun, mark, after_return = 0, list[bytes](), _BYTE_ORDER_MARK, False
    async for part in parts:
        size += len(part)
        if size > most:
            raise TooLong
        if not part:
            continue
        rest = part.removeprefix(b"\n") if after_return else part  # an end may be shared by two parts
        after_return = part.endswith(b"\r")
        first, *others = _LINE_END.split(rest)
        begun.append(first)
        for piece in others:
            yield _text(begun).removeprefix(mark)
            begun, mark = [piece], ""
    if last := _text(begun).removeprefix(mark):
        yield last


async def events_of(lines: AsyncIterator[str]) -> AsyncIterator[str]:
    """The data of server-sent events, up to the mark that some servers end with."""
    data: list[str] = []
    async for line in lines:
        if line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
        elif not line and data:
            event, data = "\n".join(data), []
            if event.strip() == "[DONE]":
                return
            yield event
    if data and "\n".join(data).strip() != "[DONE]":
        yield "\n".join(data)


def _text(pieces: list[bytes]) -> str:
    return b"".join(pieces).decode("utf-8", "replace")
