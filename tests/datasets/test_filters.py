from __future__ import annotations

import pytest

from rejudge.datasets.filters import filter_of
from rejudge.domain.errors import ConfigurationError, UnknownName

ITEM: dict[str, object] = {
    "difficulty": 3,
    "score": 0.5,
    "tag": "geo graphy",
    "tags": ["a", "b"],
    "quote": 'say "hi"',
    "flag": True,
    "nothing": None,
    "meta": {"topic": "history", "list": [{"x": 1}]},
    "two words": 1,
    "digits": "3",
    "empty": "",
}


@pytest.mark.parametrize(
    ("text", "admits"),
    [
        ("difficulty >= 3", True),
        ("difficulty > 3", False),
        ("difficulty<4 and score = .5", True),
        ("difficulty = 3.0", True),
        ("difficulty = -3", False),
        ('digits = 3 or difficulty = "3"', False),
        ('tag = "geo graphy"', True),
        ("tag == 'geo graphy'", True),
        ('tag != "x"', True),
        ('absent != "x"', False),
        ('not absent = "x"', True),
        ('tag contains "graph"', True),
        ('tag not contains "graph"', False),
        ('tag not_contains "x"', True),
        ('tag starts_with "geo" and tag ends_with "y"', True),
        ('not tag starts_with "geo"', False),
        ('tags contains "a"', True),
        ('tags contains "c"', False),
        ("difficulty in [1, 2, 3]", True),
        ('difficulty in ("3", 4)', False),
        ("difficulty not in [1, 2]", True),
        ("absent not in [1]", False),
        ("flag = true", True),
        ("flag = 1", False),
        ("nothing = null", True),
        ("nothing is_empty and absent is_empty and empty is_empty", True),
        ("tag is_not_empty", True),
        ('meta.topic = "history" and meta.list.0.x = 1', True),
        ('data.meta.topic = "history"', True),
        ("`two words` = 1", True),
        (r'quote = "say \"hi\""', True),
        ('id = "q1"', True),
        ('id starts_with "q" AND (difficulty = 1 OR NOT difficulty = 2)', True),
        ("difficulty = 1 or difficulty = 2 and flag = true", False),
        ('tag >= "a" and tag < "z"', True),
        ("tag > 3", False),
    ],
)
def test_a_filter_admits_what_it_says(text: str, admits: bool) -> None:
    assert filter_of(text).admits("q1", ITEM) is admits


@pytest.mark.parametrize(
    ("text", "column", "told"),
    [
        ("", 1, "ends too early"),
        ("difficulty", 11, "ends too early"),
        ("difficulty >= ", 14, "ends too early"),
        ("difficulty ~ 3", 12, "cannot be read"),
        ("difficulty contain 3", 12, "did you mean contains?"),
        ("tag = history", 7, '"history"'),
        ('tag = "history', 7, "text without its end"),
        ("(a = 1", 7, "a `)` is missing"),
        ("a = 1 b = 2", 7, "join comparisons"),
        ('"a" = 1', 1, "name of a field"),
        ("a in 1", 6, "takes a list"),
        ("a in [1 2]", 9, "is missing"),
        ("a < true", 5, "compares numbers"),
        ("a starts_with 3", 16, "takes a text"),
        ("not " * 200 + "a = 1", 401, "nested deeper"),
        ("__import__('os').system('x')", 17, "cannot be read"),
    ],
)
def test_an_error_says_where_it_is(text: str, column: int, told: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        filter_of(text)
    assert f"column {column}\n" in str(error.value)
    assert told in str(error.value)


def test_a_field_that_no_item_has_is_refused_with_the_nearest() -> None:
    wanted = filter_of("dificulty > 1 or tag is_empty")
    assert not wanted.admits("a", ITEM)
    with pytest.raises(UnknownName, match="did you mean 'difficulty'"):
        wanted.check()


def test_a_field_that_some_item_has_is_none_to_complain_of() -> None:
    wanted = filter_of("rare = 1")
    assert [wanted.admits("a", {"x": 1}), wanted.admits("b", {"rare": 1})] == [False, True]
    wanted.check()
    filter_of("anything = 1").check()
