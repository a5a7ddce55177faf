"""Two systems compared by one score of the same items: difference, tests, effect, verdict, and what would decide.

The sign is second − first everywhere: candidate − baseline. The unit is the item; several trials of an item are
averaged before they come here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypedDict, Unpack

import msgspec

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.stats.bootstrap import RESAMPLES, bootstrap_mean
from rejudge.stats.bounds import Bounds
from rejudge.stats.decision import (
    ComparisonVerdict,
    Decision,
    Ground,
    NonInferiority,
    decide,
    detectable_difference,
    fewest_units,
    non_inferiority,
)
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import LEVEL, Interval, Undefined, clopper_pearson
from rejudge.stats.mcnemar import Outcomes, odds_ratio, paired_share_interval
from rejudge.stats.mcnemar_power import detectable_by_exact_test, items_for_exact_test
from rejudge.stats.p_value import PValue, Test
from rejudge.stats.pair_tests import Pairs, all_tests, primary_test
from rejudge.stats.power import Aim, PairedVariance
from rejudge.stats.scale import Direction, Kind, Scale
from rejudge.stats.summary import check_range
from rejudge.stats.t_power import items_for_t

if TYPE_CHECKING:
    from rejudge.stats.column import Names, Numbers

_CLUSTERED = Undefined("it takes items for independent, and they share clusters")
_NO_RESAMPLES = Undefined("no resamples were asked for")
_NOT_BINARY = Undefined("not every value is 0 or 1")
_NO_SIZE = Undefined("the observed difference is 0 and no smallest difference of interest was named")


class Terms(TypedDict, total=False):
    """What a comparison is asked beside its data; each may be left out.

    `unpaired`: how many items only the first, only the second has a score for. `clusters`: the cluster of each item,
    where items resemble each other. `level`: 1 − the error that a false "better" or "worse" may have. `margin`: how
    much worse is still acceptable. `smallest`: the smallest difference of interest. Both are in the score's unit and
    positive. `resamples`: of the bootstrap and the flips of signs; 0 leaves them out. `bounds`: those of the difference
    over everything planned, where scores are missing.
    """

    unpaired: tuple[int, int]
    clusters: Names | None
    level: float
    margin: float | None
    smallest: float | None
    resamples: int
    bounds: Bounds | Undefined | None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What `n` pairs say about second − first.

    `interval` belongs to `difference`: Tango's for 0/1 data, else by t or cluster-t; `bootstrap` is another one, by
    resampling from `seed`. `units` are the pairs, or the clusters that they fall into. `tests` has every test that
    fits; `primary` decides, and `primary_because` says why it does. `outcomes` counts 0/1 data, and is None for other.
    `detectable` is the smallest difference that would have been shown with 80 % power, `items_to_decide` how many
    items would show the smallest of interest with that power, or the observed one where none was named; of items in
    clusters `clusters_to_decide` says how many clusters these are, and is None for others.
    `non_inferiority` is None where no margin was given. `bounds` are those of the difference over all planned items,
    whatever the scores that are missing would have been; None where none is missing, or nobody said what is.
    """

    name: str
    kind: Kind
    direction: Direction
    n: int
    unpaired: tuple[int, int]
    units: int
    clustered: bool
    level: float
    seed: int
    mean_first: float | Undefined
    mean_second: float | Undefined
    difference: float | Undefined
    interval: Interval | Undefined
    bootstrap: Interval | Undefined
    correlation: Estimate | Undefined
    d_z: Estimate | Undefined
    outcomes: Outcomes | None
    odds_ratio: Estimate | Undefined
    tests: dict[Test, PValue | Undefined]
    primary: Test | Undefined
    primary_because: str
    verdict: ComparisonVerdict
    because: str
    smallest: float | None
    detectable: float | Undefined
    items_to_decide: int | Undefined
    non_inferiority: NonInferiority | Undefined | None
    clusters_to_decide: int | Undefined | None = None
    bounds: Bounds | Undefined | None = None

    @property
    def p(self) -> float | Undefined:
        """The p-value that decides: that of the primary test."""
        return _p(self.tests, self.primary)

    def decided_by(self, p: float | Undefined) -> Decision:
        """The verdict if the deciding p-value were `p`, corrected because it is one of several."""
        ground = Ground(
            difference=self.difference,
            units=self.units,
            unit="clusters" if self.clustered else "pairs",
            detectable=self.detectable,
            smallest=self.smallest,
            direction=self.direction,
            level=self.level,
        )
        return decide(ground, p)


