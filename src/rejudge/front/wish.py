"""A wish: everything a caller said, before the dataset is stored and the experiment is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, structs

from rejudge.datasets.rows import RowSpec
from rejudge.datasets.selection import Selection
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.protocol import ALLOWED_TOOLS, SELECTION
from rejudge.front.inputs import version_of, version_on_loop
from rejudge.runner.plan import Plan, plan
from rejudge.runner.request import Request
from rejudge.runner.settings import Settings
from rejudge.runner.snapshot import ALL
from rejudge.scorers.assertions import merged
from rejudge.scorers.scorer import Scorer
from rejudge.tasks.task import Task

if TYPE_CHECKING:
    from rejudge.domain.dataset import DatasetVersion
    from rejudge.runner.evaluate import Engine, Evaluated
    from rejudge.storage.store import Store

NAME_LENGTH = 80


class Wish(Struct, frozen=True, kw_only=True):
    """What to evaluate, with everything but the dataset already in the engine's terms."""

    dataset: object
    tasks: tuple[Task, ...]
    scorers: tuple[Scorer, ...]
    spec: RowSpec = RowSpec()
    name: str | None = None
    trials: int = 1
    outputs: tuple[str, ...] = ()
    settings: Settings = Settings()
    protocol: dict[str, object] = {}
    source: str | None = None
    selection: Selection = ALL

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise ConfigurationError(f"trials is {self.trials}; an item is tried at least once")

    async def evaluate(self, engine: Engine) -> Evaluated:
        """Evaluate it."""
        version = await version_on_loop(
            self.dataset, engine.store, self.spec, control=engine.control, selection=self.selection
        )
        return await engine.evaluate(self.request(version))

    def as_stored(self) -> Wish:
        """The wish for a dataset that is stored, with everything that was selected of it and nothing else."""
        return structs.replace(self, selection=ALL, protocol=self._protocol())

    def plan(self, store: Store) -> Plan:
        """Say what evaluating it would do. The dataset's snapshot is stored; nothing is called or scored."""
        return plan(store, self.request(version_of(self.dataset, store, self.spec, selection=self.selection)))

    def request(self, version: DatasetVersion) -> Request:
        """The engine's request for a stored version of the dataset."""
        return Request(
            name=self.name or self._default_name(version.dataset),
            version=version,
            tasks=self.tasks,
            scorers=merged(self.scorers),
            trials=self.trials,
            protocol=self._protocol(),
            outputs=self.outputs,
            settings=self.settings,
            source=self.source,
        )

    def _protocol(self) -> dict[str, object]:
        selected = {SELECTION: self.selection.described()} if self.selection.selects else {}
        return {**self.protocol, **selected, **self.granted()}

    def granted(self) -> dict[str, object]:
        """The tools that may act for real, as an experiment keeps them."""
        return {ALLOWED_TOOLS: sorted(set(self.settings.allow_tools))} if self.settings.allow_tools else {}

    def _default_name(self, dataset: str) -> str:
        tasks = ",".join(task.config.name for task in self.tasks)
        return f"{dataset}/{tasks}"[:NAME_LENGTH]
