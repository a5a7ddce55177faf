"""json_fields: which fields are as expected, how many those are, and what is said of the others."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import Outcome
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers import Scorer, as_verdict, create, json_fields, scored_values


def judged(scorer: Scorer, output: object, **parts: object) -> Verdict:
    view = View(output=output, **parts)  # type: ignore[arg-type]
    return as_verdict(scorer.judge(view), scorer.config)


def share(expected: object, output: object, **parameters: object) -> float:
    scorer = create("json_fields", {"value_expression": "output", "reference_key": "gold", **parameters})
    (value,) = scored_values(judged(scorer, output, reference_data={"gold": expected}), scorer.config)
    assert value.number is not None
    return value.number


SHARES: list[tuple[object, object, float, float]] = [
    ({"a": 1}, {"a": 1.0}, 1, 1),
    ({"a": 1}, {"a": True}, 0, 0),
    ({"a": 1}, {"a": "1"}, 0, 0),
    ({"a": None}, {"a": None}, 1, 1),
    ({"a": None}, {}, 0, 0),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, 1, 1),
    ({"a": 1, "b": 2}, {"a": 1}, 0.5, 0.5),
    ({"a": 1}, {"a": 1, "b": 2}, 0.5, 1),
    ({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 1, "c": 9}, "d": 3}, 2 / 3, 2 / 3),
    ({"a": {"b": 1, "c": 2}, "d": 3}, {"a": "x", "d": 3}, 1 / 3, 1 / 3),
    ({"a": 1}, {"a": {"b": 1}}, 0, 0),
    ([1, 2, 3, 4], [1, 3, 2, 4], 0.5, 0.5),
    ([1, 2], [1, 2, 3, 4], 0.5, 1),
    ([1, 2, 3, 4], [1, 2], 0.5, 0.5),
    ({}, {}, 1, 1),
    ({}, {"a": 1}, 0, 1),
    ({"a": []}, {"a": {}}, 0, 0),
    ({"a": 1}, [1], 0, 0),
    ({"a": 1, "b": 2}, 3, 0, 0),
    ({"a.b": 1}, {"a": {"b": 1}}, 0, 0),
]


@pytest.mark.parametrize(("expected", "output", "counted", "ignored"), SHARES)
def test_the_share_of_fields_that_are_as_expected(
    expected: object, output: object, counted: float, ignored: float
) -> None:
    assert share(expected, output) == pytest.approx(counted)
    assert share(expected, output, unexpected_fields="ignore") == pytest.approx(ignored)
    assert share(json.dumps(expected), json.dumps(output)) == pytest.approx(counted)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["a", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
structures = json_values.filter(lambda value: isinstance(value, dict | list))


def leaves(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], tuple[type, object]]]:
    """Every innermost value under its path."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [leaf for key, one in inner for leaf in leaves(one, (*path, type(value), key))]
    yield from found or [(path, (type(value), value))]


@given(structures, structures)
def test_ignoring_what_is_unexpected_it_is_the_share_of_equal_leaves(expected: object, output: object) -> None:
    wanted, found = dict(leaves(expected)), dict(leaves(output))
    right = sum(found.get(path) == leaf for path, leaf in wanted.items())
    unasked = [path for path, (_, value) in wanted.items() if value in ({}, []) and path not in found]
    if not unasked:  # an empty object or list that holds something has no field of its own
        assert share(expected, output, unexpected_fields="ignore") == pytest.approx(right / len(wanted))


@given(structures, json_values)
def test_all_is_right_exactly_where_the_values_are_equal(expected: object, output: object) -> None:
    equal = dict(leaves(expected)) == dict(leaves(output))
    found = 0.0 if output is None or isinstance(output, str) else share(expected, output)
    assert (found == 1) is equal
    assert 0 <= found <= 1
    assert share(expected, expected) == 1


def test_a_reason_names_the_fields_that_differ() -> None:
    scorer = json_fields(expected_value={"id": 7, "city": "Rome", "tags": ["a", "b"]})
    verdict = judged(scorer, '{"id": 8, "tags": ["a"], "age": 3}')
    assert verdict.reason == (
        "4 of 5 fields differ: id: expected 7, got 8; city is missing; tags[1] is missing; age is unexpected"
    )
    assert verdict.evidence == {"fields": 5, "differing": ["id", "city", "tags[1]", "age"]}
    assert judged(json_fields(expected_value={"id": 7}), "{}").reason == "1 of 1 field differs: id is missing"


def test_a_reason_stays_short_however_many_fields_differ() -> None:
    scorer = json_fields(expected_value={f"{number}" * 90: "x" * 900 for number in range(900)})
    verdict = judged(scorer, json.dumps({f"{number}" * 90: "\n" * 900 for number in range(999)}))
    assert len(verdict.reason) < 4_000
    assert verdict.reason.isprintable()
    assert verdict.reason.endswith("; … and 991 more")


def test_an_output_that_is_no_json_has_no_field_right() -> None:
    scorer = json_fields(reference_key="gold", value_expression="(final_message | fromjson).order")
    gold = {"gold": {"id": 7}}
    for output in ("no json", "{}", '{"order": null}', '{"order": "seven"}'):
        verdict = judged(scorer, output, reference_data=gold)
        assert verdict.values == {"": 0.0}
        assert verdict.reason
    assert judged(json_fields(reference_key="gold"), "[" * 99_999, reference_data=gold).values == {"": 0.0}
    assert judged(json_fields(reference_key="gold"), None, reference_data=gold).reason == "the output is null"


@pytest.mark.parametrize(
    ("gold", "why"),
    [
        ("{bad", '"{bad" is not JSON'),
        ("seven", '"seven" is not JSON'),
        ("7", "a number has no fields"),
        (7, "a number has no fields"),
        (None, "it is null"),
    ],
)
def test_a_reference_without_fields_is_a_skip(gold: object, why: str) -> None:
    verdict = judged(json_fields(reference_key="gold"), "{}", reference_data={"gold": gold})
    assert verdict.skip == Skip.MISSING_REFERENCE_KEY
    assert verdict.reason.startswith(f"reference_key 'gold': {why}")


def test_the_share_has_a_range_and_an_outcome_where_it_is_said_from_where_on_it_passes() -> None:
    scorer = json_fields(expected_value={"a": 1, "b": 2}, passes_at=0.5, required=True)
    (spec,) = scorer.config.scores
    assert (spec.range, spec.required) == ((0.0, 1.0), True)
    outcomes = [
        scored_values(judged(scorer, output), scorer.config)[0].outcome for output in ('{"a": 1}', "{}", "no json")
    ]
    assert outcomes == [Outcome.PASSED, Outcome.FAILED, Outcome.FAILED]
    plain = json_fields(expected_value={"a": 1})
    assert scored_values(judged(plain, '{"a": 1}'), plain.config)[0].outcome is None


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "exactly one of expected_value and reference_key"),
        ({"expected_value": "a"}, r"expected_value: expected `object \| array`, got `str`"),
        ({"expected_value": {"a": float("nan")}}, "expected_value cannot be stored"),
        ({"expected_value": {}, "passes_at": 1.5}, "passes_at: expected `float` <= 1.0"),
        ({"expected_value": {}, "required": True}, "required but nothing says when it passes\n  next: give passes_at"),
        ({"expected_value": {}, "scores": []}, "unknown parameter of json_fields 'scores'"),
    ],
)
def test_a_wrong_parameter_is_refused_when_created(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        create("json_fields", parameters)
