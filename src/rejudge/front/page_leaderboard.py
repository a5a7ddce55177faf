"""A leaderboard as a page: means with the ranks that the data leave open, then the pairs behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.amounts import counted
from rejudge.front.missing_words import COULD_TURN
from rejudge.front.page_comparison_figures import MARKS
from rejudge.front.page_pairwise import pairwise_section, pairwise_title
from rejudge.front.page_parts import columns, figure, foot, head, hero, kept, p_text, safe, sentences, table, width_of
from rejudge.front.pairwise_text import letters
from rejudge.front.plots.axis import Ends
from rejudge.front.plots.estimate import Shown
from rejudge.front.plots.intervals import MOST, Intervals, Line, intervals
from rejudge.front.plots.ranks import Ranked, Ranks, ranks
from rejudge.front.plots.unit import Unit
from rejudge.stats.comparison_words import VERDICT_WORDS
from rejudge.stats.interval import Undefined

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from rejudge.front.ranking import RankingResult
    from rejudge.stats.leaderboard import Leaderboard, Place
    from rejudge.stats.many import Pair

NAMED = 44
"""So many columns of a run's name are shown."""


def ranking_title(result: RankingResult) -> str:
    """How many runs or systems are ranked, by what."""
    if result.pairwise is not None:
        return pairwise_title(result.pairwise)
    names = ", ".join(kept(one.leaderboard.name, 40) for one in result.rankings[:3])
    return f"{counted(len(result.sides), 'run')} ranked by {names}"


def ranking_body(result: RankingResult) -> Iterator[str]:
    """The page's content."""
    of = "" if result.pairwise is None else "pairs of "
    facts = [
        (f"{of}{kept(one.label, 28)}", f"{one.experiment}, task {one.task}, run {one.run}") for one in result.sides
    ]
    yield from head("leaderboard", ranking_title(result), facts, result.notes)
    for one in result.rankings:
        yield '<section class="score">'
        yield from leaderboard_section(one.leaderboard, left_out=one.left_out, could_turn=one.absent.could_turn)
        yield "</section>"
    if result.pairwise is not None:
        yield '<section class="score">'
        yield from pairwise_section(result.pairwise)
        yield "</section>"
        yield foot("Intervals count items, and not single answers. p is corrected for all pairs of systems (Holm).")
        return
    yield foot("Differences are second − first, and p is corrected for all pairs (Holm).")


def leaderboard_section(
    board: Leaderboard, *, left_out: Mapping[str, int], could_turn: Collection[tuple[str, str]] = ()
) -> Iterator[str]:
    """One leaderboard; `left_out` counts scored items of a run that the others lack.

    `could_turn` are the pairs that are told apart and whose order the missing scores could turn.
    """
    yield f"<h2>{safe(board.name)}</h2>"
    yield _answer(board, could_turn)
    yield from columns([_ranks(board), _pairs(board, could_turn)], _words(board, left_out))


def _answer(board: Leaderboard, could_turn: Collection[tuple[str, str]]) -> str:
    """Who leads, and who cannot be told from it; and whether the missing scores could turn that, or another order."""
    first, *others = board.places
    tied = [place for place in others if set(place.groups) & set(first.groups)]
    facts = f"{counted(len(board.places), 'run')} on the same n={board.n:,} items · {_better(board)}"
    if could_turn:
        facts += f" · the missing scores could turn the order of {counted(len(could_turn), 'pair')}"
    turn = COULD_TURN if any(first.name in pair for pair in could_turn) else ""
    name = kept(first.name, NAMED)
    if not tied:
        return hero("better", name, f"is ahead of every other{turn}", facts)
    behind = ", ".join(kept(place.name, NAMED) for place in tied[:3]) + ("…" if len(tied) > 3 else "")
    return hero("unsure", f"{name} leads", f"but cannot be told from {behind}", facts)


def _better(board: Leaderboard) -> str:
    return "neither end is better" if board.direction == "informational" else f"{board.direction} is better"


def _unit(board: Leaderboard) -> Unit:
    return Unit(name=f"{kept(board.name, 40)} ({_better(board)})", share=board.kind == "pass_fail")


def _difference_unit(board: Leaderboard) -> Unit:
    share = board.kind == "pass_fail"
    counted_in = "points" if share else "second − first"
    return Unit(name=f"difference in {kept(board.name, 40)}, {counted_in}", share=share, signed=True)


