"""set_check: which elements a value has, how two sets may lie, and what is said of those that differ."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.verdict import Skip
from rejudge.scorers import create, set_check
from tests.scorers.checks import judged, passes

ELEMENTS = [
    ('["a", "b"]', ["a", "b"]),
    (' \n["a"]', ["a"]),
    (["a", 1, 1.0, True, None], ["a", "1", "1.0", "true", "null"]),
    ([{"b": 1, "a": "é"}, [1, 2]], ['{"a":"é","b":1}', "[1,2]"]),
    ({"b": 1, "a": [2]}, ["a", "b"]),
    ('{"a": 1}', ['{"a": 1}']),
    ("a, b", ["a, b"]),
    ("[a, b]", ["[a, b]"]),
    ("[NaN]", ["[NaN]"]),
    ("[" * 100_000, ["[" * 100_000]),
    ("", [""]),
    ("[]", []),
    ([], []),
    (42, ["42"]),
    (42.0, ["42.0"]),
    (False, ["false"]),
    (['["a"]'], ['["a"]']),
    (["\ud800"], ["\ud800"]),
]


@pytest.mark.parametrize(("value", "elements"), ELEMENTS, ids=lambda value: repr(value)[:40])
def test_a_value_has_these_elements(value: object, elements: list[str]) -> None:
    assert passes(set_check(mode="equal", value_expression="output", expected_set=elements), value)


def test_a_reference_has_its_elements_as_a_value_has() -> None:
    scorer = set_check(mode="equal", reference_key="gold")
    for gold in (["a", "b"], '["b", "a", "a"]', {"a": 1, "b": 2}):
        assert passes(scorer, '["a", "b"]', reference_data={"gold": gold})
    assert passes(scorer, "7", reference_data={"gold": 7})
    through = set_check(mode="subset", reference_key="gold", reference_expression="reference.split(', ')")
    assert passes(through, '["b"]', reference_data={"gold": "a, b"})


def test_stated_elements_are_taken_as_they_stand() -> None:
    assert passes(set_check(mode="equal", expected_set=['["a"]']), '["[\\"a\\"]"]')
    assert not passes(set_check(mode="equal", expected_set=['["a"]']), '["a"]')
    assert not passes(set_check(mode="equal", expected_set=["A"]), '["a"]')
    assert passes(set_check(mode="equal", expected_set=[1, {"b": 1, "a": 2}]), '[{"a": 2, "b": 1}, 1]')


def test_an_expected_set_of_nothing_allows_or_asks_for_nothing() -> None:
    assert passes(set_check(mode="superset", expected_set=[]), "anything")
    assert passes(set_check(mode="subset", expected_set=[]), "[]")
    assert judged(set_check(mode="equal", expected_set=[]), '["a"]').reason == 'expected exactly nothing; too much "a"'


texts = st.lists(st.sampled_from("abcde"), max_size=6)


@given(texts, texts)
def test_the_modes_are_those_of_sets(found: list[str], expected: list[str]) -> None:
    slow = {
        "subset": all(one in expected for one in found),
        "superset": all(one in found for one in expected),
    }
    slow["equal"] = slow["subset"] and slow["superset"]
    for mode, holds in slow.items():
        for parameters in ({"expected_set": expected}, {"reference_key": "gold"}):
            scorer = create("set_check", {"mode": mode, **parameters})
            verdict = judged(scorer, json.dumps(found), reference_data={"gold": expected})
            assert verdict.values == {"set_check": float(holds)}
            assert bool(verdict.reason) is not holds


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(json_values, json_values)
def test_any_value_and_any_reference_are_compared_or_explained(output: object, gold: object) -> None:
    verdict = judged(
        set_check(mode="equal", value_expression="output", reference_key="gold"), output, reference_data={"gold": gold}
    )
    if verdict.skip is None:
        assert verdict.reason.isprintable()
        assert bool(verdict.reason) is (verdict.values == {"set_check": 0.0})
    else:
        assert gold is None


REASONS = [
    ("equal", ["a", "b"], '["b", "c"]', 'expected exactly "a", "b"; missing "a"; too much "c"'),
    ("subset", ["a"], '["b", "c"]', 'expected only "a"; too much "b", "c"'),
    ("superset", ["b", "a", "c"], '["d"]', 'expected at least "a", "b", "c"; missing "a", "b", "c"'),
]


@pytest.mark.parametrize(("mode", "expected", "output", "reason"), REASONS)
def test_a_fail_says_what_is_missing_and_what_is_too_much(
    mode: str, expected: list[str], output: str, reason: str
) -> None:
    assert judged(create("set_check", {"mode": mode, "expected_set": expected}), output).reason == reason


def test_a_reason_stays_short_however_large_the_sets_are() -> None:
    scorer = set_check(mode="equal", expected_set=[f"{number:03}" * 50 for number in range(500)])
    reason = judged(scorer, json.dumps([f"{number}\n" * 80 for number in range(500)])).reason
    assert len(reason) < 3_500
    assert reason.isprintable()
    assert "… and 488 more" in reason


def test_whose_fault_a_missing_side_is_decides_what_becomes_of_it() -> None:
    scorer = set_check(mode="subset", value_expression="(final_message | fromjson).tags.all", reference_key="gold")
    for output in ('{"other": 1}', '{"tags": null}', '{"tags": {"all": null}}', "no json", "[]"):
        assert judged(scorer, output).values == {"set_check": 0.0}
    found = judged(scorer, '{"tags": {"all": ["a"]}}', reference_data={"silver": 1})
    assert found.skip == Skip.MISSING_REFERENCE_KEY
    assert judged(set_check(mode="subset", expected_set=["a"]), None).reason == "the output is null"
    last = set_check(mode="subset", value_expression="trace[-1].content", expected_set=["a"])
    assert judged(last, "a").skip == Skip.MISSING_TRACE
    assert judged(last, "a", trace=[]).values == {"set_check": 0.0}


REFUSED: list[tuple[dict[str, object], str]] = [
    ({"expected_set": ["a"]}, "missing required field `mode`"),
    ({"mode": "near", "expected_set": ["a"]}, "mode: invalid enum value 'near'"),
    ({"mode": "equal"}, "exactly one of expected_set and reference_key .* neither"),
    ({"mode": "equal", "expected_set": [], "reference_key": "b"}, "exactly one of expected_set .* both"),
    ({"mode": "equal", "expected_set": "a, b"}, "expected_set: expected `array`, got `str`"),
    ({"mode": "equal", "expected_set": [float("nan")]}, "expected_set cannot be stored"),
    ({"mode": "equal", "expected_set": ["a"], "value_expression": "outptu"}, "unknown name"),
    ({"mode": "equal", "expected_set": ["a"], "scores": [{"name": "q", "type": "five_star"}]}, "is a five_star"),
]


@pytest.mark.parametrize(("parameters", "message"), REFUSED)
def test_a_wrong_parameter_is_refused_when_created(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        create("set_check", parameters)


def test_one_set_is_one_scorer_in_whichever_order_it_is_written() -> None:
    ids = {
        set_check(mode="equal", expected_set=elements).config.id  # type: ignore[arg-type]
        for elements in (["a", "1"], ["1", "a", "a"], ["a", 1], {"a", "1"}, ("a", "1"))
    }
    assert len(ids) == 1
    assert set_check(mode="subset", expected_set=["a", "1"]).config.id not in ids
