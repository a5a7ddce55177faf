"""Regular expressions of users: Python's language, within a limit of time."""

from __future__ import annotations

import re
import time

import pytest

import rejudge
from rejudge.domain.errors import ConfigurationError, ScorerError
from rejudge.domain.view import View
from rejudge.scorers import is_json, pattern_match, tool_call_check
from rejudge.scorers.expected_tool import ExpectedArgument, ExpectedTool
from rejudge.scorers.pattern import LIMIT_SECONDS, pattern

ENDLESS = r"^(a|aa)+$"
HOSTILE = "a" * 80 + "!"
TAKEN = [
    r"x{s}", r"a{e}b", r"\frac{d}{s}", r"x{i<=1}", r"x{}", r"a{2}{s}", r"a{,2}b", r"a{1,}", r"{", r"[[:alpha:]]+",
    r"[a||b]+", r"[a&&b]", r"[]a]", r"[^]a[]", r"\N{DIGIT ONE}", r"(?x) a # it's { [ odd {s}" + "\n b", r"a#[x]{s}",
    r"(?#{s}[)a", r"\[{s}", r"[\]{s}]", r"(?P<n>a)(?P=n)", r"(?<=a)b", r"a(?!b)", r"(a)|b(?(1)c|d)", r"(?>a+)b", r"a++",
    r"^\w+$", r"\bdone\b", r"(?i)HELLO", r"\d+\.\d+", r"^\s*$", r"(?s)a.b", r"(?m)^b$", r"\Aa\Z", r"[\w.-]+@\w+",
    r"```(?:json)?\s([\s\S]*?)```",
]  # fmt: skip
TEXTS = [
    "", "a", "b", "ab", "aab", "aaa", "x{s}", "x{i<=1}", "xs", "xx", "x{}", "a{e}b", "ab1", "\\frac{d}{s}", "rac{d}{s}",
    ":", "[", "]", "alpha:]", ":]", "a:]", "|", "&", "aa{s}", "{", "1", "a#x{s}", "a#[x]{s}", "[{s}", "[s", "done.",
    "undone", "hello", "3.14", " \n", "a\nb", "ada@home", "bd", "ac", "größe", "日本語", "```json\n{}```", "s", "]]",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Possible")
@pytest.mark.parametrize("stated", TAKEN)
def test_a_pattern_finds_what_pythons_own_engine_finds(stated: str) -> None:
    theirs, ours = re.compile(stated), pattern(stated)
    assert ours.groups == theirs.groups
    for text in TEXTS:
        found, wanted = ours.search(text), theirs.search(text)
        assert (found and (found[0], found.span())) == (wanted and (wanted[0], wanted.span())), text


@pytest.mark.parametrize("stated", [r"\p{L}", r"(?<n>a)", r"(?V1)a", r"\L<names>", r"(?e)a", "(", "a**", r"(?<!a|bc)"])
def test_what_python_would_refuse_is_refused(stated: str) -> None:
    with pytest.raises(ConfigurationError, match="is no regular expression"):
        pattern_match(pattern=stated)


def _expect_given_up(scorer: rejudge.scorers.Scorer, view: View) -> None:
    begun = time.monotonic()
    with pytest.raises(ScorerError, match=r"was given up after 1 s on a text of 81 characters"):
        scorer.judge(view)
    assert time.monotonic() - begun < 20 * LIMIT_SECONDS


def test_a_match_that_would_take_for_ever_is_given_up_and_says_so() -> None:
    _expect_given_up(pattern_match(pattern=ENDLESS), View(output=HOSTILE))


def test_so_is_one_of_an_expression_though_it_has_a_default() -> None:
    scorer = rejudge.contains(
        substring="a", value_expression=f"final_message | regex_search('{ENDLESS}') | default('')"
    )
    _expect_given_up(scorer, View(output=HOSTILE))


def test_so_is_one_of_an_argument_of_a_tool() -> None:
    tool = ExpectedTool(tool_name="say", expected_args={"text": ExpectedArgument(value=ENDLESS, match_mode="regex")})
    call = {"function": {"name": "say", "arguments": {"text": HOSTILE}}}
    trace: list[object] = [{"role": "assistant", "tool_calls": [call]}]
    _expect_given_up(tool_call_check(expected_tools=[tool]), View(output="", trace=trace))


@pytest.mark.parametrize(
    ("schema", "output"),
    [
        ({"type": "string", "pattern": ENDLESS}, f'"{HOSTILE}"'),
        ({"patternProperties": {ENDLESS: True}}, f'{{"{HOSTILE}": 1}}'),
        ({"patternProperties": {ENDLESS: True}, "additionalProperties": False}, f'{{"{HOSTILE}": 1}}'),
        ({"additionalProperties": False, "patternProperties": {ENDLESS: True}}, f'{{"{HOSTILE}": 1}}'),
        ({"propertyNames": {"pattern": ENDLESS}}, f'{{"{HOSTILE}": 1}}'),
        (
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "properties": {"inner": {"$ref": "#"}},
                "patternProperties": {ENDLESS: True},
            },
            f'{{"inner": {{"{HOSTILE}": 1}}}}',
        ),
    ],
)
def test_so_is_one_of_a_json_schema(schema: dict[str, object], output: str) -> None:
    pytest.importorskip("jsonschema", reason="the extra `text` is not installed")
    _expect_given_up(is_json(schema=schema), View(output=output))


