"""The traces of an experiment that people may have rated, found by item and trial or by their own id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.errors import ConfigurationError
from rejudge.runner.rescore import version_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.experiment import Experiment
    from rejudge.storage.records import TraceRef
    from rejudge.storage.store import Store

PAGE = 1024


class RateableTrace(Struct, frozen=True):
    """A trace with the unit it was made for."""

    item_id: str
    trial: int
    trace: TraceRef


class Rateable(Struct, frozen=True, kw_only=True):
    """The newest trace of each unit of some tasks: by (item id, trial), where that is one task, and by digest."""

    by_unit: dict[tuple[str, int], RateableTrace]
    by_digest: dict[bytes, RateableTrace]
    trials: int


def rateable(store: Store, experiment: Experiment, run_configs: Sequence[bytes]) -> Rateable:
    """The traces that an experiment has of these run configs; raises ConfigurationError where there is none."""
    version = version_of(store, experiment)
    by_unit: dict[tuple[str, int], RateableTrace] = {}
    by_digest: dict[bytes, RateableTrace] = {}
    for start in range(0, version.count, PAGE):
        ids = {item.position: item.item_id for item in store.items(version.id, start=start, count=PAGE)}
        for config in run_configs:
            for one in store.latest_traces(experiment.id, config, start=start, count=PAGE):
                found = RateableTrace(ids[one.position], one.trial, one.trace)
                by_unit[found.item_id, found.trial] = by_digest[one.trace.digest] = found
    if not by_digest:
        raise ConfigurationError(f"experiment {experiment.name!r} has no trace yet", fix="run it first: rejudge run")
    return Rateable(
        by_unit=by_unit if len(run_configs) == 1 else {},
        by_digest=by_digest,
        trials=1 + max((trial for _, trial in by_unit), default=0),
    )
