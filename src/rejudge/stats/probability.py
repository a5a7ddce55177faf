"""Whether the probabilities that a judge gives mean what they say: Brier score, reliability curve, calibration error.

Sources: Brier 1950; Murphy and Winkler 1977 for the curve; Naeini, Cooper and Hauskrecht 2015 for the expected
calibration error (ECE); Bröcker and Smith 2007 for what a calibrated judge would show with so few items.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.accuracy import rate, rate_by_item
from rejudge.stats.column import column
from rejudge.stats.confusion import NO_PAIRS, check_pairs
from rejudge.stats.deviation import mean_error
from rejudge.stats.estimate import ONE_ITEM, Estimate, Statistic, quantile
from rejudge.stats.interval import LEVEL, ONE_VALUE, Interval, Undefined
from rejudge.stats.scale import PASS_FAIL

if TYPE_CHECKING:
    import numpy as np

    from rejudge.stats.ties import Codes, Floats, Mask

BINS = 10
RESAMPLES = 500
EMPTY_BIN = Undefined("no probability lies in this bin")

_DRAWS_AT_ONCE = 2_000_000


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """The items whose probability lies from `low` up to, but without, `high` (the last bin holds 1 too).

    `predicted` is their mean probability, `observed` the share that passed; where a judge is calibrated the interval
    of the share holds the mean probability.
    """

    low: float
    high: float
    n: int
    predicted: float | Undefined
    observed: Statistic


class Reliability(msgspec.Struct, frozen=True, kw_only=True, tag="reliability"):
    """The reliability curve in bins of equal width, and the mean distance from its diagonal.

    `ece` weighs each bin by its items. It is never 0 by chance alone: `if_calibrated` is what a judge whose
    probabilities are all true would show on as many items with trials as alike as these. The interval comes from
    `resamples` drawings with `seed`.
    """

    bins: tuple[Bin, ...]
    ece: Statistic
    if_calibrated: float
    resamples: int
    seed: int


def brier_score(
    probabilities: Sequence[float], passed: Sequence[float], *, items: Codes | None = None, level: float = LEVEL
) -> Statistic:
    """The mean of (probability − outcome)², outcomes 0 or 1: 0 is perfect, 0.25 is what always saying 0.5 gets."""
    _checked(probabilities, passed)
    return mean_error(probabilities, passed, power=2, scale=PASS_FAIL, items=items, level=level)


def reliability(
    probabilities: Sequence[float],
    passed: Sequence[float],
    *,
    seed: int,
    bins: int = BINS,
    items: Codes | None = None,
    level: float = LEVEL,
) -> Reliability | Undefined:
    """The reliability curve of probabilities against outcomes of 0 and 1; undefined without pairs.

    `items` are the places of the pairs' items, where items come more than once: whole items are drawn again then.
    Raises RecordError for a probability outside 0 to 1 and an outcome that is neither 0 nor 1.
    """
    import numpy as np

    if bins < 1:
        raise ConfigurationError(f"{bins} bins hold nothing", fix="use 1 bin or more; 10 are usual")
    chances, outcomes = _checked(probabilities, passed)
    n = len(chances)
    if not n:
        return NO_PAIRS
    edges = np.arange(bins + 1) / bins
    places = np.minimum(np.searchsorted(edges, chances, side="right") - 1, bins - 1)
    counts = np.bincount(places, minlength=bins)
    predicted = np.bincount(places, weights=chances, minlength=bins)
    observed = np.bincount(places, weights=outcomes, minlength=bins)
    curve = tuple(
        Bin(
            low=float(edges[place]),
            high=float(edges[place + 1]),
            n=int(counts[place]),
            predicted=float(predicted[place] / counts[place]) if counts[place] else EMPTY_BIN,
            observed=_observed(outcomes, places == place, items, level=level),
        )
        for place in range(bins)
    )
    ece = float(np.abs(predicted - observed).sum()) / n
    random = np.random.default_rng(seed)
    calibrated = float(_if_calibrated(random, chances, places, bins).mean())
    if items is None:
        drawn = _drawn_again(random, chances - outcomes, places, bins)
    else:
        cells = items * bins + places
        drawn = _items_drawn_again(random, chances - outcomes, cells, bins)
        calibrated *= _times_by_item(chances - outcomes, cells, bins)
    interval = _interval(ece, drawn, calibrated, level=level) if n > 1 else Undefined(ONE_VALUE)
    if items is not None and isinstance(interval, Interval):
        alone = int(items.max()) == 0
        interval = ONE_ITEM if alone else replace(interval, method="cluster-bootstrap-conservative")
    return Reliability(
        bins=curve,
        ece=Estimate(value=ece, n=n, interval=interval),
        if_calibrated=calibrated,
        resamples=RESAMPLES,
        seed=seed,
    )


def _interval(ece: float, drawn: Floats, calibrated: float, *, level: float) -> Interval:
    """ECE ± z times its spread in `drawn`, and lower at the low end by what chance adds to it.

    Chance adds most where the judge is calibrated, so that much or what drawing again added is taken off: the interval
    holds the truth more often than its level says (98 to 100 % at n = 50 to 1000), where percentiles hold it in 0 %.
    """
    half = quantile(level) * float(drawn.std(ddof=1))
    added = max(calibrated, float(drawn.mean()) - ece)
    low, high = max(0.0, ece - added - half), min(1.0, ece + half)
    return Interval(low=low, high=high, level=level, method="bootstrap-conservative")


def _drawn_again(random: np.random.Generator, gaps: Floats, places: Codes, bins: int) -> Floats:
    import numpy as np

    n, found = len(gaps), []
    for rows in _batches(n):
        chosen = random.integers(0, n, size=(rows, n))
        found.append(_mean_gap(gaps[chosen], places[chosen], bins))
    return np.concatenate(found)


def _observed(outcomes: Floats, inside: Mask, items: Codes | None, *, level: float) -> Statistic:
    """The share that passed in a bin."""
    if items is not None and inside.any():
        return rate_by_item(outcomes[inside], items[inside], level=level)
    return rate(int(outcomes[inside].sum()), int(inside.sum()), level=level, missing=EMPTY_BIN)


def _items_drawn_again(random: np.random.Generator, gaps: Floats, cells: Codes, bins: int) -> Floats:
    """As `_drawn_again` of whole items (Davison and Hinkley 1997, section 3.8); `cells` are item · bins + bin."""
    import numpy as np

    items = int(cells.max()) // bins + 1
    sums = np.bincount(cells, weights=gaps, minlength=items * bins).reshape(items, bins)
    sizes = np.bincount(cells, minlength=items * bins).reshape(items, bins).sum(axis=1)
    found = []
    for rows in _batches(items):
        chosen = random.integers(0, items, size=(rows, items)) + items * np.arange(rows)[:, None]
        times = np.bincount(chosen.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)
        found.append(np.abs(times @ sums).sum(axis=1) / (times @ sizes))
    return np.concatenate(found)


def _times_by_item(gaps: Floats, cells: Codes, bins: int) -> float:
    """How many times as far as for pairs of as many items chance takes the bins from the diagonal; 1 or more."""
    import numpy as np

    places = cells % bins
    counts = np.bincount(places, minlength=bins)
    means = np.bincount(places, weights=gaps, minlength=bins) / np.maximum(counts, 1)
    apart = gaps - means[places]
    of_item = np.bincount(cells, weights=apart)
    whole = np.bincount(np.arange(len(of_item)) % bins, weights=of_item**2, minlength=bins)
    single = np.bincount(places, weights=apart**2, minlength=bins)
    together = float(np.sqrt(single).sum())
    return max(1.0, float(np.sqrt(whole).sum()) / together) if together else 1.0


def _if_calibrated(random: np.random.Generator, chances: Floats, places: Codes, bins: int) -> Floats:
    import numpy as np

    n, found = len(chances), []
    for rows in _batches(n):
        gaps = chances - (random.random((rows, n)) < chances)
        found.append(_mean_gap(gaps, np.broadcast_to(places, gaps.shape), bins))
    return np.concatenate(found)


def _mean_gap(gaps: Floats, places: Codes, bins: int) -> Floats:
    import numpy as np

    rows, n = gaps.shape
    cells = (np.arange(rows)[:, None] * bins + places).ravel()
    sums = np.bincount(cells, weights=gaps.ravel(), minlength=rows * bins).reshape(rows, bins)
    return np.asarray(np.abs(sums).sum(axis=1) / n)


def _batches(n: int) -> list[int]:
    at_once = max(1, min(RESAMPLES, _DRAWS_AT_ONCE // n))
    whole, rest = divmod(RESAMPLES, at_once)
    return [at_once] * whole + [rest] * (rest > 0)


def _checked(probabilities: Sequence[float], passed: Sequence[float]) -> tuple[Floats, Floats]:
    import numpy as np

    check_pairs(probabilities, passed)
    chances, outcomes = column(probabilities), column(passed)
    if ((chances < 0) | (chances > 1)).any():
        raise RecordError("a probability lies between 0 and 1", fix="calibrate other numbers against numbers")
    if not np.isin(outcomes, (0.0, 1.0)).all():
        raise RecordError("a probability is calibrated against outcomes of 0 or 1")
    return chances, outcomes
