"""Rows of CSV and TSV files: a header line, then one row per line, every cell the text it is.

`007`, `NA`, `null`, `1e5` and ` x ` stay as they are written. Only an empty cell is missing, and `""` is an empty cell
too, because programs that write CSV do not agree on a difference. Blank lines are skipped.
"""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from rejudge.domain.errors import BadRow, Place
from rejudge.files.row import Row
from rejudge.files.source import BOM, place_of, reading, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LONGEST_CELL = 2**31 - 1


def rows(path: Path, *, delimiter: str) -> Iterator[Row]:
    """The rows of `path`, read as they are asked for; a row whose cells do not match the header is a BadRow."""
    if csv.field_size_limit() < _LONGEST_CELL:  # the limit is the process's, so it is only ever raised
        csv.field_size_limit(_LONGEST_CELL)
    name = str(path)
    pending: list[str] = []  # the lines of the row being read, for the column of an error in it
    header: list[str] = []
    line = 1
    with reading(path) as file:
        reader = csv.reader(_lines(file, name, pending), delimiter=delimiter, strict=True)
        try:
            for cells in reader:
                if len(cells) == len(header) and cells:
                    if "" in cells:
                        yield Row({key: cell for key, cell in zip(header, cells, strict=True) if cell}, line)
                    else:
                        yield Row(dict(zip(header, cells, strict=True)), line)
                elif cells:
                    text = _RowText("".join(pending), delimiter=delimiter, file=name, line=line)
                    if header:
                        text.refuse_cells(cells, expected=len(header))
                    header = text.checked_header(cells)
                pending.clear()
                line = reader.line_num + 1
        except csv.Error as error:
            _RowText("".join(pending), delimiter=delimiter, file=name, line=line).refuse_syntax(str(error))


def _lines(file: BinaryIO, name: str, pending: list[str]) -> Iterator[str]:
    for number, raw in enumerate(file, 1):
        if number == 1:
            raw = raw.removeprefix(BOM)
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            text = text_of(raw, file=name, line=number)
        if "\0" in text:
            where = place_of(text, text.index("\0"), file=name, line=number)
            raise BadRow("a NUL byte is no text", where=where, fix="save the file as UTF-8")
        pending.append(text)
        yield text


class _RowText:
    """The text of one row, read again to find the column of what is wrong with it."""

    def __init__(self, text: str, *, delimiter: str, file: str, line: int) -> None:
        self.text = text
        self.delimiter = delimiter
        self.file = file
        self.line = line

    def checked_header(self, names: list[str]) -> list[str]:
        """The names, each one once and none empty."""
        for index, name in enumerate(names):
            if not name.strip():
                fix = "name the column, or take it out"
                raise BadRow(f"column {index + 1} has no name in the header", where=self._cell(index), fix=fix)
            first = names.index(name)
            if first < index:
                raise BadRow(
                    f"the name {name!r} stands over column {first + 1} and column {index + 1}",
                    where=self._cell(index),
                    fix="give each column its own name",
                )
        return names

    def refuse_cells(self, cells: list[str], *, expected: int) -> NoReturn:
        """Raise for a row with too many or too few cells."""
        what = f"expected {expected} cells, as in the header, and found {len(cells)}"
        if len(cells) > expected:
            fix = f"put a cell that contains {self.delimiter!r} in double quotes"
            raise BadRow(what, where=self._cell(expected), fix=fix)
        fix = f"end the row with {self.delimiter!r} for each empty cell"
        raise BadRow(what, where=Place(file=self.file, line=self.line), fix=fix)

    def refuse_syntax(self, reason: str) -> NoReturn:
        """Raise for a row that is not CSV, naming the quote or line end that makes it so."""
        start, end = self._cells()[-1]
        follower = self.text[end : end + 1]
        fix = 'close the cell, and write a double quote inside it twice: ""'
        if end < 0:
            raise BadRow("the double quote that opens here is never closed", where=self._at(start), fix=fix)
        if follower == "\r":
            fix = "end lines with LF or CRLF, and put a cell with a line end in double quotes"
            raise BadRow("a carriage return ends no line here", where=self._at(end), fix=fix)
        if self.text.startswith('"', start) and follower not in ("", "\n"):
            after = self._at(end)
            what = f"the quoted cell that opens here closes before the text at line {after.line}, column {after.column}"
            raise BadRow(what, where=self._at(start), fix=fix)
        raise BadRow(f"this is not CSV: {reason}", where=Place(file=self.file, line=self.line))

    def _cells(self) -> list[tuple[int, int]]:
        """Begin and end of each cell, up to the first that ends at no delimiter; end −1 where a quote stays open."""
        cell = re.compile(rf'"[^"]*+(?:""[^"]*+)*+"|(?!")[^{self.delimiter}\r\n]*+')
        spans: list[tuple[int, int]] = []
        start = 0
        while found := cell.match(self.text, start):
            spans.append(found.span())
            start = found.end() + 1
            if self.text[found.end() : start] != self.delimiter:
                return spans
        return [*spans, (start, -1)]

    def _cell(self, index: int) -> Place:
        return self._at(self._cells()[index][0])

    def _at(self, offset: int) -> Place:
        return place_of(self.text, offset, file=self.file, line=self.line)
