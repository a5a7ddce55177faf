"""Correction as a verb: what people would say of a whole run, of which they labelled a part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError
from rejudge.front.export import json_text
from rejudge.front.run_names import result_of
from rejudge.review import correct as review
from rejudge.review.sides import nothing_to_correct_by
from rejudge.stats.advice import Advice, advice
from rejudge.stats.interval import LEVEL
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from pathlib import Path

    from rejudge.domain.experiment import Experiment
    from rejudge.domain.rating import Drawing
    from rejudge.front.run_names import RunLike
    from rejudge.review.correct import CorrectedRun
    from rejudge.stats.correction import Correction
    from rejudge.stats.judged_sample import MeanCorrection
    from rejudge.wiring import Address


class CorrectionResult:
    """The judge's rate or mean, raw and corrected, and which number to use."""

    def __init__(self, experiment: Experiment, task: str, corrected: CorrectedRun) -> None:
        self.experiment = experiment.name
        self.experiment_id = experiment.id
        self.task = task
        self.corrected = corrected

    @property
    def statistics(self) -> Correction | MeanCorrection:
        """The numbers, each with its interval or with the reason why there is none."""
        return self.corrected.found

    @property
    def advice(self) -> Advice:
        """The number to use and why, or why there is none."""
        return advice(self.corrected.found)

    @property
    def lapses(self) -> list[str]:
        """Why the newest calibration of the judge by these people holds no more; empty while it does."""
        return list(self.corrected.lapses)

    def to_html(self, path: str | Path | None = None) -> str:
        """The correction as one HTML page that loads nothing; written to `path` too, where one is given."""
        from rejudge.front.page import document, write_page
        from rejudge.front.page_correction import correction_body, correction_title

        html = document(correction_title(self), correction_body(self))
        if path is not None:
            write_page(html, path)
        return html

    def _repr_html_(self) -> str:
        from rejudge.front.page import fragment
        from rejudge.front.page_correction import correction_body

        return fragment(correction_body(self))

    def __str__(self) -> str:
        from rejudge.front.correction_report import correction_lines

        return "\n".join(correction_lines(self))

    def __repr__(self) -> str:
        found = self.corrected
        return f"<CorrectionResult of {found.scorer.name!r} by {found.people.name!r}, n={found.labelled}>"

    def to_dict(self) -> dict[str, object]:
        """The same as JSON-like data."""
        from rejudge.front.correction_report import correction_dict

        return correction_dict(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())


def correct(
    experiment: RunLike,
    scorer: str,
    *,
    against: str | None = None,
    drawn: Drawing | None = None,
    value: str | None = None,
    task: str | None = None,
    store: Address = DEFAULT_STORE,
    level: float = LEVEL,
) -> CorrectionResult:
    """Correct the pass rate that a judge gave to a run by the traces of it that people labelled.

    Args:
        experiment: an experiment with one task, `experiment:task` or a run, by name or id, or a result.
        scorer: the judge's name, or its id where several have one name.
        against: the name of a rating set with gold labels. Without it the error lists those that there are.
        drawn: how the labelled traces were chosen from those that were judged: "at_random", "by_human_outcome" (so many
            that people pass, so many that they fail) or "by_judge_outcome" (the same of the judge). Nothing is assumed:
            it may be left out only where the ratings were imported with it.
        value: which of several values of the scorer.
        task: whose outputs, where the experiment has several tasks.
        store: the path of an SQLite file, or an open store.
        level: of the intervals.

    Where nothing says what passes it is the mean that is corrected. Nothing is generated, judged or stored. A number
    that cannot be had is undefined with the reason. Raises UnknownName and ConfigurationError for what is not there,
    where no judged trace has a label, and where nothing says how the labelled traces were chosen.
    """
    result = result_of(experiment, store)
    if task is None and len(result.runs) > 1:
        names = ", ".join(f"{result.name}:{run.task}" for run in result.runs)
        raise ConfigurationError(f"one run is corrected, and {result.name!r} has several", fix=f"name one: {names}")
    run = result.run(task)
    if against is None:
        raise nothing_to_correct_by(result.store, [run.run])
    question = review.CorrectionQuestion(scorer=scorer, against=against, drawn=drawn, value=value, level=level)
    found = review.correct(result.store, run.run, question, dataset_version=result.experiment.dataset_version)
    return CorrectionResult(result.experiment, run.task, found)
