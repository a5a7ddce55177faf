"""exact_match, contains and pattern_match: what passes, what fails and why, what is skipped, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import Outcome, ScoreSpec, ScoreType
from rejudge.domain.verdict import Skip
from rejudge.scorers import Scorer, Way, contains, create, exact_match, pattern_match, scored_values
from tests.scorers.checks import judged, passes


@pytest.mark.parametrize(
    ("expected", "output", "equal"),
    [
        ("yes", "yes", True),
        ("yes", "yes\n", False),
        ("é", "e\u0301", False),
        (42, "42", True),
        (42, 42.0, False),
        (1, True, False),
        (True, "true", True),
        (True, True, True),
        ({"a": [1, {"b": 2, "c": 3}]}, {"a": [1, {"c": 3, "b": 2}]}, True),
        ({"a": 1}, {"a": 1.0}, False),
        ([1, 2], [2, 1], False),
        ([1, 2], "[1, 2]", True),
        ('{"b": 1, "a": 2}', {"a": 2, "b": 1}, True),
        ("{not json", {"a": 1}, False),
        ("[1,2]", "[1, 2]", False),
    ],
)
def test_values_are_equal_as_text_and_objects_in_any_order(expected: object, output: object, equal: bool) -> None:
    assert passes(exact_match(value_expression="output", expected_value=expected), output) is equal


def test_case_is_ignored_where_asked_but_letters_are_not_folded() -> None:
    scorer = exact_match(expected_value="Straße", case_sensitive=False)
    assert passes(scorer, "STRAßE")
    assert not passes(scorer, "STRASSE")
    nested = exact_match(value_expression="output", expected_value={"Key": ["B", "a"]}, case_sensitive=False)
    assert passes(nested, {"KEY": ["b", "A"]})


@given(st.text(), st.text())
def test_text_equals_itself_and_nothing_else(one: str, other: str) -> None:
    scorer = exact_match(reference_key="gold")
    assert passes(scorer, one, reference_data={"gold": one})
    assert passes(scorer, one, reference_data={"gold": other}) is (one == other)


def test_both_sides_can_be_worked_on() -> None:
    scorer = exact_match(
        value_expression="final_message | final_number",
        reference_key="solution",
        reference_expression="reference | final_number",
    )
    assert passes(scorer, "18", reference_data={"solution": "#### 18.00"})
    assert judged(scorer, "none", reference_data={"solution": "18"}).values == {"exact_match": 0.0}
    missing = judged(scorer, "18", reference_data={"solution": "unknown"})
    assert missing.skip == Skip.MISSING_REFERENCE_KEY
    assert missing.reason == 'reference_expression: no number in "unknown", under reference'


def test_a_reference_expression_sees_the_other_names_too() -> None:
    scorer = exact_match(reference_key="answers", reference_expression="reference[task_input.language]")
    assert passes(scorer, "oui", reference_data={"answers": {"fr": "oui"}}, task_input={"language": "fr"})


@pytest.mark.parametrize(
    ("reference", "told"),
    [
        (None, "reference_key 'gold': the item has no reference data"),
        ({"b": 1, "a": 2}, "reference_key 'gold': the reference data has no such key, only 'a', 'b'"),
        ({"gold": None}, "reference_key 'gold': it is null"),
    ],
)
def test_a_missing_reference_is_a_skip_that_names_the_key(reference: object, told: str) -> None:
    for scorer in (exact_match(reference_key="gold"), contains(reference_key="gold")):
        verdict = judged(scorer, "a", reference_data=reference)
        assert (verdict.skip, verdict.reason) == (Skip.MISSING_REFERENCE_KEY, told)


def test_a_bad_output_fails_even_where_the_reference_is_missing() -> None:
    for make in (exact_match, contains):
        verdict = judged(make(value_expression="(final_message | fromjson).a", reference_key="gold"), "no json")
        assert verdict.skip is None
        assert list(verdict.values.values()) == [0.0]


@pytest.mark.parametrize(
    "scorer",
    [
        contains(value_expression="(final_message | fromjson).a", substring="x", mode="must_not_contain"),
        pattern_match(value_expression="(final_message | fromjson).a", pattern="x", mode="must_not_match"),
    ],
)
def test_a_failed_extraction_fails_in_the_negative_modes_too(scorer: Scorer) -> None:
    for output in ("no json", '{"b": 1}', '{"a": null}'):
        assert not passes(scorer, output)
    assert passes(scorer, '{"a": "y"}')


@pytest.mark.parametrize(
    "scorer",
    [
        exact_match(expected_value="null"),
        contains(substring="sorry", mode="must_not_contain"),
        contains(substring="sorry", mode="must_not_contain", value_expression="final_message"),
        pattern_match(pattern="sorry", mode="must_not_match"),
    ],
)
def test_an_output_of_null_passes_no_check(scorer: Scorer) -> None:
    assert not passes(scorer, None)
    assert "null" in judged(scorer, None).reason


def test_contains_looks_anywhere_and_an_empty_text_is_always_there() -> None:
    assert passes(contains(substring="cd"), "abcde")
    assert not passes(contains(substring="CD"), "abcde")
    assert passes(contains(substring="CD", case_sensitive=False), "abcde")
    assert passes(contains(substring=""), "")
    assert not passes(contains(substring="", mode="must_not_contain"), "a")
    assert passes(contains(reference_key="word"), {"n": "kettle"}, reference_data={"word": "kettle"})


def test_a_pattern_is_searched_anywhere_without_flags() -> None:
    assert passes(pattern_match(pattern=r"\d{3}"), "order 123.")
    assert not passes(pattern_match(pattern="^b"), "a\nb")
    assert passes(pattern_match(pattern="(?m)^b"), "a\nb")
    assert passes(pattern_match(pattern="b", mode="must_not_match"), "a")


@pytest.mark.parametrize(
    ("scorer", "output", "reason"),
    [
        (exact_match(expected_value="18"), "17", 'expected "18", got "17"'),
        (exact_match(value_expression="output", expected_value="42"), 42.0, 'expected "42", got 42.0'),
        (exact_match(expected_value="a"), "b\n\x1b[31m\u202e", r'expected "a", got "b\n\x1b[31m\u202e"'),
        (contains(substring="x"), "abc", '"x" not found in "abc"'),
        (contains(substring="b", mode="must_not_contain"), "abc", '"b" found in "abc"'),
        (pattern_match(pattern=r"A: \d+"), "A: x", r"""pattern 'A: \d+' not found in "A: x" """.strip()),
        (pattern_match(pattern="b+", mode="must_not_match"), "abbc", """pattern 'b+' found in "abbc": "bb" """.strip()),
    ],
)
def test_a_fail_says_why_in_words(scorer: Scorer, output: object, reason: str) -> None:
    assert judged(scorer, output).reason == reason


@given(st.text(min_size=300, alphabet=st.characters()))
def test_a_reason_is_short_and_printable(output: str) -> None:
    reason = judged(exact_match(expected_value="a"), output).reason
    assert reason.isprintable()
    assert len(reason) < 2_500
    shown = judged(exact_match(expected_value="a"), "x" * 10_000).reason
    assert len(shown) < 300


REFUSED: list[tuple[str, dict[str, object], str]] = [
    ("exact_match", {}, "exactly one of expected_value and reference_key .* neither"),
    ("exact_match", {"expected_value": "a", "reference_key": "b"}, "exactly one of expected_value .* both"),
    ("contains", {}, "exactly one of substring and reference_key .* neither"),
    ("exact_match", {"reference_key": ""}, "reference_key is empty"),
    ("exact_match", {"expected_value": "a", "reference_expression": "reference"}, "reference_expression needs"),
    ("exact_match", {"expected_value": None}, "expected_value is null"),
    ("exact_match", {"expected_value": float("nan")}, "expected_value cannot be stored"),
    ("exact_match", {"expected_value": object()}, "expected_value cannot be stored"),
    ("exact_match", {"expected_value": "a", "case_sensitive": "no"}, "exact_match: case_sensitive: expected `bool`"),
    ("exact_match", {"expected_valeu": "a"}, "unknown parameter of exact_match 'expected_valeu'\n.*expected_value"),
    ("exact_match", {"expected_value": "a", "name": "!!"}, "has no letter or digit"),
    ("exact_match", {"expected_value": "a", "value_expression": "outptu"}, "value_expression:1:1: unknown name"),
    ("exact_match", {"reference_key": "a", "reference_expression": "("}, "reference_expression:1:2: unexpected"),
    ("contains", {"substring": 3}, "contains: substring: expected `str`, got `int`"),
    ("contains", {"substring": "a", "mode": "maybe"}, "contains: mode: invalid enum value 'maybe'"),
    ("pattern_match", {}, "pattern_match: its parameters: object missing required field `pattern`"),
    ("pattern_match", {"pattern": "("}, r'pattern "\(" is no regular expression'),
]


@pytest.mark.parametrize(("kind", "parameters", "message"), REFUSED)
def test_a_wrong_parameter_is_refused_when_created_and_named(
    kind: str, parameters: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        create(kind, parameters)


def test_every_declared_score_gets_the_value_of_the_check() -> None:
    scorer = exact_match(
        expected_value="x",
        scores=[ScoreSpec(name="ok"), ScoreSpec(name="stars", type=ScoreType.FIVE_STAR, passes_at=4)],
        pass_value=5,
        fail_value=1,
    )
    found = {one.name: (one.number, one.outcome) for one in scored_values(judged(scorer, "x"), scorer.config)}
    assert found == {"ok": (1.0, Outcome.PASSED), "stars": (5.0, Outcome.PASSED)}
    found = {one.name: (one.number, one.outcome) for one in scored_values(judged(scorer, "y"), scorer.config)}
    assert found == {"ok": (0.0, Outcome.FAILED), "stars": (1.0, Outcome.FAILED)}


def test_a_label_and_a_critical_score_take_the_stated_values() -> None:
    tone = ScoreSpec(name="tone", type=ScoreType.LABEL, labels=("kind", "rude"), passing_labels=("kind",))
    scorer = contains(substring="please", scores=[tone], pass_value="kind", fail_value="rude")
    assert judged(scorer, "no").values == {"tone": "rude"}
    severe = ScoreSpec(name="severe", type=ScoreType.PASS_FAIL_CRITICAL)
    assert judged(contains(substring="a", scores=[severe]), "b").values == {"severe": 0.0}
    assert judged(contains(substring="a", scores=[severe], pass_value=1, fail_value=-1), "b").values == {"severe": -1.0}


STARS = ScoreSpec(name="stars", type=ScoreType.FIVE_STAR, passes_at=4)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"scores": []}, "scores is empty"),
        ({"scores": [STARS]}, "'stars' is a five_star"),
        ({"scores": [STARS], "pass_value": 5}, "'stars' is a five_star"),
        ({"scores": [STARS], "pass_value": 5, "fail_value": 0}, "0 lies outside 1 to 5"),
        ({"scores": [STARS], "pass_value": 3, "fail_value": 1}, "would not count as such"),
        ({"scores": [STARS], "pass_value": "a", "fail_value": "b"}, "is not a number"),
        ({"scores": [ScoreSpec(name="a"), ScoreSpec(name="A")]}, "are one name"),
        ({"scores": [{"name": "a", "tpye": "label"}]}, "unknown setting of a score 'tpye'"),
        ({"scores": [{"name": "a", "type": "stars"}]}, r"scores\[0\].type: invalid enum value 'stars'"),
    ],
)
def test_scores_that_a_check_cannot_fill_are_refused(declared: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        create("exact_match", {"expected_value": "x", **declared})


def test_required_is_said_of_every_score() -> None:
    assert exact_match(expected_value="x", required=True).config.scores[0].required
    assert exact_match(expected_value="x", scores=[STARS], pass_value=5, fail_value=1, required=True).config.scores == (
        ScoreSpec(name="stars", type=ScoreType.FIVE_STAR, passes_at=4, required=True),
    )


def test_a_default_written_out_and_one_left_out_are_one_scorer() -> None:
    assert exact_match(expected_value="a", case_sensitive=True).config.id == exact_match(expected_value="a").config.id
    assert exact_match(expected_value=1).config.id != exact_match(expected_value=1.0).config.id
    assert exact_match(expected_value="a").config.id != exact_match(expected_value="a", case_sensitive=False).config.id


@pytest.mark.parametrize(
    ("scorer", "sees"),
    [
        (exact_match(expected_value="a"), ()),
        (exact_match(reference_key="gold"), ("gold",)),
        (exact_match(reference_key="gold", value_expression="item.unit"), ("gold", "unit")),
        (exact_match(reference_key="gold", reference_expression="reference ~ reference_data.b"), ("b", "gold")),
        (contains(reference_key="gold", value_expression="reference_data | tojson"), None),
        (pattern_match(pattern="a", value_expression="task_input.b"), ()),
    ],
)
def test_a_scorer_says_which_item_fields_it_sees(scorer: Scorer, sees: tuple[str, ...] | None) -> None:
    assert scorer.config.sees == sees
    assert scorer.way is Way.INLINE
    assert scorer.needs == ({"gold"} if sees is None or "gold" in sees else frozenset())
