"""Agreement of two sides beyond chance by Cohen's κ, plain or weighted, from their confusion matrix.

Sources: Cohen 1960 and 1968; the standard errors are those of Fleiss, Cohen and Everitt 1969.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

from rejudge.domain.errors import ConfigurationError
from rejudge.stats.confusion import NO_PAIRS, Category, Confusion, Placed
from rejudge.stats.estimate import Estimate, Statistic, delta_t, normal_interval
from rejudge.stats.interval import LEVEL, Undefined

if TYPE_CHECKING:
    from rejudge.stats.ties import Floats

Weighting: TypeAlias = Literal["identity", "linear", "quadratic", "ordinal"]


def cohen_kappa(
    confusion: Confusion, *, weighting: Weighting = "identity", placed: Placed | None = None, level: float = LEVEL
) -> Statistic:
    """(p_o − p_e) / (1 − p_e), where p_e is what two sides with these shares of categories agree on by chance.

    Weights give credit for near misses by the distance of the categories' values; quadratic ones ask for categories
    on a scale. The interval is for many pairs: near 1 it holds the truth less often than it says, as in 88 % of samples
    of 100 pairs at κ = 0.94. Undefined with fewer than 2 pairs and where p_e is 1. `placed` tells which pairs are of
    one item, where items come more than once.
    """
    import numpy as np

    cells, n = confusion.cells(), confusion.n
    if n < 2:
        return few_pairs(n)
    weights = agreement_weights(confusion.categories, weighting)
    shares = cells / n
    human, judge = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = float((weights * shares).sum()), float(human @ weights @ judge)
    if math.isclose(expected, 1.0, abs_tol=1e-12):
        return no_variation(observed)
    room = 1 - expected
    value = (observed - expected) / room
    near = (weights @ judge)[:, None] + (human @ weights)[None, :]
    influence = ((weights - observed) * room - (1 - observed) * (near - 2 * expected)) / room**2
    if placed is not None:
        moves, cut = influence.ravel()[placed.cells], float(np.clip(value, -1, 1))
        return Estimate(value=cut, n=n, interval=delta_t(cut, moves, items=placed.items, level=level, most=1.0))
    error = math.sqrt(max(0.0, float((shares * influence**2).sum())) / n)
    return Estimate(value=float(np.clip(value, -1, 1)), n=n, interval=normal_interval(value, error, level=level))


def agreement_weights(categories: Sequence[Category], weighting: Weighting) -> Floats:
    """How much of an agreement each pair of categories is, from 0 to 1; 1 on the diagonal.

    `linear` is 1 − |k − l| / range and `quadratic` 1 − ((k − l) / range)² over the categories' values; `ordinal`
    uses their order alone: 1 − C(|k − l| + 1, 2) / C(q, 2) (Gwet 2014, Handbook of Inter-Rater Reliability, 3.5).
    Raises ConfigurationError for labels, which have no order.
    """
    import numpy as np

    size = len(categories)
    if weighting == "identity" or size < 2:
        return np.eye(size)
    numbers = [category for category in categories if not isinstance(category, str)]
    if len(numbers) < size:
        raise ConfigurationError(
            f"labels have no distance for {weighting} weights", fix="use plain κ or AC1, which need no order"
        )
    values = np.array(numbers, dtype=np.float64)
    if weighting == "ordinal":
        values = np.argsort(np.argsort(values)).astype(np.float64)
    apart = np.abs(values[:, None] - values[None, :])
    if weighting == "ordinal":
        return np.asarray(1 - apart * (apart + 1) / (size * (size - 1)))
    return np.asarray(1 - (apart / apart.max()) ** (1 if weighting == "linear" else 2))


def few_pairs(n: int) -> Undefined:
    """Why one pair or none tells nothing."""
    return Undefined("one pair shows no agreement beyond chance") if n else NO_PAIRS


def no_variation(observed: float) -> Undefined:
    """Why nothing can be said beyond chance where every value is the same."""
    return Undefined(
        f"no variation: every value is the same, so chance explains all of the agreement, p_o = {observed:g}"
    )
