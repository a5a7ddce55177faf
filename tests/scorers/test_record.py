"""From an answer to stored values: what counts as an answer, and what a score refuses."""

from __future__ import annotations

import math
from enum import IntEnum, StrEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError, ScorerError
from rejudge.domain.scale import Direction, Outcome, ScoreSpec, ScoreType
from rejudge.domain.score import ScoreValue
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.verdict import Skip, Verdict
from rejudge.scorers import Recorder, as_verdict, range_errors, scored_values, shape_error

OPEN = ScorerConfig(name="Tone of voice", type="function")


def declared(*scores: ScoreSpec) -> ScorerConfig:
    return ScorerConfig(name="judge", type="function", scores=scores)


class Tone(StrEnum):
    KIND = "kind"


class Grade(IntEnum):
    GOOD = 2


ANSWERS = [
    (0.5, 0.5),
    (1, 1),
    (True, True),
    ("kind", "kind"),
    (np.float64(0.5), 0.5),
    (np.float32(0.5), 0.5),
    (np.int64(3), 3),
    (np.bool_(True), True),
    (np.str_("kind"), "kind"),
    (np.array(0.5), 0.5),
    (Tone.KIND, "kind"),
    (Grade.GOOD, 2),
]


@pytest.mark.parametrize(("answer", "value"), ANSWERS)
def test_a_number_a_boolean_or_a_label_is_one_value(answer: object, value: object) -> None:
    for given_ in (answer, (answer, "because"), {"": answer}, Verdict(values={"": answer})):  # type: ignore[dict-item]
        (found,) = as_verdict(given_, OPEN).values.values()
        assert found == value
        assert type(found) is type(value)
    assert as_verdict((answer, "because"), OPEN).reason == "because"


def test_a_dict_is_several_named_values() -> None:
    assert as_verdict({"a": 1, "b": np.bool_(False)}, OPEN).values == {"a": 1, "b": False}
    assert as_verdict(({"a": 1}, "because"), OPEN).reason == "because"


def test_a_verdict_stays_what_it_is() -> None:
    verdict = Verdict(values={"a": 1.0, "b": "kind"}, reason="because", review=True, evidence={"x": 1})
    assert as_verdict(verdict, OPEN) == verdict
    skip = Verdict.skipped(Skip.MISSING_TRACE, "none")
    assert as_verdict(skip, OPEN) is skip


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "'Tone of voice' returned None"),
        ([1.0], "returned a value of type list\n  next: return a number, a boolean, a label"),
        ((1.0, 2.0), "returned a value of type tuple"),
        (np.array([1.0]), "returned a value of type ndarray"),
        (object(), "returned a value of type object"),
        (iter([]), "returned a value of type list_iterator"),
        ({}, "returned no value at all"),
        ({"a": None}, "returned None for 'a'"),
        ({"a": {"b": 1}}, "returned a value of type dict for 'a'"),
        ({1: 0.5}, "returned the name 1, which is not text"),
        ({"a b": 1, "A_B": 0}, "returned 'a b' and 'A_B', which are one name, 'a_b'"),
        (math.nan, "returned nan"),
        (math.inf, "returned inf"),
        (np.float64("-inf"), "returned -inf"),
        (10**400, "a whole number too large"),
        (Verdict(values={"a": math.nan}), "returned nan for 'a'"),
        (Verdict(values={"a": None}), "returned None for 'a'"),  # type: ignore[dict-item]
        (Verdict(values={"a b": 1, "A_B": 0}), "which are one name"),
        (Verdict(), "returned no value at all"),
    ],
)
def test_anything_else_is_the_scorers_error(answer: object, message: str) -> None:
    with pytest.raises(ScorerError, match=message):
        as_verdict(answer, OPEN)


def test_an_undeclared_value_takes_the_scorers_name_and_the_type_it_has() -> None:
    for answer, value in [
        (True, ScoreValue(name="tone_of_voice", number=1.0, outcome=Outcome.PASSED)),
        (0.7, ScoreValue(name="tone_of_voice", number=0.7)),
        ("kind", ScoreValue(name="tone_of_voice", label="kind")),
    ]:
        assert scored_values(as_verdict(answer, OPEN), OPEN) == (value,)
    named = scored_values(as_verdict({"Is kind": False, "n": 3}, OPEN), OPEN)
    assert named == (ScoreValue(name="is_kind", number=0.0, outcome=Outcome.FAILED), ScoreValue(name="n", number=3.0))


