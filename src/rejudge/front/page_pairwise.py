"""What a pairwise judge says of several systems, as a section of a page: strengths, ranks, pairs, and the place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from rejudge.front.amounts import counted
from rejudge.front.page_parts import columns, estimates_table, figure, hero, how, kept, safe, sentences, table, width_of
from rejudge.front.pairwise_text import letters
from rejudge.front.plots.estimate import Shown
from rejudge.front.plots.intervals import Intervals, Line, intervals
from rejudge.front.plots.ranks import Ranked, Ranks, ranks
from rejudge.front.plots.unit import Unit
from rejudge.stats.comparison_words import render_p
from rejudge.stats.interval import Interval, Undefined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.release.pairwise import Chance, Duel, PairwisePlace, PairwiseRanked
    from rejudge.stats.bradley_terry import BradleyTerry
    from rejudge.stats.estimate import Estimate

NAMED = 44
"""So many columns of a system's name are shown."""

_FAIR = Line(at=0.5, name="neither is preferred")
_LOG_ODDS = Unit(name="strength in log-odds, against the mean of all systems", signed=True)
_SHARE = Unit(name="share of the answers, ties half", share=True)
_CHANCE = Unit(name="chance that the first is preferred", share=True)


def pairwise_title(ranked: PairwiseRanked) -> str:
    """How many systems are ranked, by which judge."""
    return f"{counted(len(_systems(ranked)), 'system')} ranked by {kept(ranked.scorer, 40)}"


def pairwise_section(ranked: PairwiseRanked) -> Iterator[str]:
    """Who is preferred to whom, how sure that is, and how much the place had to do with it."""
    yield f"<h2>{safe(ranked.scorer)}</h2>"
    yield _answer(ranked)
    yield from columns(_pictures(ranked), _words(ranked))


def _systems(ranked: PairwiseRanked) -> list[str]:
    return list(dict.fromkeys(name for duel in ranked.duels for name in (duel.first, duel.second)))


def _answer(ranked: PairwiseRanked) -> str:
    facts = (
        f"{counted(len(_systems(ranked)), 'system')} · {ranked.pairs:,} pairs of traces of n={ranked.items:,} items, "
        "each judged in both orders"
    )
    if isinstance(ranked.model, Undefined):
        return hero("unsure", "no ranking", f"the strengths are {ranked.model}", facts)
    first, *others = ranked.places
    tied = [one for one in others if set(one.groups) & set(first.groups)]
    name = kept(first.name, NAMED)
    if not tied:
        return hero("better", name, "is preferred to every other", facts)
    behind = ", ".join(kept(one.name, NAMED) for one in tied[:3]) + ("…" if len(tied) > 3 else "")
    return hero("unsure", f"{name} leads", f"but cannot be told from {behind}", facts)


def _pictures(ranked: PairwiseRanked) -> Iterator[str]:
    if not isinstance(ranked.model, Undefined):
        yield _strengths(ranked, ranked.model)
        yield _chances(ranked)
    yield _duels(ranked)
    if any(duel.flipped is not None for duel in ranked.duels):
        yield _place(ranked)


def _strengths(ranked: PairwiseRanked, model: BradleyTerry) -> str:
    bouts = {one.name: one.n for one in model.strengths}
    rows = tuple(_ranked(one, bouts[one.name]) for one in ranked.places)
    numbers = table(
        ["system", "strength", "interval", "answers", "possible ranks", "groups"],
        [
            (
                row.shown.name,
                _LOG_ODDS.text(row.shown.value, span=width_of(row.shown.interval)),
                _ends(row.shown),
                f"{row.shown.n:,}",
                f"{row.best}" if row.best == row.worst else f"{row.best} to {row.worst}",
                row.letters,
            )
            for row in rows
        ],
        caption="systems by their strength; an answer is what a judge said of one pair in one order",
    )
    says = (
        "0 is the mean of all systems; +1 more than another system is to be preferred to it 73 times of 100. The bars "
        f"at the right hold every system's true rank, all at once with {100 * ranked.level:g} % confidence; systems "
        "that share a letter cannot be told apart."
    )
    view = Ranks(title="strengths and possible ranks", unit=_LOG_ODDS, rows=rows)
    return figure("Strengths and possible ranks", says, lambda width: ranks(view, width=width), numbers)


def _ranked(place: PairwisePlace, bouts: int) -> Ranked:
    shown = Shown(name=place.name, value=place.log_odds, interval=place.interval, n=bouts)
    return Ranked(shown=shown, best=place.best_rank, worst=place.worst_rank, letters=letters(place.groups))


def _ends(row: Shown) -> str:
    if isinstance(row.interval, Undefined):
        return str(row.interval)
    ends = (_LOG_ODDS.text(end, span=width_of(row.interval)) for end in (row.interval.low, row.interval.high))
    return f"{' to '.join(ends)} ({how(row.interval)})"