def compare(
    first: Numbers, second: Numbers, *, name: str, kind: Kind, scale: Scale, seed: int, **terms: Unpack[Terms]
) -> Comparison:
    """The comparison of two aligned columns of item means; `Terms` tells what else may be asked.

    Raises RecordError for columns that cannot be paired, values outside the range, and labels, which have no mean;
    ConfigurationError for a margin, smallest difference or level that cannot be used.
    """
    _check_terms(name, kind, terms)
    level, smallest, margin = terms.get("level", LEVEL), terms.get("smallest"), terms.get("margin")
    pairs = Pairs.of(first, second, scale=scale, clusters=terms.get("clusters"), level=level)
    for values in (pairs.first, pairs.second):
        for end in (values.min(), values.max()) if len(values) else ():
            check_range(float(end), scale, name)
    resamples = terms.get("resamples", RESAMPLES)
    tests = all_tests(pairs, seed=seed, flips=resamples)
    chosen = primary_test(tests)
    interval = _interval(pairs, scale, level=level)
    found = Comparison(
        name=name,
        kind=kind,
        direction=scale.direction,
        n=pairs.summary.n,
        unpaired=terms.get("unpaired", (0, 0)),
        units=pairs.summary.units,
        clustered=pairs.clusters is not None,
        level=level,
        seed=seed,
        mean_first=pairs.summary.mean_first,
        mean_second=pairs.summary.mean_second,
        difference=pairs.summary.difference,
        interval=interval,
        bootstrap=_bootstrap(pairs, seed=seed, resamples=resamples, level=level),
        correlation=pairs.summary.correlation,
        d_z=pairs.summary.d_z,
        outcomes=pairs.outcomes,
        odds_ratio=_odds_ratio(pairs, level=level),
        tests=tests,
        primary=chosen if isinstance(chosen, Undefined) else chosen[0],
        primary_because=chosen.reason if isinstance(chosen, Undefined) else chosen[1],
        verdict=ComparisonVerdict.NOT_ENOUGH_DATA,
        because="",
        smallest=smallest,
        detectable=_detectable(pairs, interval, level=level),
        items_to_decide=_NO_SIZE,
        non_inferiority=None if margin is None else non_inferiority(interval, margin=margin, direction=scale.direction),
        bounds=terms.get("bounds"),
    )
    decision, needed = found.decided_by(found.p), _units_to_decide(pairs, found)
    return msgspec.structs.replace(
        found,
        verdict=decision.verdict,
        because=decision.because,
        items_to_decide=needed if isinstance(needed, Undefined) else math.ceil(needed * found.n / found.units),
        clusters_to_decide=needed if found.clustered else None,
    )


def _p(tests: dict[Test, PValue | Undefined], primary: Test | Undefined) -> float | Undefined:
    if isinstance(primary, Undefined):
        return primary
    found = tests[primary]
    return found if isinstance(found, Undefined) else found.p


def _check_terms(name: str, kind: Kind, terms: Terms) -> None:
    if kind == "label":
        raise RecordError(f"{name}: labels have no mean to compare", fix="compare the share of one label, as 0 and 1")
    smallest, unpaired = terms.get("smallest"), terms.get("unpaired", (0, 0))
    if smallest is not None and not (smallest > 0 and math.isfinite(smallest)):
        raise ConfigurationError(
            f"{smallest} is not a smallest difference of interest", fix="say in the score's unit what would matter"
        )
    if min(unpaired) < 0:
        raise RecordError(f"{name}: {unpaired} are not counts of items")