def _ranks(board: Leaderboard) -> str:
    unit = _unit(board)
    rows = tuple(_ranked(place, board.n) for place in board.places)
    share = board.kind == "pass_fail"
    low, high = (0.0, 1.0) if share else (float("-inf"), float("inf"))
    view = Ranks(title=f"{board.name}: means and possible ranks", unit=unit, rows=rows, low=low, high=high)
    numbers = table(
        ["run", "mean", "interval", "n", "possible ranks", "groups"],
        [
            (
                row.shown.name,
                unit.text(row.shown.value, span=width_of(row.shown.interval)),
                _ends(row.shown, unit),
                f"{row.shown.n:,}",
                f"{row.best}" if row.best == row.worst else f"{row.best} to {row.worst}",
                row.letters,
            )
            for row in rows
        ],
        caption="runs by their mean",
    )
    says = (
        f"The bars at the right hold every run's true rank, all at once with {100 * board.level:g} % confidence. "
        "Runs that share a letter cannot be told apart by these items."
    )
    return figure("Means and possible ranks", says, lambda width: ranks(view, width=width), numbers)


def _ranked(place: Place, n: int) -> Ranked:
    shown = Shown(name=place.name, value=place.mean, interval=place.interval, n=n)
    return Ranked(shown=shown, best=place.best_rank, worst=place.worst_rank, letters=letters(place.groups))


def _ends(row: Shown, unit: Unit) -> str:
    if isinstance(row.interval, Undefined):
        return str(row.interval)
    span = width_of(row.interval)
    return f"{unit.text(row.interval.low, span=span)} to {unit.text(row.interval.high, span=span)}"


def _pairs(board: Leaderboard, could_turn: Collection[tuple[str, str]]) -> str:
    unit = _difference_unit(board)
    nearest = sorted(board.pairs, key=_nearness)
    more = len(nearest) - MOST // 2
    view = Intervals(
        title=f"{board.name}: every pair",
        unit=unit,
        rows=tuple(map(_pair, nearest[: MOST // 2])),
        lines=(Line(at=0.0, name="no difference"),),
        ends=Ends(left="lower", right="higher") if board.direction == "informational" else None,
        left_out=f"and {more:,} pairs that are easier to tell apart, in the table" if more > 0 else "",
    )
    numbers = table(
        ["pair", "difference", "verdict", "p, corrected", "n"],
        [
            (
                row.name,
                unit.estimate(row.value, row.interval),
                f"{row.note}{COULD_TURN if (pair.first, pair.second) in could_turn else ''}",
                row.more,
                f"{row.n:,}",
            )
            for pair, row in ((pair, _pair(pair)) for pair in nearest)
        ],
        caption="second − first of every pair, those that are hardest to tell apart first",
    )
    says = "Item by item, so much sharper than comparing the means' intervals. The closest pairs come first."
    return figure("Pairs", says, lambda width: intervals(view, width=width), numbers)


def _pair(pair: Pair) -> Shown:
    comparison = pair.corrected.comparison
    return Shown(
        name=f"{kept(pair.first, 30)} → {kept(pair.second, 30)}",
        value=comparison.difference,
        interval=comparison.interval,
        n=comparison.n,
        mark=MARKS[pair.corrected.verdict],
        note=VERDICT_WORDS[pair.corrected.verdict],
        more=p_text(pair.corrected.p),
    )


def _nearness(pair: Pair) -> float:
    p = pair.corrected.comparison.p
    return -(p if isinstance(p, float) else 1.0)


def _words(board: Leaderboard, left_out: Mapping[str, int]) -> Iterator[str]:
    yield from sentences(
        "What it means",
        [
            "A run's mean is over the same items as that of every other run.",
            "Its possible ranks are those that no shown difference rules out: 1 + the runs shown to be ahead, up to "
            "all runs less those shown to be behind.",
            "Every pair is compared item by item, and its p corrected for all pairs, so the verdicts hold together.",
        ],
    )
    limits = ["It does not say how the runs would do on other items."]
    if not all(place.alone for place in board.places):
        limits.append("Runs that share a letter are not shown to be equal; the order among them is chance.")
    limits.append("The intervals of two means may overlap although their pair is told apart.")
    yield from sentences("What it does not mean", limits)
    yield from sentences(
        "What was left out",
        [
            f"{count:,} scored items of {kept(name)}, because another run has no score of them."
            for name, count in left_out.items()
        ],
    )
