from __future__ import annotations

import math
import unicodedata
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import ConfigurationError, NameClash, RecordError
from rejudge.domain.scale import Direction, Outcome, ScoreSpec, ScoreType, check_names, inferred, normalised

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED


def test_case_c12_1_names_become_keys() -> None:
    assert [ScoreSpec(name=name).key for name in ("A", "B c")] == ["a", "b_c"]


def test_case_c12_4_values_are_refused_at_the_record(shared: Path) -> None:
    rows = yaml.safe_load((shared / "cases" / "scoring_cases.yaml").read_text(encoding="utf-8"))
    case = next(row for row in rows if row["id"] == "C12.4")
    spec = ScoreSpec(name="stars", type=ScoreType(case["score_type"]))
    assert case["values"]
    for value in case["values"]:
        with pytest.raises(RecordError, match="stars"):
            spec.checked(value)


@pytest.mark.parametrize(
    ("kind", "low", "high"), [("pass_fail", 0, 1), ("pass_fail_critical", -1, 1), ("five_star", 1, 5)]
)
def test_each_type_keeps_its_range(kind: str, low: float, high: float) -> None:
    spec = ScoreSpec(name="s", type=ScoreType(kind))
    assert spec.range == (low, high)
    assert (spec.checked(low), spec.checked(high), spec.checked((low + high) / 2)) == (low, high, (low + high) / 2)
    assert (spec.normalise(low), spec.normalise(high)) == (0.0, 1.0)
    for outside in (low - 0.01, high + 0.01):
        with pytest.raises(RecordError, match="lies outside"):
            spec.checked(outside)


def test_a_plain_number_has_no_range_until_one_is_declared() -> None:
    assert ScoreSpec(name="n", type=ScoreType.NUMBER).checked(-1e150) == -1e150
    assert ScoreSpec(name="n", type=ScoreType.NUMBER).normalise(3.0) is None
    declared = ScoreSpec(name="n", type=ScoreType.NUMBER, low=0, high=4)
    assert declared.normalise(3.0) == 0.75
    with pytest.raises(RecordError, match="5 lies outside 0 to 4"):
        declared.checked(5)


@pytest.mark.parametrize("kind", list(ScoreType))
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 10**400, None, [1], b"1"])
def test_what_is_no_finite_number_and_no_label_is_refused_by_every_type(kind: ScoreType, value: object) -> None:
    with pytest.raises(RecordError, match="'s'"):
        ScoreSpec(name="s", type=kind).checked(value)


@pytest.mark.parametrize("kind", ["five_star", "number", "pass_fail_critical"])
def test_a_boolean_is_a_value_of_pass_fail_only(kind: str) -> None:
    assert ScoreSpec(name="s").checked(True) == 1.0
    assert ScoreSpec(name="s").checked(False) == 0.0
    with pytest.raises(RecordError, match="True is not a number"):
        ScoreSpec(name="s", type=ScoreType(kind)).checked(True)


def test_text_is_never_read_as_a_number_nor_a_number_as_a_label() -> None:
    with pytest.raises(RecordError, match="'3' is not a number"):
        ScoreSpec(name="s", type=ScoreType.FIVE_STAR).checked("3")
    with pytest.raises(RecordError, match="3 is not a label"):
        ScoreSpec(name="s", type=ScoreType.LABEL).checked(3)


def test_a_closed_set_of_labels_refuses_others_and_an_open_one_takes_any() -> None:
    closed = ScoreSpec(name="s", type=ScoreType.LABEL, labels=("yes", "no"))
    assert closed.checked("no") == "no"
    with pytest.raises(RecordError, match="'maybe' is not one of yes, no"):
        closed.checked("maybe")
    assert ScoreSpec(name="s", type=ScoreType.LABEL).checked("maybe") == "maybe"


