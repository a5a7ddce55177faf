"""Opening what people hand in, and saying where in it something is.

Files are UTF-8 whatever the locale, with or without a byte order mark. Lines and columns count from 1, columns in
characters.
"""

from __future__ import annotations

from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, BinaryIO

from rejudge.domain.errors import BadRow, FileMissing, InputError, Place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BOM = b"\xef\xbb\xbf"


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """The opened file; whatever the system says against reading it becomes an InputError that names it."""
    where = Place(file=str(path))
    try:
        with path.open("rb") as file:
            yield file
    except FileNotFoundError:
        raise FileMissing("there is no such file", where=where, fix=_nearest(path)) from None
    except IsADirectoryError:
        raise InputError("this is a directory, not a file", where=where, fix="name one file in it") from None
    except PermissionError:
        fix = "give yourself read permission, or name another file"
        raise InputError("the file may not be read by this user", where=where, fix=fix) from None
    except OSError as error:
        raise InputError(f"the file cannot be read: {error.strerror or error}", where=where) from None


def _nearest(path: Path) -> str:
    folder = path.parent
    try:
        names = {entry.name.casefold(): entry.name for entry in folder.iterdir() if entry.is_file()}
    except OSError:
        return f"the folder {folder} does not exist either"
    near = get_close_matches(path.name.casefold(), names, n=1, cutoff=0.5)
    if near:
        return f"did you mean {folder / names[near[0]]}?"
    listed = ", ".join(sorted(names.values())[:5]) + (", …" if len(names) > 5 else "")
    return f"{folder} holds {listed}" if names else f"{folder} holds no files"


def text_of(raw: bytes, *, file: str, line: int = 1) -> str:
    """`raw` as text, its first byte standing on `line`; a BadRow names the first byte that is not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode()
        raise BadRow(
            f"the byte 0x{raw[error.start]:02x} is not UTF-8",
            where=place_of(before, len(before), file=file, line=line),
            fix="save the file as UTF-8",
        ) from None


def whole_text(path: Path) -> str:
    """The text of a file that is read at once, without its byte order mark."""
    with reading(path) as file:
        return text_of(file.read().removeprefix(BOM), file=str(path))


def place_of(text: str, offset: int, *, file: str, line: int = 1) -> Place:
    """The place of the character at `offset`, where `text` begins on `line` of `file`."""
    column = offset - text.rfind("\n", 0, offset)
    return Place(file=file, line=line + text.count("\n", 0, offset), column=column)


def shortened(text: str) -> str:
    """The beginning of a text that is too long for an error message."""
    return text if len(text) <= 40 else text[:39] + "…"
