"""A JSON Schema that values are checked against; loads its library with the first one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from rejudge.domain.errors import ConfigurationError
from rejudge.scorers.schema_patterns import check_patterns, limited
from rejudge.scorers.wording import clipped

if TYPE_CHECKING:
    from jsonschema.exceptions import SchemaError, ValidationError

Schema: TypeAlias = "dict[str, object]"

_SHOWN: Final = 3
"""So many faults of a value a reason tells."""

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")

_EDGE: Final = 80
"""Characters of a fault's beginning and end that a reason shows."""


def faults_by(schema: Schema) -> Callable[[object], str]:
    """The function that says how a value breaks the schema; with an empty answer for one that keeps it.

    The dialect is that of `$schema`, 2020-12 where the schema names none; `format` is not checked, as the standard
    has it. Nothing is fetched: what a `$ref` names must be in the schema. A pattern whose match takes too long raises
    ScorerError. Raises ConfigurationError for what is no schema, and where the library is not installed.
    """
    try:
        from jsonschema.exceptions import SchemaError
        from jsonschema.validators import Draft202012Validator, validator_for
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
    except ImportError:
        raise ConfigurationError(
            "a JSON Schema is checked by jsonschema, which is not installed", fix="pip install 'rejudge[text]'"
        ) from None
    dialect = validator_for(schema, default=Draft202012Validator)
    standard = str(dialect.META_SCHEMA["$schema"])
    if str(schema.get("$schema", standard)).rstrip("#") != standard.rstrip("#"):
        raise ConfigurationError(
            f"schema: no dialect is named {schema['$schema']!r}", fix="leave $schema out for 2020-12"
        )
    try:
        dialect.check_schema(schema)
    except SchemaError as error:
        raise ConfigurationError(f"schema: {_told(error)}", fix="mend the JSON Schema") from None
    check_patterns(_parts(schema, standard))
    # Its name would lead back to the library's own dialect wherever a part refers to the whole.
    unnamed = {key: value for key, value in schema.items() if key != "$schema"}
    errors = limited(dialect)(unnamed, registry=REGISTRY).iter_errors

    def faults(value: object) -> str:
        try:
            found = list(islice(errors(cast("Any", value)), _SHOWN + 1))
        except RecursionError:
            return "$: nested too deeply to be checked"
        return "; ".join(map(_told, found[:_SHOWN])) + ("; …" if len(found) > _SHOWN else "")

    if faults(None).endswith("too deeply to be checked"):
        raise ConfigurationError("schema: it refers to itself without end", fix="let a $ref lead to a part of a value")
    return faults


def _parts(schema: Schema, dialect: str) -> list[Mapping[str, object]]:
    """The schemas that the schema is made of; raises where a `$ref` names nothing in it or in the standard itself."""
    from jsonschema_specifications import REGISTRY
    from referencing import Resource
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import specification_with

    root = Resource.from_contents(schema, default_specification=specification_with(dialect))
    open_parts = [(root, REGISTRY.resolver_with_root(root))]
    parts: list[Mapping[str, object]] = []
    while open_parts:
        part, resolver = open_parts.pop()
        parts += [part.contents] if isinstance(part.contents, Mapping) else []
        if part is not root and isinstance(part.contents, Mapping) and "$schema" in part.contents:
            raise ConfigurationError("schema: a part of it names a dialect of its own", fix="name one for all: $schema")
        named = [part.contents.get(key) for key in _REFERENCES] if isinstance(part.contents, Mapping) else []
        for reference in named:
            try:
                if isinstance(reference, str):
                    resolver.lookup(reference)
            except Unresolvable:
                raise ConfigurationError(
                    f"schema: {reference!r} names nothing in the schema, and nothing is fetched",
                    fix="put it under $defs and refer to it as #/$defs/NAME",
                ) from None
        open_parts.extend((inner, resolver.in_subresource(inner)) for inner in part.subresources())
    return parts


def _told(error: ValidationError | SchemaError) -> str:
    """Where a value is wrong and why: `$.items[0].n: 'x' is not of type 'integer'`."""
    return f"{clipped(error.json_path, edge=_EDGE)}: {clipped(error.message, edge=_EDGE)}"
