"""Configuration that people write, as YAML or JSON, with the place of everything in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from rejudge.domain.errors import Place, UnknownName
from rejudge.files import json
from rejudge.files.source import whole_text

DOCUMENTS = (".json", ".yaml", ".yml")
"""The suffixes of documents."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """What a document says, and where."""

    value: object
    file: str
    _find: Callable[[tuple[str | int, ...]], Place] = field(repr=False, compare=False)

    def place(self, *keys: str | int) -> Place:
        """The place of the key, or of the list element, that `keys` lead to from the top.

        A key that is not there is passed over, so a missing field is placed at what lacks it, and names that a
        validator puts between the keys do no harm.
        """
        return self._find(keys)


def read_document(path: Path) -> Document:
    """The document in a file: only text, finite numbers, booleans, null, lists and objects, no key twice."""
    file = str(path)
    suffix = path.suffix.lower()
    if suffix not in DOCUMENTS:
        raise UnknownName.among("document type", suffix, DOCUMENTS, where=Place(file=file))
    text = whole_text(path)
    if suffix == ".json":
        value = json.parsed(text, file=file)
        json.refuse_equal_keys(text, file=file)
        return Document(value=value, file=file, _find=partial(json.place_in, text, file=file))
    from rejudge.files import yaml

    root = yaml.composed(text, file=file)
    return Document(value=yaml.value_of(root, file=file), file=file, _find=partial(yaml.place_in, root, file=file))