def _interval(pairs: Pairs, scale: Scale, *, level: float) -> Interval | Undefined:
    """Of the difference; where every pair ties, what the other items of such a population may still hold.

    By Clopper and Pearson no more than a share of them differs, and each by no more than the width of the scale.
    """
    if pairs.outcomes is not None and pairs.clusters is None:
        return paired_share_interval(pairs.outcomes, level=level)
    if not pairs.none_differ or scale.low is None or scale.high is None:
        return pairs.summary.interval
    share = clopper_pearson(0, pairs.summary.units, level=level)
    if isinstance(share, Undefined):
        return share
    reach = share.high * (scale.high - scale.low)
    return Interval(low=-reach, high=reach, level=level, method="clopper-pearson")


def _bootstrap(pairs: Pairs, *, seed: int, resamples: int, level: float) -> Interval | Undefined:
    if not resamples:
        return _NO_RESAMPLES
    drawn = bootstrap_mean(pairs.differences, clusters=pairs.clusters, seed=seed, resamples=resamples, level=level)
    return drawn.interval


def _odds_ratio(pairs: Pairs, *, level: float) -> Estimate | Undefined:
    if pairs.outcomes is None:
        return _NOT_BINARY
    found = odds_ratio(pairs.outcomes, level=level)
    if isinstance(found, Undefined):
        return found
    value, interval = found
    return Estimate(
        value=value,
        n=pairs.outcomes.b + pairs.outcomes.c,
        interval=interval if pairs.clusters is None else _CLUSTERED,
    )


def _detectable(pairs: Pairs, interval: Interval | Undefined, *, level: float) -> float | Undefined:
    """By the exact test for passes and fails, else from the interval; undefined where nothing could have been shown."""
    units, fewest = pairs.summary.units, fewest_units(level)
    if 0 < units < fewest:
        what = "items" if pairs.clusters is None else "clusters"
        return Undefined(
            f"{units} {what} are too few: the exact test, which decides, shows a difference from {fewest} on, and then "
            "only if all change the same way"
        )
    if pairs.outcomes is not None and pairs.clusters is None and units:
        discordant = (pairs.outcomes.b + pairs.outcomes.c) / pairs.outcomes.n
        return detectable_by_exact_test(pairs.outcomes.n, discordant, aim=Aim(level=level))
    return detectable_difference(interval)


def _units_to_decide(pairs: Pairs, found: Comparison) -> int | Undefined:
    """Pairs or clusters, from the observed error, or share of items that one side only passes; enough to reject."""
    size = pairs.summary.difference if found.smallest is None else found.smallest
    if isinstance(size, Undefined):
        return size
    if not size:
        return _NO_SIZE
    aim = Aim(level=found.level)
    needed = _units_for(pairs, size, aim)
    if isinstance(needed, Undefined):
        return needed
    shown = isinstance(found.p, Undefined) or found.p <= 1 - found.level
    if found.smallest is None and not shown and needed <= found.units:
        return Undefined(
            f"by a t test the {found.units} {'clusters' if found.clustered else 'items'} at hand would do; the exact "
            "test, which decides among so few, is stricter, and how many more it takes is not known"
        )
    return max(needed, fewest_units(found.level))


def _units_for(pairs: Pairs, size: float, aim: Aim) -> int | Undefined:
    if pairs.outcomes is not None and pairs.clusters is None:
        discordant = (pairs.outcomes.b + pairs.outcomes.c) / pairs.outcomes.n
        return items_for_exact_test(size, min(1.0, max(abs(size), discordant)), aim=aim)
    if isinstance(pairs.summary.error, Undefined):
        return pairs.summary.error
    needed = items_for_t(size, PairedVariance(between=pairs.summary.units * pairs.summary.error**2), aim=aim)
    return needed if isinstance(needed, Undefined) else needed.items
