"""Why data makes no record of ours, in the words that users write it in, with the words that may stand there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import inspect

from rejudge.domain.errors import ConfigurationError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from msgspec import ValidationError

_STEP: Final = re.compile(r"\[[^\]]*\]|[^.\[\]]+")
_MISSING: Final = re.compile("missing required field `(.*)`")
_WORD: Final = re.compile(r"Invalid enum value '(.*)'", re.DOTALL)


def refusal(error: ValidationError, kind: type, *, whose: str, whole: str = "") -> ConfigurationError:
    """What `error` says of data that was to be a `kind`; `whole` names it where the error names no place in it."""
    what, _, path = str(error).partition(" - at `$")
    place = path.removeprefix(".").removesuffix("`")
    named = f"{place or whole}: " if place or whole else ""
    fix = ""
    if missing := _MISSING.search(what):
        words = sorted(words_at(kind, f"{place}.{missing.group(1)}"))
        fix = f"give {missing.group(1)}: {' or '.join(words)}" if words else ""
    elif "enum value" in what:
        words, said = sorted(words_at(kind, place)), _WORD.search(what)
        fix = f"{did_you_mean(said.group(1), words) if said else ''}known: {', '.join(words)}"
    return ConfigurationError(f"{whose}: {named}{what[:1].lower()}{what[1:]}", fix=fix)


def words_at(kind: type, place: str) -> set[str]:
    """The words of the enumeration that stands in a place such as `scores[0].type`; none where no such stands there."""
    return set(_words(inspect.type_info(kind), _STEP.findall(place)))


def _words(found: inspect.Type, steps: list[str]) -> Iterator[str]:
    match found:
        case inspect.Metadata():
            yield from _words(found.type, steps)
        case inspect.UnionType():
            for one in found.types:
                yield from _words(one, steps)
        case inspect.EnumType() if not steps:
            yield from (str(one.value) for one in found.cls)
        case inspect.LiteralType() if not steps:
            yield from map(str, found.values)
        case inspect.StructType() if steps:
            for field in found.fields:
                if field.encode_name == steps[0]:
                    yield from _words(field.type, steps[1:])
        case inspect.DictType() if steps:
            yield from _words(found.value_type, steps[1:])
        case inspect.ListType() | inspect.VarTupleType() | inspect.SetType() | inspect.FrozenSetType() if steps:
            yield from _words(found.item_type, steps[1:])
