"""What a verb is asked beside its runs: keywords of the right name and type, or an error that says which."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Final, TypeVar, cast

import msgspec

from rejudge.domain.errors import ConfigurationError, UnknownName

Asked = TypeVar("Asked", bound=Mapping[str, object])

MEANT: Final = {
    **dict.fromkeys(("alpha", "confidence"), "level"),
    **dict.fromkeys(("cluster", "cluster_by", "clustered_by"), "clusters"),
    **dict.fromkeys(("limit", "max_items", "show"), "listed"),
    **dict.fromkeys(("metric", "metrics"), "scorer"),
    **dict.fromkeys(("slice", "slices", "slice_by", "group_by"), "by"),
    "n": "items",
    "random_state": "seed",
}
"""What keywords are called elsewhere."""


def asked(question: Asked, shape: type[Asked]) -> Asked:
    """The question, checked: `shape` is the TypedDict that names its keywords and their types.

    Raises UnknownName for a keyword of another name, ConfigurationError for a value of another type or a negative
    `listed`.
    """
    known = sorted(shape.__annotations__)
    found: dict[str, object] = {}
    for name, value in question.items():
        if name not in known:
            meant = MEANT.get(name)
            if meant in known:
                raise UnknownName(f"unknown option {name!r}", fix=f"what is meant is called {meant}=")
            raise UnknownName.among("option", name, known)
        try:
            found |= msgspec.convert({name: _plain(value)}, shape, strict=True)
        except msgspec.ValidationError as error:
            message, _, _ = str(error).partition(" - at `$")
            raise ConfigurationError(f"{name}={value!r}: {message[:1].lower()}{message[1:]}") from None
    listed = found.get("listed")
    if isinstance(listed, int) and listed < 0:
        raise ConfigurationError(f"{listed} items cannot be named", fix="give listed= as 0 or more")
    return cast("Asked", found)


def _plain(value: object) -> object:
    """A number of another library as Python's own."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)