def _chances(ranked: PairwiseRanked) -> str:
    """By the model, which takes the effect of the place out."""
    told = 1 - ranked.level
    rows = tuple(
        Shown(
            name=_pair(one.first, one.second),
            value=one.chance,
            interval=one.interval,
            n=ranked.items,
            mark="second" if _p(one) <= told else "unsure",
            note="told apart" if _p(one) <= told else "not told apart",
            more=f"p {one.p}" if isinstance(one.p, Undefined) else f"{render_p(one.p)}, corrected",
        )
        for one in sorted(ranked.chances, key=lambda one: -_p(one))
    )
    view = Intervals(
        title="who is preferred, without the place", unit=_CHANCE, rows=rows, lines=(_FAIR,), low=0.0, high=1.0
    )
    numbers = estimates_table(rows, _CHANCE, caption="chances by the model, p corrected for all pairs", name="pair")
    says = (
        "By the model, as if neither were shown first; n counts all items, because every pair says something of the "
        "others. Those that are hardest to tell apart come first, and p is corrected for all pairs (Holm)."
    )
    return figure("Who is preferred, without the place", says, lambda width: intervals(view, width=width), numbers)


def _duels(ranked: PairwiseRanked) -> str:
    order = [one.name for one in ranked.places]
    rows = tuple(_duel(duel, order) for duel in ranked.duels)
    view = Intervals(title="pairs as they were judged", unit=_SHARE, rows=rows, lines=(_FAIR,), low=0.0, high=1.0)
    numbers = estimates_table(rows, _SHARE, caption="the first's share of the answers, a mean over items", name="pair")
    says = "What the judge said of each two systems, with no model: the first's share of the answers, ties half."
    if order:
        says += " The stronger stands first; a pair that lies clearly under 50 % does not fit the model."
    return figure("Pairs as they were judged", says, lambda width: intervals(view, width=width), numbers)


def _duel(duel: Duel, order: list[str]) -> Shown:
    """The pair with the stronger first, where strengths are known."""
    share, interval = duel.first_share, duel.interval
    if order and order.index(duel.first) > order.index(duel.second):
        share = 1 - share
        if isinstance(interval, Interval):
            interval = msgspec.structs.replace(interval, low=1 - interval.high, high=1 - interval.low)
        return Shown(name=_pair(duel.second, duel.first), value=share, interval=interval, n=duel.items)
    return Shown(name=_pair(duel.first, duel.second), value=share, interval=interval, n=duel.items)


def _place(ranked: PairwiseRanked) -> str:
    """How often the place decided: of all answers, between equals, and pair by pair."""
    shown = Shown(
        name="answers for the first shown",
        value=ranked.shown_first,
        interval=ranked.shown_first_interval,
        n=ranked.asked,
    )
    place = None if isinstance(ranked.model, Undefined) else ranked.model.place
    between = () if place is None else (_between_equals(place),)
    flips = tuple(
        Shown(
            name=f"flipped: {_pair(one.first, one.second)}",
            value=one.flipped,
            interval=one.flipped_interval,
            n=one.asked,
        )
        for one in ranked.duels
        if one.flipped is not None
    )
    rows, unit = (shown, *between, *flips), Unit(name="share of the answers", share=True)
    fair = Line(at=0.5, name="fair for the first shown")
    view = Intervals(title="what the place did", unit=unit, rows=rows, lines=(fair,), low=0.0, high=1.0)
    numbers = estimates_table(rows, unit, caption="what the place did", name="share")
    says = "How often the trace that is shown first is preferred: 50 % is fair. "
    if place is not None:
        told = Unit(name="", signed=True).estimate(place.value, place.interval)
        says += f"Being shown first adds {told} log-odds by the model, and the strengths are without it. "
    says += "Flipped is a pair that got another answer when the two changed places."
    return figure("What the place did", says, lambda width: intervals(view, width=width), numbers)


def _between_equals(place: Estimate) -> Shown:
    """What the place adds, as the chance of the one shown first of two equally strong systems; n counts answers."""
    interval = place.interval
    if isinstance(interval, Interval):
        interval = msgspec.structs.replace(interval, low=_chance(interval.low), high=_chance(interval.high))
    name = "the first of two equals"
    return Shown(name=name, value=_chance(place.value), interval=interval, n=place.n, note="answers")


def _chance(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds)) if log_odds >= 0 else 1 - _chance(-log_odds)


def _p(chance: Chance) -> float:
    """Of those told apart; one without a p is not."""
    return 1.0 if isinstance(chance.p, Undefined) else chance.p


def _pair(first: str, second: str) -> str:
    return f"{kept(first, 30)} against {kept(second, 30)}"


def _words(ranked: PairwiseRanked) -> Iterator[str]:
    means = ["Who is preferred to whom by this judge, on these items, with the effect of the place taken out."]
    if isinstance(ranked.model, Undefined):
        means = ["Each pair says which of two systems this judge prefers on these items."]
    else:
        means.append("A strength is in log-odds: the larger the difference of two, the surer the one is preferred.")
        means.append("A rank's range holds every rank that no shown difference rules out.")
    yield from sentences("What it means", means)
    limits = ["It does not say that the preferred outputs are right, only that this judge likes them better."]
    if not isinstance(ranked.model, Undefined):
        limits.append("A strength is against these systems: with others among them it is another number.")
        limits.append(
            "One number for each system supposes that preferences do not go round in a circle; the pairs as they were "
            "judged show whether they do."
        )
    yield from sentences("What it does not mean", limits)
    yield from sentences("What was left out", _left_out(ranked))


def _left_out(ranked: PairwiseRanked) -> Iterator[str]:
    if ranked.unasked:
        yield f"{counted(ranked.unasked, 'pair')} had a null output, which loses in both orders without a judge."
    if ranked.skipped:
        yield f"{counted(ranked.skipped, 'trace')} without an opponent."
    if ranked.errors:
        yield f"{counted(ranked.errors, 'pair')} of which the scorer gave no verdict but an error."
