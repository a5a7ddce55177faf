from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import BadRow, InputError, Place
from rejudge.files.rows import Row, read_rows
from rejudge.files.yaml import composed, value_of, yaml_text

Write = Callable[[str, str | bytes], Path]


def read(path: Path) -> list[dict[str, object]]:
    return [row.fields for row in read_rows(path)]


def refused(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        list(read_rows(path))
    return caught.value


def test_each_row_carries_the_line_it_begins_on(write: Write) -> None:
    path = write("a.yaml", "# questions\n- q: one\n  a: 1\n\n- q: |\n    two\n    lines\n- {q: three}\n")
    assert list(read_rows(path)) == [
        Row({"q": "one", "a": 1}, 2),
        Row({"q": "two\nlines\n"}, 5),
        Row({"q": "three"}, 8),
    ]


@pytest.mark.parametrize("word", ["yes", "no", "on", "off", "Yes", "NO", "On", "y", "n", "=", "<"])
def test_answers_like_yes_and_no_are_text(write: Write, word: str) -> None:
    assert read(write("a.yaml", f"- answer: {word}\n  {word}: 1\n")) == [{"answer": word, word: 1}]


@pytest.mark.parametrize(
    "written",
    "007 010 08901 1e5 1e-3 1.5e3 12e4567 0x1F 0o17 0b11 1_000 +5 +4912345 12:30 1:2:3 1.2.3 1,5 5. -.5 00.5 nan inf "
    "NONE 2024-01-31 2024-01-31T10:00:00Z".split(),
)
def test_what_some_version_of_yaml_would_change_is_text_as_written(write: Write, written: str) -> None:
    assert read(write("a.yaml", f"- v: {written}\n")) == [{"v": written}]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("7", 7),
        ("0", 0),
        ("-12", -12),
        (str(2**70), 2**70),
        ("1.0", 1.0),
        ("-0.5", -0.5),
        (".5", 0.5),
        ("1.5e+3", 1500.0),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("!!str 5", "5"),
        ("!!float 1e5", 1e5),
        ("'7'", "7"),
        ('"true"', "true"),
        ("'null'", "null"),
        ('"007"', "007"),
        ("'2024-01-31'", "2024-01-31"),
        ("'<<'", "<<"),
    ],
)
def test_plain_scalars_keep_their_types_and_quoted_text_stays_text(write: Write, written: str, value: object) -> None:
    [fields] = read(write("a.yaml", f"- v: {written}\n"))
    assert fields == {"v": value}
    assert type(fields["v"]) is type(value)


def test_dates_that_a_program_writes_are_iso_text(write: Write) -> None:
    rows = [{"day": date(2024, 1, 31), "at": datetime(2024, 1, 31, 10, 30)}]  # noqa: DTZ001  no zone is the case
    assert read(write("a.yaml", yaml.safe_dump(rows))) == [{"day": "2024-01-31", "at": "2024-01-31 10:30:00"}]


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(write: Write) -> None:
    assert read(write("a.yml", b"\xef\xbb\xbf- a: 1\r\n  b: x\r\n")) == [{"a": 1, "b": "x"}]


@pytest.mark.parametrize("text", ["", "# nothing\n", "\ufeff", "---\n"])
def test_a_file_that_holds_nothing_is_refused(write: Write, text: str) -> None:
    error = refused(write("a.yaml", text))
    assert "empty" in str(error) or "not a list of rows" in str(error)


def test_an_empty_list_is_an_empty_table(write: Write) -> None:
    assert read(write("a.yaml", "[]\n")) == []


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("# x\na: 1\n", 2, 1, "not a list of rows"),
        ("- a: 1\n- text\n", 2, 3, "the row is not a mapping"),
        ("- a: 1\n  é: 2\n  a: 3\n", 3, 3, "'a' stands here and on line 1, column 3"),
        ("- {a: 1, 'a': 3}\n", 1, 10, "'a' stands here and on line 1, column 4"),
        ("- 1: x\n", 1, 3, "the key 1 is not text"),
        ("- true: x\n", 1, 3, "the key true is not text"),
        ("- ? [a]\n  : x\n", 1, 5, "a key is not text"),
        ("- a: [x, {1.5: y}]\n", 1, 11, "the key 1.5 is not text"),
        ("- a: .nan\n", 1, 6, ".nan cannot be stored as float"),
        ("- a: [1, -.inf]\n", 1, 10, "-.inf cannot be stored as float"),
        ("- a: !!int x\n", 1, 6, "x cannot be stored as int"),
        ("- a: " + "9" * 5000, 1, 6, "9999… cannot be stored as int"),
        ("- a: !!bool yes\n", 1, 6, "yes cannot be stored as bool"),
        ("- a: !!binary aGk=\n", 1, 6, "the tag !!binary is not allowed"),
        ("- a: !!timestamp 2024-01-31\n", 1, 6, "the tag !!timestamp is not allowed"),
        ("- a: !!set {x}\n", 1, 6, "the tag !!set is not allowed"),
        ("- a: !mine [x]\n", 1, 6, "the tag !mine is not allowed"),
        ("- a: !!python/object/apply:os.getcwd []\n", 1, 6, "the tag !!python/object/apply:os.getcwd is not allowed"),
        ("- a: *nobody\n", 1, 6, "undefined alias"),
        ("- a: [1\n- b: 2\n", 2, 4, "this is not YAML"),
        ("- a: b: c\n", 1, 7, "this is not YAML"),
        ("-\ta: 1\n", 1, 2, "this is not YAML"),
        ("- é: ok\n- b: \x07\n", 2, 6, "may not stand in YAML"),
        ("- a: 1\n---\n- b: 2\n", 2, 1, "this is not YAML"),
        ("- &a\n  x: [*a]\n", 1, 3, "contains itself through an alias"),
        ("- a: {<<: 5}\n", 1, 11, "only a mapping can be merged"),
        ("- a: {<<: [{}, 5]}\n", 1, 16, "only a mapping can be merged"),
    ],
)
def test_what_is_wrong_is_named_with_line_and_column(
    write: Write, text: str, line: int, column: int, said: str
) -> None:
    path = write("a.yaml", text)
    error = refused(path)
    assert said in str(error)
    assert error.where == Place(file=str(path), line=line, column=column)


