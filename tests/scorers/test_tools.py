"""tool_call_check: which calls are those expected, and what is said of those that are not."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import ScoreSpec, ScoreType
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers import ExpectedArgument, ExpectedTool, as_verdict, create, tool_call_check
from tests.scorers.tools import argument, check, judged, passes, trace_of

MODES = [
    (["a", "b"], ["b"], {"any"}),
    (["a", "b"], ["b", "a"], {"any", "all"}),
    (["a", "b"], ["a", "x", "b"], {"any", "all", "ordered"}),
    (["a", "b"], ["x"], {"never"}),
    (["a", "b"], [], {"never"}),
    (["a", "a"], ["a"], {"any"}),
    (["a", "a"], ["a", "x", "a"], {"any", "all", "ordered"}),
    (["a", "b", "a"], ["b", "a", "b", "a"], {"any", "all", "ordered"}),
    (["a", "b", "a"], ["a", "a", "b"], {"any", "all"}),
    (["a"], ["A"], {"never"}),
]


@pytest.mark.parametrize(("tools", "called", "passing"), MODES)
def test_the_modes(tools: list[str], called: list[str], passing: set[str]) -> None:
    for mode in ("any", "all", "ordered", "never"):
        assert passes(check(tools, mode), trace_of(*called)) is (mode in passing)


def test_two_expectations_of_one_tool_take_the_calls_that_suit_both() -> None:
    loose: dict[str, object] = {"tool_name": "a"}
    strict: dict[str, object] = {"tool_name": "a", "expected_args": {"x": {"value": 1}}}
    for tools in ([loose, strict], [strict, loose]):
        assert passes(check(tools), trace_of(("a", {"x": 1}), ("a", {"x": 2})))
        assert passes(check(tools), trace_of(("a", {"x": 2}), ("a", {"x": 1})))
        assert not passes(check(tools), trace_of(("a", {"x": 1})))
        assert not passes(check(tools), trace_of(("a", {"x": 2}), ("a", {"x": 3})))


def test_what_else_is_called_may_be_a_fail() -> None:
    for mode in ("any", "all", "ordered"):
        scorer = check(["a", "b"], mode, on_unexpected_tools="fail")
        assert passes(scorer, trace_of("a", "b"))
        assert passes(scorer, trace_of("a", "b", "a"))
        assert not passes(scorer, trace_of("a", "x", "b"))
    strict = check([{"tool_name": "a", "expected_args": {"x": {"value": 1}}}], "any", on_unexpected_tools="fail")
    assert not passes(strict, trace_of(("a", {"x": 1}), ("a", {"x": 2})))
    assert passes(check(["a"], "never", on_unexpected_tools="fail"), trace_of("x"))


specs = st.lists(st.tuples(st.sampled_from("ab"), st.none() | st.integers(0, 2)), min_size=1, max_size=4)
calls = st.lists(st.tuples(st.sampled_from("abx"), st.integers(0, 2)), max_size=5)


def slow(mode: str, expected: list[tuple[str, int | None]], called: list[tuple[str, int]]) -> bool:
    """The modes by trying every way in which calls could be given to what is expected."""

    def fits(want: tuple[str, int | None], call: tuple[str, int]) -> bool:
        return want[0] == call[0] and want[1] in (None, call[1])

    def given_out(ways: Iterable[tuple[int, ...]]) -> bool:
        return any(all(fits(want, called[i]) for want, i in zip(expected, way, strict=True)) for way in ways)

    if mode in ("all", "ordered"):
        places = range(len(called))
        if mode == "all":
            return given_out(itertools.permutations(places, len(expected)))
        return given_out(itertools.combinations(places, len(expected)))
    some = any(fits(want, call) for want in expected for call in called)
    return some if mode == "any" else not some


@given(specs, calls, st.sampled_from(["ignore", "fail"]))
def test_every_mode_agrees_with_trying_every_way(
    expected: list[tuple[str, int | None]], called: list[tuple[str, int]], unexpected: str
) -> None:
    tools = [
        {"tool_name": name, "expected_args": None if number is None else {"x": {"value": number}}}
        for name, number in expected
    ]
    trace = trace_of(*((name, {"x": number}) for name, number in called))
    known = all(any(one[0] == name and one[1] in (None, number) for one in expected) for name, number in called)
    for mode in ("any", "all", "ordered", "never"):
        holds = slow(mode, expected, called)
        if unexpected == "fail" and mode != "never":
            holds = holds and known
        assert passes(check(tools, mode, on_unexpected_tools=unexpected), trace) is holds


def test_many_equal_calls_are_given_out_quickly() -> None:
    assert passes(check(["a"] * 300), trace_of(*["a"] * 300))
    assert "(1 of 300 times)" in judged(check(["a"] * 300), trace_of(*["a"] * 299)).reason


def test_no_trace_is_a_skip_and_an_empty_one_calls_nothing() -> None:
    verdict = judged(check(["a"]), None)
    assert (verdict.skip, verdict.reason) == (Skip.MISSING_TRACE, "the task recorded no trace")
    assert judged(check(["a"]), []).reason == "expected a; got no tool call: no call is left for a"


REFERENCES: list[tuple[object, list[str], bool]] = [
    (["a", "b"], ["b", "a"], True),
    (["a", "a"], ["a"], False),
    ('["a", "b"]', ["a", "b"], True),
    ("a", ["b", "a"], True),
    ({"tool_name": "a"}, ["a"], True),
    ([{"tool_name": "a", "expected_args": {"x": {"value": 1}}}], ["a"], False),
    ([], [], True),
    ("[]", [], True),
    ([], ["a"], True),
]


@pytest.mark.parametrize(("gold", "called", "right"), REFERENCES)
def test_each_item_may_list_the_tools_that_are_expected_of_it(gold: object, called: list[str], right: bool) -> None:
    scorer = tool_call_check(reference_key="gold")
    verdict = as_verdict(scorer.judge(View(trace=trace_of(*called), reference_data={"gold": gold})), scorer.config)
    assert verdict.values == {"tool_call_check": float(right)}
    assert scorer.needs == {"gold"}
    assert scorer.config.sees == ("gold",)


def test_an_item_may_want_no_tool_at_all() -> None:
    scorer = tool_call_check(reference_key="gold", on_unexpected_tools="fail")
    nothing: dict[str, object] = {"gold": []}
    assert scorer.judge(View(trace=[], reference_data=nothing)) == Verdict(values={"tool_call_check": 1.0})
    verdict = scorer.judge(View(trace=trace_of("a"), reference_data=nothing))
    assert verdict == Verdict(
        values={"tool_call_check": 0.0}, reason="expected no tool and nothing else; got a: call 1 is unexpected"
    )


@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ({}, "the reference data has no such key"),
        ({"gold": None}, "it is null"),
        ({"gold": 3}, "no list of tools: expected `str | object`, got `int`"),
        ({"gold": [{"name": "a"}]}, "no list of tools: object contains unknown field `name`"),
        ({"gold": [""]}, "an expected tool has no name"),
        ({"gold": [{"tool_name": "a", "expected_args": {"x": {"value": "(", "match_mode": "regex"}}}]}, "the value of"),
    ],
)
def test_a_reference_that_lists_no_tools_is_a_skip(reference: dict[str, object], why: str) -> None:
    scorer = tool_call_check(reference_key="gold")
    verdict = as_verdict(scorer.judge(View(trace=[], reference_data=reference)), scorer.config)
    assert verdict.skip == Skip.MISSING_REFERENCE_KEY
    assert verdict.reason.startswith(f"reference_key 'gold': {why}")


REASONS = [
    ("any", "expected one of a(x=1), b; got c, a(x=2): none of them is called"),
    ("all", "expected a(x=1), b in any order; got c, a(x=2): no call is left for a(x=1), b"),
    ("ordered", "expected a(x=1), then b; got c, a(x=2): no a(x=1)"),
]


@pytest.mark.parametrize(("mode", "reason"), REASONS)
def test_a_fail_says_what_was_expected_and_what_was_called(mode: str, reason: str) -> None:
    tools = [{"tool_name": "a", "expected_args": {"x": {"value": 1}}}, "b"]
    assert judged(check(tools, mode), trace_of("c", ("a", {"x": 2}))).reason == reason


def test_a_fail_says_where_it_went_wrong() -> None:
    assert judged(check(["a", "b"], "ordered"), trace_of("b", "a")).reason.endswith(": no b after call 2")
    assert judged(check(["a", "b"], "never"), trace_of("c", "b")).reason == (
        "expected no call of a or b; got c, b: call 2 is one of them"
    )
    strict = check(["a"], on_unexpected_tools="fail")
    assert judged(strict, trace_of("a", "b")).reason == "expected a and nothing else; got a, b: call 2 is unexpected"
    many = judged(strict, trace_of(*["a"] * 20, "b")).reason
    assert many.endswith("a, … and 13 more: call 21, b, is unexpected")
    textual = {"x": {"value": "om", "match_mode": "contains"}, "y": {"value": r"\d", "match_mode": "regex"}}
    scorer = check([{"tool_name": "a", "expected_args": textual}])
    assert judged(scorer, []).reason.startswith(r'expected a(x containing "om", y matching "\d"); got no tool call')


def test_a_reason_stays_short_however_much_is_called() -> None:
    trace = trace_of(*[("tool\n" * 100, {f"{n}" * 100: "x" * 10_000 for n in range(30)}) for _ in range(300)])
    reason = judged(check([f"{name}" * 90 for name in range(40)]), trace).reason
    assert reason.isprintable()
    assert len(reason) < 12_000


REFUSED: list[tuple[dict[str, object], str]] = [
    ({}, "exactly one of expected_tools and reference_key .* neither"),
    ({"expected_tools": ["a"], "reference_key": "b"}, "exactly one of expected_tools .* both"),
    ({"expected_tools": []}, "expected_tools: expected `array` of length >= 1"),
    ({"expected_tools": [""]}, "an expected tool has no name"),
    ({"expected_tools": [{"name": "a"}]}, r"expected_tools\[0\]"),
    (
        {"expected_tools": [{"tool_name": "a", "expected_args": {"x": 1}}]},
        r"expected_args\[\.\.\.\]: expected `object`",
    ),
    ({"expected_tools": ["a"], "match_mode": "some"}, "match_mode: invalid enum value 'some'"),
    ({"expected_tools": ["a"], "on_unexpected_tools": "skip"}, "on_unexpected_tools: invalid enum value"),
]


@pytest.mark.parametrize(("parameters", "message"), REFUSED)
def test_a_wrong_parameter_is_refused_when_created(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        create("tool_call_check", parameters)


def test_a_tool_is_one_scorer_in_whichever_way_it_is_written() -> None:
    written: list[object] = [
        ["a"],
        [{"tool_name": "a"}],
        [{"tool_name": "a", "expected_args": {}}],
        [{"tool_name": "a", "expected_args": None}],
        [ExpectedTool(tool_name="a")],
    ]
    assert len({check(tools).config.id for tools in written}) == 1
    exact = ExpectedTool(tool_name="a", expected_args={"x": ExpectedArgument(value=1)})
    assert tool_call_check(expected_tools=[exact]).config.id == argument(1).config.id
    assert argument(1.0).config.id != argument(1).config.id


def test_a_score_of_stars_says_what_a_pass_and_a_fail_are_worth() -> None:
    stars = ScoreSpec(name="stars", type=ScoreType.FIVE_STAR, passes_at=4)
    with pytest.raises(ConfigurationError, match="'stars' is a five_star"):
        check(["a"], scores=[stars])
    assert judged(check(["a"], scores=[stars], pass_value=5, fail_value=1), []).values == {"stars": 1.0}
