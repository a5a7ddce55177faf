"""Embedding similarity: what is asked, what is not, and what the vectors become."""

from __future__ import annotations

import asyncio
import math
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.call import Call, CallRecord, EmbedCall, Embeddings
from rejudge.domain.errors import ScorerError
from rejudge.domain.scale import Outcome
from rejudge.domain.usage import Usage
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.runner.clock import SystemClock
from rejudge.runner.drive import drive
from rejudge.scorers import Scorer, Way, embedding_similarity, scored_values
from rejudge.scorers.text.embedding import cosine

VECTORS = {
    "Paris": [3.0, 4.0],
    "Lutetia": [4.0, 3.0],
    "Rome": [-3.0, -4.0],
    "zero": [0.0, 0.0],
    "long": [1.0, 2.0, 3.0],
}


class Embedder:
    """Gives prepared vectors and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[EmbedCall] = []

    async def __call__(self, call: Call, failures: list[str]) -> Embeddings:
        assert isinstance(call, EmbedCall)
        self.asked.append(call)
        vectors = [VECTORS[text] for text in call.texts if text in VECTORS]
        return Embeddings(vectors=vectors, model="small-2", usage=Usage(input_tokens=len(call.texts)))


def judged(scorer: Scorer, output: object, gold: object = "Paris") -> tuple[Verdict, list[EmbedCall]]:
    embedder, records = Embedder(), list[CallRecord]()
    steps = scorer.judge(View(output=output, reference_data={"gold": gold}))
    answer = asyncio.run(drive(steps, answer=embedder, clock=SystemClock(), records=records))  # type: ignore[arg-type]
    return cast("Verdict", answer), embedder.asked


SMALL = embedding_similarity(reference_key="gold", model="small", passes_at=0.9)


def test_both_texts_are_asked_for_at_once_and_their_cosine_is_the_number() -> None:
    verdict, asked = judged(SMALL, "Lutetia")
    assert asked == [EmbedCall(model="small", texts=["Lutetia", "Paris"])]
    (value,) = scored_values(verdict, SMALL.config)
    assert value.number == pytest.approx(0.96)
    assert value.outcome is Outcome.PASSED
    assert verdict.evidence == {"cosine": pytest.approx(0.96)}


def test_a_cosine_below_0_counts_as_0_and_is_kept() -> None:
    verdict, _ = judged(SMALL, "Rome")
    (value,) = scored_values(verdict, SMALL.config)
    assert (value.number, value.outcome) == (0.0, Outcome.FAILED)
    assert verdict.evidence == {"cosine": pytest.approx(-1.0)}
    assert verdict.reason == '0 is under 0.9: expected "Paris", got "Rome"'


def test_the_nearest_of_several_references_counts_for_one_question() -> None:
    verdict, asked = judged(SMALL, "Lutetia", ["Rome", " ", "Paris"])
    assert [call.texts for call in asked] == [["Lutetia", "Rome", "Paris"]]
    assert verdict.values == {"embedding_similarity": pytest.approx(0.96)}


@pytest.mark.parametrize(
    ("output", "gold", "skip", "values"),
    [
        ("Paris", None, Skip.MISSING_REFERENCE_KEY, {}),
        (None, "Paris", None, {"embedding_similarity": 0.0}),
        ("", "Paris", None, {"embedding_similarity": 0.0}),
        ("Paris", "\n", None, {"embedding_similarity": 0.0}),
        ("", " ", None, {"embedding_similarity": 1.0}),
    ],
)
def test_nothing_is_spent_where_the_answer_is_known(
    output: object, gold: object, skip: Skip | None, values: dict[str, float]
) -> None:
    verdict, asked = judged(SMALL, output, gold)
    assert (verdict.skip, verdict.values, asked) == (skip, values, [])


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("unknown", "small was given 2 texts and gave 1 vectors"),
        ("zero", "no direction"),
        ("long", "a vector of 3 numbers and one of 2 have no cosine"),
    ],
)
def test_vectors_without_a_cosine_are_an_error_and_no_grade(output: str, told: str) -> None:
    with pytest.raises(ScorerError, match=told):
        judged(SMALL, output)


def test_the_model_is_part_of_the_id_and_is_asked_for_beforehand() -> None:
    assert (SMALL.way, SMALL.demands.embedding_models) == (Way.STEPS, ("small",))
    other = embedding_similarity(reference_key="gold", model="large", passes_at=0.9)
    assert other.config.id != SMALL.config.id


numbers = st.floats(-1e150, 1e150).filter(lambda number: abs(number) > 1e-150)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8))
def test_a_cosine_is_symmetric_at_most_1_and_1_beside_itself(pairs: list[tuple[float, float]]) -> None:
    left, right = [one for one, _ in pairs], [other for _, other in pairs]
    assert cosine(left, right) == pytest.approx(cosine(right, left), abs=1e-12)
    assert abs(cosine(left, right)) <= 1 + 1e-12
    assert math.isclose(cosine(left, left), 1, abs_tol=1e-12)