@pytest.mark.parametrize(
    ("spec", "value", "outcome"),
    [
        (ScoreSpec(name="s"), 1.0, PASSED),
        (ScoreSpec(name="s"), 0.5, FAILED),
        (ScoreSpec(name="s", passes_at=0.5), 0.5, PASSED),
        (ScoreSpec(name="s", type=ScoreType.PASS_FAIL_CRITICAL), -1.0, FAILED),
        (ScoreSpec(name="s", type=ScoreType.PASS_FAIL_CRITICAL), 1.0, PASSED),
        (ScoreSpec(name="s", type=ScoreType.FIVE_STAR), 5.0, None),
        (ScoreSpec(name="s", type=ScoreType.FIVE_STAR, passes_at=4), 4.0, PASSED),
        (ScoreSpec(name="s", type=ScoreType.FIVE_STAR, passes_at=4), 3.9, FAILED),
        (ScoreSpec(name="s", type=ScoreType.NUMBER), 9.0, None),
        (ScoreSpec(name="s", type=ScoreType.NUMBER, passes_at=2, direction=Direction.LOWER), 1.5, PASSED),
        (ScoreSpec(name="s", type=ScoreType.NUMBER, passes_at=2, direction=Direction.LOWER), 2.5, FAILED),
        (ScoreSpec(name="s", type=ScoreType.LABEL), "yes", None),
        (ScoreSpec(name="s", type=ScoreType.LABEL, passing_labels=("yes",)), "yes", PASSED),
        (ScoreSpec(name="s", type=ScoreType.LABEL, passing_labels=("yes",)), "no", FAILED),
    ],
)
def test_an_outcome_exists_where_something_says_what_passes(
    spec: ScoreSpec, value: float | str, outcome: Outcome | None
) -> None:
    assert spec.outcome(value) is outcome
    assert spec.has_outcome == (outcome is not None)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"type": ScoreType.FIVE_STAR, "required": True}, "nothing says when it passes"),
        ({"type": ScoreType.NUMBER, "required": True}, "nothing says when it passes"),
        ({"type": ScoreType.LABEL, "required": True}, "nothing says when it passes"),
        ({"type": ScoreType.LABEL, "low": 0.0}, "labels have no range"),
        ({"type": ScoreType.LABEL, "passes_at": 1.0}, "labels have no range"),
        ({"type": ScoreType.LABEL, "labels": ("a",), "passing_labels": ("b",)}, "'b' is not one of its labels"),
        ({"labels": ("a",)}, "is not a label"),
        ({"type": ScoreType.FIVE_STAR, "high": 6.0}, "lies between 1 and 5"),
        ({"low": -1.0}, "lies between 0 and 1"),
        ({"type": ScoreType.NUMBER, "low": 2.0, "high": 2.0}, "is empty"),
        ({"type": ScoreType.NUMBER, "high": math.nan}, "not a finite number"),
        ({"type": ScoreType.NUMBER, "passes_at": math.inf}, "not a finite number"),
        ({"type": ScoreType.NUMBER, "low": 10**400}, "not a finite number"),
        ({"passes_at": 1.5}, "outside its range"),
        ({"direction": Direction.LOWER}, "give passes_at=0"),
    ],
)
def test_a_spec_that_makes_no_sense_is_refused_when_it_is_written(fields: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        ScoreSpec(name="s", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Tone", "tone"),
        ("  Tone of voice ", "tone_of_voice"),
        ("tone-of.voice_2", "tone-of.voice_2"),
        ("正确性", "正确性"),
        ("Größe", "größe"),
        ("हिन्दी", "हिन्दी"),
        ("e\u0301lan", "\u00e9lan"),
        ("ｆｕｌｌ", "full"),
        ("is it good?", "is_it_good"),
    ],
)
def test_letters_digits_and_combining_marks_of_every_script_are_kept(name: str, key: str) -> None:
    assert normalised(name) == key == ScoreSpec(name=name).key


@given(st.text(max_size=20))
def test_a_key_is_normal_already_so_that_names_never_fall_together_later(name: str) -> None:
    key = normalised(name)
    assert unicodedata.is_normalized("NFKC", key)
    assert not any(mark.isspace() for mark in key)


@pytest.mark.parametrize("name", ["", "   ", "?!", "---", "_", "\u0301"])
def test_a_name_without_letter_or_digit_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="no letter or digit"):
        ScoreSpec(name=name)


def test_a_name_may_have_64_characters_and_no_more() -> None:
    assert ScoreSpec(name="x" * 64).key == "x" * 64
    with pytest.raises(ConfigurationError, match="longer than 64"):
        ScoreSpec(name="x" * 65)


@pytest.mark.parametrize(("left", "right"), [("Tone", "tone "), ("a b", "a_b"), ("a?", "a"), ("é", "e\u0301")])
def test_two_names_that_are_one_once_normalised_are_refused_with_both(left: str, right: str) -> None:
    with pytest.raises(NameClash) as refused:
        check_names([ScoreSpec(name=left), ScoreSpec(name=right)])
    assert repr(left) in str(refused.value)
    assert repr(right) in str(refused.value)


def test_names_that_differ_after_normalising_live_together() -> None:
    names = [normalised(name) for name in ("कि", "की", "क")]
    check_names([ScoreSpec(name=name) for name in names])
    assert len(set(names)) == 3


@pytest.mark.parametrize(
    ("value", "kind"), [(True, "pass_fail"), ("good", "label"), (3, "number"), (0.5, "number"), (1, "number")]
)
def test_an_undeclared_value_says_its_own_type(value: object, kind: str) -> None:
    assert inferred("s", value).type.value == kind


@pytest.mark.parametrize("value", [None, [1], {"a": 1}, b"x"])
def test_a_value_of_no_score_type_is_refused_by_name(value: object) -> None:
    with pytest.raises(RecordError, match="'s'"):
        inferred("s", value)


@pytest.mark.parametrize("value", [1e200, -1.7e308, 10**400])
def test_a_number_too_large_to_be_averaged_is_refused_before_it_is_stored(value: float) -> None:
    with pytest.raises(RecordError, match=r"too large|cannot be stored|not a number that can"):
        ScoreSpec(name="n", type=ScoreType.NUMBER).checked(value)


@pytest.mark.parametrize("labels", [(), ("",), ("x", "x"), ("  ", "y")])
def test_labels_that_no_reply_could_choose_are_refused(labels: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match="empty or repeated label"):
        ScoreSpec(name="tone", type=ScoreType.LABEL, labels=labels)


def test_stars_between_which_no_whole_star_lies_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="no whole star"):
        ScoreSpec(name="quality", type=ScoreType.FIVE_STAR, low=1.5, high=1.7)
