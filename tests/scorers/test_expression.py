"""Value expressions: what they find, whose fault it is when they find nothing, and what they refuse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, ScorerError, UnknownName
from rejudge.domain.usage import Usage
from rejudge.domain.verdict import Skip
from rejudge.domain.view import View
from rejudge.scorers.expression import Expression
from rejudge.scorers.gap import Gap

VIEW = View(
    output={"a": None, "n": 3, "s": "text", "items": [1, 2, {"b": "x"}], "keys": "k"},
    trace=[
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": 1}]},
        {"role": "assistant", "content": "bye"},
    ],
    reference_data={"gold": "7 eggs", "nothing": None},
    task_input={"city": "Rome"},
    item={"gold": "7 eggs", "city": "Rome"},
    metadata={"steps": 2},
    extra={"confidence": 0.5, "n": "hidden by output"},
    usage=Usage(input_tokens=3),
    latency=1.5,
)


def value(text: str, view: View = VIEW) -> object:
    return Expression(text, parameter="value_expression").value(view)


def gap(text: str, view: View = VIEW) -> Gap:
    found = value(text, view)
    assert isinstance(found, Gap), found
    return found


FOUND = [
    ("output.n + 1", 4),
    ("output['items'][-1].b", "x"),
    ("output.keys", "k"),
    ("(final_message | fromjson).s", "text"),
    ("output.confidence", 0.5),
    ("usage.input_tokens", 3),
    ("latency * 2", 3.0),
    ("metadata.steps", 2),
    ("trace[-1].content | upper", "BYE"),
    ("(trace | last).content", "bye"),
    ("trace | selectattr('role', 'equalto', 'assistant') | list | length", 2),
    ("trace | selectattr('tool_calls', 'defined') | map(attribute='tool_calls') | first", [{"id": 1}]),
    ("trace | map(attribute='content') | list", ["hi", None, "bye"]),
    ("output.items | map('string')", ["1", "2", '{"b":"x"}']),
    ("output.items | map(attribute='b', default=0)", [0, 0, "x"]),
    ("reference_data.gold | final_number", "7"),
    ("item['gold'].split(' ')[0] | int", 7),
    ("output.s ~ '!' if output.n > 2 else 'none'", "text!"),
    ("output.missing | default('fallback')", "fallback"),
    ("output.a | default('fallback', true)", "fallback"),
    ("output.missing or output.s", "text"),
    ("not output.missing", True),
    ("output.missing is defined", False),
    ("output.a is none", True),
    ("output.n is odd and 'Rome' in task_input.city", True),
    ("{'n': output.n, 'pair': (output.n, 1)}", {"n": 3, "pair": [3, 1]}),
    ("output.s[1:3]", "ex"),
    ("output.s | regex_search('t(.)x')", "e"),
    ("[3, 1, 2] | sort | join('-')", "1-2-3"),
    ("'trace'", "trace"),
]


@pytest.mark.parametrize(("text", "expected"), FOUND)
def test_an_expression_finds_its_value(text: str, expected: object) -> None:
    assert value(text) == expected


FAULT_OF_THE_OUTPUT = [
    "output.missing",
    "output.a",
    "output.a.b.c",
    "(final_message | fromjson).x.y",
    "output.items[9].x",
    "output.s | fromjson",
    "output.n | fromjson",
    "output.s | final_number",
    "output.s + 1",
    "output.n / 0",
    "output.items | sum",
    "output.missing == reference_data.missing",
    "output.missing | upper",
    "output.missing is none",
    "[output.n, output.missing]",
    "output.items | map(attribute='b')",
    "output.a ~ 'x'",
    "output.n.split(',')",
    "output.get('missing')",
    "{'yes': 1}[output.s]",
    "trace[7].content",
    "trace[1].content | upper",
    "metadata.missing",
    "reference_data.nothing or output.missing",
    "(reference_data.missing or output).missing",
]


@pytest.mark.parametrize("text", FAULT_OF_THE_OUTPUT)
def test_nothing_under_what_the_task_gave_fails(text: str) -> None:
    assert gap(text).cause is None


FAULT_OF_OUR_DATA = [
    ("reference_data.missing", Skip.MISSING_REFERENCE_KEY),
    ("reference_data.nothing", Skip.MISSING_REFERENCE_KEY),
    ("reference_data.gold | fromjson", Skip.MISSING_REFERENCE_KEY),
    ("output.a or reference_data.nothing", Skip.MISSING_REFERENCE_KEY),
    ("output.missing | default(reference_data.nothing)", Skip.MISSING_REFERENCE_KEY),
    ("output.a | default(reference_data.nothing, true)", Skip.MISSING_REFERENCE_KEY),
    ("reference_data.nothing if output.n == 3 else output.s", Skip.MISSING_REFERENCE_KEY),
    ("reference_data[output.s]", Skip.MISSING_REFERENCE_KEY),
    ("task_input.missing", Skip.MISSING_INPUT_FIELD),
    ("item.missing", Skip.MISSING_INPUT_FIELD),
    ("usage.cost", Skip.MISSING_USAGE),
]


@pytest.mark.parametrize(("text", "cause"), FAULT_OF_OUR_DATA)
def test_nothing_under_our_own_data_is_a_skip(text: str, cause: Skip) -> None:
    assert gap(text).cause is cause


def test_a_part_that_is_null_is_like_one_that_lacks_the_key() -> None:
    assert gap("reference_data.x", View(output="a")).cause is Skip.MISSING_REFERENCE_KEY
    assert gap("task_input.x", View(output="a")).cause is Skip.MISSING_INPUT_FIELD
    assert gap("metadata.x", View(output="a")).cause is None
    assert gap("usage.input_tokens", View(output="a")).cause is Skip.MISSING_USAGE
    assert gap("latency", View(output="a")).cause is Skip.MISSING_USAGE


@pytest.mark.parametrize("text", ["trace[-1].content", "trace or 'none'", "output if trace is none else 'x'"])
def test_an_expression_that_reads_the_trace_is_skipped_without_one(text: str) -> None:
    assert gap(text, View(output="a")).cause is Skip.MISSING_TRACE


@pytest.mark.parametrize("text", ["'trace'", "output.trace", "output['trace']", "output ~ 'trace'"])
def test_the_word_trace_elsewhere_reads_no_trace(text: str) -> None:
    found = value(text, View(output="a"))
    assert not isinstance(found, Gap) or found.cause is None


def test_a_gap_says_what_is_there_instead() -> None:
    assert gap("output.name").reason == (
        "value_expression: no 'name' in an object with 'a', 'items', 'keys', 'n', 's', under output"
    )
    assert gap("final_message.n").reason == "value_expression: no 'n' in text of 62, under final_message"
    assert gap("trace[9]").reason == "value_expression: no 9 in a list of 3, under trace"


REFUSED = [
    ("", "1:1: the expression is empty"),
    ("(output", "1:8: unexpected end, expected ')'"),
    ("output n", "1:8: unexpected 'n'"),
    ("$output", "1:1: unexpected char '$'"),
    ("output\n  | fromjsn", "2:5: unknown filter 'fromjsn'"),
    ("output | map('uper')", "1:14: unknown filter 'uper'"),
    ("output is defned", "1:11: unknown test 'defned'"),
    ("trace | selectattr('a', 'equalt', 1)", "1:25: unknown test 'equalt'"),
    ("outptu.n", "1:1: unknown name 'outptu'"),
    ("reference", "1:1: unknown name 'reference'"),
    ("output.format('x')", "1:8: unknown method 'format'"),
    ("output | upper(3)", "1:10: 'upper': too many positional arguments"),
    ("output | replace('a')", "1:10: 'replace': missing a required argument: 'new'"),
    ("output is divisibleby", "1:11: 'divisibleby': missing a required argument"),
    ("output | regex_search('(')", '1:10: pattern "(" is no regular expression'),
    ("range(10)", "1:1: only methods of a value can be called"),
    ("output.split(*output)", "1:1: arguments with * and ** are not allowed"),
    ("1 + 'a'", "1:1: the expression never has a value"),
    ("none", "1:1: the expression never has a value"),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_can_never_have_a_value_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Expression(text, parameter="value_expression")
    assert str(refused.value).startswith(f"value_expression:{message}")


def test_an_unknown_name_is_told_the_nearest_one() -> None:
    with pytest.raises(UnknownName, match="did you mean 'fromjson'"):
        Expression("final_message | fromjsn", parameter="value_expression")


BOMBS = [
    "'a' * 10 ** 9",
    "[output] * 10 ** 9",
    "9 ** 9999 ** output.n",
    "output.s.center(10 ** 9)",
    "'%1000000000d' % output.n",
    "output | map('replace', '', 'aaaaaaaaaa')",
    "lipsum(n=10 ** 9)",
    "(" * 1_900 + "output" + ")" * 1_900,
    "output" + ".b" * 1_000,
    "output ~ " * 500 + "output",
]


@pytest.mark.parametrize("text", BOMBS)
def test_an_expression_cannot_grow_a_value_or_itself_without_bound(text: str) -> None:
    try:
        found = value(text)
    except (ConfigurationError, ScorerError):
        return
    assert isinstance(found, Gap)


def test_a_text_may_grow_only_so_far() -> None:
    long = View(output="a" * 5_000)
    assert gap("output.replace('', output)", long).cause is None
    assert gap("output | list | join(output)", long).cause is None
    assert value("output | replace('a', 'bb')", long) == "b" * 10_000


@pytest.mark.parametrize("text", ["output.__class__", "output.s['__class__']", "''.__class__.__mro__ ~ output.s"])
def test_nothing_but_members_of_json_values_can_be_reached(text: str) -> None:
    try:
        assert isinstance(value(text), Gap)
    except (ConfigurationError, ScorerError) as error:
        assert "__class__" in str(error)  # noqa: PT017


def test_no_expression_changes_the_view() -> None:
    for text in ("output.items.append(1)", "output.pop('n')", "output.update({'n': 1})", "trace.clear()"):
        with pytest.raises(UnknownName):
            Expression(text, parameter="value_expression")


def test_a_step_that_fails_on_constants_is_the_scorers_fault() -> None:
    with pytest.raises(ScorerError, match="value_expression: null"):
        value("none if output.n else output.s")


READS = [
    ("final_message | final_number", frozenset()),
    ("task_input.city", frozenset()),
    ("reference_data.a ~ reference_data['b'] ~ item.c", frozenset({"a", "b", "c"})),
    ("reference_data.get('a')", frozenset({"a"})),
    ("reference_data[output.s]", None),
    ("item | tojson", None),
    ("reference_data.keys()", None),
]


@pytest.mark.parametrize(("text", "fields"), READS)
def test_an_expression_knows_which_item_fields_it_reads(text: str, fields: frozenset[str] | None) -> None:
    assert Expression(text, parameter="value_expression").fields == fields


@given(st.text(max_size=30))
def test_any_text_is_compiled_or_refused(text: str) -> None:
    try:
        Expression(text, parameter="value_expression")
    except ConfigurationError as refused:
        assert str(refused).startswith("value_expression:")  # noqa: PT017


json = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=8,
)
TAILS = st.lists(
    st.sampled_from(
        [".a", ".b[0]", "[-1]", " | first", " | length", " | upper", " | int", " | list", " | sort", " | string",
         " | map(attribute='a')", " | select", " | unique", " | sum", " | fromjson", " | default(1)", ".split('a')"]
    ),
    max_size=4,
)  # fmt: skip


@given(json, TAILS)
def test_any_output_gives_a_value_or_a_gap_and_never_a_crash(output: object, tails: list[str]) -> None:
    text = "output"
    for tail in tails:
        text = f"({text}){tail}"
    found = value(text, View(output=output))
    assert isinstance(found, Gap | str | int | float | list | dict)
    assert not isinstance(found, Gap) or found.cause is None


def test_a_value_nested_without_sense_is_still_found() -> None:
    deep: list[object] = []
    for _ in range(900):
        deep = [deep]
    assert value("output", View(output=deep)) == deep
