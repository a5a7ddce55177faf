"""What differs between two runs as lines for people: texts as a diff, long values clipped and said to be."""

from __future__ import annotations

import json
import re
from difflib import unified_diff
from itertools import islice
from typing import TYPE_CHECKING

from rejudge.front.amounts import counted
from rejudge.front.lines import CUT, NAME, block, clipped, hanging, item_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.release.config_differences import ConfigDifferences, DatasetDifference, Difference

VALUE = 60
"""Columns of a value in a line."""

PATH = 60

DIFF_LINES = 40
"""So many lines of a diff are shown."""

_SIDES = {
    "changed": "{first} → {second}",
    "added": "only in the second: {second}",
    "removed": "only in the first: {first}",
}

_HINTS = (
    (".settings.function", "the digest of its code and of what it uses; the code itself is not stored"),
    (".settings.digest", "of its code and of what it uses; the code itself is not stored"),
    (".settings.records", "the digest of what was imported"),
)


_DIGEST = re.compile("[0-9a-f]{64}")


def differences_text(found: ConfigDifferences, *, columns: int, listed: int) -> Iterator[str]:
    """Every difference, what is equal, and what nobody recorded."""
    yield "what differs between the runs"
    parts = {"task": found.task, "scorers": found.scorers, "experiment": found.experiment}
    for differences in parts.values():
        for one in differences:
            yield from _difference(one, columns)
    if found.dataset is not None:
        yield from _dataset(found.dataset, columns, listed)
    equal = [name for name, differences in parts.items() if not differences]
    equal += [] if found.dataset is not None else ["dataset"]
    if equal:
        yield from hanging("  equal: ", ", ".join(equal), columns)
    for told in found.unrecorded:
        yield from hanging("  not recorded: ", told, columns)


def _difference(one: Difference, columns: int, *, indent: str = "  ") -> Iterator[str]:
    path = clipped(one.path, PATH)
    texts = [value for value in (one.first, one.second) if isinstance(value, str)]
    if one.kind == "changed" and len(texts) == 2 and _is_long(texts):
        yield f"{indent}{path}: text changed"
        yield from _diff(texts[0], texts[1], columns, indent=f"{indent}  ")
        return
    told = _SIDES[one.kind].format(first=_value(one.first), second=_value(one.second))
    hint = next((f" ({words})" for ending, words in _HINTS if one.path.endswith(ending)), "")
    yield from hanging(f"{indent}{path}: ", f"{told}{hint}", columns)


def _is_long(texts: Sequence[str]) -> bool:
    return any((len(text) > VALUE and " " in text) or len(text.splitlines()) > 1 for text in texts)


def _diff(first: str, second: str, columns: int, *, indent: str) -> Iterator[str]:
    """The lines that changed, with one line around them."""
    lines = list(unified_diff(block(first), block(second), lineterm="", n=1))[2:]
    for line in islice(lines, DIFF_LINES):
        yield f"{indent}{clipped(line, columns - len(indent))}"
    if len(lines) > DIFF_LINES:
        yield f"{indent}… {len(lines) - DIFF_LINES} more lines; --json has them whole"


def _value(value: object) -> str:
    if isinstance(value, str) and _DIGEST.fullmatch(value):
        return f"{value[:12]}{CUT}"
    text = json.dumps(value, ensure_ascii=False, default=str)
    shown = clipped(text, VALUE)
    return shown if len(text) <= VALUE else f"{shown} ({len(text):,} characters)"


def _dataset(found: DatasetDifference, columns: int, listed: int) -> Iterator[str]:
    counts = {"added": found.added, "modified": found.modified, "deleted": found.deleted}
    told = ", ".join(f"{len(ids)} {kind}" for kind, ids in counts.items() if ids)
    what = told or "the order of its items, or what it declares as reference"
    yield from hanging(
        "  dataset: ",
        f"{counted(found.count_first, 'item')} → {counted(found.count_second, 'item')}: {what} "
        f"({found.first[:16]} → {found.second[:16]})",
        columns,
    )
    for kind, ids in counts.items():
        if ids:
            names = ", ".join(item_name(one, NAME) for one in ids[:listed])
            more = f" and {len(ids) - listed} more" if len(ids) > listed else ""
            yield from hanging(f"    {kind}: ", f"{names}{more}" if listed else f"{len(ids)}", columns)
    if found.fields:
        fields = ", ".join(f"{clipped(name, NAME)} in {counted(count, 'item')}" for name, count in found.fields.items())
        yield from hanging("    changed fields: ", fields, columns)
    if found.reference_only:
        yield from hanging(
            "    ",
            f"of {counted(found.reference_only, 'item')} only what is declared as reference changed: a task is given "
            "the same as before",
            columns,
        )
    for one in found.declared:
        yield from _difference(one, columns, indent="    ")
    for item in found.items[:listed]:
        yield f"    item {item_name(item.item_id, NAME)}"
        for one in item.fields:
            yield from _difference(one, columns, indent="      ")
