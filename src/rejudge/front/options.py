"""What may be said about an evaluation, once for every verb that makes one."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from rejudge.datasets.rows import RowSpec
from rejudge.domain.errors import UnknownName
from rejudge.front.inputs import TaskOptions, isolation_of, scorers_of, stop_of, tasks_of
from rejudge.front.wish import Wish
from rejudge.runner.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rejudge.front.inputs import DatasetLike, ScorerLike, TaskLike
    from rejudge.providers.provider import Provider
    from rejudge.runner.settings import Stop
    from rejudge.wiring import Address


class Options(TypedDict, total=False):
    """The keywords of `evaluate`, which says what they mean."""

    store: Address
    name: str | None
    trials: int
    concurrency: int
    timeout: float | None
    retries: int
    stop: Stop | str | int | float | None
    isolation: str
    provider: Provider | None
    version: str | None
    depends_on: Mapping[str, object] | None
    scenario: str | None
    reference: Sequence[str]
    id: str | None
    fields: Mapping[str, str] | None
    outputs: Sequence[str]
    progress: str


KNOWN = frozenset(Options.__annotations__)


def wish_of(dataset: DatasetLike, task: TaskLike, scorers: ScorerLike | Sequence[ScorerLike], options: Options) -> Wish:
    """The wish that these arguments say; raises ConfigurationError for an option that does not exist."""
    for name in options:
        if name not in KNOWN:
            raise UnknownName.among("option", name, KNOWN)
    task_options = TaskOptions(
        version=options.get("version"),
        depends_on=dict(options.get("depends_on") or {}),
        scenario=options.get("scenario"),
    )
    settings = Settings()
    return Wish(
        dataset=dataset,
        tasks=tasks_of(task, task_options),
        scorers=scorers_of(scorers),
        spec=RowSpec(id=options.get("id"), fields=options.get("fields"), reference=tuple(options.get("reference", ()))),
        name=options.get("name"),
        trials=options.get("trials", 1),
        outputs=tuple(options.get("outputs", ())),
        settings=Settings(
            concurrency=options.get("concurrency", settings.concurrency),
            timeout=options.get("timeout"),
            retries=options.get("retries", settings.retries),
            stop=stop_of(options.get("stop")),
            isolation=isolation_of(options.get("isolation", settings.isolation)),
        ),
    )
