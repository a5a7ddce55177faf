"""The default judge of a question: the scorer that may stand in for people, as decided on a calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, convert, structs

from rejudge.domain.calibration import CalibrationRecord, DefaultJudge, HumanSet, lapses
from rejudge.domain.errors import ConfigurationError, StoreDamaged
from rejudge.domain.ids import id_of
from rejudge.review.newest import present
from rejudge.stats.calibration import Calibration
from rejudge.stats.chance import not_above_chance

if TYPE_CHECKING:
    from rejudge.domain.calibration import Minimum
    from rejudge.storage.store import Store


def shortfalls(record: CalibrationRecord, minimum: Minimum) -> list[str]:
    """Why a calibration is too little to make its scorer the default judge; empty where it is enough.

    However little is asked for, a judge that is not told from chance is refused.
    """
    return minimum.shortfalls(record) + _by_chance(record)


def make_default(store: Store, record: CalibrationRecord, *, minimum: Minimum, at: float) -> DefaultJudge:
    """Store the decision that the scorer of a calibration is the default judge of what people were asked.

    Raises ConfigurationError, with every reason, where the calibration is too little to rest on or holds no more.
    """
    short = shortfalls(record, minimum) + lapses(record, present(store, record))
    if short or not isinstance(record.against, HumanSet):
        raise ConfigurationError(
            f"{record.judged.name!r} does not become the default judge: {'; '.join(short)}",
            fix="mend the judge, or rate more traces, adjudicate, and calibrate again"
            if _by_chance(record)
            else "rate more traces, adjudicate, and calibrate again; or ask for less with `minimum`",
        )
    judge = DefaultJudge(
        question=record.against.name,
        scorer=record.judged.scorer,
        calibration=record.digest(),
        minimum=minimum,
        at=at,
    )
    made = [one for one in store.default_judges() if one.question == judge.question]
    if made and structs.replace(made[-1], at=at) == judge:
        return made[-1]
    store.save_default_judge(judge)
    return judge


class DefaultStanding(Struct, frozen=True, kw_only=True):
    """The default judge of a question with its calibration, and why that holds no more; empty while it holds.

    One that was made before judges by chance were refused holds no more either.
    """

    judge: DefaultJudge
    calibration: CalibrationRecord
    lapses: tuple[str, ...]


def default_judge(store: Store, question: str) -> DefaultStanding | None:
    """The default judge of the question of a rating set, by the last decision; None where none was made.

    Raises StoreDamaged where its calibration is not there.
    """
    made = [judge for judge in store.default_judges() if judge.question == question]
    if not made:
        return None
    named = made[-1].calibration
    record = next((one for one in store.calibrations() if one.digest() == named), None)
    if record is None:
        raise StoreDamaged(
            f"the default judge of {question!r} rests on a calibration that is lost: {id_of('calibration', named)}",
            fix="restore the store from a backup, or calibrate again with --make-default",
        )
    why = [*_by_chance(record), *lapses(record, present(store, record))]
    return DefaultStanding(judge=made[-1], calibration=record, lapses=tuple(why))


def _by_chance(record: CalibrationRecord) -> list[str]:
    chance = not_above_chance(convert(record.statistics, Calibration))
    return [] if chance is None else [chance]
