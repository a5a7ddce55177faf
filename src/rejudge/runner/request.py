"""What an evaluation is asked for, whole and checked for shape."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from rejudge.domain.dataset import DatasetVersion
from rejudge.domain.experiment import Experiment
from rejudge.domain.suite import SuiteRules, rules_in
from rejudge.runner.settings import Settings
from rejudge.scorers.scorer import Scorer
from rejudge.tasks.task import Task


class Request(Struct, frozen=True, kw_only=True):
    """What is wanted: every trial of every item of a version by every task, judged by every scorer."""

    name: str
    version: DatasetVersion
    tasks: tuple[Task, ...]
    scorers: tuple[Scorer, ...]
    trials: int = 1
    protocol: dict[str, object] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    settings: Settings = Settings()
    source: str | None = None

    def wish(self, *, at: float = 0.0, scorers: Sequence[Scorer] | None = None) -> Experiment:
        """The experiment that this asks for; `scorers` are those of single items too, where some have their own."""
        judging = self.scorers if scorers is None else scorers
        return Experiment(
            name=self.name,
            dataset=self.version.dataset,
            dataset_version=self.version.id,
            run_configs=tuple(task.config.digest() for task in self.tasks),
            trials=self.trials,
            protocol=self.protocol,
            scorers=tuple(scorer.config.digest() for scorer in judging),
            source=self.source,
            created_at=at,
        )

    @property
    def rules(self) -> SuiteRules | None:
        """The rules of the suite that this is; None where it is none."""
        return rules_in(self.protocol)
