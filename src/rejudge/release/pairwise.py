"""Systems ranked by a judge that saw their outputs side by side: strengths, and what the place did."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from rejudge.domain.errors import ConfigurationError, StoreDamaged
from rejudge.domain.score import ScoreStatus
from rejudge.scorers.pairwise import FLIPPED, WIN
from rejudge.stats.bradley_terry import Bouts, BradleyTerry, bradley_terry_with_place
from rejudge.stats.differences import TIE
from rejudge.stats.interval import LEVEL, Interval, Undefined
from rejudge.stats.leaderboard import tie_groups
from rejudge.stats.moments import Moments
from rejudge.stats.multiple import holm
from rejudge.stats.scale import PASS_FAIL
from rejudge.stats.summary import interval_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rejudge.domain.run import Run
    from rejudge.domain.score import Score
    from rejudge.storage.store import Store

PAIRWISE = "pairwise"
"""The type of scorers that compare two traces."""


class Duel(msgspec.Struct, frozen=True, kw_only=True):
    """Two systems side by side on `items` items: the share of `first`, ties half, a mean over items.

    `flipped` is the share of judgements in which the preference went with the place, a mean over the `asked` items
    whose pair a judge was shown; None where there are none.
    """

    first: str
    second: str
    items: int
    first_share: float
    interval: Interval | Undefined
    asked: int
    flipped: float | None
    flipped_interval: Interval | Undefined


class PairwisePlace(msgspec.Struct, frozen=True, kw_only=True):
    """A system: its log-odds of being preferred with their interval, and the ranks that it may truly have."""

    name: str
    log_odds: float
    interval: Interval | Undefined
    best_rank: int
    worst_rank: int
    groups: tuple[int, ...]


class Chance(msgspec.Struct, frozen=True, kw_only=True):
    """How likely `first` is preferred to `second` where the place plays no part; `p` is corrected for all pairs."""

    first: str
    second: str
    chance: float
    interval: Interval | Undefined
    p: float | Undefined


class PairwiseRanked(msgspec.Struct, frozen=True, kw_only=True):
    """What a pairwise judge says of several systems.

    `pairs` traces were compared of `items` items, `unasked` of them without a judge because an output was null, which
    loses in both orders; `skipped` had no opponent, `errors` no verdict. `shown_first` is the share of answers for the
    trace that was shown first, a mean over the `asked` items whose pair a judge was shown: 0.5 is fair. `model` is
    Bradley and Terry's with the effect of the place, or why there is none; `places` and `chances` are by it.
    """

    scorer: str
    level: float
    items: int
    pairs: int
    unasked: int
    skipped: int
    errors: int
    asked: int
    shown_first: float | Undefined
    shown_first_interval: Interval | Undefined
    duels: tuple[Duel, ...]
    model: BradleyTerry | Undefined
    places: tuple[PairwisePlace, ...]
    chances: tuple[Chance, ...]


class Met(NamedTuple):
    """Two traces of an item that met: the points of the first, 1, 0.5 or 0, as given and swapped, by each judge."""

    item_id: str
    first: str
    second: str
    orders: tuple[tuple[float, float], ...]
    asked: bool


class _Found(NamedTuple):
    met: list[Met]
    skipped: int
    errors: int


def pairwise_scorer(store: Store, runs: Sequence[Run], scorer: str | None) -> str | None:
    """The name of the scorer that compared pairs in these runs: the named one, or the only one they have."""
    configs = [store.scorer(digest) for run in runs for digest in run.scorers]
    names = list(dict.fromkeys(config.name for config in configs if config.type == PAIRWISE))
    if scorer is not None:
        return scorer if scorer in names else None
    return names[0] if len(names) == 1 else None


def rank_pairs(store: Store, runs: Sequence[Run], scorer: str, *, level: float = LEVEL) -> PairwiseRanked:
    """Rank the systems whose traces a judge compared in these runs; a pair that several of them hold counts once.

    Raises ConfigurationError where no run holds a comparison.
    """
    labels = _labels(store, runs)
    found = _met(store, runs, scorer, labels)
    if not found.met:
        raise ConfigurationError(
            f"no pair was compared by {scorer!r}",
            fix="let it compare runs: rejudge.compare_pairwise(first, second, judge)",
        )
    bouts, items = _bouts(found.met)
    model = bradley_terry_with_place(bouts, clusters=items, level=level)
    chances = () if isinstance(model, Undefined) else _chances(model)
    shown = _item_moments((met.item_id, share) for met in found.met if met.asked for share in _shown_first(met))
    return PairwiseRanked(
        scorer=scorer,
        level=level,
        items=len({met.item_id for met in found.met}),
        pairs=len(found.met),
        unasked=sum(not met.asked for met in found.met),
        skipped=found.skipped,
        errors=found.errors,
        asked=shown.n,
        shown_first=Undefined("no judge was shown a pair") if shown.mean is None else shown.mean,
        shown_first_interval=interval_of(shown, scale=PASS_FAIL, level=level),
        duels=tuple(_duels(found.met, level=level)),
        model=model,
        places=() if isinstance(model, Undefined) else _places(model, chances, level=level),
        chances=chances,
    )


def _labels(store: Store, runs: Sequence[Run]) -> dict[bytes, str]:
    """The systems by their run configs; several of one name are numbered."""
    digests = dict.fromkeys(
        digest
        for run in runs
        if run.opponent_run_id is not None
        for digest in (run.run_config, store.run(run.opponent_run_id).run_config)
    )
    seen: Counter[str] = Counter()
    labels = {}
    for digest in digests:
        name = store.run_config(digest).name
        seen[name] += 1
        labels[digest] = name if seen[name] == 1 else f"{name} {seen[name]}"
    return labels


def _met(store: Store, runs: Sequence[Run], scorer: str, labels: Mapping[bytes, str]) -> _Found:
    met: dict[bytes, Met] = {}
    failed: dict[bytes, ScoreStatus] = {}
    for run in runs:
        digests = {digest for digest in run.scorers if store.scorer(digest).name == scorer}
        if run.opponent_run_id is None or not digests:
            continue
        first, second = labels[run.run_config], labels[store.run(run.opponent_run_id).run_config]
        for item_id, score in _scores(store, run.id, digests):
            if score.status is ScoreStatus.SCORED:
                asked = any(value.name == FLIPPED for value in score.values)
                orders = _orders(score, item_id) if asked else (_decided(score, item_id),)
                met[score.digest()] = Met(item_id, first, second, orders, asked)
            else:
                failed[score.digest()] = score.status
    left = [status for digest, status in failed.items() if digest not in met]
    return _Found(list(met.values()), left.count(ScoreStatus.SKIPPED), left.count(ScoreStatus.ERROR))


def _scores(store: Store, run_id: str, digests: set[bytes]) -> Iterator[tuple[str, Score]]:
    start = 0
    while page := store.cases(run_id, start=start):
        start += len(page)
        for row in page:
            yield from ((row.item.id, score) for score in row.scores if score.scorer in digests)


def _orders(score: Score, item_id: str) -> tuple[tuple[float, float], ...]:
    """What each judge said in both orders, from the evidence of the score."""
    told: Any = (score.evidence or {}).get("orders")
    if not told:
        raise StoreDamaged(
            f"the comparison of item {item_id!r} does not hold what the judge said in either order",
            fix="compare the pair again: rejudge.compare_pairwise(first, second, judge)",
        )
    return tuple((float(one["as_given"]), float(one["swapped"])) for one in told)


def _decided(score: Score, item_id: str) -> tuple[float, float]:
    """The points of a pair that no judge was shown: the same in both orders."""
    win = next((value.number for value in score.values if value.name == WIN), None)
    if win is None:
        raise StoreDamaged(f"the comparison of item {item_id!r} does not say who won")
    return win, win


def _bouts(met: Iterable[Met]) -> tuple[list[Bouts], list[str]]:
    """A bout for each answer, the trace that was shown first standing first; and the item of each."""
    bouts: list[Bouts] = []
    items: list[str] = []
    for one in met:
        for as_given, swapped in one.orders:
            bouts += [_bout(one.first, one.second, as_given), _bout(one.second, one.first, 1 - swapped)]
            items += [one.item_id, one.item_id]
    return bouts, items


def _bout(first: str, second: str, points: float) -> Bouts:
    return Bouts(
        first=first, second=second, first_wins=int(points == 1), second_wins=int(points == 0), ties=int(points == 0.5)
    )


def _shown_first(met: Met) -> list[float]:
    return [(as_given + 1 - swapped) / 2 for as_given, swapped in met.orders]


def _item_moments(values: Iterable[tuple[str, float]]) -> Moments:
    """Of the mean values of items."""
    by_item: dict[str, list[float]] = {}
    for item_id, value in values:
        by_item.setdefault(item_id, []).append(value)
    return Moments.of([sum(one) / len(one) for one in by_item.values()])


def _duels(met: Sequence[Met], *, level: float) -> Iterator[Duel]:
    """Each two systems that met, whichever of them stood first in the pair."""
    pairs: dict[frozenset[str], list[Met]] = {}
    for one in met:
        pairs.setdefault(frozenset((one.first, one.second)), []).append(one)
    for those in pairs.values():
        first, second = those[0].first, those[0].second
        shares = _item_moments(
            (one.item_id, win if one.first == first else 1 - win) for one in those for win in _wins(one)
        )
        flips = _item_moments(
            (one.item_id, float(abs(given - swapped) > 1 - TIE))
            for one in those
            if one.asked
            for given, swapped in one.orders
        )
        assert shares.mean is not None, "two systems that met have an item"
        yield Duel(
            first=first,
            second=second,
            items=shares.n,
            first_share=shares.mean,
            interval=interval_of(shares, scale=PASS_FAIL, level=level),
            asked=flips.n,
            flipped=flips.mean,
            flipped_interval=interval_of(flips, scale=PASS_FAIL, level=level),
        )


def _wins(met: Met) -> list[float]:
    return [(as_given + swapped) / 2 for as_given, swapped in met.orders]


def _chances(model: BradleyTerry) -> tuple[Chance, ...]:
    """Every two systems, the stronger first, with p corrected by Holm's method."""
    names = [one.name for one in model.strengths]
    pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
    known = [model.p_value(*pair) for pair in pairs]
    # What is undefined shows nothing, and counts as one of the family all the same.
    corrected = holm([1.0 if isinstance(p, Undefined) else p for p in known])
    found = []
    for (one, other), p, corrected_p in zip(pairs, known, corrected, strict=True):
        chance = model.win_chance(one, other)
        told = p if isinstance(p, Undefined) else corrected_p
        found.append(Chance(first=one, second=other, chance=chance.value, interval=chance.interval, p=told))
    return tuple(found)


def _places(model: BradleyTerry, chances: Sequence[Chance], *, level: float) -> tuple[PairwisePlace, ...]:
    order = [one.name for one in model.strengths]
    above = [(one.first, one.second) for one in chances if not isinstance(one.p, Undefined) and one.p <= 1 - level]
    groups = tie_groups(order, above)
    return tuple(
        PairwisePlace(
            name=one.name,
            log_odds=one.log_odds,
            interval=one.interval,
            best_rank=1 + sum(lower == one.name for _, lower in above),
            worst_rank=len(order) - sum(upper == one.name for upper, _ in above),
            groups=tuple(number for number, group in enumerate(groups, 1) if one.name in group),
        )
        for one in model.strengths
    )
