"""The JSON Schema of evaluation files, for editors and for programs that write such files."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from pydantic.json_schema import GenerateJsonSchema

from rejudge.front.evaluation_schema import CatalogScorer, FileContent, PythonScorer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rejudge.scorers.kind import Kind

Schema: TypeAlias = "dict[str, object]"

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _Untitled(GenerateJsonSchema):
    """The name of a key says what a title would repeat."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def evaluation_schema(kinds: Mapping[str, Kind]) -> Schema:
    """The schema of files that use these kinds of scorer, each with its own parameters."""
    said = cast("Schema", FileContent.model_json_schema(schema_generator=_Untitled))
    definitions = cast("dict[str, Schema]", said.pop("$defs"))
    del definitions[CatalogScorer.__name__]
    for name, kind in kinds.items():
        own = kind.schema()
        needed = cast("dict[str, Schema]", own["$defs"])
        parameters = needed.pop(str(own["$ref"]).rpartition("/")[2])
        definitions |= needed | {name: _of_type(name, parameters)}
    properties = cast("dict[str, Schema]", said["properties"])
    properties["scorers"]["items"] = {"oneOf": [_reference(name) for name in (*kinds, PythonScorer.__name__)]}
    return {"$schema": DIALECT, **said, "$defs": dict(sorted(definitions.items()))}


def _of_type(name: str, parameters: Schema) -> Schema:
    properties = cast("Schema", parameters["properties"])
    required = cast("list[str]", parameters["required"])
    return parameters | {
        "title": name,
        "properties": {"type": {"const": name}, **properties},
        "required": ["type", *required],
    }


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}
