"""What every part of an evaluation file has in common, and how its kinds are told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field


class Section(BaseModel):
    """A part of the file: it refuses keys that it does not know, and takes values as they are written."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Dependent(Section):
    """What any task may say about what its outputs depend on."""

    depends_on: Annotated[
        dict[str, object],
        Field(description="What an output depends on beyond the code, such as `knowledge_index_version`."),
    ] = {}
    scenario: Annotated[
        Literal["plain", "agent", "tool", "rag"] | None,
        Field(description="What kind of task it is; the versions that such a task depends on are then required."),
    ] = None


def told_apart(kind: Callable[[object], str | None], expected: str) -> Discriminator:
    """Tells kinds apart by what `kind` says of a value; a mistake says what was expected."""
    return Discriminator(kind, custom_error_type="kind", custom_error_message=f"Input should be {expected}")


def by_key(**tags: str) -> Callable[[object], str | None]:
    """The tag of the first of these keys that a mapping has."""

    def kind(value: object) -> str | None:
        return next((tag for key, tag in tags.items() if isinstance(value, dict) and key in value), None)

    return kind


def path_or(tag: str) -> Callable[[object], str | None]:
    """`<path>` for a text, the tag for a mapping."""

    def kind(value: object) -> str | None:
        return "<path>" if isinstance(value, str) else tag if isinstance(value, dict) else None

    return kind
