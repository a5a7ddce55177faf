"""Several judgements of one view made one: by majority, mean or median, with ties said and the spread reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from msgspec import Struct

from rejudge.domain.scale import Direction, ScoreSpec, ScoreType
from rejudge.domain.verdict import Value
from rejudge.scorers.reply import Menu

NOMINAL: Final = frozenset({ScoreType.PASS_FAIL, ScoreType.PASS_FAIL_CRITICAL, ScoreType.LABEL})
"""Types whose values are grades and not amounts."""


class Combine(StrEnum):
    """How several values of one score become one."""

    MAJORITY = "majority"
    MEAN = "mean"
    MEDIAN = "median"


class Ties(StrEnum):
    """What becomes of a majority that there is not."""

    REVIEW = "needs_human_review"
    WORST = "worst"


class Member(Struct, frozen=True, kw_only=True):
    """One judgement: the model asked, the version that answered, its values and its words; `asked` counts replies."""

    model: str
    version: str | None
    values: dict[str, Value]
    reasoning: str
    asked: int = 1


class Combined(Struct, frozen=True, kw_only=True):
    """The values of all members together; `notes` says of each score how they came about.

    `review` holds the keys of scores that are tied, and that a person decides.
    """

    values: dict[str, Value]
    notes: tuple[str, ...]
    spread: dict[str, object]
    review: tuple[str, ...]


def combined(menus: Sequence[Menu], members: Sequence[Member], *, by: Combine | None, ties: Ties) -> Combined:
    """One value for each score; by majority for grades and by mean for amounts, where `by` is None."""
    values: dict[str, Value] = {}
    notes: list[str] = []
    spread: dict[str, object] = {}
    review: list[str] = []
    for menu in menus:
        said = [member.values[menu.key] for member in members]
        how = by or usual(menu.spec)
        if how is Combine.MAJORITY:
            values[menu.key], tied, note = _majority(menu.spec, said, ties)
            if tied and ties is Ties.REVIEW:
                review.append(menu.key)
        else:
            numbers = sorted(float(one) for one in said)
            values[menu.key] = sum(numbers) / len(numbers) if how is Combine.MEAN else _median(numbers)
            note = f"{how.value} of {len(numbers)}, from {numbers[0]:g} to {numbers[-1]:g}"
        notes.append(f"{menu.key}: {note}")
        spread[menu.key] = _spread(said)
    return Combined(values=values, notes=tuple(notes), spread=spread, review=tuple(review))


def usual(spec: ScoreSpec) -> Combine:
    """How values of a score are combined where nothing is said."""
    return Combine.MAJORITY if spec.type in NOMINAL else Combine.MEAN


def _majority(spec: ScoreSpec, said: Sequence[Value], ties: Ties) -> tuple[Value, bool, str]:
    counts = Counter(said)
    most = max(counts.values())
    leading = sorted((value for value, count in counts.items() if count == most), key=lambda value: _order(spec, value))
    told = ", ".join(f"{_shown(value)} {count}×" for value, count in counts.most_common())
    if len(leading) == 1:
        return leading[0], False, f"{most} of {len(said)} say {_shown(leading[0])} ({told})"
    rule = "a person decides" if ties is Ties.REVIEW else "the worst of them counts"
    return leading[0], True, f"a tie ({told}); {rule}"


def _order(spec: ScoreSpec, value: Value) -> float:
    """Worst first; labels as they were declared."""
    if isinstance(value, str):
        return (spec.labels or (value,)).index(value)
    return -float(value) if spec.direction is Direction.LOWER else float(value)


def _median(numbers: Sequence[float]) -> float:
    middle = len(numbers) // 2
    return numbers[middle] if len(numbers) % 2 else (numbers[middle - 1] + numbers[middle]) / 2


def _spread(said: Sequence[Value]) -> dict[str, object]:
    """How far the members are apart: the share that gave the commonest value, and the range of numbers."""
    agreement = Counter(said).most_common(1)[0][1] / len(said)
    numbers = [float(one) for one in said if not isinstance(one, str)]
    spread: dict[str, object] = {"agreement": agreement}
    return spread | ({"lowest": min(numbers), "highest": max(numbers)} if numbers else {})


def _shown(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:g}"
