"""A run in depth as text for people: each number with its n, its interval and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.amounts import counted, duration, money
from rejudge.front.lines import NAME, clipped, hanging, item_name, padded, width
from rejudge.stats.comparison_words import render_p
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.render import (
    percent_or_number,
    render_attempts,
    render_bounds,
    render_counts,
    render_estimate,
    render_mean,
    render_standard_error,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rejudge.front.described import Description
    from rejudge.release.describe import Clustered, DescribedScore, LabelFlips
    from rejudge.stats.estimate import Statistic
    from rejudge.stats.percentiles import Percentiles
    from rejudge.stats.repeats import RepeatSummary
    from rejudge.stats.slices import Slice
    from rejudge.stats.summary import Summary

WIDTH = 100
SLICES, LISTED = 20, 5
"""So many slices, and items with unequal trials, are shown where nobody says otherwise."""

_AMOUNTS: dict[str, tuple[str, Callable[[float], str]]] = {
    "seconds": ("time", duration),
    "input_tokens": ("tokens in", lambda value: f"{value:,.0f}"),
    "output_tokens": ("tokens out", lambda value: f"{value:,.0f}"),
    "cost": ("cost", money),
}


def description_text(result: Description, *, columns: int = WIDTH, slices: int = SLICES, listed: int = LISTED) -> str:
    """Everything about a run in lines of at most so many columns."""
    run = result.run
    parts = [hanging(f"{clipped(run.label, NAME)}  ", f"{run.experiment}, task {run.task}, run {run.run}", columns)]
    for score in result.described.scores:
        lines = _score(score, result.summary_of(score), slices=slices, listed=listed)
        parts.append([line for head, text in lines for line in hanging(head, text, columns)])
    parts += [
        [line for head, text in _label_flips(flips, listed) for line in hanging(head, text, columns)]
        for flips in result.described.label_flips
    ]
    parts.append([line for head, text in _amounts(result.described.amounts) for line in hanging(head, text, columns)])
    parts.append([line for note in result.notes for line in hanging("note: ", note, columns)])
    return "\n\n".join("\n".join(part) for part in parts if part)


def _score(score: DescribedScore, summary: Summary | None, *, slices: int, listed: int) -> Iterator[tuple[str, str]]:
    yield f"{clipped(score.measure, NAME)}: ", _estimate(score, summary)
    if summary is not None:
        if score.label is None and score.kind != "pass_fail" and summary.mean is not None:
            on = "" if None in (score.scale.low, score.scale.high) else ", in percent of the way from low to high"
            yield (
                _head("with error"),
                f"{render_standard_error(summary, scale=score.scale)} (mean ± standard error{on})",
            )
        yield _head("counts"), render_counts(summary.counts)
        if score.label is None and summary.counts.missing:
            yield _head("bounds"), render_bounds(summary)
    if not isinstance(score.bootstrap, Undefined):
        drawn = score.bootstrap
        method = f" by {drawn.interval.method}" if isinstance(drawn.interval, Interval) else ""
        draws = f", {drawn.resamples} resamples, seed {drawn.seed}" if drawn.resamples else ""
        yield _head("bootstrap"), f"{render_mean(drawn.mean, drawn.interval, score.kind)}{method} n={drawn.n}{draws}"
    if score.clustered is not None:
        yield from _clusters(score, score.clustered)
    if score.repeats is not None:
        yield from _repeats(score, score.repeats)
    for tried in score.attempts:
        for name, chance in (("pass@", tried.any_of), ("pass^", tried.all_of)):
            yield _head(f"{name}{tried.k}"), render_attempts(name, chance).partition(" ")[2]
    if score.flips is not None:
        yield from _flips(score, listed)
    yield from _slices(score, slices)


def _estimate(score: DescribedScore, summary: Summary | None) -> str:
    """The mean with the interval that the report gives it; of a label its share."""
    interval = None if summary is None else summary.interval
    if summary is not None and score.label is not None:
        share = summary.labels.get(score.label)
        interval = None if share is None else share.interval
        told = f"{render_mean(score.mean, interval, score.kind)} n={score.n}" if interval is not None else ""
    else:
        told = "" if summary is None else render_estimate(summary)
    method = f", {100 * interval.level:g} % by {interval.method}" if isinstance(interval, Interval) else ""
    return f"{told or f'{score.mean} n={score.n}'}{method}"


def _clusters(score: DescribedScore, clustered: Clustered) -> Iterator[tuple[str, str]]:
    effect = clustered.effect
    field = clipped(clustered.field, NAME)
    yield (
        _head("clusters"),
        f"{render_mean(score.mean, clustered.interval, score.kind)} over {effect.clusters} clusters by {field}, "
        f"n={effect.n}",
    )
    yield _head(""), f"design effect {_number(effect.design_effect)}, ICC {_number(effect.icc)}"
    if not isinstance(effect.effective_n, Undefined):
        yield _head(""), f"these {effect.n} items tell as much as {effect.effective_n.value:.0f} independent ones"


def _repeats(score: DescribedScore, repeats: RepeatSummary) -> Iterator[tuple[str, str]]:
    n = f"n={repeats.items} items, {repeats.scored} trials"
    yield _head("repeats"), f"{render_mean(repeats.mean, repeats.interval, score.kind)} {n}"
    yield _head("variance"), f"between items {_number(repeats.between)}; within an item {_number(repeats.within)}"
    yield (
        _head("reliability"),
        f"of one trial {_number(repeats.reliability)}; of an item's mean " + _number(repeats.reliability_of_mean),
    )
    yield _head(""), "what is missing to 1 is chance between trials of one item; more trials remove only that"
    yield _head("agreement"), f"two trials of an item are equal with chance {_number(repeats.agreement)}"


def _flips(score: DescribedScore, listed: int) -> Iterator[tuple[str, str]]:
    found = score.flips
    if found is None:
        return
    shown = found.items[:listed]
    more = f", the {len(shown)} that agree least" if len(shown) < found.count else ""
    yield _head("flips"), f"{counted(found.count, 'item')} whose trials are not all equal{more if shown else ''}"
    for flip in shown:
        ends = f"from {flip.minimum:g} to {flip.maximum:g}, mean {flip.mean:.3g} of {flip.trials} trials"
        yield _head(""), f"{item_name(flip.item_id, NAME)}: {ends}"


def _label_flips(found: LabelFlips, listed: int) -> Iterator[tuple[str, str]]:
    yield "", f"{clipped(found.measure, NAME)}: {counted(found.count, 'item')} whose trials got different labels"
    for one in found.items[:listed]:
        told = ", ".join(f"{clipped(label, NAME)} × {count}" for label, count in one.labels.items())
        yield f"  {item_name(one.item_id, NAME)}: ", told


def _slices(score: DescribedScore, limit: int) -> Iterator[tuple[str, str]]:
    shown = sorted(score.slices, key=_unlikely)[:limit]
    if not shown:
        return
    more = f", {limit} shown, the least like the rest first" if limit < len(score.slices) else ""
    told = f"{counted(len(score.slices), 'slice')}, each against the rest, p corrected for all of them (BH){more}"
    yield _head("slices"), told
    names = [clipped(one.name, NAME) for one in shown]
    room = max(map(width, names))
    for name, one in zip(names, shown, strict=True):
        of = f" of {one.items}" if one.n < one.items else ""
        rest = one.rest
        against = f"{rest.verdict}, {render_p(rest.p_adjusted)}" if isinstance(rest.p_adjusted, float) else rest.verdict
        bounds = f"; {_bounds(one, score)}" if one.n < one.items else ""
        yield (
            f"    {padded(name, room)}  ",
            f"{render_mean(one.mean, one.interval, score.kind)} n={one.n}{of}; {against}{bounds}",
        )


def _bounds(one: Slice, score: DescribedScore) -> str:
    """The slice's mean whatever its missing items would score."""
    missing = one.items - one.n
    ends = sorted(end for end in (one.best, one.worst) if isinstance(end, float))
    if len(ends) < 2:
        return f"bounds {one.best if isinstance(one.best, Undefined) else one.worst}"
    text = percent_or_number(score.kind, span=ends[1] - ends[0], largest=max(map(abs, ends)))
    return f"{text(ends[0]).removesuffix(' %')} to {text(ends[1])} whatever the {missing} missing would score"