def test_a_byte_that_is_not_utf8_is_named_with_line_and_column(write: Write) -> None:
    path = write("a.yaml", b"- a: 1\n- b: \xff\n")
    assert refused(path).where == Place(file=str(path), line=2, column=6)


def test_rows_before_a_bad_one_are_delivered(write: Write) -> None:
    rows = read_rows(write("a.yaml", "- a: 1\n- a: .nan\n"))
    assert next(rows).fields == {"a": 1}
    with pytest.raises(BadRow):
        next(rows)


def test_aliases_repeat_what_their_anchor_says_and_share_nothing(write: Write) -> None:
    first, second = read(write("a.yaml", "- tags: &tags [a, b]\n- tags: *tags\n"))
    assert first == second == {"tags": ["a", "b"]}
    assert first["tags"] is not second["tags"]


def test_merged_keys_give_way_to_a_mappings_own_and_to_earlier_ones(write: Write) -> None:
    text = "- &one {a: 1, b: 1}\n- &two {b: 2, c: 2}\n- {c: 3, <<: [*one, *two], d: 3}\n"
    assert read(write("a.yaml", text))[2] == {"a": 1, "b": 1, "c": 3, "d": 3}


@pytest.mark.parametrize("last", ["- {x: *a9}", "- {<<: {x: *a9}}"])
def test_a_billion_laughs_are_refused_at_once(write: Write, last: str) -> None:
    lines = ["- {x: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]}"]
    lines += [f"- {{x: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 10)]
    path = write("a.yaml", "\n".join([*lines, last]))
    begun = time.perf_counter()
    assert "aliases make the document more than 10,000,000 characters longer" in str(refused(path))
    assert time.perf_counter() - begun < 5


@pytest.mark.parametrize(
    "text",
    [
        "- a: " + "[" * 100_000,
        "- a: " + "[" * 900 + "]" * 900,
        "- " * 5_000 + "x",
        "\n".join(["- a0: &a0 x", *(f"- a{n}: &a{n} [*a{n - 1}]" for n in range(1, 3_000))]),
    ],
)
def test_a_document_that_is_nested_too_deeply_is_refused(write: Write, text: str) -> None:
    error = refused(write("a.yaml", text))
    assert "nested too deeply" in str(error) or "maximum nesting depth" in str(error)


CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\x85\u2028\u2029")
"""Without the three line ends that PyYAML itself writes wrongly inside a key."""
LEAF = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(CHARACTERS, max_size=12)
    | st.text("0123456789+-._eExob:,~ #'\"<=-", max_size=8)
    | st.sampled_from(["yes", "no", "on", "off", "null", "~", "true", "=", "<<", ".inf", "08901", "1e5", "12:30"])
)
TEXT = st.text(CHARACTERS, max_size=6) | st.sampled_from(["on", "<<", "=", "1", "null"])
TREE = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))


@given(st.lists(st.dictionaries(TEXT, TREE, max_size=3), max_size=3), st.booleans(), st.booleans())
def test_whatever_pyyaml_writes_reads_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, object]], flow: bool, unicode: bool
) -> None:
    path = tmp_path_factory.mktemp("yaml") / "a.yaml"
    text = yaml.safe_dump(records, default_flow_style=flow, allow_unicode=unicode, sort_keys=False)
    path.write_bytes(text.encode())
    assert repr(read(path)) == repr(records)


@given(st.binary(max_size=40) | st.text("-:{}[]&*!|>'\"#%@`, ab1.~?\n\t<=\\", max_size=30).map(str.encode))
def test_no_bytes_raise_anything_but_an_input_error(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    path = tmp_path_factory.mktemp("yaml") / "a.yaml"
    path.write_bytes(content)
    outcome: list[Row] | InputError
    try:
        outcome = list(read_rows(path))
    except InputError as error:
        outcome = error
    assert outcome.where if isinstance(outcome, InputError) else all(row.line for row in outcome)


@given(TREE | st.sampled_from(["no", "1e5", "007", "12:30", "2024-01-31", "a\n  b\n", " \nx", "# x", "<<"]))
def test_what_is_written_reads_as_the_same(value: object) -> None:
    root = composed(yaml_text([{"value": value}]), file="written.yaml")
    assert value_of(root, file="written.yaml") == [{"value": value}]
