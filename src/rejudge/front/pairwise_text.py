"""What a pairwise judge says of several systems, as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.amounts import counted
from rejudge.front.lines import NAME, clipped, padded, width
from rejudge.stats.comparison_words import render_p
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.render import render_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.release.pairwise import PairwiseRanked
    from rejudge.stats.estimate import Estimate

Line = tuple[str, str]
"""The head of a line, and its text."""


def pairwise_lines(ranked: PairwiseRanked) -> Iterator[Line]:
    """Strengths and ranks, the effect of the place, every two systems, and what it means."""
    systems = {name: clipped(name, NAME) for duel in ranked.duels for name in (duel.first, duel.second)}
    told = f"{len(systems)} systems side by side, {counted(ranked.pairs, 'pair')} of traces of {ranked.items} items"
    yield "", f"{clipped(ranked.scorer, NAME)}: {told}"
    yield from _strengths(ranked, systems)
    yield from _place(ranked)
    yield "  ", f"{counted(len(ranked.duels), 'pair')} of systems: the share of the first, ties half, a mean over items"
    for duel in ranked.duels:
        flips = render_mean(duel.flipped, duel.flipped_interval, "pass_fail")
        flipped = "" if duel.flipped is None else f"; {flips} n={duel.asked} flipped with the place"
        share = render_mean(duel.first_share, duel.interval, "pass_fail")
        yield "    ", f"{systems[duel.first]} against {systems[duel.second]}: {share} n={duel.items}{flipped}"
    for one in ranked.chances:
        chance = render_mean(one.chance, one.interval, "pass_fail")
        shown = f"p {one.p}" if isinstance(one.p, Undefined) else f"{render_p(one.p)} corrected (Holm)"
        yield (
            "    ",
            f"{systems[one.first]} is preferred to {systems[one.second]} with chance {chance} by the model, {shown}",
        )
    yield from _left_out(ranked)
    yield from _meaning(ranked)


def letters(groups: Sequence[int]) -> str:
    """The groups that something belongs to, as letters."""
    return "".join(chr(ord("a") + number - 1) if number <= 26 else f"({number})" for number in groups)


def _strengths(ranked: PairwiseRanked, systems: dict[str, str]) -> Iterator[Line]:
    if isinstance(ranked.model, Undefined):
        yield "  ", f"strengths are {ranked.model}"
        return
    room = max(map(width, systems.values()))
    for one in ranked.places:
        rank = f"{one.best_rank}" if one.best_rank == one.worst_rank else f"{one.best_rank}–{one.worst_rank}"
        around = one.interval
        ends = f"[{around}]" if isinstance(around, Undefined) else f"[{around.low:+.2f}, {around.high:+.2f}]"
        yield (
            f"  {rank:>7}  {padded(systems[one.name], room)}  ",
            f"{one.log_odds:+.2f} {ends} log-odds  {letters(one.groups)}",
        )


def _place(ranked: PairwiseRanked) -> Iterator[Line]:
    if isinstance(ranked.shown_first, float):
        share = render_mean(ranked.shown_first, ranked.shown_first_interval, "pass_fail")
        yield "  ", f"{share} n={ranked.asked} of the answers were for the trace that was shown first; 50 % is fair"
    place: Estimate | None = None if isinstance(ranked.model, Undefined) else ranked.model.place
    if place is not None and isinstance(place.interval, Interval):
        ends = f"[{place.interval.low:+.2f}, {place.interval.high:+.2f}]"
        yield "  ", f"being shown first adds {place.value:+.2f} {ends} log-odds; the strengths are without it"


def _left_out(ranked: PairwiseRanked) -> Iterator[Line]:
    if ranked.unasked:
        yield "  ", f"{counted(ranked.unasked, 'pair')} had a null output, which loses in both orders without a judge"
    if ranked.skipped or ranked.errors:
        yield "  ", f"left out: {counted(ranked.skipped, 'trace')} without an opponent, {ranked.errors} scorer errors"


def _meaning(ranked: PairwiseRanked) -> Iterator[Line]:
    if not isinstance(ranked.model, Undefined):
        yield (
            "  ",
            "It means: who is preferred to whom by this judge, each rank in its range for all systems at once with "
            f"{100 * ranked.level:g} % confidence; systems that share a letter cannot be told apart.",
        )
    yield "  ", "It does not say that the preferred outputs are right, only that this judge likes them better."
