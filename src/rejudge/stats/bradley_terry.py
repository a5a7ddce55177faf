"""How strong each of several systems is, from who won which bouts: Bradley and Terry's model, by maximum likelihood.

P(A is preferred to B) = 1/(1 + exp(−(θ_A − θ_B))), with + γ in the exponent where A was shown first. Sources: Bradley
and Terry 1952, Biometrika 39; Ford 1957, American Mathematical Monthly 64, for when an estimate exists; Davidson and
Beaver 1977, Biometrics 33, for the effect of the order. Ties count half a win for each side.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from rejudge.domain.errors import RecordError, UnknownName
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import LEVEL, Interval, Method, Undefined, check_level

if TYPE_CHECKING:
    from rejudge.stats.column import Floats

_STEPS = 100
_CONVERGED = 1e-10
_NO_VARIANCE = 1e-18
_ALIKE = Undefined("every cluster says the same, so the spread between them cannot be estimated")


class Bouts(msgspec.Struct, frozen=True, kw_only=True):
    """How often `first`, shown first, and `second` were preferred to each other, and how often neither was."""

    first: str
    second: str
    first_wins: int
    second_wins: int
    ties: int = 0

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise RecordError(f"{self.first!r} cannot win against itself")
        if min(self.first_wins, self.second_wins, self.ties) < 0:
            raise RecordError(f"{self.first!r} against {self.second!r}: a count of bouts cannot be negative")

    @property
    def n(self) -> int:
        """All bouts."""
        return self.first_wins + self.second_wins + self.ties

    @property
    def first_share(self) -> float:
        """The wins of the first, ties half."""
        return self.first_wins + self.ties / 2


class Strength(msgspec.Struct, frozen=True, kw_only=True):
    """The strength θ of a system in log-odds, relative to the mean of all; `n` bouts, of which it won `wins`."""

    name: str
    log_odds: float
    interval: Interval | Undefined
    n: int
    wins: float


class BradleyTerry(msgspec.Struct, frozen=True, kw_only=True):
    """The strengths, strongest first, from `n` bouts of which `ties` were ties.

    `place` is γ, the log-odds that being shown first adds; None where the order was not modelled. Without `clusters`,
    intervals are normal, from the information matrix, and take bouts for independent; ties, which vary less than wins,
    make them a little too wide. Bouts in clusters, as both orders of one item are, may be alike: then intervals are by
    t over the clusters. `covariance` is that of the strengths, in their order.
    """

    strengths: tuple[Strength, ...]
    place: Estimate | None
    n: int
    ties: int
    clusters: int | None
    level: float
    covariance: tuple[tuple[float, ...], ...]

    def advantage(self, name: str, over: str) -> Estimate:
        """θ of `name` less θ of `over`, in log-odds; raises UnknownName."""
        one, other = self._index(name), self._index(over)
        value = self.strengths[one].log_odds - self.strengths[other].log_odds
        rows = self.covariance
        variance = rows[one][one] + rows[other][other] - 2 * rows[one][other]
        interval = _around(value, variance, level=self.level, clusters=self.clusters)
        return Estimate(value=value, n=self.n, interval=interval)

    def p_value(self, name: str, over: str) -> float | Undefined:
        """How often two equally strong systems would seem at least as different; raises UnknownName.

        Undefined where the clusters show no spread.
        """
        from scipy.special import ndtr, stdtr

        found = self.advantage(name, over)
        interval = found.interval
        if isinstance(interval, Undefined):
            return interval
        half = (interval.high - interval.low) / 2
        far = abs(found.value) / half * _quantile(self.level, self.clusters)
        tail = ndtr(-far) if self.clusters is None else stdtr(self.clusters - 1, -far)
        return min(1.0, 2 * float(tail))

    def win_chance(self, name: str, over: str) -> Estimate:
        """How likely `name` is preferred to `over` where the order plays no part; raises UnknownName."""
        found = self.advantage(name, over)
        interval = found.interval
        if isinstance(interval, Interval):
            low, high = _logistic(interval.low), _logistic(interval.high)
            interval = Interval(low=low, high=high, level=interval.level, method=interval.method)
        return Estimate(value=_logistic(found.value), n=found.n, interval=interval)

    def _index(self, name: str) -> int:
        names = [strength.name for strength in self.strengths]
        if name not in names:
            raise UnknownName.among("system", name, names)
        return names.index(name)


def bradley_terry(
    bouts: Iterable[Bouts], *, clusters: Sequence[Hashable] | None = None, level: float = LEVEL
) -> BradleyTerry | Undefined:
    """The strengths from `bouts`, as if the order in which two were shown made no difference.

    `clusters` names the cluster of each of `bouts`, such as the item, where bouts of one cluster may be alike.

    Undefined where some were never compared, even through others, and where some won every bout against the rest, so
    that no finite strength is likeliest.
    """
    given, named = _given(bouts, clusters)
    return _apart(_pooled(given)) or _fit(given, _design(given), clusters=named, level=level)


def bradley_terry_with_place(
    bouts: Iterable[Bouts], *, clusters: Sequence[Hashable] | None = None, level: float = LEVEL
) -> BradleyTerry | Undefined:
    """The strengths and the effect of being shown first, from `bouts` whose order is known.

    Undefined as `bradley_terry`, where the orders do not let strength and place be told apart, and where strength and
    place together explain every bout without an exception.
    """
    import numpy as np

    given, named = _given(bouts, clusters)
    pooled = _pooled(given)
    if (reason := _disconnected(pooled)) is not None:
        return reason
    design = _with_place(pooled)
    if np.linalg.matrix_rank(design) < design.shape[1] - 1:
        return Undefined(
            "the orders do not tell the place from the strength; some pairs have to be shown in both orders"
        )
    if _separated(pooled, design):
        return Undefined("strength and place explain every bout without an exception, so no finite ones are likeliest")
    return _fit(given, _with_place(given), clusters=named, level=level)


def _given(
    bouts: Iterable[Bouts], clusters: Sequence[Hashable] | None
) -> tuple[list[Bouts], Sequence[Hashable] | None]:
    """Those that hold a bout, with their clusters."""
    told = list(bouts)
    if clusters is None:
        return [one for one in told if one.n], None
    if len(clusters) != len(told):
        raise RecordError(f"{len(clusters)} clusters are named for {len(told)} bouts", fix="name one for each")
    kept = [(one, cluster) for one, cluster in zip(told, clusters, strict=True) if one.n]
    return [one for one, _ in kept], [cluster for _, cluster in kept]


def _pooled(bouts: Sequence[Bouts]) -> list[Bouts]:
    """The bouts of each pair in each order, added up."""
    found: dict[tuple[str, str], Bouts] = {}
    for one in bouts:
        pair = one.first, one.second
        known = found.get(pair)
        if known is not None:
            one = Bouts(
                first=one.first,
                second=one.second,
                first_wins=known.first_wins + one.first_wins,
                second_wins=known.second_wins + one.second_wins,
                ties=known.ties + one.ties,
            )
        found[pair] = one
    return list(found.values())


def _with_place(bouts: Sequence[Bouts]) -> Floats:
    import numpy as np

    return np.column_stack([_design(bouts), np.ones(len(bouts))])


def _names(bouts: Sequence[Bouts]) -> list[str]:
    return list(dict.fromkeys(name for one in bouts for name in (one.first, one.second)))


def _design(bouts: Sequence[Bouts]) -> Floats:
    """One row of +1 for the first and −1 for the second for each entry of `bouts`."""
    import numpy as np

    index = {name: place for place, name in enumerate(_names(bouts))}
    design = np.zeros((len(bouts), len(index)))
    for row, one in enumerate(bouts):
        design[row, index[one.first]] = 1
        design[row, index[one.second]] = -1
    return design


def _disconnected(bouts: Sequence[Bouts]) -> Undefined | None:
    parts = _components(bouts, "weak")
    if len(parts) == 1:
        return None
    if not parts:
        return Undefined("there were no bouts")
    return Undefined(f"{_listed(parts[0])} and {_listed(parts[1])} were never compared, not even through others")


def _apart(bouts: Sequence[Bouts]) -> Undefined | None:
    """Why no finite strengths are likeliest, if so: not everyone can be reached from everyone along won bouts."""
    if (reason := _disconnected(bouts)) is not None:
        return reason
    parts = _components(bouts, "strong")
    if len(parts) == 1:
        return None
    part_of = {name: number for number, part in enumerate(parts) for name in part}
    losers = {
        part_of[loser]
        for one in bouts
        for loser, wins in ((one.second, one.first_wins), (one.first, one.second_wins))
        if (wins or one.ties) and part_of[one.first] != part_of[one.second]
    }
    unbeaten = next(part for number, part in enumerate(parts) if number not in losers)
    return Undefined(f"{_listed(unbeaten)} won every bout against the others, so no finite strength is likeliest")


def _components(bouts: Sequence[Bouts], connection: Literal["weak", "strong"]) -> list[list[str]]:
    """The names in sets within which all are linked by bouts ("weak") or by chains of wins both ways ("strong")."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    names = _names(bouts)
    index = {name: place for place, name in enumerate(names)}
    wins = [
        (index[winner], index[loser])
        for one in bouts
        for winner, loser, count in ((one.first, one.second, one.first_wins), (one.second, one.first, one.second_wins))
        if count or one.ties
    ]
    if not wins:
        return []
    winners, losers = zip(*wins, strict=True)
    graph = coo_array(([1] * len(wins), (winners, losers)), shape=(len(names), len(names)))
    count, labels = connected_components(graph, directed=True, connection=connection)
    return [[name for name, label in zip(names, labels, strict=True) if label == part] for part in range(count)]


