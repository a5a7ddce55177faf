"""A run in depth as a page: each measure with its intervals, slices and repeats, then what its traces took."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rejudge.front.amounts import counted
from rejudge.front.page_description_figures import Pictures, mean_interval, value_unit
from rejudge.front.page_description_words import (
    meaning_of_amounts,
    what_is_missing,
    what_it_does_not_mean,
    what_it_means,
)
from rejudge.front.page_parts import (
    columns,
    contents,
    estimates_table,
    figure,
    folded,
    foot,
    head,
    hero,
    how,
    kept,
    safe,
    sentences,
    table,
)
from rejudge.front.page_spending import percentiles_figure, scaled
from rejudge.front.plots.estimate import Shown
from rejudge.front.plots.intervals import Intervals, intervals
from rejudge.front.plots.unit import Unit
from rejudge.stats.interval import Undefined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.described import Description
    from rejudge.release.describe import DescribedScore, Flips, LabelFlips
    from rejudge.stats.percentiles import Percentiles
    from rejudge.stats.summary import Summary

AMOUNTS: dict[str, tuple[str, Unit]] = {
    "seconds": ("Time", Unit(name="time of a trace", suffix=" s")),
    "input_tokens": ("Tokens in", Unit(name="tokens in, of a trace")),
    "output_tokens": ("Tokens out", Unit(name="tokens out, of a trace")),
    "cost": ("Cost", Unit(name="cost of a trace, US dollars")),
}
"""What traces took, by the names of the columns."""

_LONG = 300.0
"""So many seconds are told in minutes."""


def description_title(result: Description) -> str:
    """Which run is looked into."""
    return f"{kept(result.run.label)} in depth"


def description_body(result: Description) -> Iterator[str]:
    """The page's content."""
    run, scores = result.run, result.described.scores
    facts = [("experiment", run.experiment), ("task", run.task), ("run", f"{run.run}, {run.state}")]
    yield from head("description", description_title(result), facts, result.notes)
    if len(scores) > 1:
        yield from _overview(result)
    for place, score in enumerate(scores, 1):
        yield f'<section class="score" id="score-{place}">'
        yield from _score(score, result.summary_of(score))
        yield "</section>"
    if result.described.label_flips:
        yield '<section class="score"><h2>Items whose trials got different labels</h2>'
        for flips in result.described.label_flips:
            yield from _label_flips(flips)
        yield "</section>"
    yield from _amounts(result.described.amounts)
    yield foot("Several trials of an item are averaged first. Resampling repeats exactly with the seed beside it.")


def _overview(result: Description) -> Iterator[str]:
    """Every measure in one table, and in one picture those that are shares."""
    scores = result.described.scores
    rows = [_row(one, result.summary_of(one)) for one in scores]
    yield '<section class="score"><h2>All scores</h2>'
    yield contents(
        ["score", "value", "n"],
        [
            (row.name, (safe(value_unit(one).estimate(row.value, row.interval)), f"{row.n:,}"))
            for row, one in zip(rows, scores, strict=True)
        ],
    )
    shares = tuple(row for row, one in zip(rows, scores, strict=True) if one.kind == "pass_fail")
    if len(shares) > 1:
        unit = Unit(name="share of the items", share=True)
        view = Intervals(title="all shares", unit=unit, rows=shares, low=0.0, high=1.0)
        numbers = estimates_table(shares, unit, caption="all shares", name="score")
        says = "Pass rates, and shares of labels. Each interval is for its score alone."
        yield figure("Those that are shares", says, lambda width: intervals(view, width=width), numbers)
    yield "</section>"


def _row(score: DescribedScore, summary: Summary | None) -> Shown:
    return Shown(name=score.measure, value=score.mean, interval=mean_interval(score, summary), n=score.n)


def _score(score: DescribedScore, summary: Summary | None) -> Iterator[str]:
    yield f"<h2>{safe(score.measure)}</h2>"
    yield _answer(score, summary)
    pictures = Pictures(score, summary)
    words = (
        *sentences("What it means", what_it_means(score, mean_interval(score, summary))),
        *sentences("What it does not mean", what_it_does_not_mean(score, summary)),
        *sentences("What is missing", what_is_missing(score, summary)),
    )
    yield from columns(pictures.all(), words)
    if score.flips is not None:
        yield from _flips(score.flips, value_unit(score))