def _amounts(amounts: dict[str, Percentiles | Undefined]) -> Iterator[tuple[str, str]]:
    given = {name: found for name, found in amounts.items() if not isinstance(found, Undefined)}
    known = {name: found for name, found in given.items() if found.n}
    undefined = {name: found for name, found in amounts.items() if isinstance(found, Undefined)}
    if known or undefined:
        yield "", f"what a trace took (percentiles{_level(known.values())})" if known else "what a trace took"
    for name, why in undefined.items():
        yield f"  {padded(_AMOUNTS[name][0], 11)} ", why.reason
    for name, found in known.items():
        label, told = _AMOUNTS[name]
        missing = f", unknown for {found.missing}" if found.missing else ""
        cells = [f"p{one.at:g} {told(one.value)}{_between(one.interval, told)}" for one in found.percentiles]
        mean = "" if found.mean is None else f"mean {told(found.mean)}{_between(found.interval, told)}; "
        yield f"  {padded(label, 11)} ", f"{mean}{'; '.join(cells)}; n={found.n}{missing}"
    nothing = [_AMOUNTS[name][0] for name, found in given.items() if not found.n and found.missing]
    if nothing and (known or undefined):
        yield "  ", f"not known of any trace: {', '.join(nothing)}"


def _level(amounts: Iterable[Percentiles]) -> str:
    ends = [one.interval for found in amounts for one in found.percentiles if isinstance(one.interval, Interval)]
    return f" with {100 * ends[0].level:g} % intervals" if ends else ""


def _between(interval: Interval | Undefined, told: Callable[[float], str]) -> str:
    return (
        f" [{told(max(0.0, interval.low))}, {told(interval.high)}]"
        if isinstance(interval, Interval)
        else f" [{interval}]"
    )


def _number(estimate: Statistic) -> str:
    if isinstance(estimate, Undefined):
        return str(estimate)
    interval = estimate.interval
    ends = f"[{interval.low:.3g}, {interval.high:.3g}]" if isinstance(interval, Interval) else f"[{interval}]"
    return f"{estimate.value:.3g} {ends}"


def _unlikely(one: Slice) -> float:
    return one.rest.p_adjusted if isinstance(one.rest.p_adjusted, float) else 2.0


def _head(label: str) -> str:
    return f"  {padded(label, 11)} "