def _separated(bouts: Sequence[Bouts], design: Floats) -> bool:
    """Whether some direction never contradicts a bout and agrees with one: then the likelihood grows for ever.

    Source: Albert and Anderson 1984, Biometrika 71; found by a linear programme.
    """
    import numpy as np
    from scipy.optimize import linprog

    rows = [sign * row for one, row in zip(bouts, design, strict=True) for sign in _seen(one)]
    signed = np.array(rows)
    count, width = signed.shape
    # Maximise the sum of t, 0 ≤ t ≤ 1, with signed·β ≥ t.
    found = linprog(
        np.concatenate([np.zeros(width), -np.ones(count)]),
        A_ub=np.hstack([-signed, np.eye(count)]),
        b_ub=np.zeros(count),
        bounds=[(None, None)] * width + [(0, 1)] * count,
    )
    return found.fun is not None and -float(found.fun) > 1e-7


def _seen(one: Bouts) -> list[int]:
    return [sign for sign, wins in ((1, one.first_wins), (-1, one.second_wins)) if wins or one.ties]


def _fit(
    bouts: Sequence[Bouts], design: Floats, *, clusters: Sequence[Hashable] | None, level: float
) -> BradleyTerry | Undefined:
    import numpy as np

    check_level(level)
    names = _names(bouts)
    n = np.array([one.n for one in bouts], dtype=np.float64)
    wins = np.array([one.first_share for one in bouts])
    beta, covariance = _newton(design, wins, n, systems=len(names))
    units = None if clusters is None else len(set(clusters))
    if units is not None and units < 2:
        return Undefined("the bouts are all of one cluster, which shows no spread between clusters")
    if clusters is not None:
        covariance = _clustered(design, wins, n, beta=beta, inverse=covariance, clusters=clusters)
    order = np.argsort(-beta[: len(names)], kind="stable")
    played, won = n @ np.abs(design), np.maximum(design, 0).T @ wins + np.maximum(-design, 0).T @ (n - wins)
    place = None
    if design.shape[1] > len(names):
        value, variance = float(beta[-1]), float(covariance[-1, -1])
        place = Estimate(value=value, n=int(n.sum()), interval=_around(value, variance, level=level, clusters=units))
    return BradleyTerry(
        strengths=tuple(
            Strength(
                name=names[at],
                log_odds=float(beta[at]),
                interval=_around(float(beta[at]), float(covariance[at, at]), level=level, clusters=units),
                n=int(played[at]),
                wins=float(won[at]),
            )
            for at in order
        ),
        place=place,
        n=int(n.sum()),
        ties=sum(one.ties for one in bouts),
        clusters=units,
        level=level,
        covariance=tuple(tuple(row) for row in covariance[np.ix_(order, order)].tolist()),
    )


