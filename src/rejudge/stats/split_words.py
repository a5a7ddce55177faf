"""A difference split into its parts, in plain words: what each part means, and what it does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rejudge.stats.decompose import PARTS, Order, Part, Split
from rejudge.stats.interval import LEVEL, Interval, Undefined
from rejudge.stats.render import percent_or_number, told_apart_from_0

if TYPE_CHECKING:
    from rejudge.stats.decompose import PartName
    from rejudge.stats.scale import Kind

CAUSES: dict[PartName, str] = {
    "judge": "the judge",
    "task": "the task",
    "data": "the data",
    "missing": "missing scores",
}

_CAUSES: dict[str, str] = {
    "together": "judge and task together",
    **{str(name): cause for name, cause in CAUSES.items()},
}


def shown(part: Part) -> bool:
    """Whether a part is shown to be other than nothing, also beside all other parts that were looked at."""
    return part.shown


def headline(split: Split) -> str:
    """What moved the number, as far as that is shown beside all other parts: `the judge and the task`."""
    if isinstance(split.difference.value, Undefined):
        return "no difference to explain"
    parts = {name: getattr(split, name) for name in PARTS}
    found = [CAUSES[name] for name, part in parts.items() if shown(part)]
    if isinstance(split.judge.value, Undefined) and shown(split.together):
        found.insert(0, "the judge or the task, which cannot be told apart")
    if found:
        return " and ".join(found)
    untested = [CAUSES[name] for name, part in parts.items() if _moved(part) and isinstance(part.p, Undefined)]
    if untested and not any(isinstance(part.p_adjusted, float) for part in (*parts.values(), split.together)):
        return f"{' and '.join(untested)}, with nothing to show how sure that is"
    return "no cause is shown" if _moved(split.difference) else "the number did not move"


def render_part(part: Part, kind: Kind) -> str:
    """One line: `+4.1 points [+1.2, +7.1] n=120`; scores that are no shares have no points."""
    if isinstance(part.value, Undefined):
        return str(part.value)
    return f"{_with_interval(part, kind)} n={part.n}"


def render_bootstrap(part: Part, kind: Kind) -> str:
    """The ends of a part's bootstrap interval with its method: `[+1.1, +7.2] by bootstrap-bca`."""
    if isinstance(part.bootstrap, Undefined):
        return str(part.bootstrap)
    ends = ", ".join(_signed(part, kind, end) for end in (part.bootstrap.low, part.bootstrap.high))
    return f"[{ends}] by {part.bootstrap.method}"


def what_it_means(split: Split, kind: Kind, *, first: str, second: str) -> list[str]:
    """Sentences for somebody who knows no statistics; `first` and `second` are what the two runs are called."""
    told = [*_judge_and_task(split, kind, first, second), *_data(split, kind, first, second)]
    return [sentence[:1].upper() + sentence[1:] for sentence in told]


def what_it_does_not_mean(split: Split, kind: Kind) -> list[str]:
    """The conclusions that these numbers seem to allow and do not."""
    told = ["A part is what this change did to these items' scores; it does not say that the change was for the good."]
    if split.order is Order.BOTH and _moved(split.interaction):
        told.append(
            f"Judge and task do not simply add up: {_amount(split.interaction, kind)} of the difference belong to "
            "both together, and either part holds half of that."
        )
    if _moved(split.data):
        told.append(
            "The data's part is in the eyes of each run's own judge, with its own task: what these do otherwise to "
            "such items than to the common ones is in it."
        )
    if split.n_neither:
        has = "has" if split.n_neither == 1 else "have"
        told.append(f"{_items(split.n_neither)} {has} no score in either run: nothing here is about them.")
    if _moved(split.missing):
        told.append("Missing scores are no cause by themselves: look at why those items have none.")
    parts = {name: getattr(split, name) for name in (*PARTS, "together")}
    tested = [part for part in parts.values() if not isinstance(part.p_adjusted, Undefined)]
    if any(part.p_adjusted != part.p for part in tested):
        told.append(
            "Each interval is for its part alone; they are not corrected for there being several. What is named as a "
            "cause is: its p-value is adjusted by Holm among all parts of all scores."
        )
    alone = [
        _CAUSES[name] for name, part in parts.items() if part in tested and _leaves_0_out(part) and not shown(part)
    ]
    if alone:
        told.append(f"Of so many parts one leaves out 0 by chance easily: {' and '.join(alone)} may be nothing.")
    if any(_moved(getattr(split, name)) and not shown(getattr(split, name)) for name in PARTS):
        told.append("A part that is not named as a cause may be chance.")
    return told