@pytest.mark.parametrize("others", [(1, 1.0), ("kind",)])
def test_values_of_another_kind_under_one_name_are_refused(others: tuple[float | str, ...]) -> None:
    recorder = Recorder(OPEN)
    outcomes = [recorder.values(Verdict.of(value))[0].outcome for value in (True, False)]
    assert outcomes == [Outcome.PASSED, Outcome.FAILED]
    for value in others:
        with pytest.raises(RecordError, match="one kind of value under one name"):
            recorder.values(Verdict.of(value))


def test_a_single_value_takes_the_one_declared_name() -> None:
    config = declared(ScoreSpec(name="Is right"))
    expected = (ScoreValue(name="is_right", number=1.0, outcome=Outcome.PASSED),)
    for answer in (1, 1.0, True, {"Is right": 1}, {"is_right": True}, {"IS RIGHT": 1.0}):
        assert scored_values(as_verdict(answer, config), config) == expected


def test_declared_values_come_in_the_declared_order() -> None:
    config = declared(ScoreSpec(name="a"), ScoreSpec(name="b"))
    assert [one.name for one in scored_values(Verdict(values={"b": 1, "a": 0}), config)] == ["a", "b"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"a": 1}, "does not give 'b'\n  next: give exactly the declared scores: 'a', 'b'"),
        ({"a": 1, "b": 1, "c": 1}, "scorer 'judge' gives 'c'\n"),
        ({"a": 1, "c": 1, "d": 1}, "does not give 'b' and gives 'c', 'd'\n"),
        ({"": 1}, "does not give 'a', 'b' and gives an unnamed value\n"),
        ({"a": 1, "A": 1, "b": 1}, "gives 'a' twice"),
    ],
)
def test_the_names_are_exactly_the_declared_ones(values: dict[str, float | int | bool | str], message: str) -> None:
    config = declared(ScoreSpec(name="a"), ScoreSpec(name="b"))
    with pytest.raises(RecordError, match=message):
        scored_values(Verdict(values=values), config)


REFUSED = [
    (ScoreSpec(name="q"), 2),
    (ScoreSpec(name="q"), -0.1),
    (ScoreSpec(name="q"), "pass"),
    (ScoreSpec(name="q", type=ScoreType.PASS_FAIL_CRITICAL), True),
    (ScoreSpec(name="q", type=ScoreType.FIVE_STAR), 0),
    (ScoreSpec(name="q", type=ScoreType.FIVE_STAR), "3"),
    (ScoreSpec(name="q", type=ScoreType.NUMBER, low=0, high=10), 10.5),
    (ScoreSpec(name="q", type=ScoreType.NUMBER), math.nan),
    (ScoreSpec(name="q", type=ScoreType.LABEL), 1),
    (ScoreSpec(name="q", type=ScoreType.LABEL, labels=("a", "b")), "c"),
]


@pytest.mark.parametrize(("spec", "value"), REFUSED)
def test_a_value_that_its_score_refuses_is_no_value(spec: ScoreSpec, value: float | int | bool | str) -> None:
    with pytest.raises(RecordError, match="score 'q'"):
        scored_values(Verdict.of(value), declared(spec))


@given(st.floats(0, 1))
def test_a_fraction_of_a_pass_is_legal_and_passes_only_at_1(value: float) -> None:
    (found,) = scored_values(Verdict.of(value), declared(ScoreSpec(name="q")))
    assert found.number == value
    assert (found.outcome is Outcome.PASSED) == (value == 1)


def test_an_outcome_follows_the_threshold_and_the_direction() -> None:
    cost = ScoreSpec(name="cost", type=ScoreType.NUMBER, direction=Direction.LOWER, passes_at=3)
    outcomes = [scored_values(Verdict.of(value), declared(cost))[0].outcome for value in (2, 3, 4)]
    assert outcomes == [Outcome.PASSED, Outcome.PASSED, Outcome.FAILED]
    tone = ScoreSpec(name="tone", type=ScoreType.LABEL, passing_labels=("kind",))
    outcomes = [scored_values(Verdict.of(value), declared(tone))[0].outcome for value in ("kind", "rude")]
    assert outcomes == [Outcome.PASSED, Outcome.FAILED]


def test_a_verdict_for_review_needs_a_human_whatever_its_value() -> None:
    for config in (declared(ScoreSpec(name="q")), OPEN):
        (found,) = scored_values(Verdict(values={"": 1.0}, review=True), config)
        assert found.outcome is Outcome.NEEDS_HUMAN_REVIEW
        assert found.number == 1.0


def test_a_skip_has_no_values() -> None:
    assert scored_values(Verdict.skipped(Skip.MISSING_TRACE, "none"), declared(ScoreSpec(name="q"))) == ()


def test_a_name_that_cannot_be_stored_is_refused_at_the_record() -> None:
    with pytest.raises(RecordError, match="has no letter or digit"):
        scored_values(Verdict(values={"!!": 1.0}), OPEN)


