"""Ratings: what people are asked, what they said, and which of it counts."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.domain.rating import Origin, Rating, RatingSet, current, unknown
from rejudge.domain.scale import Outcome, ScoreSpec, ScoreType
from rejudge.domain.score import ScoreValue

TONE = RatingSet(name="tone", score=ScoreSpec(name="Tone"), rubric="Is it polite?")
FILE = Origin(file="june.csv", sha256="0" * 64, line=2)


def said(rater: str, value: object, *, trace: bytes = b"t", origin: Origin | None = None) -> Rating:
    return Rating(trace=trace, rater=rater, value=TONE.value(value), origin=origin)


def test_a_value_is_stored_as_a_score_of_the_set_with_its_outcome() -> None:
    assert TONE.value(1) == ScoreValue(name="tone", number=1.0, outcome=Outcome.PASSED)
    labels = RatingSet(name="x", score=ScoreSpec(name="x", type=ScoreType.LABEL, passing_labels=("good",)))
    assert labels.value("poor") == ScoreValue(name="x", label="poor", outcome=Outcome.FAILED)
    with pytest.raises(RecordError, match="outside 0 to 1"):
        TONE.value(5)


def test_a_set_is_named_by_its_question_and_not_by_when_it_was_asked() -> None:
    assert replace(TONE, created_at=5.0).id == TONE.id
    others = [
        replace(TONE, name="care"),
        replace(TONE, rubric="Is it kind?"),
        replace(TONE, score=ScoreSpec(name="Tone", type=ScoreType.FIVE_STAR)),
    ]
    assert len({one.id for one in [TONE, *others]}) == 4


def test_a_set_and_a_rater_have_names() -> None:
    with pytest.raises(ConfigurationError, match="needs a name"):
        RatingSet(name=" ", score=ScoreSpec(name="x"))
    with pytest.raises(RecordError, match="who gave it"):
        said(" ", 1)


def test_the_last_rating_of_each_rater_on_each_trace_counts() -> None:
    first, other, second, elsewhere = said("ann", 1), said("bob", 1), said("ann", 0), said("ann", 1, trace=b"u")
    assert current([first, other, elsewhere, second]) == [second, other, elsewhere]


def test_a_repeated_word_is_no_news_and_a_changed_mind_is() -> None:
    stored = [said("ann", 1)]
    assert unknown([replace(stored[0], at=5.0, origin=FILE)], stored=stored) == []
    back_and_forth = [said("ann", 0), said("ann", 0), said("ann", 1)]
    assert unknown(back_and_forth, stored=stored) == [back_and_forth[0], back_and_forth[2]]


def test_an_imported_line_is_news_once() -> None:
    stored = [said("ann", 1, origin=FILE), said("ann", 0)]
    assert unknown([replace(stored[0], at=9.0)], stored=stored) == []
    elsewhere = said("ann", 1, origin=replace(FILE, line=3))
    assert unknown([elsewhere], stored=stored) == [elsewhere]