def _judge_and_task(split: Split, kind: Kind, first: str, second: str) -> Iterator[str]:
    if isinstance(split.together.value, Undefined):
        yield f"judge and task are {split.together.value}."
        return
    if split.order is Order.NONE:
        yield (
            f"judge and task together moved the mean of the {_items(split.n_split)} that both runs scored with equal "
            f"content by {_with_interval(split.together, kind)}; which of them it was is {split.judge.value}."
        )
        return
    yield from _judge(split, kind, first, second)
    yield from _task(split, kind, first, second)


def _judge(split: Split, kind: Kind, first: str, second: str) -> Iterator[str]:
    if not any(_moved(part) for part in (split.judge, split.judge_on_first, split.judge_on_second)):
        yield "the judge moved nothing: on the same traces the scores are the same."
        return
    ways = _ways(
        split,
        kind,
        ((split.judge_on_first, f"on the traces of {first}"), (split.judge_on_second, f"on those of {second}")),
    )
    yield (
        f"the judge of {second} in place of that of {first} moves the mean by {_with_interval(split.judge, kind)}, "
        f"judging the same traces{ways}."
    )


def _task(split: Split, kind: Kind, first: str, second: str) -> Iterator[str]:
    if not any(_moved(part) for part in (split.task, split.task_by_first, split.task_by_second)):
        yield "the task moved nothing: to the same judge its traces are worth the same."
        return
    ways = _ways(
        split,
        kind,
        ((split.task_by_first, f"to the judge of {first}"), (split.task_by_second, f"to that of {second}")),
    )
    yield (
        f"the traces of {second} in place of those of {first} move the mean by {_with_interval(split.task, kind)}, "
        f"in the eyes of the same judge{ways}."
    )


def _ways(split: Split, kind: Kind, orders: tuple[tuple[Part, str], tuple[Part, str]]) -> str:
    """What a change did in either order, where the two are not the same or only one is known."""
    if split.order is Order.BOTH and not _moved(split.interaction):
        return ""
    known = [(part, where) for part, where in orders if not isinstance(part.value, Undefined)]
    return ": " + " and ".join(f"{_amount(part, kind)} {where}" for part, where in known)


def _data(split: Split, kind: Kind, first: str, second: str) -> Iterator[str]:
    if not isinstance(split.data.value, Undefined) and split.data.n:
        yield (
            f"{_items(split.data.n)} in one run alone or with other content move the mean by "
            f"{_with_interval(split.data, kind)}, against the items that both runs have."
        )
    if not isinstance(split.missing.value, Undefined) and split.missing.n:
        yield (
            f"{_items(split.missing.n)} of equal content, for which a score is missing somewhere, move it by "
            f"{_with_interval(split.missing, kind)}."
        )


def _leaves_0_out(part: Part) -> bool:
    return isinstance(part.interval, Interval) and not part.interval.low <= 0 <= part.interval.high


def _moved(part: Part) -> bool:
    return not isinstance(part.value, Undefined) and part.value != 0


def _with_interval(part: Part, kind: Kind) -> str:
    interval = part.interval
    if isinstance(interval, Undefined):
        return f"{_amount(part, kind)} [{interval}]"
    low, high = (_end(part, kind, end, interval) for end in (interval.low, interval.high))
    level = "" if interval.level == LEVEL else f" at {100 * interval.level:g} %"
    return f"{_amount(part, kind)} [{low}, {high}]{level}"


def _amount(part: Part, kind: Kind) -> str:
    if isinstance(part.value, Undefined):
        return str(part.value)
    return f"{_signed(part, kind, part.value)}{' points' if kind == 'pass_fail' else ''}"


def _end(part: Part, kind: Kind, end: float, interval: Interval) -> str:
    text = told_apart_from_0(_signed(part, kind, end), end, interval, kind)
    return f"+{text}" if end > 0 and text.strip("0.") and not text.startswith("+") else text


def _signed(part: Part, kind: Kind, value: float) -> str:
    if not value:
        return "0"
    span, largest = 0.0, abs(value)
    if isinstance(part.interval, Interval):
        span = part.interval.high - part.interval.low
        largest = max(abs(part.interval.low), abs(part.interval.high), abs(value))
    else:
        value = float(f"{value:.3g}")
    text = percent_or_number(kind, span=span, largest=largest)(value).removesuffix(" %")
    return f"+{text}" if value > 0 and text.strip("0.") else text


def _items(count: int) -> str:
    return f"{count} item" if count == 1 else f"{count} items"
