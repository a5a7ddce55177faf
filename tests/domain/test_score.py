from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from rejudge.domain.errors import NameClash
from rejudge.domain.payload import decode_as, encode
from rejudge.domain.scale import Outcome, ScoreSpec, ScoreType
from rejudge.domain.score import Score, ScoreStatus, ScoreValue, score_key
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.usage import Usage

ONE, TWO = b"\1" * 32, b"\2" * 32


@dataclass(frozen=True)
class Parts:
    subject: tuple[bytes, ...]
    scorer: bytes
    seen: bytes
    draw: int

    def key(self) -> bytes:
        return score_key(self.subject, self.scorer, self.seen, self.draw)


digests = st.sampled_from([ONE, TWO])
parts = st.builds(Parts, st.lists(digests, max_size=3).map(tuple), digests, digests, st.integers(0, 12))


@given(parts, parts)
def test_two_scores_share_a_key_exactly_when_subject_scorer_what_was_seen_and_draw_are_the_same(
    left: Parts, right: Parts
) -> None:
    assert (left.key() == right.key()) == (left == right)


def test_the_order_of_a_pair_is_part_of_its_key() -> None:
    assert score_key((ONE, TWO), ONE, ONE, 0) != score_key((TWO, ONE), ONE, ONE, 0)


def test_a_further_attempt_is_a_further_record_under_the_same_key() -> None:
    first, second = (
        Score(subject=(ONE,), scorer=TWO, seen=ONE, attempt=attempt, status=ScoreStatus.ERROR) for attempt in (0, 1)
    )
    assert first.digest() == second.digest()
    assert second.id == f"{first.id}.1"
    assert first.id == f"score-{first.digest().hex()}"


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "other"},
        {"type": "includes"},
        {"settings": {"expected": "x"}},
        {"scores": (ScoreSpec(name="a"),)},
        {"sees": ()},
        {"settings": {"unpinned": ["client"]}},
    ],
)
def test_everything_that_can_change_a_verdict_changes_the_scorer_id(fields: dict[str, object]) -> None:
    plain: dict[str, object] = {"name": "match", "type": "exact_match"}
    made = ScorerConfig(**{**plain, **fields})  # type: ignore[arg-type]
    assert made.id != ScorerConfig(**plain).id  # type: ignore[arg-type]
    assert made.id.startswith("scorer-")


def test_the_order_in_which_seen_fields_are_named_is_irrelevant() -> None:
    forwards, backwards = (ScorerConfig(name="m", type="t", sees=sees) for sees in (("a", "b"), ("b", "a")))
    assert forwards.id == backwards.id


def test_a_scorer_whose_scores_share_a_name_is_refused() -> None:
    with pytest.raises(NameClash, match="'tone'"):
        ScorerConfig(name="m", type="t", scores=(ScoreSpec(name="Tone"), ScoreSpec(name="tone ")))


def test_a_bound_is_the_same_number_with_and_without_a_decimal_point() -> None:
    whole, decimal = (
        ScorerConfig(name="m", type="t", scores=(ScoreSpec(name="n", type=ScoreType.NUMBER, low=low, passes_at=two),))
        for low, two in ((0, 2), (0.0, 2.0))
    )
    assert whole.id == decimal.id == decode_as(encode(whole), ScorerConfig).id


def test_the_hash_of_a_result_covers_how_it_ended_and_not_when() -> None:
    def score(**changes: object) -> Score:
        value = ScoreValue(name="n", number=1, outcome=Outcome.PASSED)
        made = Score(subject=(ONE,), scorer=TWO, seen=ONE, status=ScoreStatus.SCORED, values=(value,))
        return structs.replace(made, **changes)

    again = score(at=9.0, attempt=2, usage=Usage(cost=1.0), values=decode_as(encode(score()), Score).values)
    assert again.result_hash() == score().result_hash()
    others = [
        score(status=ScoreStatus.SKIPPED),
        score(values=()),
        score(values=(ScoreValue(name="n", number=1.0),)),
        score(values=(ScoreValue(name="n", label="1", outcome=Outcome.PASSED),)),
        score(reason="because"),
        score(cause="missing_trace"),
        score(evidence={}),
    ]
    assert len({other.result_hash() for other in [*others, score()]}) == 8
