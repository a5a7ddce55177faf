from __future__ import annotations

from enum import StrEnum

import msgspec
import pytest
from msgspec import Struct

from rejudge.domain.refusal import refusal


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


class Door(Struct):
    colour: Colour


class Wall(Struct, forbid_unknown_fields=True):
    colour: Colour | None = None
    stripes: list[Colour] = []
    rooms: dict[str, tuple[Colour, ...]] = {}
    next: Wall | None = None
    height: float = 1.0
    door: Door | None = None


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"colour": "rad"}, "wall: colour: invalid enum value 'rad'\n  next: did you mean 'red'? known: green, red"),
        ({"stripes": ["red", "x"]}, "wall: stripes[1]: invalid enum value 'x'\n  next: known: green, red"),
        ({"rooms": {"a": ["?"]}}, "wall: rooms[...][0]: invalid enum value '?'\n  next: known: green, red"),
        ({"next": {"colour": "blue"}}, "wall: next.colour: invalid enum value 'blue'\n  next: known: green, red"),
        ({"height": "high"}, "wall: height: expected `float`, got `str`"),
        ({"door": {}}, "wall: door: object missing required field `colour`\n  next: give colour: green or red"),
        ([], "wall: all of it: expected `object`, got `array`"),
    ],
)
def test_a_word_that_may_not_stand_somewhere_is_refused_with_those_that_may(given: object, told: str) -> None:
    with pytest.raises(msgspec.ValidationError) as raised:
        msgspec.convert(given, Wall)
    assert str(refusal(raised.value, Wall, whose="wall", whole="all of it")) == told
