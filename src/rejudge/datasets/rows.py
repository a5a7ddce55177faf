"""From rows to items: which field is the id, which fields stay, and the digests that name both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

from rejudge.domain.canonical import canonical
from rejudge.domain.errors import BadRow, ConfigurationError, Place, RecordError, UnknownName
from rejudge.domain.ids import digest_of_bytes, id_of
from rejudge.domain.item import ANNOTATIONS, Item, content, content_digest, derived_id, stated_id
from rejudge.domain.path import ABSENT, value_at
from rejudge.domain.payload import as_json, decode, encode

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

_DERIVED = "item-"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSpec:
    """How rows are read as items.

    `id` is the path of the id in a row; None: the key `id` of rows that have one. `fields` maps the name of each
    field to its path in a row; None: all fields as they are. `reference` names the fields that no task is given.
    A row without an id has one derived from what a task is given.
    """

    id: str | None = None
    fields: Mapping[str, str] | None = None
    reference: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.fields is not None and not self.fields:
            raise ConfigurationError("fields names no field", fix="leave it out to keep all fields of a row")


class Entry(NamedTuple):
    """An item on its way into a version: `digest` names its content, `body` is what is stored of its fields."""

    item_id: str
    digest: bytes
    body: bytes
    fields: dict[str, object]
    line: int | None = None


def entries_of(
    rows: Iterable[tuple[dict[str, object], int | None]], spec: RowSpec, *, file: str = ""
) -> Iterator[Entry]:
    """The items of rows, each with the line it came from, as they are asked for.

    BadRow names file, line and field of what has no JSON form and of an id that is none; after the last row
    UnknownName tells which path of `spec` no row had.
    """
    reader = _Reader(spec, file)
    for fields, line in rows:
        yield reader.entry(fields, line)
    reader.check()


def numbered_entries(rows: Iterable[object]) -> Iterator[Entry]:
    """The items of dicts, each under its place from 0, whatever keys it has and however often it comes."""
    for number, row in enumerate(rows):
        where = Place(item=str(number))
        if not isinstance(row, Mapping):
            raise BadRow(f"the item is a {type(row).__name__}", where=where, fix="give dicts")
        try:
            fields = cast("dict[str, object]", as_json(dict(row), where="the item"))
            yield Entry(str(number), digest_of_bytes("item-content", canonical(fields)), encode(fields), fields)
        except RecordError as error:
            raise BadRow(error.what, where=where, fix="give text, numbers, lists and objects") from None


def stored_entry(item_id: str, body: bytes) -> Entry:
    """An item of an earlier version, to be taken over."""
    fields = cast("dict[str, object]", decode(body))
    return Entry(item_id, content_digest(Item(id=item_id, fields=fields)), body, fields)


def derived_entry(fields: dict[str, object], *, reference: Iterable[str], line: int | None = None) -> Entry:
    """The item of fields that state no id."""
    return _derived(fields, ANNOTATIONS.union(reference), line)


def has_derived_id(item_id: str, fields: Mapping[str, object], *, reference: Collection[str]) -> bool:
    """Whether nobody chose this id: it is what the item's given fields derive."""
    return item_id.startswith(_DERIVED) and item_id == derived_id(content(item_id, fields), reference=reference)


def check_reference(reference: Sequence[str], names: Iterable[str]) -> None:
    """Raise UnknownName for a field that is declared as reference and that no item has."""
    known = frozenset(names)
    for name in reference:
        if name not in known:
            raise UnknownName.among("reference field", name, known)


def _derived(fields: dict[str, object], hidden: frozenset[str], line: int | None) -> Entry:
    # `derived_id` and `content_digest` in one go: most often what is given is all the content.
    form = canonical(fields)
    given = form
    if not hidden.isdisjoint(fields):
        given = canonical({name: value for name, value in fields.items() if name not in hidden})
    item_id = id_of("item", digest_of_bytes("given", given))
    return Entry(item_id, digest_of_bytes("item-content", form), encode(fields), fields, line)


class _Reader:
    """Reads row after row, and remembers which paths were never found."""

    def __init__(self, spec: RowSpec, file: str) -> None:
        self._paths = spec.fields
        self._id = spec.id or (spec.fields or {}).get("id", "id")
        self._repeats_id = spec.id in (None, "id")
        self._hidden = ANNOTATIONS.union(spec.reference)
        self._file = file
        self._unseen = {*(spec.fields or {}).values(), *filter(None, [spec.id])}
        self._columns: set[str] = set()

    def entry(self, row: dict[str, object], line: int | None) -> Entry:
        try:
            return self._read(row, line)
        except RecordError:
            plain = self._plain(row, line)
        try:
            return self._read(plain, line)
        except RecordError as error:
            where = Place(file=self._file, line=line, field=self._id)
            raise BadRow(error.what, where=where, fix=error.fix) from None

    def check(self) -> None:
        """Raise UnknownName for a path that no row had, unless there was no row."""
        if self._columns and self._unseen:
            raise UnknownName.among("field", min(self._unseen), self._columns, where=Place(file=self._file))

    def _read(self, row: dict[str, object], line: int | None) -> Entry:
        if self._unseen:
            self._columns.update(row)
            self._unseen = {path for path in self._unseen if value_at(row, path) is ABSENT}
        fields = row if self._paths is None else _selected(row, self._paths)
        found = value_at(row, self._id)
        if found is not ABSENT and found is not None:
            return self._stated(stated_id(found), fields, line)
        if self._repeats_id and "id" in fields:
            fields = {name: value for name, value in fields.items() if name != "id"}
        return _derived(fields, self._hidden, line)

    def _stated(self, item_id: str, fields: dict[str, object], line: int | None) -> Entry:
        own = content(item_id, fields)
        if item_id.startswith(_DERIVED):
            derived = _derived(own, self._hidden, line)
            if derived.item_id == item_id:
                return derived
        return Entry(item_id, digest_of_bytes("item-content", canonical(own)), encode(fields), fields, line)

    def _plain(self, row: dict[str, object], line: int | None) -> dict[str, object]:
        """The row with what numerical libraries and records put into it turned into plain JSON."""
        named = value_at(row, self._id)
        item = str(named) if isinstance(named, str | int) else ""
        plain: dict[str, object] = {}
        for name, value in row.items():
            where = Place(file=self._file, line=line, item=item, field=str(name))
            if not isinstance(name, str):
                raise BadRow(f"the name {name!r} is not text", where=where, fix="make the names of fields text")
            try:
                plain[name] = as_json(value, where="the value")
            except RecordError as error:
                fix = "convert it to text, a number, a list or an object, or leave the field out"
                raise BadRow(error.what, where=where, fix=fix) from None
        return plain


def _selected(row: dict[str, object], paths: Mapping[str, str]) -> dict[str, object]:
    found = ((name, value_at(row, path)) for name, path in paths.items())
    return {name: value for name, value in found if value is not ABSENT}
