"""The patterns inside a JSON Schema: matched by our own engine, which gives up in time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias, cast

from rejudge.domain.errors import ConfigurationError
from rejudge.scorers.pattern import compiled, pattern

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

BY_NAME: Final = "patternProperties"
_OTHERS: Final = "additionalProperties"
_KEYWORDS: Final = ("pattern", BY_NAME)


class _Validating(Protocol):
    """What a keyword asks of the validator that it is checked by."""

    def descend(self, instance: object, schema: object, *, path: str, schema_path: str) -> Iterable[ValidationError]:
        """The faults of a part of the value."""


_Keyword: TypeAlias = "Callable[[_Validating, object, object, object], Iterable[ValidationError] | None]"


def has_patterns(schema: object) -> bool:
    """Whether a keyword with patterns is anywhere in the schema, or a property is called like one."""
    open_parts = [schema]
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, Mapping):
            if not part.keys().isdisjoint(_KEYWORDS):
                return True
            open_parts.extend(part.values())
        elif isinstance(part, list | tuple):
            open_parts.extend(part)
    return False


def check_patterns(parts: Iterable[Mapping[str, object]]) -> None:
    """Raise ConfigurationError for a pattern that is none, and for what cannot be checked within a limit of time."""
    known = list(parts)
    for part in known:
        stated = [part["pattern"]] if "pattern" in part else []
        by_name = part.get(BY_NAME)
        for one in [*stated, *(by_name if isinstance(by_name, Mapping) else ())]:
            compiled(str(one), called="schema: the pattern")
    if any(BY_NAME in part for part in known) and any("unevaluatedProperties" in part for part in known):
        raise ConfigurationError(
            "schema: unevaluatedProperties is not checked beside patternProperties, whose matches it could not limit",
            fix="use additionalProperties in its place",
        )


def limited(dialect: type[Validator]) -> type[Validator]:
    """The dialect with its keywords that match patterns replaced by ours."""
    from jsonschema.validators import extend

    ours: dict[str, _Keyword] = {"pattern": _text, BY_NAME: _by_name}
    ours = {name: keyword for name, keyword in ours.items() if name in dialect.VALIDATORS}
    theirs: _Keyword | None = dialect.VALIDATORS.get(_OTHERS)
    if theirs is not None:
        ours[_OTHERS] = _others_by(theirs)
    return cast("type[Validator]", extend(dialect, ours))  # type: ignore[no-untyped-call]


def _text(validator: _Validating, stated: object, instance: object, schema: object) -> Iterable[ValidationError]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str) and pattern(str(stated)).search(instance) is None:
        yield ValidationError(f"{instance!r} does not match {stated!r}")


def _by_name(validator: _Validating, stated: object, instance: object, schema: object) -> Iterable[ValidationError]:
    if isinstance(instance, dict):
        for one, inner in cast("dict[str, object]", stated).items():
            for name in _named(instance, [one]):
                yield from validator.descend(instance[name], inner, path=name, schema_path=one)


def _others_by(theirs: _Keyword) -> _Keyword:
    """The keyword for what no other names; it is shown the properties that a pattern names by their names."""

    def others(validator: _Validating, stated: object, instance: object, schema: object) -> Iterable[ValidationError]:
        plain = cast("dict[str, object]", schema)
        if isinstance(instance, dict) and (patterns := cast("dict[str, object]", plain.get(BY_NAME))):
            properties = cast("dict[str, object]", plain.get("properties", {}))
            plain = {**plain, "properties": {**properties, **dict.fromkeys(_named(instance, patterns), True)}}
            del plain[BY_NAME]
        yield from theirs(validator, stated, instance, plain) or ()

    return others


def _named(instance: dict[str, object], patterns: Iterable[str]) -> list[str]:
    return [name for name in instance if any(pattern(one).search(name) for one in patterns)]
