"""What a text column can hold: any text, also what has no UTF-8 form or contains a NUL.

Such text, and text that starts with the mark itself, is kept as the mark and the hexadecimal digits of
its UTF-16 form; equal texts have equal cells, so columns can be compared, grouped and indexed.
"""

from __future__ import annotations

_MARK = "\x01"


def cell(text: str) -> str:
    """The form in which a database keeps `text`."""
    if text.isprintable() or _keeps(text):
        return text
    return _MARK + text.encode("utf-16-be", "surrogatepass").hex()


def text_of(stored: str) -> str:
    """The text that became this cell."""
    if stored[:1] != _MARK:
        return stored
    return bytes.fromhex(stored[1:]).decode("utf-16-be", "surrogatepass")


def _keeps(text: str) -> bool:
    if text[:1] == _MARK or "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