def told(verdict: Verdict, config: ScorerConfig) -> tuple[bool, list[str]]:
    """Whether the shape is wrong, and what is said of values."""
    return shape_error(verdict, config) is not None, [error.what for error in range_errors(verdict, config)]


TWO = declared(ScoreSpec(name="a"), ScoreSpec(name="Star rating", type=ScoreType.FIVE_STAR))
TOLD: list[tuple[dict[str, float | int | bool | str], bool, list[str]]] = [
    ({"a": 1, "star_rating": 5}, False, []),
    ({"a": 1, "Star Rating": 0}, False, ["score 'Star rating': 0 lies outside 1 to 5"]),
    ({"a": 1}, True, []),
    ({"a": 2}, True, ["score 'a': 2 lies outside 0 to 1"]),
    ({"a": 1, "star_rating": 6, "c": 99}, True, ["score 'Star rating': 6 lies outside 1 to 5"]),
    ({"a": math.nan, "star_rating": "5"}, False, ["score 'a': nan is not a", "score 'Star rating': '5' is not a"]),
    ({"a": 1, "A": 0, "star_rating": 3}, True, []),
    ({"": 1}, True, []),
    ({}, True, []),
]


@pytest.mark.parametrize(("values", "wrong_shape", "refused"), TOLD)
def test_the_shape_and_the_ranges_are_told_apart_without_storing(
    values: dict[str, float | int | bool | str], wrong_shape: bool, refused: list[str]
) -> None:
    shape, ranges = told(Verdict(values=values), TWO)
    assert shape is wrong_shape
    assert [said[: len(start)] for said, start in zip(ranges, refused, strict=True)] == refused


def test_what_is_told_of_undeclared_values_is_what_their_record_refuses() -> None:
    assert told(Verdict(values={"a": 0.5, "b": "kind"}), OPEN) == (False, [])
    assert told(Verdict(), OPEN) == (True, [])
    assert told(Verdict(values={"a b": 1, "A_B": 1}), OPEN) == (True, [])
    assert told(Verdict.of(math.inf), OPEN)[0] is False
    assert "inf is not a number" in told(Verdict.of(math.inf), OPEN)[1][0]


def test_nothing_is_wrong_with_a_skip() -> None:
    assert told(Verdict.skipped(Skip.MISSING_TRACE, "none"), TWO) == (False, [])


names = st.dictionaries(
    st.sampled_from(["a", "A", "star rating", "c", ""]), st.integers(-1, 6) | st.booleans() | st.just("x"), max_size=3
)


@given(names, st.sampled_from([TWO, declared(ScoreSpec(name="a")), OPEN]))
def test_a_verdict_is_stored_where_neither_is_wrong(
    values: dict[str, float | int | bool | str], config: ScorerConfig
) -> None:
    verdict = Verdict(values=values)
    refused = False
    try:
        scored_values(verdict, config)
    except RecordError:
        refused = True
    assert refused is (told(verdict, config) != (False, []))


def test_a_declared_score_is_left_out_in_so_many_words_or_not_at_all() -> None:
    config = declared(ScoreSpec(name="safety"), ScoreSpec(name="Tone of it"))
    verdict = as_verdict(Verdict(values={"safety": np.float64(1.0)}, left_out=("Tone of it",)), config)
    assert [one.name for one in scored_values(verdict, config)] == ["safety"]
    for values, left_out, told_ in (
        ({"safety": 1.0}, (), "does not give 'tone_of_it'"),
        ({"safety": 1.0}, ("tune",), "does not give 'tone_of_it'"),
        ({"safety": 1.0}, ("tone_of_it", "safety"), "leaves out 'tone_of_it', 'safety'"),
        ({"safety": 1.0, "tone_of_it": 1.0}, ("tone_of_it",), "leaves out 'tone_of_it'"),
        ({}, ("safety", "tone_of_it"), "gives no value"),
    ):
        with pytest.raises(RecordError, match=told_):
            scored_values(Verdict(values=dict(values), left_out=left_out), config)


def test_a_person_decides_on_the_named_values_alone() -> None:
    config = declared(ScoreSpec(name="safety"), ScoreSpec(name="Tone of it"))
    verdict = Verdict(values={"safety": 0.0, "tone_of_it": 0.0}, review_of=("Tone of it",))
    assert [one.outcome for one in scored_values(verdict, config)] == [Outcome.FAILED, Outcome.NEEDS_HUMAN_REVIEW]
    with pytest.raises(RecordError, match="wants a person to decide on 'tune', which it does not give"):
        scored_values(Verdict(values={"safety": 0.0, "tone_of_it": 0.0}, review_of=("tune",)), config)
