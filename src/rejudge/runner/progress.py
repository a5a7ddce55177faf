"""How far a run is: counters that the engine moves and listeners look at. They are a picture, not a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rejudge.domain.score import ScoreValue
    from rejudge.domain.usage import Usage


class RunningMean(Struct):
    """The mean so far of one named score."""

    n: int = 0
    total: float = 0.0

    @property
    def mean(self) -> float | None:
        """None while nothing is scored."""
        return self.total / self.n if self.n else None


class Progress(Struct, kw_only=True):
    """The state of one run as it goes; `planned` cases end as completed, skipped or failed.

    `waiting` counts the cases that other evaluations are generating and `judgements_waiting` the judgements that they
    are making, once that has taken a while.
    """

    run_id: str = ""
    task: str = ""
    planned: int = 0
    completed: int = 0
    reused: int = 0
    skipped: int = 0
    task_errors: int = 0
    scored: int = 0
    score_hits: int = 0
    scores_skipped: int = 0
    scorer_errors: int = 0
    cost: float | None = None
    waiting: int = 0
    judgements_waiting: int = 0
    waiting_for: tuple[int, ...] = ()
    """Process numbers of the evaluations that have claimed what this one has been waiting for."""
    means: dict[str, RunningMean] = field(default_factory=dict)
    started_at: float = 0.0
    seconds: float = 0.0

    @property
    def ended(self) -> int:
        """Cases that have reached an end."""
        return self.completed + self.skipped + self.task_errors

    @property
    def errors(self) -> int:
        """Errors of the task and of scorers together: what a stop rule counts."""
        return self.task_errors + self.scorer_errors

    def spend(self, usage: Usage | None) -> None:
        """Count in what a trace cost, where it is known."""
        if usage is not None and usage.cost is not None:
            self.cost = (self.cost or 0.0) + usage.cost

    def count(self, values: Iterable[ScoreValue]) -> None:
        """Count in the values of a new score."""
        self.scored += 1
        for value in values:
            if value.number is not None:
                mean = self.means.get(value.name)
                if mean is None:
                    mean = self.means[value.name] = RunningMean()
                mean.n += 1
                mean.total += value.number