def _newton(design: Floats, wins: Floats, n: Floats, *, systems: int) -> tuple[Floats, Floats]:
    """The likeliest coefficients, strengths summing to 0, and their covariance."""
    import numpy as np
    from scipy.special import expit

    beta = np.zeros(design.shape[1])
    # Adding the same to every strength changes nothing; this makes the matrix invertible, and is taken out again.
    level = np.zeros((len(beta), len(beta)))
    level[:systems, :systems] = 1 / systems
    for _ in range(_STEPS):
        wins_chance, loss_chance = expit(design @ beta), expit(-(design @ beta))
        information = (design.T * (n * wins_chance * loss_chance)) @ design
        scale = max(float(np.trace(information)) / len(beta), 1e-300)
        gradient = design.T @ (wins * loss_chance - (n - wins) * wins_chance)
        step = np.linalg.solve(information + scale * level, gradient)
        beta += step * min(1.0, 2 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < _CONVERGED:
            covariance: Floats = np.linalg.inv(information + scale * level) - level / scale
            return beta, covariance
    raise RecordError("the strengths did not settle", fix="report these counts of bouts as a fault of rejudge")


def _clustered(
    design: Floats, wins: Floats, n: Floats, *, beta: Floats, inverse: Floats, clusters: Sequence[Hashable]
) -> Floats:
    """The covariance that holds where bouts of one cluster are alike: A·(Σ g·gᵀ)·A·C/(C − 1), g each one's score.

    Source: Liang and Zeger 1986, Biometrika 73.
    """
    import numpy as np
    from scipy.special import expit

    number = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters))}
    place = np.array([number[cluster] for cluster in clusters])
    residuals = (wins - n * expit(design @ beta))[:, None] * design
    scores = np.zeros((len(number), design.shape[1]))
    np.add.at(scores, place, residuals)
    found: Floats = inverse @ (scores.T @ scores) @ inverse * (len(number) / (len(number) - 1))
    return found


def _quantile(level: float, clusters: int | None) -> float:
    from scipy.special import ndtri, stdtrit

    share = (1 + level) / 2
    return float(ndtri(share)) if clusters is None else float(stdtrit(clusters - 1, share))


def _around(value: float, variance: float, *, level: float, clusters: int | None) -> Interval | Undefined:
    if variance <= _NO_VARIANCE:
        return _ALIKE
    half = _quantile(level, clusters) * math.sqrt(variance)
    method: Method = "normal" if clusters is None else "cluster-t"
    return Interval(low=value - half, high=value + half, level=level, method=method)


def _logistic(log_odds: float) -> float:
    from scipy.special import expit

    return float(expit(log_odds))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
