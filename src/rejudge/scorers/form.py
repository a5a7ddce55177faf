"""The form in which a judge answers: a schema for providers that hold a model to one, and the same in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from rejudge.domain.scale import Direction, ScoreSpec, ScoreType
from rejudge.scorers.reply import Menu
from rejudge.scorers.reply.menu import grades_of, stars_of

REASONING: Final = "reasoning"
"""The name of the words that come before the grades."""

_DIRECTIONS: Final = {Direction.HIGHER: ", higher is better", Direction.LOWER: ", lower is better"}


def schema_of(menus: Sequence[Menu], *, reasoning: bool) -> dict[str, object]:
    """The JSON schema of a reply: every score and nothing else, with reasoning before them where it is wanted."""
    properties: dict[str, object] = {REASONING: {"type": "string"}} if reasoning else {}
    properties |= {menu.key: _value_schema(menu.spec) for menu in menus}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def words_of(menus: Sequence[Menu], *, reasoning: bool) -> str:
    """The form in words, as the end of a prompt."""
    fields = [f'"{REASONING}": "<your reasons, in a few sentences>"'] if reasoning else []
    fields += [f'"{menu.key}": <{menu.key}>' for menu in menus]
    lines = ["Reply with one JSON object and nothing else:", "{" + ", ".join(fields) + "}"]
    return "\n".join([*lines, *(f"{menu.key}: {menu.listed}{_direction(menu.spec)}" for menu in menus)])


def asked_again(why: str, menus: Sequence[Menu], *, reasoning: bool) -> str:
    """What a judge is told whose reply could not be read."""
    return f"Your reply could not be read: {why}.\n\n{words_of(menus, reasoning=reasoning)}"


def numbered(steps: Sequence[str]) -> str:
    """Instructions as a numbered list; blank ones are left out."""
    kept = [step.strip() for step in steps if step.strip()]
    return "\n".join(f"{number}. {step}" for number, step in enumerate(kept, 1))


def worst_of(spec: ScoreSpec) -> float | str | None:
    """What a score is worth where what is judged failed before it could be read; None where nothing says so."""
    match spec.type:
        case ScoreType.PASS_FAIL | ScoreType.PASS_FAIL_CRITICAL:
            return 0.0
        case ScoreType.LABEL:
            failing = set(spec.labels or ()) - set(spec.passing_labels or ())
            return failing.pop() if spec.passing_labels and len(failing) == 1 else None
    low, high = spec.range
    return {Direction.HIGHER: low, Direction.LOWER: high, Direction.INFORMATIONAL: None}[spec.direction]


def _value_schema(spec: ScoreSpec) -> dict[str, object]:
    match spec.type:
        case ScoreType.PASS_FAIL | ScoreType.PASS_FAIL_CRITICAL:
            return {"type": "string", "enum": list(grades_of(spec))}
        case ScoreType.FIVE_STAR:
            return {"type": "integer", "enum": list(stars_of(spec))}
        case ScoreType.LABEL:
            return {"type": "string", "enum": list(spec.labels)} if spec.labels else {"type": "string"}
    low, high = spec.range
    bounds = {"minimum": low, "maximum": high}
    return {"type": "number"} | {name: _plain(bound) for name, bound in bounds.items() if bound is not None}


def _plain(bound: float) -> float:
    return int(bound) if math.floor(bound) == bound else bound


def _direction(spec: ScoreSpec) -> str:
    return _DIRECTIONS.get(spec.direction, "") if spec.type is ScoreType.NUMBER else ""