def test_a_json_schema_with_patterns_judges_as_before() -> None:
    pytest.importorskip("jsonschema", reason="the extra `text` is not installed")
    schema: dict[str, object] = {
        "properties": {"id": {"pattern": r"^\d+$"}},
        "patternProperties": {"^x-": {"type": "integer"}},
        "additionalProperties": False,
    }
    scorer = is_json(schema=schema)
    said = {
        output: scorer.judge(View(output=output)).reason  # type: ignore[attr-defined]
        for output in ('{"id": "12", "x-a": 1}', '{"id": "a"}', '{"x-a": "1"}', '{"y": 1}')
    }
    assert list(said.values()) == [
        "",
        r"$.id: 'a' does not match '^\\d+$'",
        "$['x-a']: '1' is not of type 'integer'",
        "$: Additional properties are not allowed ('y' was unexpected)",
    ]


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"pattern": "("}, r"\$\.pattern: '\(' is not a 'regex'"),
        ({"patternProperties": {"(": True}}, r"\$\.patternProperties: '\(' is not a 'regex'"),
        ({"patternProperties": {"a": True}, "unevaluatedProperties": False}, "use additionalProperties"),
        (
            {"$defs": {"a": {"$id": "urn:a", "$schema": "https://json-schema.org/draft/2020-12/schema"}}},
            "names a dialect of its own",
        ),
    ],
)
def test_a_schema_whose_patterns_cannot_be_matched_within_a_limit_is_refused(
    schema: dict[str, object], told: str
) -> None:
    pytest.importorskip("jsonschema", reason="the extra `text` is not installed")
    with pytest.raises(ConfigurationError, match=told):
        is_json(schema=schema)


def test_the_engine_is_part_of_what_a_scorer_is_where_it_matches_patterns() -> None:
    regex = ExpectedTool(tool_name="t", expected_args={"a": ExpectedArgument(value="b", match_mode="regex")})
    with_patterns = [
        pattern_match(pattern="a"),
        rejudge.contains(substring="a", value_expression="final_message | regex_search('a')"),
        tool_call_check(expected_tools=[regex]),
        tool_call_check(reference_key="tools"),
    ]
    without = [
        rejudge.contains(substring="a"),
        rejudge.contains(substring="a", value_expression="final_message | lower"),
        tool_call_check(expected_tools=["t"]),
    ]
    assert [scorer.config.settings.get("patterns") for scorer in with_patterns] == ["regex"] * 4
    assert [scorer.config.settings.get("patterns") for scorer in without] == [None] * 3
