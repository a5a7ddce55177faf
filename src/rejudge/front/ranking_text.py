"""A leaderboard as text for people: ranks with their ranges, then every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.amounts import counted
from rejudge.front.lines import NAME, broken, clipped, hanging, padded, width
from rejudge.front.pairwise_text import letters, pairwise_lines
from rejudge.stats.comparison_words import VERDICT_WORDS, render_change, render_p
from rejudge.stats.render import render_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.ranking import RankingResult
    from rejudge.release.leaderboard import Ranked
    from rejudge.stats.leaderboard import Leaderboard, Place
    from rejudge.stats.many import Pair

WIDTH = 100
PAIRS = 15
"""So many pairs are shown where nobody says otherwise; the nearest first."""


def ranking_text(result: RankingResult, *, columns: int = WIDTH, pairs: int = PAIRS) -> str:
    """The rankings in lines of at most so many columns."""
    parts = [list(_ranking(one, columns, pairs)) for one in result.rankings]
    if result.pairwise is not None:
        parts.append([line for head, text in pairwise_lines(result.pairwise) for line in hanging(head, text, columns)])
    parts.append([line for note in result.notes for line in hanging("note: ", note, columns)])
    return "\n\n".join("\n".join(part) for part in parts if part)


def _ranking(ranked: Ranked, columns: int, pairs: int) -> Iterator[str]:
    board = ranked.leaderboard
    better = {"higher": "higher is better", "lower": "lower is better", "informational": "neither end is better"}
    name, way = clipped(board.name, NAME), better[board.direction]
    of = f"{counted(len(board.places), 'run')} on the same {counted(board.n, 'item')}"
    yield from broken([f"{name}: {of}, {way}"], columns)
    names = {place.name: clipped(place.name, NAME) for place in board.places}
    room = max(map(width, names.values()))
    for place in board.places:
        told = render_mean(place.mean, place.interval, board.kind)
        head = f"  {_rank(place):>7}  {padded(names[place.name], room)}  "
        yield from hanging(head, f"{told} n={board.n}  {letters(place.groups)}", columns)
    for sentence in _meaning(board):
        yield from hanging("  ", sentence, columns)
    shown = sorted(board.pairs, key=_nearness)[:pairs]
    more = f", {len(shown)} shown, those first that are hardest to tell apart" if len(shown) < len(board.pairs) else ""
    how = "second − first, p corrected for all of them (Holm)"
    yield from broken([f"  {counted(len(board.pairs), 'pair')}, {how}{more}"], columns)
    for pair in shown:
        yield from hanging("    ", _pair(pair, names), columns)
    for label, count in ranked.left_out.items():
        told = f"left out of {names.get(label, label)}: {counted(count, 'scored item')} that some run has no score for"
        yield from hanging("  ", told, columns)


def _rank(place: Place) -> str:
    return f"{place.best_rank}" if place.alone else f"{place.best_rank}–{place.worst_rank}"


def _meaning(board: Leaderboard) -> Iterator[str]:
    tied = [place for place in board.places if not place.alone]
    level = f"{100 * board.level:g} %"
    yield f"It means: each run's true rank lies in its range, for all of them at once with {level} confidence."
    if tied:
        yield "Runs that share a letter cannot be told apart by these items, which is not to say that they are equal."
    yield "It does not say how they would do on other items, and the order within a shared range is chance."


def _pair(pair: Pair, names: dict[str, str]) -> str:
    corrected = pair.corrected
    return (
        f"{names[pair.first]} → {names[pair.second]}: {render_change(corrected.comparison)} "
        f"{VERDICT_WORDS[corrected.verdict]}, {render_p(corrected.p)}, n={corrected.comparison.n}"
    )


def _nearness(pair: Pair) -> float:
    p = pair.corrected.comparison.p
    return -(p if isinstance(p, float) else 1.0)
