"""What a JSON Schema lets a value be, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rejudge.front.published_schema import Schema

WORDS: Final = {
    "boolean": "true or false",
    "integer": "whole number",
    "null": "null",
    "number": "number",
    "object": "mapping",
    "string": "text",
}
"""What people call JSON's types."""


def value_in_words(said: Schema, definitions: Mapping[str, Schema], *, word: str = "{}") -> str:
    """`whole number or null`, `list: text`; a word that has to stand there as it is, is put into `word`."""
    if "const" in said:
        return word.format(said["const"])
    if "enum" in said:
        return " or ".join(word.format(one) for one in cast("list[str]", said["enum"]))
    if "$ref" in said:
        return value_in_words(definitions[str(said["$ref"]).rpartition("/")[2]], definitions, word=word)
    for choice in ("anyOf", "oneOf"):
        if choice in said:
            kinds = (value_in_words(one, definitions, word=word) for one in cast("list[Schema]", said[choice]))
            return " or ".join(dict.fromkeys(kinds))
    if said.get("type") == "array":
        return f"list: {value_in_words(cast('Schema', said['items']), definitions, word=word)}"
    return WORDS.get(str(said.get("type")), "anything")
