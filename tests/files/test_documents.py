from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, FileMissing, InputError, Place
from rejudge.files.documents import read_document

Write = Callable[[str, str | bytes], Path]

YAML = """\
# an evaluation
name: refunds
scorers:
  - name: exact
    type: exact_match
  - {name: judge, model: "m"}
limits: &limits
  concurrency: 4
more:
  <<: *limits
on: no
"""
JSON = (
    '{\n  "name": "é",\n  "scorers": [\n    {"name": "exact"}, {"name": "a,]}", "model": [1, [2]]}\n  ],\n  "n": 1\n}\n'
)


def test_a_yaml_document_is_its_value(write: Write) -> None:
    assert read_document(write("eval.yaml", YAML)).value == {
        "name": "refunds",
        "scorers": [{"name": "exact", "type": "exact_match"}, {"name": "judge", "model": "m"}],
        "limits": {"concurrency": 4},
        "more": {"concurrency": 4},
        "on": "no",
    }


def test_a_json_document_is_its_value(write: Write) -> None:
    assert read_document(write("eval.json", "\ufeff" + JSON)).value == json.loads(JSON)


@pytest.mark.parametrize(
    ("keys", "line", "column"),
    [
        ((), 2, 1),
        (("name",), 2, 1),
        (("scorers", 0), 4, 5),
        (("scorers", 0, "type"), 5, 5),
        (("scorers", 1, "model"), 6, 19),
        (("limits", "concurrency"), 8, 3),
        (("more", "concurrency"), 8, 3),
        (("scorers", 0, "missing"), 4, 5),
        (("scorers", 7), 3, 1),
        (("scorers", -1), 3, 1),
        (("scorers", 1, "judge-branch", "model"), 6, 19),
        (("name", "deeper"), 2, 1),
        (("missing",), 2, 1),
    ],
)
def test_every_key_of_a_yaml_document_has_a_place(
    write: Write, keys: tuple[str | int, ...], line: int, column: int
) -> None:
    path = write("eval.yaml", YAML)
    assert read_document(path).place(*keys) == Place(file=str(path), line=line, column=column)


@pytest.mark.parametrize(
    ("keys", "line", "column"),
    [
        ((), 1, 1),
        (("name",), 2, 3),
        (("scorers",), 3, 3),
        (("scorers", 0), 4, 5),
        (("scorers", 0, "name"), 4, 6),
        (("scorers", 1, "model"), 4, 41),
        (("scorers", 1, "model", 1, 0), 4, 55),
        (("n",), 6, 3),
        (("scorers", 0, "missing"), 4, 5),
        (("scorers", 9), 3, 3),
        (("scorers", 1, "branch", "model"), 4, 41),
        (("n", "deeper"), 6, 3),
    ],
)
def test_every_key_of_a_json_document_has_a_place(
    write: Write, keys: tuple[str | int, ...], line: int, column: int
) -> None:
    path = write("eval.json", JSON)
    assert read_document(path).place(*keys) == Place(file=str(path), line=line, column=column)


def test_a_wrong_key_found_by_pydantic_is_reported_with_line_and_column(write: Write) -> None:
    class Scorer(pydantic.BaseModel, extra="forbid"):
        name: str

    class Evaluation(pydantic.BaseModel):
        scorers: list[Scorer]

    path = write("eval.yaml", "name: x\nscorers:\n  - name: a\n  - name: b\n    nmae: c\n")
    document = read_document(path)
    with pytest.raises(pydantic.ValidationError) as caught:
        Evaluation.model_validate(document.value)
    assert str(document.place(*caught.value.errors()[0]["loc"])) == f"{path}:5:5"


def test_a_key_that_stands_twice_is_refused_in_both_formats(write: Write) -> None:
    with pytest.raises(InputError, match=r"eval\.yaml:3:3: the key 'b' stands here and on line 2, column 3"):
        read_document(write("eval.yaml", "a:\n  b: 1\n  b: 2\n"))
    with pytest.raises(InputError, match=r"eval\.json:2:3: the key 'b' stands here and on line 1, column 13"):
        read_document(write("eval.json", '{"a": [1, { "b": 1,\n  "b": 2}]}'))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("eval.yaml", "", "the file is empty"),
        ("eval.json", " \n", "the file is empty"),
        (
            "eval.yaml",
            "a: !!python/name:os.system\n",
            r"eval\.yaml:1:4: the tag !!python/name:os.system is not allowed",
        ),
        ("eval.yaml", "a: 1\nb: !env HOME\n", r"eval\.yaml:2:4: the tag !env is not allowed"),
        ("eval.yaml", "a: [1\nb: 2\n", r"eval\.yaml:2:2: this is not YAML"),
        ("eval.json", '{"a": 1\n "b": 2}', r"eval\.json:2:2: this is not JSON"),
        ("eval.json", '{"a": 1,\n "b": NaN}', r"eval\.json:2:7: NaN is not a number"),
        ("eval.json", '{"a": 1,\n "b": [1\n', r"eval\.json:2:9: the text ends before its JSON does"),
    ],
)
def test_a_document_that_cannot_be_read_says_where(write: Write, name: str, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_document(write(name, text))


def test_a_missing_document_and_an_unknown_suffix_are_refused(write: Write) -> None:
    near = write("eval.yaml", YAML)
    with pytest.raises(FileMissing, match=r"did you mean .*eval\.yaml"):
        read_document(near.with_name("evall.yaml"))
    with pytest.raises(ConfigurationError, match=r"unknown document type '\.toml'"):
        read_document(write("eval.toml", ""))


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=15,
)


def paths(value: object) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        return [(key, *rest) for key, inner in value.items() for rest in [(), *paths(inner)]]
    if isinstance(value, list):
        return [(index, *rest) for index, inner in enumerate(value) for rest in [(), *paths(inner)]]
    return []


@given(NESTED, st.sampled_from([None, 2]))
def test_the_place_of_a_json_key_is_where_that_key_is_written(
    tmp_path_factory: pytest.TempPathFactory, value: object, indent: int | None
) -> None:
    path = tmp_path_factory.mktemp("json") / "eval.json"
    path.write_text(json.dumps(value, indent=indent))
    document = read_document(path)
    assert document.value == value
    lines = path.read_text().split("\n")
    for keys in paths(value):
        place = document.place(*keys)
        assert place.line is not None
        assert place.column is not None
        rest = "\n".join([lines[place.line - 1][place.column - 1 :], *lines[place.line :]])
        expected = value_at(value, keys) if isinstance(keys[-1], int) else keys[-1]
        assert json.JSONDecoder().raw_decode(rest)[0] == expected


def value_at(value: object, keys: tuple[str | int, ...]) -> object:
    for key in keys:
        value = cast("dict[str | int, object]", value)[key]
    return value
