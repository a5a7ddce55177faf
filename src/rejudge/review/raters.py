"""How well the raters of a set agree with each other, before anybody compares a scorer with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.rating import current
from rejudge.stats.interval import LEVEL
from rejudge.stats.raters import RaterAgreement, agreement_among_raters
from rejudge.stats.scale import Scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.rating import Rating, RatingSet
    from rejudge.stats.confusion import Category


def rater_agreement(rating_set: RatingSet, ratings: Sequence[Rating], *, level: float = LEVEL) -> RaterAgreement:
    """The agreement of the ratings that count."""
    score = rating_set.score
    low, high = score.range
    counting = current(ratings)
    return agreement_among_raters(
        _rows(counting),
        kind=score.type.value,
        scale=Scale(low=low, high=high, direction=score.direction.value),
        labels=score.labels or (),
        items=list({rating.trace: rating.item_id for rating in counting}.values()),
        level=level,
    )


def _rows(ratings: Sequence[Rating]) -> list[list[Category | None]]:
    """One row for each rater with a value for each trace, None where that rater did not rate it."""
    place = {trace: at for at, trace in enumerate(dict.fromkeys(rating.trace for rating in ratings))}
    rows: dict[str, list[Category | None]] = {rating.rater: [None] * len(place) for rating in ratings}
    for rating in ratings:
        value = rating.value
        rows[rating.rater][place[rating.trace]] = value.label if value.number is None else value.number
    return list(rows.values())
