"""is_json: what is JSON, what keeps a JSON Schema, and which schemas are refused."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.verdict import Skip
from rejudge.scorers import create, is_json
from tests.scorers.checks import judged, passes

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_whatever_json_says_is_json(value: object) -> None:
    assert passes(is_json(), f" {json.dumps(value)}\n")
    if not isinstance(value, str) and value is not None:
        assert passes(is_json(), value)


@pytest.mark.parametrize(
    "output",
    [
        "",
        "yes",
        "{'a': 1}",
        '{"a": 1,}',
        '{"a": 1} {"b": 2}',
        "```json\n{}\n```",
        "NaN",
        '{"a": Infinity}',
        "[" * 99_999,
    ],
    ids=lambda output: output[:20],
)
def test_what_is_nearly_json_is_none(output: str) -> None:
    assert not passes(is_json(), output)


def test_what_an_expression_gives_is_judged() -> None:
    assert passes(is_json(value_expression="output.arguments"), {"arguments": '{"a": 1}'})
    assert passes(is_json(value_expression="output.arguments"), {"arguments": {"a": 1}})
    assert not passes(is_json(value_expression="output.arguments"), {"arguments": "a = 1"})
    assert not passes(is_json(value_expression="output.arguments"), {"other": 1})
    assert not passes(is_json(), None)
    assert judged(is_json(value_expression="trace[-1].content"), "{}").skip == Skip.MISSING_TRACE


ORDER: dict[str, object] = {
    "type": "object",
    "required": ["id"],
    "additionalProperties": False,
    "properties": {"id": {"type": "integer"}, "items": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
    "$defs": {"item": {"type": "string", "minLength": 2}},
}


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ('{"id": 7, "items": ["kettle"]}', ""),
        ('{"id": 7.0}', ""),
        ('{"id": true}', "$.id: True is not of type 'integer'"),
        ("{}", "$: 'id' is a required property"),
        ("[]", "$: [] is not of type 'object'"),
        ('{"id": 7, "items": ["a", 1]}', "$.items[0]: 'a' is too short; $.items[1]: 1 is not of type 'string'"),
        ('{"id": 7, "sum": 1}', "$: Additional properties are not allowed ('sum' was unexpected)"),
        ('{"id"', """"{"id"" is not JSON (Expecting ':' delimiter: line 1 column 6 (char 5))"""),
    ],
)
def test_a_value_keeps_its_schema_or_the_reason_says_where_not(output: str, reason: str) -> None:
    pytest.importorskip("jsonschema")
    assert judged(is_json(schema=ORDER), output).reason == reason
    assert passes(is_json(schema=ORDER), output) is (reason == "")


def test_the_dialect_is_the_one_that_the_schema_names() -> None:
    pytest.importorskip("jsonschema")
    draft4 = {"$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"}
    assert passes(is_json(schema={"type": "integer"}), "1.0")
    assert not passes(is_json(schema=draft4), "1.0")


def test_a_reason_stays_short_however_much_is_wrong() -> None:
    pytest.importorskip("jsonschema")
    scorer = is_json(schema={"items": {"type": "string"}})
    reason = judged(scorer, json.dumps([["\n" * 5_000] for _ in range(5_000)])).reason
    assert len(reason) < 2_000
    assert reason.isprintable()
    assert reason.endswith("; …")


def test_an_output_nested_without_sense_fails() -> None:
    pytest.importorskip("jsonschema")
    scorer = is_json(schema={"items": {"$ref": "#"}})
    assert judged(scorer, "[" * 600 + "]" * 600).reason == "$: nested too deeply to be checked"


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "objekt"}, r"schema: \$.type: 'objekt' is not valid"),
        ({"pattern": "("}, r"schema: \$.pattern: '\(' is not a 'regex'"),
        ({"items": {"$ref": "#/$defs/item"}}, "'#/\\$defs/item' names nothing in the schema, and nothing is fetched"),
        ({"$ref": "https://example.com/schema.json"}, "names nothing in the schema, and nothing is fetched"),
        ({"$ref": "#"}, "refers to itself without end"),
        ({"$schema": "urn:mine"}, "no dialect is named 'urn:mine'"),
        ({"const": float("nan")}, "schema cannot be stored"),
        ([], "schema: expected `object`, got `array`"),
    ],
)
def test_what_is_no_schema_is_refused_when_created(schema: object, message: str) -> None:
    pytest.importorskip("jsonschema")
    with pytest.raises(ConfigurationError, match=message):
        create("is_json", {"schema": schema})


def test_a_schema_without_the_library_says_how_to_install_it() -> None:
    program = """
import sys
from rejudge.scorers import is_json
from rejudge.domain.errors import ConfigurationError
is_json()
assert "jsonschema" not in sys.modules
sys.modules["jsonschema"] = None
try:
    is_json(schema={})
except ConfigurationError as error:
    assert "pip install 'rejudge[text]'" in str(error), error
else:
    raise AssertionError("it was not refused")
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
