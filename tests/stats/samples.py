"""Samples as lists of values, and what the formulas say of them: oracles for what works on columns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rejudge.stats.interval import (
    LEVEL,
    NO_CLUSTER_SPREAD,
    NOTHING_SCORED,
    ONE_CLUSTER,
    Interval,
    Undefined,
    student_interval,
    t_interval,
)
from rejudge.stats.moments import Moments


def t_of(values: Iterable[float], *, level: float = LEVEL) -> Interval | Undefined:
    """The t interval of the mean of independent values."""
    moments = Moments.of(values)
    return t_interval(moments.mean or 0.0, moments.std or 0.0, moments.n, level=level)


def cluster_t(clusters: Iterable[Sequence[float]]) -> Interval | Undefined:
    """Miller 2024, appendix A: SE = √(Σ_c(Σ_{i∈c}(s_i − mean))²)/n · √(C/(C−1)), one sequence for each cluster."""
    groups = [group for group in clusters if len(group)]
    moments = Moments.of([value for group in groups for value in group])
    mean = moments.mean
    if mean is None or len(groups) < 2:
        return Undefined(NOTHING_SCORED if mean is None else ONE_CLUSTER)
    residuals = [math.fsum(value - mean for value in group) for group in groups]
    room = [sum(4 * math.ulp(max(abs(value), abs(mean))) for value in group) for group in groups]
    if all(abs(residual) <= width for residual, width in zip(residuals, room, strict=True)):
        return Undefined(NO_CLUSTER_SPREAD)
    error = math.hypot(*residuals) / moments.n * math.sqrt(len(groups) / (len(groups) - 1))
    return student_interval(mean, error, len(groups) - 1, level=LEVEL, method="cluster-t")


def members_by(names: Iterable[object]) -> dict[str, list[int]]:
    """For each name, as text, the places that it stands at."""
    found: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        found.setdefault(str(name), []).append(place)
    return found
