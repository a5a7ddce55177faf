"""starts_with and ends_with: what passes, what fails and why, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.verdict import Skip
from rejudge.scorers import create, ends_with, starts_with
from tests.scorers.checks import judged, passes


@given(st.text(max_size=4), st.text(max_size=4))
def test_a_text_begins_and_ends_with_the_characters_that_stand_there(text: str, part: str) -> None:
    data = {"part": part}
    assert passes(starts_with(reference_key="part"), text, reference_data=data) is (text[: len(part)] == part)
    assert passes(ends_with(reference_key="part"), text, reference_data=data) is (text[len(text) - len(part) :] == part)
    assert passes(starts_with(prefix=part), part + text)
    assert passes(ends_with(suffix=part), text + part)


def test_case_counts_unless_it_is_said_not_to() -> None:
    assert not passes(starts_with(prefix="YES"), "yes, sir")
    assert passes(starts_with(prefix="YES", case_sensitive=False), "yes, sir")
    assert passes(ends_with(suffix="SIR", case_sensitive=False), "yes, sir")


def test_nothing_is_trimmed_and_a_fail_says_what_is_there() -> None:
    assert judged(starts_with(prefix="a"), " a").reason == '" a" does not begin with "a"'
    assert judged(ends_with(suffix="a"), "a\n").reason == r'"a\n" does not end with "a"'


def test_what_is_not_there_fails_or_is_skipped() -> None:
    for make in (starts_with, ends_with):
        scorer = make(value_expression="(final_message | fromjson).a", reference_key="gold")
        assert judged(scorer, "no json").values == {scorer.config.name: 0.0}
        assert judged(scorer, '{"a": "x"}').skip == Skip.MISSING_REFERENCE_KEY
        assert not passes(make(reference_key="gold"), None, reference_data={"gold": "null"})


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        ("starts_with", {}, "exactly one of prefix and reference_key .* neither"),
        ("ends_with", {"suffix": "a", "reference_key": "b"}, "exactly one of suffix .* both"),
        ("starts_with", {"suffix": "a"}, "unknown parameter of starts_with 'suffix'"),
        ("ends_with", {"suffix": 3}, "suffix: expected `str`"),
    ],
)
def test_a_wrong_parameter_is_refused_when_created(kind: str, parameters: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        create(kind, parameters)
