"""What the numbers of a run say, and what they do not, in plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.amounts import counted, duration, money
from rejudge.front.page_description_figures import value_unit
from rejudge.front.page_parts import kept, width_of
from rejudge.front.plots.unit import Unit
from rejudge.stats.interval import Undefined
from rejudge.stats.render import render_bounds, render_counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rejudge.release.describe import Clustered, DescribedScore
    from rejudge.stats.interval import Interval
    from rejudge.stats.percentiles import Percentiles
    from rejudge.stats.repeats import RepeatSummary
    from rejudge.stats.summary import Summary

_SHARE = Unit(name="", share=True)


def what_it_means(score: DescribedScore, interval: Interval | Undefined) -> Iterator[str]:
    """Sentences for somebody who knows no statistics."""
    unit = value_unit(score)
    if isinstance(score.mean, Undefined):
        yield f"There is no number: it is {score.mean}."
        return
    value = unit.text(score.mean, span=width_of(interval))
    items = counted(score.n, "scored item")
    if score.label is not None:
        yield f"Of the {items} {value} got this label."
    elif unit.share:
        yield f"Of the {items} {value} pass."
    else:
        yield f"The mean of the {items} is {value}{_better(score)}."
    yield (
        "The interval holds the values that fit these items: had other items of the same kind been drawn, the number "
        "would be another one, and most often within it."
    )
    if score.clustered is not None:
        yield from _clusters(score.clustered)
    if score.repeats is not None:
        yield from _repeats(score.repeats)
    if score.slices:
        yield (
            "A slice is called better or worse only where chance alone would hardly make it differ so much from all "
            "other items."
        )


def what_it_does_not_mean(score: DescribedScore, summary: Summary | None) -> Iterator[str]:
    """The conclusions that these numbers seem to allow and do not."""
    yield "It does not say how the run would do on items of another kind."
    if score.label is not None:
        yield "How common a label is does not say that it is right."
    if summary is not None and summary.counts.missing:
        yield (
            "Missing scores are in no mean. Where the hard items are the ones without a score, the mean is too good; "
            "the bounds say by how much at most."
        )
    if score.clustered is None and score.n > 1:
        yield (
            "The interval takes items for independent. Where several are about one document or conversation, name "
            "that field as clusters."
        )
    if score.slices:
        yield "A slice that is not told from the rest is not shown to be like it: it may have too few items."
    if score.repeats is not None:
        yield "An item whose trials are all equal may still turn out otherwise in another trial."


def what_is_missing(score: DescribedScore, summary: Summary | None) -> Iterator[str]:
    """What became of everything planned, and what the missing could change."""
    if summary is None or not summary.counts.missing:
        return
    yield f"{render_counts(summary.counts)}."
    if score.label is None:
        told = render_bounds(summary)
        yield f"{told[:1].upper()}{told[1:]}."


def meaning_of_amounts(known: Mapping[str, Percentiles]) -> tuple[list[str], list[str]]:
    """What the percentiles of amounts say, and what they do not."""
    means = [
        "A percentile of 95 % is what 19 of 20 traces do not exceed; the 50 % one is that of the middle trace.",
        *_totals(known),
    ]
    limits = []
    if "seconds" in known:
        limits.append("Times are those of this run: another machine, another hour or more calls at once give others.")
    if "cost" in known:
        limits.append("Costs are by the prices that held, and what a judge cost is not in them.")
    if any(found.missing for found in known.values()):
        limits.append("A trace whose amount is not known is in no percentile, and is not counted as 0.")
    return means, limits


def _better(score: DescribedScore) -> str:
    match score.scale.direction:
        case "higher":
            return "; higher is better"
        case "lower":
            return "; lower is better"
        case "informational":
            return "; neither end is better"


def _clusters(clustered: Clustered) -> Iterator[str]:
    effect, field = clustered.effect, kept(clustered.field, 40)
    yield (
        f"Items with the same {field} may resemble each other, so the interval counts their {effect.clusters:,} "
        "clusters."
    )
    if not isinstance(effect.effective_n, Undefined) and not isinstance(effect.design_effect, Undefined):
        told = Unit(name="").estimate(effect.design_effect.value, effect.design_effect.interval)
        yield (
            f"These {effect.n:,} items tell as much as {effect.effective_n.value:,.0f} independent ones: the variance "
            f"is {told} times as large (design effect)."
        )


def _repeats(found: RepeatSummary) -> Iterator[str]:
    yield (
        f"{counted(found.items, 'item')} have {found.scored:,} scored trials. An item's trials are averaged first, "
        "because another trial of an item says less than another item."
    )
    if not isinstance(found.reliability, Undefined):
        of_one = _SHARE.estimate(found.reliability.value, found.reliability.interval)
        yield f"Of the spread of single trials {of_one} is between items; the rest is chance, which more trials remove."
    yield f"Of {found.repeated:,} items with several trials {found.flipped:,} do not always give the same."


def _totals(known: Mapping[str, Percentiles]) -> Iterator[str]:
    told = {
        "seconds": lambda total: f"{duration(total)} of work",
        "input_tokens": lambda total: f"{total:,.0f} tokens in",
        "output_tokens": lambda total: f"{total:,.0f} tokens out",
        "cost": money,
    }
    sums = [f"{told[name](found.total)} (n={found.n:,})" for name, found in known.items()]
    yield f"In all: {', '.join(sums)}."