def _answer(score: DescribedScore, summary: Summary | None) -> str:
    interval, unit = mean_interval(score, summary), value_unit(score)
    of = f" of {summary.items:,}" if summary is not None and score.n < summary.items else ""
    trials = "" if score.repeats is None else f", {score.repeats.scored:,} trials"
    facts = f"{how(interval)} · n={score.n:,}{of} items{trials}"
    if isinstance(score.mean, Undefined):
        return hero("unsure", "no number", str(score.mean), facts)
    return hero("plain", kept(unit.name, 60), unit.estimate(score.mean, interval), facts)


def _flips(found: Flips, unit: Unit) -> Iterator[str]:
    shown = found.items
    more = f", the {len(shown)} that agree least" if found.count > len(shown) > 0 else ""
    summary = f"Flips: {counted(found.count, 'item')} whose trials are not all equal{more}"
    if not shown:
        yield from folded(summary, ['<p class="dim">None.</p>' if not found.count else ""])
        return
    share = Unit(name="", share=True)
    rows = [
        (
            one.item_id,
            unit.text(one.mean, span=0.01 if unit.share else 0.0),
            unit.text(one.minimum),
            unit.text(one.maximum),
            f"{one.trials:,}",
            share.text(one.agreement, span=0.01),
        )
        for one in shown
    ]
    heads = ["item", "mean", "lowest", "highest", "trials", "two trials are equal"]
    yield from folded(summary, [table(heads, rows, caption=summary)], state="open")


def _label_flips(found: LabelFlips) -> Iterator[str]:
    shown = found.items
    more = f", the {len(shown)} that agree least" if found.count > len(shown) > 0 else ""
    summary = f"{kept(found.measure)}: {counted(found.count, 'item')} whose trials got different labels{more}"
    share = Unit(name="", share=True)
    rows = [
        (
            one.item_id,
            ", ".join(f"{kept(label, 40)} × {count:,}" for label, count in one.labels.items()),
            f"{one.trials:,}",
            share.text(one.agreement, span=0.01),
        )
        for one in shown
    ]
    listed = table(["item", "labels", "trials", "two trials are equal"], rows, caption=summary)
    yield from folded(summary, [listed] if rows else ['<p class="dim">None.</p>'], state="open")


def _amounts(amounts: dict[str, Percentiles | Undefined]) -> Iterator[str]:
    known = {name: found for name, found in amounts.items() if not isinstance(found, Undefined) and found.n}
    missing = list(_unknown(amounts))
    if not known and not missing:
        return
    yield '<section class="score"><h2>What a trace took</h2>'
    if not known:
        yield f'<p class="dim">{safe(" ".join(missing))}</p></section>'
        return
    pictures = (percentiles_figure(*_fitting(name, found)) for name, found in known.items())
    means, limits = meaning_of_amounts(known)
    words = (
        *sentences("What it means", means),
        *sentences("What it does not mean", limits),
        *sentences("What is missing", missing),
    )
    yield from columns(pictures, words)
    yield "</section>"


def _unknown(amounts: dict[str, Percentiles | Undefined]) -> Iterator[str]:
    """What is known of no trace, in sentences."""
    unknown = []
    for name, found in amounts.items():
        if isinstance(found, Undefined):
            yield f"{AMOUNTS[name][0]}: {found.reason}."
        elif not found.n and found.missing:
            unknown.append(AMOUNTS[name][0].lower())
    if unknown:
        yield f"Not known of any trace: {', '.join(unknown)}."


def _fitting(name: str, found: Percentiles) -> tuple[str, Unit, Percentiles]:
    """The amount in the unit that its size asks for: short times in ms, long ones in minutes."""
    title, unit = AMOUNTS[name]
    most = max((one.value for one in found.percentiles), default=0.0)
    if name != "seconds" or 1 <= most < _LONG:
        return title, unit, found
    times, suffix = (1000.0, " ms") if most < 1 else (1 / 60, " min")
    return title, msgspec.structs.replace(unit, suffix=suffix), scaled(found, times)
