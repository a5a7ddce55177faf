"""What is wrong with an evaluation file: every mistake at its place, with the nearest right word."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from rejudge.domain.errors import ConfigurationError, Place, RejudgeError, UnknownName
from rejudge.files.source import shortened
from rejudge.front.evaluation_schema import SECTIONS, TAGS, FileContent, Policy, Select, Server, SuiteContent
from rejudge.front.sections import Section
from rejudge.front.task_schema import FUNCTION
from rejudge.scorers.catalog import all_kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_core import ErrorDetails

    from rejudge.files.documents import Document

T = TypeVar("T")

_AS_PYTHON: Final = re.compile(r'depends_on=\{"(\w+)": …\}')

_SHORTER: Final = {
    "string_pattern_mismatch": "should be module:function",
    "model_type": "should be a mapping",
    "too_short": "should not be empty",
}
"""What is expected, for types of error whose own words say it badly."""

_OURS: Final = {
    "a valid string": "text",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid list": "a list",
    "a valid dictionary": "a mapping",
}
"""What the validator calls things that have another name in YAML."""

_KINDS: Final = ("replay", "python", "prompt", "http", "agent", "conversation", "type", "path")
"""Keys that say what a thing is."""

DATASET: Final = "this is a dataset; write an evaluation file that names it: `dataset:`, `task:` and `scorers:`"


def checked(model: type[T], value: object, document: Document, *, at: tuple[str | int, ...] = ()) -> T:
    """`value`, which stands under the keys `at` of the document, as what a model makes of it.

    Raises UnknownName or ConfigurationError; one error says all that is wrong.
    """
    try:
        return TypeAdapter(model).validate_python(value)
    except ValidationError as error:
        mistakes = [_mistake(detail, document, at) for detail in error.errors(include_url=False)]
    raise _together(mistakes, document.file) from None


def placed(error: RejudgeError, where: Place) -> RejudgeError:
    """The same error at a place in the file; the place that it had inside of a value goes before what it says.

    What it says to do next is said in the words of the file.
    """
    inner = f"{error.where}: " if error.where else ""
    return type(error)(inner + error.what, where=where, fix=_AS_PYTHON.sub(r"`depends_on: {\1: …}`", error.fix))


def _together(mistakes: Sequence[ConfigurationError], file: str) -> ConfigurationError:
    if len(mistakes) == 1:
        return mistakes[0]
    ordered = sorted(mistakes, key=lambda one: (one.where.line or 0, one.where.column or 0) if one.where else (0, 0))
    said = "".join(f"\n{one}" for one in ordered)
    return ConfigurationError(f"{len(mistakes)} mistakes{said}", where=Place(file=file))


def _mistake(detail: ErrorDetails, document: Document, at: tuple[str | int, ...]) -> ConfigurationError:
    location = (*at, *detail["loc"])
    keys = [key for key in location if key not in TAGS]
    where = document.place(*keys)
    name = _name_of(keys)
    match detail["type"]:
        case "extra_forbidden":
            return UnknownName.among("key", str(keys[-1]), _known(location), where=where)
        case "missing":
            inside = f" in {'.'.join(map(str, keys[:-1]))}" if keys[1:] else ""
            return ConfigurationError(f"the key {str(keys[-1])!r} is missing{inside}", where=where)
    expected = _expected(detail)
    fix = DATASET if not keys and _is_table(detail["input"]) else _fix(detail["input"], expected, keys)
    return ConfigurationError(f"{name} {expected}, not {_shown(detail['input'])}", where=where, fix=fix)


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _name_of(keys: Sequence[str | int]) -> str:
    """What stands under these keys; a list of scorers has no key of its own."""
    if keys and isinstance(keys[0], int):
        return ".".join([f"scorer {keys[0] + 1}", *map(str, keys[1:])])
    return ".".join(map(str, keys)) or "the file"


_UNDER: Final[dict[str, type[Section]]] = {
    "providers": Server,
    "select": Select,
    "suite": SuiteContent,
    "policy": Policy,
}


def _known(location: Sequence[str | int]) -> list[str]:
    model: type[Section] = FileContent
    for step in location:
        model = _UNDER.get(str(step)) or SECTIONS.get(str(step), model)
    return list(model.model_fields)


def _expected(detail: ErrorDetails) -> str:
    said = detail["msg"].removeprefix("Input ")
    if detail["type"] in _SHORTER:
        return _SHORTER[detail["type"]]
    for theirs, ours in _OURS.items():
        said = said.replace(theirs, ours)
    return said


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping" + (f" of {shortened(', '.join(map(str, value)))}" if value else " of nothing")
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return shortened(repr(value))


def _fix(value: object, expected: str, keys: Sequence[str | int]) -> str:
    if expected == "should be text" and isinstance(value, int | float):
        return "write it in quotes"
    if expected == "should be text" and isinstance(value, dict) and keys[-1:] == ["provider"]:
        return "write it as one text: `provider: module:object`"
    if expected in ("should be a whole number", "should be a number") and isinstance(value, str):
        return "write it without quotes" if _NUMBER.fullmatch(value.strip()) else ""
    if isinstance(value, str) and {"scorers", "task", "tasks"}.intersection(keys[-2:]):
        return _meant(value, keys)
    for key in value if isinstance(value, dict) else ():
        near = get_close_matches(str(key), _KINDS, n=1)
        if near and near[0] != key:
            return f"did you mean {near[0]!r} instead of {key!r}?"
    return ""


def _meant(text: str, keys: Sequence[str | int]) -> str:
    """How a text is written that names a task or a scorer."""
    if _FUNCTION.fullmatch(text):
        return f"write `{{python: {text}}}`"
    if "scorers" in keys and text in all_kinds():
        return f"write `{{type: {text}}}`"
    return "a statement that a model judges stands under `assertions:`" if "suite" in keys else ""


_FUNCTION: Final = re.compile(FUNCTION)
_NUMBER: Final = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?")
