"""A rating set as people read it: who rated, how far they agree, the gold labels, and what is still open."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.calibration import CalibrationRecord, HumanSet, lapses
from rejudge.domain.ids import id_of
from rejudge.domain.rating import current
from rejudge.front.amounts import counted
from rejudge.front.export import finding_dict, json_text
from rejudge.front.figures import VERDICTS, WIDEST, caution_lines, figure_lines
from rejudge.front.lines import NAME, broken, clipped, item_name, one_line, padded, width, wrapped
from rejudge.front.overview import short, when
from rejudge.front.standing import blinding_lines, default_dict, default_lines, drawing_lines, lapse_lines
from rejudge.review.default_judge import DefaultStanding, default_judge
from rejudge.review.gold import adjudicate
from rejudge.review.newest import present
from rejudge.review.raters import rater_agreement
from rejudge.stats.interval import LEVEL
from rejudge.stats.meaning import calibration_in_words
from rejudge.wiring import DEFAULT_STORE, Address, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.domain.gold import GoldVersion, OpenTrace
    from rejudge.domain.rating import Drawing, Rating, RatingSet
    from rejudge.domain.scale import ScoreType
    from rejudge.domain.score import ScoreValue
    from rejudge.stats.raters import RaterAgreement

OPEN_LISTED = 20
"""So many open traces a report lists when nobody says how many."""


class RatingReport(Struct, frozen=True, kw_only=True):
    """What a store holds of one rating set.

    `ratings` are those that count, of `stored` in all. `since` says whether ratings came after the newest gold version
    that would change it. `calibrations` are those against the name of the set, each with why it holds no more, and
    `default` is the judge that may stand in for people.
    """

    rating_set: RatingSet
    ratings: tuple[Rating, ...]
    stored: int
    agreement: RaterAgreement
    gold: GoldVersion | None
    since: bool
    calibrations: tuple[tuple[CalibrationRecord, tuple[str, ...]], ...] = ()
    default: DefaultStanding | None = None

    @property
    def open(self) -> tuple[OpenTrace, ...]:
        """The traces that the newest gold version leaves without a label."""
        return () if self.gold is None else self.gold.open

    @property
    def raters(self) -> dict[str, int]:
        """How many traces each rater rated, the busiest first."""
        return dict(Counter(rating.rater for rating in self.ratings).most_common())

    @property
    def blinding(self) -> dict[str, int]:
        """How many of the ratings that count are blind, sighted, or of neither kind for sure."""
        return dict(Counter(rating.blinding.value for rating in self.ratings))

    @property
    def drawing(self) -> dict[Drawing | None, int]:
        """How many of the ratings are of traces chosen in which way; None where that was not said."""
        return dict(Counter(rating.drawn for rating in self.ratings))

    def __str__(self) -> str:
        return "\n".join(report_lines(self))

    def to_dict(self) -> dict[str, object]:
        """The same as JSON-like data, with every open trace."""
        agreement, gold = self.agreement, self.gold
        places = _places(self.ratings)
        return finding_dict(
            rating_set={
                "id": self.rating_set.id,
                "name": self.rating_set.name,
                "score": self.rating_set.score,
                "rubric": self.rating_set.rubric,
                "created_at": when(self.rating_set.created_at),
            },
            ratings=len(self.ratings),
            superseded=self.stored - len(self.ratings),
            blinding=self.blinding,
            drawn={"unknown" if way is None else way: count for way, count in self.drawing.items()},
            raters=self.raters,
            agreement=agreement,
            words=calibration_in_words(agreement),
            gold=None
            if gold is None
            else {
                "id": gold.id,
                "number": gold.number,
                "rule": gold.rule.value,
                "adjudicator": gold.adjudicator,
                "labels": len(gold.labels),
                "labels_by_one_rater": _by_one(gold),
                "open": len(gold.open),
                "outdated": self.since,
                "at": when(gold.at),
            },
            calibrations=[
                {
                    "id": record.id,
                    "scorer": {"id": id_of("scorer", record.judged.scorer), "name": record.judged.name},
                    "n": record.pairs.n,
                    "lapses": list(why),
                    "at": when(record.at),
                }
                for record, why in self.calibrations
            ],
            default_judge=default_dict(self.default),
            open=[
                {
                    "trace": id_of("trace", one.trace),
                    "item_id": places[one.trace][0],
                    "trial": places[one.trace][1],
                    "why": one.why,
                    "said": {rater: _said(value, self.rating_set.score.type) for rater, value in one.said},
                }
                for one in self.open
            ],
        )

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())


def rating_report(rating_set: str, *, store: Address = DEFAULT_STORE, level: float = LEVEL) -> RatingReport:
    """What a store holds of a rating set (by name or id): raters, their agreement with intervals, gold labels, and
    the disagreements that nobody has decided yet.
    """
    opened = open_store(store)
    found = opened.rating_set(rating_set)
    stored = opened.ratings(found.digest())
    versions = opened.gold_versions(found.digest())
    gold = versions[-1] if versions else None
    since = gold is not None and not gold.equals(
        adjudicate(found, stored, rule=gold.rule, adjudicator=gold.adjudicator)
    )
    return RatingReport(
        rating_set=found,
        ratings=tuple(current(stored)),
        stored=len(stored),
        agreement=rater_agreement(found, stored, level=level),
        gold=gold,
        since=since,
        calibrations=tuple(
            (one, tuple(lapses(one, present(opened, one))))
            for one in opened.calibrations()
            if isinstance(one.against, HumanSet) and one.against.name == found.name
        ),
        default=default_judge(opened, found.name),
    )


def report_lines(report: RatingReport, *, limit: int = OPEN_LISTED, columns: int = WIDEST) -> Iterator[str]:
    """The report in lines of at most so many columns; at most `limit` open traces are listed."""
    yield from broken(_report(report, limit, columns), columns)


def _report(report: RatingReport, limit: int, columns: int) -> Iterator[str]:
    agreement, asked = report.agreement, report.rating_set
    yield f"{clipped(asked.name, NAME)}  {short(asked.id)}  {asked.score.type.value}"
    if asked.rubric:
        yield from (f"  {line}" for line in wrapped(clipped(asked.rubric, 400), columns - 2))
    told = counted(len(report.ratings), "rating")
    superseded = report.stored - len(report.ratings)
    yield f"{told} of {counted(agreement.units, 'trace')}" + (f", {superseded} superseded" if superseded else "")
    yield from blinding_lines(report.blinding)
    yield from drawing_lines(report.drawing)
    names = {rater: clipped(rater, NAME) for rater in report.raters}
    room = max(map(width, names.values()), default=0)
    yield from (f"  {padded(names[rater], room)}  {count}" for rater, count in report.raters.items())
    yield ""
    yield f"agreement of the raters, over {counted(agreement.paired, 'trace')} with two ratings or more"
    yield from figure_lines(agreement.statistics, n=agreement.paired, columns=columns)
    yield from caution_lines(agreement.statistics, columns=columns)
    yield ""
    yield from _gold(report)
    if report.open:
        yield ""
        yield from open_lines(report, limit=limit, columns=columns)
    if report.calibrations:
        yield ""
        yield "calibrations of scorers against it"
    for record, why in report.calibrations:
        yield f"  {clipped(record.judged.name, NAME)}, n={record.pairs.n}, {when(record.at)[:10]}, {short(record.id)}"
        yield from (f"  {line}" for line in lapse_lines(why, otherwise="holds", columns=columns - 2))
    if report.default is not None:
        yield from default_lines(report.default, columns=columns)


def open_lines(report: RatingReport, *, limit: int, columns: int = WIDEST) -> Iterator[str]:
    """The traces without a gold label: who said what, and why that decides nothing, in one line where it fits."""
    shown = report.open[:limit]
    yield f"open, {len(shown)} of {len(report.open)}: nobody has decided these"
    places, kind = _places(report.ratings), report.rating_set.score.type
    for one in shown:
        item, trial = places[one.trace]
        name = item_name(item, min(48, max(20, columns - 60))) + (f" trial {trial}" if trial else "")
        said = ", ".join(f"{clipped(rater, 20)} {clipped(str(_said(value, kind)), 20)}" for rater, value in one.said)
        whole = f"  {name}: {said} ({one_line(one.why)})"
        if width(whole) <= columns:
            yield whole
        else:
            yield f"  {name}: {clipped(one.why, 50)}"
            yield from (f"    {line}" for line in wrapped(said, columns - 4))


def _gold(report: RatingReport) -> Iterator[str]:
    gold = report.gold
    if gold is None:
        yield "no gold labels yet: rejudge ratings adjudicate makes them"
        return
    rule = gold.rule.value if gold.adjudicator is None else f"{gold.rule.value} {clipped(gold.adjudicator, NAME)}"
    yield f"gold version {gold.number} ({rule})  {short(gold.id)}"
    yield f"  {counted(len(gold.labels), 'label')}, {_by_one(gold)} of them by one rater alone; {len(gold.open)} open"
    if report.since:
        yield "  ratings came since that would change it: adjudicate again"


def _by_one(gold: GoldVersion) -> int:
    """How many labels come from one rater alone."""
    return sum(label.raters == 1 for label in gold.labels)


def _places(ratings: tuple[Rating, ...]) -> dict[bytes, tuple[str, int]]:
    return {rating.trace: (rating.item_id, rating.trial) for rating in ratings}


def _said(value: ScoreValue, kind: ScoreType) -> object:
    """What a rater gave, as people say it: whether something passes in words."""
    if value.number is None:
        return value.label
    if (verdict := VERDICTS.get(kind.value, {}).get(value.number)) is not None:
        return verdict
    return int(value.number) if value.number.is_integer() else value.number
