"""tool_call_check: how calls and their arguments are read and compared, odd ones included."""

from __future__ import annotations

import pytest
from hypothesis import given

from rejudge.domain.errors import ConfigurationError
from tests.scorers.tools import argument, check, judged, passes, trace_of
from tests.scorers.traces import ODD_TRACES

EXACT = [
    (1, 1.0, True),
    (1, True, False),
    (True, 1, False),
    (True, True, True),
    (0, False, False),
    ("1", 1, False),
    (1, "1", False),
    ("true", True, False),
    (None, None, True),
    (None, "null", False),
    ([1, {"b": True}], [1.0, {"b": True}], True),
    ([1, {"b": True}], [1, {"b": 1}], False),
    ([1, 2], [2, 1], False),
    ([1], [1, 2], False),
    ([1, 2], [1], False),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, True),
    ({"a": 1}, {"a": 1, "b": 2}, False),
    (9007199254740993, 9007199254740992.0, False),
    ("Rome", "rome", False),
]


@pytest.mark.parametrize(("expected", "given_", "equal"), EXACT)
def test_arguments_are_compared_as_json_values(expected: object, given_: object, equal: bool) -> None:
    assert passes(argument(expected), trace_of(("a", {"x": given_}))) is equal


TEXTUAL = [
    ("contains", "om", "Rome", True),
    ("contains", "OM", "Rome", False),
    ("contains", "", "", True),
    ("contains", 4, "room 42", True),
    ("contains", 4, 42, True),
    ("contains", True, True, True),
    ("contains", "True", True, True),
    ("contains", "true", True, False),
    ("contains", "'a'", ["a"], True),
    ("contains", "None", None, True),
    ("regex", r"^\d+$", 42, True),
    ("regex", r"^\d+$", 42.0, False),
    ("regex", "(?i)rome", "in ROME", True),
    ("regex", "^b", "a\nb", False),
]


@pytest.mark.parametrize(("mode", "expected", "given_", "fits"), TEXTUAL)
def test_contains_and_regex_look_anywhere_in_the_argument_as_text(
    mode: str, expected: object, given_: object, fits: bool
) -> None:
    assert passes(argument(expected, mode), trace_of(("a", {"x": given_}))) is fits


def test_an_expected_argument_must_be_there_and_others_may_be() -> None:
    assert not passes(argument(None), trace_of("a"))
    assert passes(argument(1), trace_of(("a", {"x": 1, "y": 2})))
    assert passes(check([{"tool_name": "a", "expected_args": {}}]), trace_of(("a", {"y": 2})))


SHAPES: list[tuple[str, object]] = [
    ("calls of one message", {"tool_calls": [{"function": {"name": "a", "arguments": '{"x": 1}'}}]}),
    ("arguments as an object", {"tool_calls": [{"function": {"name": "a", "arguments": {"x": 1}}}]}),
    ("a flat call", {"tool_calls": [{"name": "a", "args": {"x": 1}, "id": "1"}]}),
    ("a block of content", {"content": [{"type": "tool_use", "id": "1", "name": "a", "input": {"x": 1}}]}),
    (
        "a block of content beside no calls",
        {"tool_calls": [], "content": [{"type": "tool_use", "id": "1", "name": "a", "input": {"x": 1}}]},
    ),
    (
        "beside text and without tool_calls",
        {"tool_calls": None, "content": [{"type": "text"}, {"type": "tool_use", "name": "a", "input": {"x": 1}}]},
    ),
]


@pytest.mark.parametrize(("what", "message"), SHAPES)
def test_calls_are_known_in_the_shapes_that_providers_give_them(what: str, message: dict[str, object]) -> None:
    assert passes(argument(1), [{"role": "assistant", **message}]), what
    assert not passes(argument(1), [{"role": "user", **message}]), what


UNREADABLE: list[tuple[object, str]] = [
    ('{"x": 1', 'a("{"x": 1" is not JSON (Expecting \',\' delimiter: line 1 column 8 (char 7)))'),
    ("[1]", 'a("[1]" is no JSON object)'),
    ('"text"', 'a(""text"" is no JSON object)'),
    ([1], "a([1] is no JSON object)"),
    (3, "a(3 is no JSON object)"),
    ('{"x": NaN}', 'a("{"x": NaN}" is not JSON (NaN is no finite number))'),
]


@pytest.mark.parametrize(("arguments", "shown"), UNREADABLE)
def test_arguments_that_cannot_be_read_count_as_none_and_are_told(arguments: object, shown: str) -> None:
    trace: list[object] = [{"role": "assistant", "tool_calls": [{"function": {"name": "a", "arguments": arguments}}]}]
    assert passes(check(["a"]), trace)
    assert judged(argument(1), trace).reason == f"expected a(x=1); got {shown}: no call is left for a(x=1)"


@pytest.mark.parametrize("arguments", [None, "", "{}", {}])
def test_a_call_without_arguments_is_no_mistake(arguments: object) -> None:
    trace: list[object] = [{"role": "assistant", "tool_calls": [{"function": {"name": "a", "arguments": arguments}}]}]
    assert judged(argument(1), trace).reason == "expected a(x=1); got a: no call is left for a(x=1)"


@given(ODD_TRACES)
def test_an_odd_trace_is_judged_and_never_crashes(trace: list[object]) -> None:
    for mode in ("any", "all", "ordered", "never"):
        for how in ("exact", "contains", "regex"):
            tool = {"tool_name": "a", "expected_args": {"a": {"value": "1", "match_mode": how}}}
            verdict = judged(check([tool], mode, on_unexpected_tools="fail"), trace)
            assert verdict.skip is None
            assert verdict.reason.isprintable()


@pytest.mark.parametrize("depth", [100, 500, 900, 985, 990, 995, 1_000, 100_000])
def test_arguments_nested_without_sense_are_judged(depth: int) -> None:
    arguments = f'{{"x": {"[" * depth}{"]" * depth}}}'
    trace: list[object] = [{"role": "assistant", "tool_calls": [{"function": {"name": "a", "arguments": arguments}}]}]
    for how in ("exact", "contains", "regex"):
        assert not passes(argument("z", how), trace)


@pytest.mark.parametrize(
    ("value", "mode", "message"),
    [
        ("(", "regex", "the value of the expected argument 'x' \"\\(\" is no regular expression"),
        (3, "regex", "'x' is a number; a regular expression is text"),
        ([1], "contains", "'x' is a list; contains looks for text"),
        (float("inf"), "exact", "'x' cannot be stored"),
        (1, "equals", "invalid enum value 'equals'"),
    ],
)
def test_an_argument_that_nothing_can_match_is_refused(value: object, mode: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        argument(value, mode)
