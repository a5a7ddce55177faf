"""How far several people agree with each other on the same items, whoever of them left some out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from rejudge.domain.errors import RecordError
from rejudge.stats.agreement import fleiss_kappa, gwet, percent_agreement
from rejudge.stats.alpha import krippendorff_alpha
from rejudge.stats.column import repeated
from rejudge.stats.confusion import Category
from rejudge.stats.estimate import Statistic
from rejudge.stats.interval import LEVEL, Undefined
from rejudge.stats.kappa import Weighting
from rejudge.stats.ratings import GAP, Ratings, Row
from rejudge.stats.scale import Kind, Scale
from rejudge.stats.steps import NO_CATEGORIES, NOT_WHOLE, measurements, steps, whole

if TYPE_CHECKING:
    from rejudge.stats.column import Names
    from rejudge.stats.ties import Codes


class RaterAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """Agreement among `raters` on `units` of `items` items; all of it rests on the `paired` units with two ratings.

    `statistics` holds by name percent_agreement, fleiss, ac1, ac2_… and alpha_…, as far as the kind has them.
    """

    kind: Kind
    raters: int
    units: int
    items: int
    paired: int
    ratings: int
    level: float
    statistics: dict[str, Statistic]


def agreement_among_raters(
    rows: Sequence[Row],
    *,
    kind: Kind,
    scale: Scale,
    labels: Sequence[str] = (),
    items: Names | None = None,
    level: float = LEVEL,
) -> RaterAgreement:
    """The agreement of a table with one row for each rater and one value for each unit, None for a gap.

    `labels` is the closed set of a label's values; AC1 depends on how many there are. `items` names the item of each
    unit: where one comes more than once, intervals take the item for one case. Raises RecordError for rows of
    different lengths, labels among numbers, NaN, infinity and values outside the declared range.
    """
    known: Sequence[Category] = labels if kind == "label" else steps(scale)
    codes = None if items is None else repeated(items, len(rows[0]) if rows else 0)
    given = [value for row in rows for value in row if value is not None]
    _check(given, kind, scale)
    categorical = kind == "label" or (bool(known) and whole(given))
    ratings = Ratings.of(rows, categories=known if categorical else ())
    statistics: dict[str, Statistic] = {}
    if categorical or kind != "number":
        missing = NOT_WHOLE if known else NO_CATEGORIES
        statistics |= _of_categories(ratings if categorical else missing, kind=kind, codes=codes, level=level)
    if kind not in ("label", "pass_fail"):
        for each in measurements(scale):
            statistics[f"alpha_{each}"] = krippendorff_alpha(ratings, measurement=each, items=codes, level=level)
    return RaterAgreement(
        kind=kind,
        raters=len(rows),
        units=ratings.codes.shape[1],
        items=ratings.codes.shape[1] if codes is None else int(codes.max()) + 1,
        paired=ratings.pairable.shape[1],
        ratings=int((ratings.codes != GAP).sum()),
        level=level,
        statistics=statistics,
    )


def _of_categories(
    ratings: Ratings | Undefined, *, kind: Kind, codes: Codes | None, level: float
) -> dict[str, Statistic]:
    weighted: tuple[Weighting, ...] = () if kind in ("label", "pass_fail") else ("linear", "quadratic", "ordinal")
    names = ["percent_agreement", "fleiss", "ac1", "alpha_nominal", *(f"ac2_{name}" for name in weighted)]
    if isinstance(ratings, Undefined):
        return dict.fromkeys(names, ratings)
    tally = ratings.tally()
    if isinstance(tally, Undefined):
        return dict.fromkeys(names, tally)
    found: dict[str, Statistic] = {
        "percent_agreement": percent_agreement(tally, items=codes, level=level),
        "fleiss": fleiss_kappa(tally, items=codes, level=level),
        "ac1": gwet(tally, items=codes, level=level),
        "alpha_nominal": krippendorff_alpha(ratings, measurement="nominal", items=codes, level=level),
    }
    return found | {f"ac2_{name}": gwet(tally, weighting=name, items=codes, level=level) for name in weighted}


def _check(values: Sequence[Category], kind: Kind, scale: Scale) -> None:
    for value in values:
        if isinstance(value, str) != (kind == "label"):
            raise RecordError(f"{value!r} is not a value of a {kind}", fix="give each scale its own table")
        if not isinstance(value, str) and not scale.holds(value):
            raise RecordError(
                f"{value:g} is outside the declared range {scale.low} to {scale.high}",
                fix="declare the range that the raters really have",
            )
