"""What a store promises about ratings: each is kept, the last of a rater on a trace counts, none comes twice."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rejudge.domain.errors import NotFound
from rejudge.domain.rating import Blinding, Origin, Rating, RatingSet, current
from rejudge.domain.scale import Direction, ScoreSpec, ScoreType
from rejudge.storage.promises.datasets import STRANGE
from rejudge.storage.promises.scene import Reopen, Scene, StoreTests
from rejudge.storage.records import NewRating, TraceRef
from rejudge.storage.store import Store

TONE = RatingSet(name="tone", score=ScoreSpec(name="tone"), rubric="Is it polite?", created_at=1.0)
FILE = Origin(file="june.csv", sha256="0" * 64, line=2)


def said(trace: TraceRef, rater: str, value: object, *, rating_set: RatingSet = TONE, **more: object) -> NewRating:
    """A rating on its way in."""
    rating = Rating(trace=trace.digest, rater=rater, value=rating_set.value(value))
    return NewRating(trace.ref, replace(rating, **more))


class RatingPromises(StoreTests):
    """Rating sets are found like experiments; ratings are append-only."""

    def test_the_same_question_is_the_set_that_is_stored(self, store: Store) -> None:
        assert store.save_rating_set(TONE) == TONE
        assert store.save_rating_set(replace(TONE, created_at=2.0)) == TONE
        assert store.rating_sets() == [TONE]

    def test_another_rubric_or_scale_under_a_known_name_takes_the_name_over(self, store: Store) -> None:
        stars = RatingSet(name="tone", score=ScoreSpec(name="tone", type=ScoreType.FIVE_STAR))
        rewritten = replace(TONE, rubric="Is it kind?")
        for asked in (TONE, rewritten, stars):
            store.save_rating_set(asked)
            assert store.rating_set("tone") == asked
        assert store.rating_sets() == [TONE, rewritten, stars]
        assert [store.rating_set(one.id) for one in (TONE, rewritten, stars)] == [TONE, rewritten, stars]
        assert store.rating_set(TONE.id[:30]) == TONE

    def test_a_question_that_is_asked_again_takes_its_name_back(self, store: Store) -> None:
        rewritten, other = replace(TONE, rubric="Is it kind?"), replace(TONE, name="care")
        for asked in (TONE, rewritten, replace(TONE, created_at=9.0)):
            store.save_rating_set(asked)
        assert store.rating_set("tone") == TONE
        assert store.rating_sets() == [rewritten, TONE]
        for asked in (other, TONE, rewritten, TONE, TONE):
            store.save_rating_set(asked)
        assert store.rating_set("tone") == TONE
        assert store.rating_sets() == [other, rewritten, TONE]

    def test_which_question_has_the_name_is_known_when_the_store_is_opened_again(
        self, store: Store, reopen: Reopen
    ) -> None:
        for asked in (TONE, replace(TONE, rubric="Is it kind?"), TONE):
            store.save_rating_set(asked)
        again = reopen()
        try:
            assert again.rating_set("tone") == TONE
        finally:
            again.close()

    def test_a_rating_set_is_read_back_whole(self, store: Store) -> None:
        for place, text in enumerate(STRANGE):
            score = ScoreSpec(name="x", type=ScoreType.NUMBER, low=-1, high=4, direction=Direction.LOWER, passes_at=2)
            whole = RatingSet(name=f"{place} {text}", score=score, rubric=text, created_at=3.5)
            assert store.save_rating_set(whole) == whole == store.rating_set(whole.name)

    def test_an_unknown_set_is_answered_with_a_near_name(self, store: Store) -> None:
        store.save_rating_set(TONE)
        with pytest.raises(NotFound, match="'tone'"):
            store.rating_set("tones")
        for name in ("ratings-", "rat", TONE.id + "0", "", "%"):
            with pytest.raises(NotFound):
                store.rating_set(name)
        with pytest.raises(NotFound):
            store.ratings(b"\0" * 32)

    def test_ratings_are_read_back_whole_in_the_order_in_which_they_came(self, scene: Scene) -> None:
        store, trace = scene.store, scene.made("r", (0, 0))
        other = scene.made("s", (1, 0))
        labels = RatingSet(name="label", score=ScoreSpec(name="label", type=ScoreType.LABEL))
        store.save_rating_set(labels)
        given = [
            said(
                one,
                f"rater {text}",
                text or "nothing",
                rating_set=labels,
                reason=text,
                blinding=Blinding.BLIND,
                origin=replace(FILE, file=text, line=None),
                at=7.25,
            )
            for one in (trace, other)
            for text in STRANGE
        ]
        assert store.save_ratings(labels.digest(), given) == len(given)
        assert store.ratings(labels.digest()) == [one.rating for one in given]

    def test_a_later_rating_supersedes_and_the_earlier_stays_readable(self, scene: Scene) -> None:
        store, trace = scene.store, scene.made("r", (0, 0))
        store.save_rating_set(TONE)
        first, second = said(trace, "ann", 1), said(trace, "ann", 0, reason="on second thoughts")
        bob = said(trace, "bob", 1)
        for group in ([first, bob], [second]):
            store.save_ratings(TONE.digest(), group)
        stored = store.ratings(TONE.digest())
        assert stored == [first.rating, bob.rating, second.rating]
        assert current(stored) == [second.rating, bob.rating]

    def test_what_says_the_same_as_what_counts_is_not_stored_again(self, scene: Scene) -> None:
        store, trace = scene.store, scene.made("r", (0, 0))
        store.save_rating_set(TONE)
        group = [said(trace, "ann", 1), said(trace, "bob", 0)]
        assert store.save_ratings(TONE.digest(), group) == 2
        assert (
            store.save_ratings(TONE.digest(), [replace(one, rating=replace(one.rating, at=9.0)) for one in group]) == 0
        )
        assert store.save_ratings(TONE.digest(), [said(trace, "ann", 0), said(trace, "ann", 1)]) == 2
        assert len(store.ratings(TONE.digest())) == 4

    def test_a_line_that_was_imported_once_takes_no_later_word_back(self, scene: Scene) -> None:
        store, trace = scene.store, scene.made("r", (0, 0))
        store.save_rating_set(TONE)
        imported, corrected = said(trace, "ann", 1, origin=FILE), said(trace, "ann", 0)
        for one in (imported, corrected):
            assert store.save_ratings(TONE.digest(), [one]) == 1
        assert store.save_ratings(TONE.digest(), [imported]) == 0
        assert current(store.ratings(TONE.digest())) == [corrected.rating]

    def test_ratings_of_other_sets_are_their_own(self, scene: Scene) -> None:
        store, trace = scene.store, scene.made("r", (0, 0))
        other = replace(TONE, name="care")
        for one in (TONE, other):
            store.save_rating_set(one)
        store.save_ratings(TONE.digest(), [said(trace, "ann", 1)])
        assert store.ratings(other.digest()) == []
        assert store.save_ratings(other.digest(), [said(trace, "ann", 1)]) == 1

    def test_a_rating_of_a_stranger_leaves_nothing(self, scene: Scene) -> None:
        store, trace = scene.store, scene.made("r", (0, 0))
        known = said(trace, "ann", 1)
        with pytest.raises(NotFound):
            store.save_ratings(TONE.digest(), [known])
        store.save_rating_set(TONE)
        for stranger in (
            replace(known, trace=trace.ref + 1),
            replace(known, rating=replace(known.rating, trace=b"no")),
        ):
            with pytest.raises(NotFound):
                store.save_ratings(TONE.digest(), [known, stranger])
        assert store.ratings(TONE.digest()) == []

    def test_ratings_are_there_when_the_store_is_opened_again(self, scene: Scene, reopen: Reopen) -> None:
        store, trace = scene.store, scene.made("r", (0, 0))
        store.save_rating_set(TONE)
        store.save_ratings(TONE.digest(), [said(trace, "ann", 1)])
        again = reopen()
        try:
            assert again.ratings(again.rating_set("tone").digest()) == store.ratings(TONE.digest())
        finally:
            again.close()
