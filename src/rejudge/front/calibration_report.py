"""A calibration as people and programs read it: each number with its interval and what it means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.calibration import HumanSet
from rejudge.domain.ids import id_of
from rejudge.front.amounts import counted
from rejudge.front.export import finding_dict
from rejudge.front.figures import WIDEST, caution_lines, figure_lines, interval_text
from rejudge.front.lines import NAME, broken, clipped, item_name, padded, width, wrapped
from rejudge.front.overview import short, when
from rejudge.front.standing import blinding_lines, default_dict, default_lines, lapse_lines
from rejudge.stats.interval import Undefined
from rejudge.stats.meaning import calibration_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.domain.calibration import CalibrationRecord
    from rejudge.front.calibrating import CalibrationResult
    from rejudge.review.pairs import Pair, PairValue
    from rejudge.stats.probability import Reliability
    from rejudge.stats.scale import Kind

LISTED = 10
"""So many disagreements a report lists when nobody says how many."""

MOST_CATEGORIES = 7
"""The largest confusion matrix that a terminal shows."""

LEAST_NAME, MOST_NAME = 14, 48
"""Columns of an item's id in a list, with little room and with much."""


def calibration_lines(result: CalibrationResult, *, limit: int = LISTED, columns: int = WIDEST) -> Iterator[str]:
    """The report in lines of at most so many columns, with the `limit` worst disagreements."""
    yield from broken(_report(result, limit, columns), columns)


def _report(result: CalibrationResult, limit: int, columns: int) -> Iterator[str]:
    yield from _head(result, columns)
    yield ""
    yield from _matrix(result, columns)
    yield ""
    yield from figure_lines(result.statistics.statistics, n=result.statistics.n, columns=columns)
    if not isinstance(result.statistics.reliability, Undefined):
        yield ""
        yield from _curve(result.statistics.reliability)
    yield ""
    yield from _disagreements(result, limit, columns)
    yield ""
    yield from caution_lines(result.statistics.statistics, columns=columns)
    yield ""
    yield from _standing(result, columns)


def calibration_dict(result: CalibrationResult) -> dict[str, object]:
    """The calibration as JSON-like data; undefined numbers are objects with their reason."""
    record = result.record
    return finding_dict(
        id=record.id,
        scorer={
            "id": id_of("scorer", record.judged.scorer),
            "name": record.judged.name,
            "type": record.judged.type,
            "settings": record.judged.settings,
            "value": record.judged.value,
        },
        against=_against(record),
        experiment={"id": record.experiment, "name": result.result.name},
        runs=record.runs,
        dataset_version=record.dataset_version,
        compared=record.compared,
        pairs=record.pairs,
        blinding=record.blinding,
        statistics=result.statistics,
        words=calibration_in_words(result.statistics),
        seed=record.seed,
        level=record.level,
        at=when(record.at),
        remarks=result.found.remarks,
        disagreements=[_pair(pair) for pair in result.disagreements],
        lapses=result.lapses,
        earlier=[{"id": one.id, "at": when(one.at), "n": one.pairs.n, "lapses": why} for one, why in result.earlier],
        default_judge=default_dict(result.default),
        default_judge_needs=result.shortfalls(),
    )


def _against(record: CalibrationRecord) -> dict[str, object]:
    side = record.against
    if isinstance(side, HumanSet):
        return {
            "kind": "people",
            "name": side.name,
            "rating_set": id_of("ratings", side.rating_set),
            "rubric": side.rubric,
            "gold": id_of("gold", side.gold),
            "gold_number": side.gold_number,
        }
    return {"kind": "scorer", "name": side.name, "id": id_of("scorer", side.scorer), "value": side.value}


def _pair(pair: Pair) -> dict[str, object]:
    return {
        "trace": id_of("trace", pair.trace),
        "item_id": pair.item_id,
        "trial": pair.trial,
        "run": pair.run_id,
        "scorer": pair.judge,
        "other": pair.other,
        "reason": pair.reason,
    }


def _sides(record: CalibrationRecord) -> tuple[str, str]:
    """How both sides are called in tables."""
    mine = clipped(record.judged.name, 20)
    return mine, "people" if isinstance(record.against, HumanSet) else clipped(record.against.name, 20)


