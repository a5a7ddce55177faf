"""What a thing is made of: a fixed form, and the values it holds, each with the words that name it to the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

Form: TypeAlias = "None | bool | int | float | str | Sequence[Form] | Mapping[str, Form]"
"""JSON-like content of a digest. A list starts with text that says what it is, so no two kinds can look alike."""

Where: TypeAlias = Literal["closure", "global", "default", "bound argument", "attribute"]


class At(NamedTuple):
    """How a value is reached, as its user would write it (`settings.client`)."""

    name: str
    where: Where
    line: int | None = None
    file: str = ""
    owner: tuple[type, str] | None = None
    """The class and attribute whose methods tell the line, where the value was reached through `self`."""

    def item(self, key: object) -> At:
        """One element of this list or dictionary."""
        shown = repr(key) if type(key) is str or type(key) is int else "…"
        return At(f"{self.name}[{shown}]", self.where, self.line, self.file, self.owner)

    def attribute(self, name: str, owner: type) -> At:
        """One attribute of this instance of `owner`."""
        told = self.owner or (None if self.line is not None else (owner, name))
        return At(f"{self.name}.{name}", "attribute", self.line, self.file, told)


class Part(NamedTuple):
    """A value inside a thing, and the key it has there."""

    key: str
    value: object
    at: At


class Parts(NamedTuple):
    """A thing taken apart."""

    form: Form
    held: Sequence[Part] = ()


class Said(NamedTuple):
    """Stands where a value would, when its form is known already."""

    form: Form


class Refused(Exception):
    """The value has no canonical form; the message says why."""
