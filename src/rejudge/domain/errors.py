"""The one error tree. A docstring is the general message; `fix` is the next step.

RejudgeError
├── ConfigurationError      the call, file or flag is wrong; found before the first task call
│   ├── UnknownName         a name nobody knows, with the nearest one that exists
│   ├── NameClash           two things under one name
│   └── MissingField        something asks for a field that nothing supplies
├── InputError              data that was handed in cannot be read
│   ├── FileMissing
│   ├── BadRow              one row, line or cell, with its place
│   └── DuplicateItem       two different items claim one id
├── RecordError             a value that a record refuses (NaN, a bad range, a wrong shape)
├── MoveRefused             a run may not go from this state to that one
├── StoreError              the store cannot do what was asked
│   ├── NotFound
│   ├── NoStore             what the address names is no store, or may not be read
│   ├── StoreTooNew         written by a later version
│   ├── StoreReadOnly
│   ├── StoreFull
│   ├── StoreDamaged        what was written is not what is read
│   ├── StoreBusy           another process holds the write lock for too long
│   └── StoreConflict       somebody else was faster; read again and try again
├── TaskError               the task did not produce an output
│   ├── Transient           worth another try; user code may raise it
│   ├── TaskTimeout
│   └── NoRecording         a replayed item has no recorded output (a skip, not a failure)
├── ProviderError           a model call was refused or failed for good
└── ScorerError             a scorer failed; stored as an error, never as a grade

Interrupted                 a KeyboardInterrupt that carries the result so far
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where in the user's material something is: a file with a line and column, an item, a field."""

    file: str = ""
    line: int | None = None
    column: int | None = None
    item: str = ""
    field: str = ""

    def __str__(self) -> str:
        file = self.file
        if file and self.line is not None:
            file += f":{self.line}"
            if self.column is not None:
                file += f":{self.column}"
        elif self.line is not None:
            file = f"row {self.line}"
        parts = [file, self.item and f"item {self.item!r}", self.field and f"field {self.field!r}"]
        return ", ".join(part for part in parts if part)


class RejudgeError(Exception):
    """Something rejudge was asked to do could not be done."""

    def __init__(self, what: str = "", *, where: Place | None = None, fix: str = "") -> None:
        self.what = what or (type(self).__doc__ or "").strip()
        self.where = where
        self.fix = fix
        super().__init__(self.what, where, fix)

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), where=self.where, fix=self.fix), (self.what,)

    def __str__(self) -> str:
        place = str(self.where) if self.where else ""
        message = f"{place}: {self.what}" if place else self.what
        return f"{message}\n  next: {self.fix}" if self.fix else message


class ConfigurationError(RejudgeError):
    """The evaluation is not set up correctly."""


class UnknownName(ConfigurationError):
    """A name that nothing answers to."""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str], *, where: Place | None = None) -> UnknownName:
        """The error for `name`, naming the nearest of the `known` ones."""
        near, listed = _near(name, known)
        return cls(f"unknown {kind} {name!r}", where=where, fix=f"{near}known: {listed}")


class NameClash(ConfigurationError):
    """Two things have the same name."""


class MissingField(ConfigurationError):
    """A field that is asked for is supplied by nothing."""

    @classmethod
    def among(cls, who: str, name: str, known: Iterable[str], *, also: Iterable[str] = ()) -> MissingField:
        """The error for `who` asking for `name`, naming the nearest of the `known` fields and of what else there is."""
        fields = list(known)
        _, listed = _near(name, fields)
        near = did_you_mean(name, [*fields, *also])
        return cls(f"{who} asks for {name!r}, which no item has", fix=f"{near}the items have: {listed}")


class InputError(RejudgeError):
    """The data cannot be read."""


class FileMissing(InputError):
    """The file is not there."""


class BadRow(InputError):
    """A row cannot be read."""


class DuplicateItem(InputError):
    """Two different items claim the same id."""


class RecordError(RejudgeError):
    """A record refuses this value."""


class MoveRefused(RejudgeError):
    """A run cannot go from its state to the one asked for."""


class StoreError(RejudgeError):
    """The store cannot do this."""


class NotFound(StoreError):
    """The store holds nothing under this id."""


class NoStore(StoreError):
    """The address names nothing that could be used as a store."""


class StoreTooNew(StoreError):
    """The store was written by a later version of rejudge."""


class StoreReadOnly(StoreError):
    """The store cannot be written."""


class StoreFull(StoreError):
    """There is no space left for the store."""


class StoreDamaged(StoreError):
    """The store holds other bytes than were written."""

    @classmethod
    def record(cls, named: str, error: ValueError) -> StoreDamaged:
        """The error for a record that cannot be read any more."""
        return cls(f"{named} is damaged: {error}", fix="restore the store from a backup, or evaluate into a new one")


class StoreBusy(StoreError):
    """Another process held the store's write lock for too long."""


class StoreConflict(StoreError):
    """Somebody else changed this in the meantime."""


class TaskError(RejudgeError):
    """The task did not produce an output."""


class Transient(TaskError):
    """A fault that another try may cure; raise it from a task to be tried again."""


class TaskTimeout(TaskError):
    """The task took longer than it may."""


class NoRecording(TaskError):
    """No recorded output exists for this item."""


class ProviderError(RejudgeError):
    """A model call failed."""


class ScorerError(RejudgeError):
    """A scorer could not judge."""


class Interrupted(KeyboardInterrupt):
    """The user stopped the evaluation; `.result` holds everything up to then."""

    def __init__(self, result: object) -> None:
        self.result = result
        super().__init__("interrupted; everything finished so far is stored, and evaluating again goes on from here")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question after the nearest of the known names, with a blank behind it; nothing where none is near."""
    near, _ = _near(name, known)
    return near


_LONGEST = 60
"""So many characters of a known name are listed: ids may be whole questions."""


def _near(name: object, known: Iterable[str]) -> tuple[str, str]:
    names = sorted(set(known))
    near = get_close_matches(name, names, n=1, cutoff=0.5) if isinstance(name, str) else []  # it is as it was given
    shown = [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in names[:20]]
    listed = ", ".join(shown) + (", …" if len(names) > 20 else "")
    return (f"did you mean {near[0]!r}? " if near else ""), listed or "nothing yet"
