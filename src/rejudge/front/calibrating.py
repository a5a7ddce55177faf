"""Calibration as a verb: how far a scorer agrees with people, or with another scorer, on the same stored traces."""

from __future__ import annotations

from time import time
from typing import TYPE_CHECKING

from rejudge.domain.calibration import Minimum, lapses
from rejudge.front.export import json_text
from rejudge.front.run_names import result_of
from rejudge.review import calibrate as review
from rejudge.review.default_judge import default_judge, make_default, shortfalls
from rejudge.review.newest import present
from rejudge.review.sides import nothing_to_compare_with
from rejudge.stats.interval import LEVEL
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from pathlib import Path

    from rejudge.domain.calibration import CalibrationRecord, DefaultJudge
    from rejudge.front.result import Result
    from rejudge.front.run_names import RunLike
    from rejudge.review.calibrate import Calibrated
    from rejudge.review.default_judge import DefaultStanding
    from rejudge.review.pairs import Pair
    from rejudge.stats.calibration import Calibration
    from rejudge.storage.store import Store
    from rejudge.wiring import Address

LEAST_PAIRS = Minimum().pairs
LEAST_OF_EACH = Minimum().each_outcome


class CalibrationResult:
    """What a calibration found: the stored record, its statistics, and the pairs that differ, worst first."""

    def __init__(self, store: Store, result: Result, found: Calibrated) -> None:
        self.store = store
        self.result = result
        self.found = found

    @property
    def record(self) -> CalibrationRecord:
        """The stored record, which names everything that the calibration rests on."""
        return self.found.record

    @property
    def statistics(self) -> Calibration:
        """The numbers, each with its interval or with the reason why it has none."""
        return self.found.statistics

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair, in the order of the cases."""
        return self.found.pairs

    @property
    def disagreements(self) -> list[Pair]:
        """The pairs that differ, worst first."""
        return self.found.disagreements

    @property
    def lapses(self) -> list[str]:
        """Why the calibration holds no more; empty while it holds."""
        return lapses(self.record, present(self.store, self.record))

    @property
    def earlier(self) -> list[tuple[CalibrationRecord, list[str]]]:
        """Other calibrations of a scorer of this name against the same name, each with why it holds no more."""
        mine = self.record
        others = [
            one
            for one in self.store.calibrations()
            if (one.judged.name, one.judged.value, one.against.name)
            == (mine.judged.name, mine.judged.value, mine.against.name)
            and one.id != mine.id
        ]
        return [(one, lapses(one, present(self.store, one))) for one in others]

    @property
    def default(self) -> DefaultStanding | None:
        """The default judge of what people were asked, as it was decided last, and whether that still holds."""
        return default_judge(self.store, self.record.against.name)

    def shortfalls(self, *, minimum: int = LEAST_PAIRS, each_outcome: int = LEAST_OF_EACH) -> list[str]:
        """Why the calibration is too little to make its scorer the default judge; empty where it is enough."""
        return shortfalls(self.record, Minimum(pairs=minimum, each_outcome=each_outcome))

    def make_default(self, *, minimum: int = LEAST_PAIRS, each_outcome: int = LEAST_OF_EACH) -> DefaultJudge:
        """Record that the scorer may stand in for people on this question.

        Raises ConfigurationError, with the reasons, below pairs of `minimum` items, where people gave one of the
        outcomes to fewer than `each_outcome` items, where the scorer is not told from chance, and where the calibration
        holds no more.
        """
        asked = Minimum(pairs=minimum, each_outcome=each_outcome)
        return make_default(self.store, self.record, minimum=asked, at=time())

    def to_html(self, path: str | Path | None = None) -> str:
        """The calibration as one HTML page that loads nothing; written to `path` too, where one is given."""
        from rejudge.front.page import document, write_page
        from rejudge.front.page_calibration import calibration_body, calibration_title

        html = document(calibration_title(self), calibration_body(self))
        if path is not None:
            write_page(html, path)
        return html

    def _repr_html_(self) -> str:
        from rejudge.front.page import fragment
        from rejudge.front.page_calibration import calibration_body

        return fragment(calibration_body(self))

    def __str__(self) -> str:
        from rejudge.front.calibration_report import calibration_lines

        return "\n".join(calibration_lines(self))

    def __repr__(self) -> str:
        record = self.record
        return f"<CalibrationResult of {record.judged.name!r} against {record.against.name!r}, n={record.pairs.n}>"

    def to_dict(self) -> dict[str, object]:
        """The same as JSON-like data, with every disagreement."""
        from rejudge.front.calibration_report import calibration_dict

        return calibration_dict(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())


def calibrate(
    experiment: RunLike,
    scorer: str,
    *,
    against: str | None = None,
    value: str | None = None,
    task: str | None = None,
    store: Address = DEFAULT_STORE,
    seed: int = 0,
    level: float = LEVEL,
) -> CalibrationResult:
    """Compare what a scorer said with what people said of the same stored traces, or with what another scorer said.

    Args:
        experiment: an experiment (all of its tasks), `experiment:task` or a run, by name or id, or a result.
        scorer: the scorer's name, or its id where several have one name.
        against: the name of a rating set with gold labels, or of another scorer; `ratings:NAME` and `scorer:NAME` say
            which of both is meant. Without it the error lists what there is.
        value: which of several values of the scorer.
        task: whose outputs, where the experiment has several tasks; else those of all of them.
        store: the path of an SQLite file, or an open store.
        seed: what the intervals that are drawn depend on.
        level: of the intervals.

    Nothing is generated or judged. The record that is stored names the exact scorer, the dataset version and the
    labels, and holds no more once one of them changes. Raises UnknownName and ConfigurationError for sides that are
    not there or not on one scale, and where no trace has both.
    """
    result = result_of(experiment, store)
    runs = result.runs if task is None else (result.run(task),)
    if against is None:
        raise nothing_to_compare_with(result.store, [run.run for run in runs], scorer)
    question = review.CalibrateQuestion(scorer=scorer, against=against, value=value, seed=seed, level=level)
    found = review.calibrate(result.store, result.experiment, [run.run for run in runs], question, at=time())
    return CalibrationResult(result.store, result, found)
