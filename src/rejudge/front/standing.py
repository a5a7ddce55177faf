"""How far labels and calibrations can be trusted, in lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import to_builtins

from rejudge.domain.ids import id_of
from rejudge.front.amounts import counted
from rejudge.front.figures import WIDEST
from rejudge.front.lines import clipped, wrapped
from rejudge.front.overview import short, when
from rejudge.review.drawing import WAYS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rejudge.domain.rating import Drawing
    from rejudge.review.default_judge import DefaultStanding

_BLINDING = {
    "blind": "the raters saw no scores (blind)",
    "sighted": "the raters had seen scores, which may have led them",
    "unknown": "it is not known whether the raters had seen scores",
}


def blinding_lines(blinding: dict[str, int]) -> Iterator[str]:
    """What is known about what raters had seen, in words."""
    if len(blinding) == 1:
        (kind,) = blinding
        yield _BLINDING[kind]
        return
    for kind, count in blinding.items():
        yield f"{_BLINDING[kind]}: {counted(count, 'rating')}"


def drawing_lines(drawing: Mapping[Drawing | None, int]) -> Iterator[str]:
    """What was said about how the rated traces were chosen; nothing where nobody said it."""
    for way, count in drawing.items():
        if way is not None:
            counts = "" if len(drawing) == 1 else f": {counted(count, 'rating')}"
            yield f"the rated traces were {WAYS[way]}{counts}"


def default_lines(default: DefaultStanding, *, columns: int = WIDEST) -> Iterator[str]:
    """The default judge of a question, and whether what it rests on still holds."""
    name, scorer = clipped(default.calibration.judged.name, 20), short(id_of("scorer", default.judge.scorer))
    yield f"default judge: {name}, {scorer}"
    yield f"  rests on {short(default.calibration.id)}, n={default.calibration.pairs.n}"
    yield from lapse_lines(default.lapses, otherwise="which holds", columns=columns)


def default_dict(default: DefaultStanding | None) -> dict[str, object] | None:
    """The same as JSON-like data."""
    if default is None:
        return None
    return {
        "scorer": {"id": id_of("scorer", default.judge.scorer), "name": default.calibration.judged.name},
        "calibration": default.calibration.id,
        "minimum": to_builtins(default.judge.minimum),
        "lapses": list(default.lapses),
        "at": when(default.judge.at),
    }


def lapse_lines(lapses: Sequence[str], *, otherwise: str, columns: int = WIDEST) -> Iterator[str]:
    """Why a calibration holds no more, or what is said while it does."""
    told = f"holds no more: {'; '.join(lapses)}" if lapses else otherwise
    yield from (f"  {line}" for line in wrapped(clipped(told, 400), columns - 2))
