"""The kinds of scorer, shown: what each judges, what it needs, its parameters, its prompt and examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from msgspec import to_builtins

from rejudge.domain.scale import Direction, ScoreType
from rejudge.files.yaml import yaml_text
from rejudge.front.lines import block, clipped, padded, width, wrapped
from rejudge.front.schema_words import value_in_words
from rejudge.scorers.judge import SYSTEM_PROMPT

if TYPE_CHECKING:
    from rejudge.domain.scale import ScoreSpec
    from rejudge.scorers.kind import Kind
    from rejudge.scorers.prompt import Prompt

BAR = "  │ "
NAME = 28
"""The most columns of a kind's name."""

PARAMETER = 20
"""Columns of a parameter's name."""


def kind_dict(kind: Kind) -> dict[str, object]:
    """Everything about a kind, as JSON-like data; `prompt` is null for one that asks no model."""
    prompt = kind.prompt
    return {
        "name": kind.name,
        "what": _what(kind),
        "needs": list(prompt.wants) if prompt else [],
        "scores": [_score_dict(spec) for spec in prompt.scores] if prompt else [],
        "parameters": [{"name": name, **said} for name, said in _parameters(kind).items()],
        "prompt": None if prompt is None else _prompt_dict(prompt),
        "examples": to_builtins([{"what": one.what, "parameters": dict(one.parameters)} for one in kind.examples]),
    }


def kinds_table(kinds: Mapping[str, Kind], *, columns: int) -> str:
    """All kinds with what they judge, one a line."""
    room = min(NAME, max(map(width, kinds), default=0))
    return "\n".join(
        f"{padded(clipped(name, room), room)}  {clipped(_what(kind).partition(chr(10))[0], columns - room - 2)}"
        for name, kind in sorted(kinds.items())
    )


def kind_report(kind: Kind, *, columns: int) -> str:
    """A kind in full, as text of at most so many columns but for its prompts, which stand as they are."""
    parts = [[kind.name, *wrapped(_what(kind), columns)]]
    prompt = kind.prompt
    if prompt is not None:
        parts.append(_listed("needs", prompt.wants, columns) + _listed("scores", map(_score, prompt.scores), columns))
    parts.append(["parameters", *_parameter_lines(kind, columns)])
    if prompt is not None:
        parts.append([f"prompt, version {prompt.version}", *_barred(prompt.template)])
        parts.append(["system prompt, unless system_prompt says otherwise", *_barred(SYSTEM_PROMPT)])
    parts.append(_example_lines(kind, columns))
    return "\n\n".join("\n".join(part) for part in parts if part)


def _what(kind: Kind) -> str:
    return " ".join((kind.parameters.__doc__ or "").split())


def _parameters(kind: Kind) -> dict[str, dict[str, object]]:
    schema = kind.schema()
    own = str(schema["$ref"]).rpartition("/")[2]
    definitions = cast("dict[str, dict[str, object]]", schema["$defs"])
    definition = definitions[own]
    required = cast("list[str]", definition.get("required", []))
    properties = cast("dict[str, dict[str, object]]", definition["properties"])
    return {
        name: {
            "value": value_in_words(said, definitions),
            "description": said.get("description", ""),
            "default": said.get("default"),
            "required": name in required,
        }
        for name, said in properties.items()
    }


def _parameter_lines(kind: Kind, columns: int) -> list[str]:
    lines = []
    for name, said in _parameters(kind).items():
        default = said["default"]
        told = "required" if said["required"] else "" if default in (None, [], (), "") else f"default {_plain(default)}"
        kinds = str(said["value"]).removesuffix(" or null")
        left = f"  {padded(name, PARAMETER)}  "
        facts = "; ".join(filter(None, (kinds, told)))
        first, *more = wrapped(f"{said['description']} ({facts})", columns - len(left))
        lines += [left + first, *(" " * len(left) + line for line in more)]
    return lines


def _plain(default: object) -> str:
    return str(default).lower() if isinstance(default, bool) else str(default)


def _example_lines(kind: Kind, columns: int) -> list[str]:
    """The examples, each as an evaluation file would have it."""
    lines = []
    for example in kind.examples:
        stated = to_builtins({"type": kind.name, **example.parameters})
        lines += [f"  # {line}" for line in wrapped(example.what, columns - 4)]
        lines += [f"  {line}" for line in block(yaml_text([stated]).removesuffix("\n"))]
    return ["examples", *lines] if lines else []


def _prompt_dict(prompt: Prompt) -> dict[str, object]:
    return {"version": prompt.version, "template": prompt.template, "system": SYSTEM_PROMPT}


def _score_dict(spec: ScoreSpec) -> dict[str, object]:
    low, high = spec.range
    return {"name": spec.key, "type": spec.type.value, "direction": spec.direction.value, "low": low, "high": high}


def _score(spec: ScoreSpec) -> str:
    if spec.type is ScoreType.LABEL:
        return f"{spec.key}: {', '.join(spec.labels or ('any label',))}"
    better = {Direction.HIGHER: ", higher is better", Direction.LOWER: ", lower is better"}.get(spec.direction, "")
    low, high = spec.range
    bounds = (
        f" from {low:g} to {high:g}" if spec.type is ScoreType.NUMBER and low is not None and high is not None else ""
    )
    return f"{spec.key}: {spec.type.value}{bounds}{better}"


def _listed(name: str, texts: Iterable[str], columns: int) -> list[str]:
    lines = [line for text in texts for line in wrapped(f"- {text}", columns - 2)]
    return [name, *(f"  {line}" for line in lines)] if lines else []


def _barred(text: str) -> list[str]:
    return [BAR + line for line in block(text)]
