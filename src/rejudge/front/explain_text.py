"""An explanation as text for people: each score's difference in its parts and who carries them, then what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.amounts import counted, money
from rejudge.front.compare_text import ITEM, WIDTH, sides_of
from rejudge.front.differences_text import differences_text
from rejudge.front.lines import NAME, broken, clipped, hanging, item_name, padded, width
from rejudge.stats.decompose import PARTS, Order
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.render import percent_or_number
from rejudge.stats.split_words import headline, render_bootstrap, render_part, what_it_does_not_mean, what_it_means

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.explanation import Explanation
    from rejudge.release.explanation import Carrier, ScoreExplanation, Spent
    from rejudge.stats.decompose import PartName, Split

LISTED = 5
"""So many items are named that carry a part, where nobody says otherwise."""

HEAD = 13
"""Columns of the names in front of numbers."""


def explanation_text(result: Explanation, *, columns: int = WIDTH, listed: int = LISTED) -> str:
    """Everything that an explanation found, in lines of at most so many columns."""
    first, second = (clipped(side.label, NAME) for side in (result.first, result.second))
    heads = [("", f"{first} → {second}"), *sides_of(result.first, result.second)]
    parts = [[line for head, told in heads for line in hanging(head, told, columns)]]
    parts += [list(broken(_score(one, first, second, columns, listed), columns)) for one in result.scores]
    parts.append(list(broken(differences_text(result.differences, columns=columns, listed=listed), columns)))
    parts.append(list(hanging("judged: ", spent_text(result.spent), columns)))
    if result.notes:
        parts.append([line for note in result.notes for line in hanging("note: ", note, columns)])
    return "\n\n".join("\n".join(part) for part in parts)


def _score(score: ScoreExplanation, first: str, second: str, columns: int, listed: int) -> Iterator[str]:
    name = clipped(score.measure, NAME)
    split = score.split
    if isinstance(split, Undefined):
        yield from hanging(f"{name}: ", f"the split is {split}", columns)
        return
    yield from hanging(f"{name}: ", headline(split).upper(), columns)
    for label, text in _numbers(score, split, first, second):
        yield from hanging(f"  {padded(label, HEAD)}", text, columns)
    for told in (score.first_judge, score.second_judge):
        if told:
            yield from hanging(f"  {padded('judges', HEAD)}", told, columns)
    for heading, sentences in (
        ("it means", what_it_means(split, score.kind, first=first, second=second)),
        ("it does not", what_it_does_not_mean(split, score.kind)),
    ):
        for place, sentence in enumerate(sentences):
            yield from hanging(f"  {padded(heading if place == 0 else '', HEAD)}", sentence, columns)
    for part in PARTS:
        yield from _carried(score, split, part, columns, listed)


def _numbers(score: ScoreExplanation, split: Split, first: str, second: str) -> Iterator[tuple[str, str]]:
    for label, mean, n, name in (
        ("first", split.mean_first, split.n_first, first),
        ("second", split.mean_second, split.n_second, second),
    ):
        yield label, f"{_plain(score, mean, span=_span(split))} n={n}  ({name})"
    yield "difference", render_part(split.difference, score.kind)
    for sign, part in zip("=+++", PARTS, strict=True):
        yield f"{sign} {part}", _part(score, split, part)
    if split.order is Order.NONE:
        yield "judge + task", render_part(split.together, score.kind)
    if split.order is Order.BOTH and not score.same_judge:
        none = split.interaction.value == 0 and isinstance(split.interaction.interval, Undefined)
        same = "0: either judge sees the same change of the task"
        yield "interaction", same if none else render_part(split.interaction, score.kind)
    drawn = [
        f"{name} {render_bootstrap(part, score.kind)}"
        for name, part in (("judge", split.judge), ("task", split.task))
        if isinstance(part.bootstrap, Interval)
    ]
    if drawn:
        yield "bootstrap", f"{'; '.join(drawn)}; seed {split.seed}"
    if isinstance(split.difference.interval, Interval):
        interval = split.difference.interval
        yield "intervals", f"{100 * interval.level:g} %, that of the difference by {interval.method}"


def _part(score: ScoreExplanation, split: Split, name: PartName) -> str:
    part = getattr(split, name)
    if part.value == 0 and isinstance(part.interval, Undefined):
        if name == "judge":
            return "0: one judge judged both runs" if score.same_judge else "0: both judges give the same scores"
        if name == "task":
            return "0: to the same judge every item is worth the same"
        if not part.n:
            return _no_item(split, name)
    return render_part(part, score.kind)


def _no_item(split: Split, name: PartName) -> str:
    """Why no item is behind a part, with what has no score anywhere."""
    if name == "data":
        apart = f"{counted(split.n_apart, 'item')} that one run alone has, or that changed, without a score"
        return f"0: {apart}" if split.n_apart else "0: both runs are over the same items"
    neither = f"0: {counted(split.n_neither, 'item')} without a score in either run, none in one alone"
    return neither if split.n_neither else "0: no common item lacks a score"


def _carried(score: ScoreExplanation, split: Split, name: PartName, columns: int, listed: int) -> Iterator[str]:
    carried = score.carried[name]
    if not carried.count:
        return
    shown = carried.items[:listed]
    more = f", the {len(shown)} furthest of them" if carried.count > len(shown) > 0 else ""
    yield f"  {name} carried by: {counted(carried.count, 'item')}{more}"
    names = [item_name(one.item_id, min(ITEM, columns // 2)) for one in shown]
    room = max(map(width, names), default=0)
    for label, one in zip(names, shown, strict=True):
        yield from hanging(f"    {padded(label, room)}  ", _moved(score, one, name), columns)


def _moved(score: ScoreExplanation, one: Carrier, name: PartName) -> str:
    """How far the item moved the mean, and the scores that this is the difference of."""
    unit = " points" if score.kind == "pass_fail" else ""
    shift = percent_or_number(score.kind, span=abs(one.shift), largest=abs(one.shift))(one.shift).removesuffix(" %")
    told = f"{'+' if one.shift > 0 else ''}{shift}{unit}"
    pairs = {
        "judge": (
            (one.first, one.second_on_first, "on the first's traces"),
            (one.first_on_second, one.second, "on the second's"),
        ),
        "task": (
            (one.first, one.first_on_second, "to the first's judge"),
            (one.second_on_first, one.second, "to the second's"),
        ),
    }.get(name, ((one.first, one.second, ""),))
    ways = [
        f"{_score_of(score, before)} → {_score_of(score, after)} {where}".rstrip()
        for before, after, where in pairs
        if name not in ("judge", "task") or (before is not None and after is not None)
    ]
    if len(ways) == 2 and score.same_judge:
        ways = [f"{_score_of(score, one.first)} → {_score_of(score, one.second)}"]
    return f"{told}  ({', '.join(ways)})"


def _score_of(score: ScoreExplanation, value: float | None) -> str:
    return "no score" if value is None else _plain(score, value)


def _plain(score: ScoreExplanation, value: float | Undefined, *, span: float = 0.0) -> str:
    if isinstance(value, Undefined):
        return str(value)
    return percent_or_number(score.kind, span=0.0 if value in (0.0, 1.0) else span, largest=abs(value))(value)


def _span(split: Split) -> float:
    interval = split.difference.interval
    return interval.high - interval.low if isinstance(interval, Interval) else 0.0


def spent_text(spent: Spent) -> str:
    """What was judged for the explanation, and what that cost."""
    if not spent.made and not spent.stored:
        return "nothing by another run's judge; no task was called"
    told = [f"{counted(spent.made, 'judgement')} made now, {spent.stored:,} were stored"]
    if spent.stopped is not None:
        told.append(f"it stopped early: {spent.stopped}")
    if spent.errors:
        told.append(f"{spent.errors:,} failed")
    if spent.made and (spent.input_tokens or spent.output_tokens):
        told.append(f"{spent.input_tokens or 0:,} tokens in, {spent.output_tokens or 0:,} out")
        cost = "no cost is known" if spent.cost is None else f"{money(spent.cost)} for {spent.known_costs:,} of them"
        told.append(cost)
    return "; ".join([*told, "no task was called"])