def _head(result: CalibrationResult, columns: int) -> Iterator[str]:
    record = result.record
    people = isinstance(record.against, HumanSet)
    whom = f"people ({clipped(record.against.name, NAME)})" if people else clipped(record.against.name, NAME)
    yield f"{clipped(record.judged.name, NAME)} against {whom}"
    value = "" if record.judged.value == record.judged.name else f", value {clipped(record.judged.value, NAME)}"
    yield f"  {short(id_of('scorer', record.judged.scorer))}, {record.judged.type}{value}"
    if isinstance(record.against, HumanSet):
        yield f"  gold version {record.against.gold_number}, {short(id_of('gold', record.against.gold))}"
    yield f"  {clipped(result.result.name, NAME)}, dataset version {short(record.dataset_version)}"
    pairs = record.pairs
    lost = {
        "skipped": pairs.skipped,
        "scorer errors": pairs.errors,
        "not judged": pairs.unjudged,
        "left to a person": pairs.deferred,
        "not in this experiment": pairs.elsewhere,
        "open": pairs.open,
    }
    left_out = ", ".join(f"{count} {why}" for why, count in lost.items() if count)
    labelled = pairs.n + sum(lost.values())
    told = counted(labelled, "rated trace" if pairs.open else "labelled trace")
    yield f"n={pairs.n} of {told}" + (f"; left out: {left_out}" if left_out else "")
    if people:
        yield from blinding_lines(record.blinding)
    for remark in result.found.remarks:
        yield from wrapped(f"note: {clipped(remark, 400)}", columns)


def _matrix(result: CalibrationResult, columns: int) -> Iterator[str]:
    confusion = result.statistics.confusion
    if isinstance(confusion, Undefined):
        return
    mine, theirs = _sides(result.record)
    if len(confusion.categories) > MOST_CATEGORIES:
        yield f"confusion matrix of {len(confusion.categories)} categories: see --json"
        return
    names = [_said(one, result.statistics.kind).strip() for one in confusion.categories]
    first = max(width(theirs), *map(width, names)) if names else width(theirs)
    cells = [[str(count) for count in row] for row in confusion.counts]
    sizes = [max(map(width, [name, *column])) for name, column in zip(names, zip(*cells, strict=True), strict=True)]
    if first + sum(sizes) + 2 * len(sizes) > columns:
        yield f"confusion matrix of {len(names)} categories: too wide for {columns} columns, see --json"
        return
    yield f"{padded(theirs, first)}  {mine} said"
    yield f"{padded('said', first)}  {'  '.join(map(padded, names, sizes))}".rstrip()
    for name, row in zip(names, cells, strict=True):
        numbers = "  ".join(count.rjust(size) for count, size in zip(row, sizes, strict=True))
        yield f"{padded(name, first)}  {numbers}"


def _curve(curve: Reliability) -> Iterator[str]:
    yield f"reliability: what is said, and the share that passes, in {len(curve.bins)} bins"
    for one in curve.bins:
        if not isinstance(one.observed, Undefined) and not isinstance(one.predicted, Undefined):
            passed = interval_text(one.observed.value, one.observed.interval, kind="pass_fail")
            yield f"  {one.low:.2f} to {one.high:.2f}  said {one.predicted:.2f}, {passed} pass, n={one.n}"


def _disagreements(result: CalibrationResult, limit: int, columns: int) -> Iterator[str]:
    differing = result.disagreements
    mine, theirs = _sides(result.record)
    kind = result.statistics.kind
    shown = differing[:limit]
    yield f"disagreements, {len(shown)} of {len(differing)}, worst first: item, {mine}, {theirs}"
    names = [_unit(pair, min(MOST_NAME, max(LEAST_NAME, columns - 56))) for pair in shown]
    room = max(map(width, names), default=0)
    for name, pair in zip(names, shown, strict=True):
        said = f"  {padded(name, room)}  {_said(pair.judge, kind)}  {_said(pair.other, kind)}"
        beside = columns - width(said) - 2
        yield f"{said}  {clipped(pair.reason, beside)}".rstrip() if beside > 10 else said.rstrip()


def _unit(pair: Pair, limit: int) -> str:
    return item_name(pair.item_id, limit) + (f" #{pair.trial}" if pair.trial else "")


def _said(side: PairValue, kind: Kind) -> str:
    """A value of one side; whether something passes is said in words."""
    if isinstance(side, str):
        return padded(clipped(side, 12), 6)
    if kind == "pass_fail" and side in (0, 1):
        return ("fail", "pass")[int(side)].ljust(6)
    return f"{side:.6g}".ljust(6)


def _standing(result: CalibrationResult, columns: int) -> Iterator[str]:
    record, default = result.record, result.default
    yield f"{short(record.id)}, seed {record.seed}"
    yield from lapse_lines(
        result.lapses, otherwise="holds until the scorer, a rubric, the dataset or the labels change", columns=columns
    )
    for one, why in result.earlier:
        yield f"earlier: {short(one.id)}, {when(one.at)[:10]}, n={one.pairs.n}"
        yield from lapse_lines(why, otherwise="still holds", columns=columns)
    if not isinstance(record.against, HumanSet):
        return
    if default is None:
        short_of = result.shortfalls()
        told = f"; this one does not suffice: {'; '.join(short_of)}" if short_of else ""
        yield from wrapped(f"default judge: none yet{told}", columns)
    else:
        yield from default_lines(default, columns=columns)
