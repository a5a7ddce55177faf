"""Experiments, run configs, scorers and runs in memory, each as encoded bytes or as an immutable record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rejudge.domain.errors import MoveRefused, NotFound, StoreConflict
from rejudge.domain.experiment import Experiment
from rejudge.domain.payload import decode_as, encode
from rejudge.domain.run import Run, RunState, check_move
from rejudge.domain.run_config import RunConfig
from rejudge.domain.run_score import RunScore
from rejudge.domain.scorer import ScorerConfig
from rejudge.storage.lookup import by_beginning, missing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Configs:
    """Content-addressed configs: each digest once, with its ref."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._bodies: dict[bytes, bytes] = {}
        self._refs: dict[bytes, int] = {}
        self.digests: list[bytes] = []

    def save(self, config: RunConfig | ScorerConfig) -> int:
        """Store a config once; the first label stays."""
        digest = config.digest()
        if digest not in self._refs:
            self._bodies[digest] = encode(config)
            self.digests.append(digest)
            self._refs[digest] = len(self.digests)
        return self._refs[digest]

    def body(self, digest: bytes) -> bytes:
        """The stored config."""
        if digest not in self._bodies:
            raise NotFound(f"there is no {self._kind} {digest.hex()}")
        return self._bodies[digest]

    def knows(self, ref: int) -> bool:
        """Whether this is the ref of a config."""
        return 0 < ref <= len(self.digests)


@dataclass(frozen=True, slots=True)
class _Kept:
    run: Run
    ref: int
    owner: int


class MemoryRuns:
    """The wishes and runs of one store; its caller holds the lock."""

    def __init__(self, *, alive: Callable[[int], bool]) -> None:
        self.run_configs = Configs("run config")
        self.scorers = Configs("scorer")
        self._alive = alive
        self._experiments: dict[str, bytes] = {}
        self._newest: dict[str, str] = {}
        self._runs: dict[str, _Kept] = {}
        self._ids: list[str] = []
        self._scores: dict[str, dict[bytes, bytes]] = {}

    def save_scores(self, run_id: str, scores: Sequence[RunScore]) -> None:
        """Store scores of a run."""
        self._kept(run_id)
        for score in scores:
            self.scorers.body(score.scorer)
        self._scores.setdefault(run_id, {}).update((score.scorer, encode(score)) for score in scores)

    def scores(self, run_id: str) -> list[RunScore]:
        """The newest score of the run by each scorer."""
        self._kept(run_id)
        return [decode_as(body, RunScore) for body in self._scores.get(run_id, {}).values()]

    def save_experiment(self, experiment: Experiment) -> Experiment:
        """Store an experiment once, as the successor of the newest of its name."""
        name = experiment.id
        if name not in self._experiments:
            predecessor = self._newest.get(experiment.name, experiment.successor_of)
            self._experiments[name] = encode(replace(experiment, successor_of=predecessor))
            self._newest[experiment.name] = name
        return decode_as(self._experiments[name], Experiment)

    def experiments(self) -> list[Experiment]:
        """All experiments, oldest first."""
        return [decode_as(body, Experiment) for body in self._experiments.values()]

    def experiment(self, name: str) -> Experiment:
        """The newest experiment of a name, or the one with an id."""
        known = self._experiments
        found = self._newest.get(name)
        if found is None and not any(name and one.startswith(name) for one in known):
            raise missing("experiment", name, [*self._newest])
        return decode_as(known[found or by_beginning("experiment", name, known)], Experiment)

    def save_run(self, run: Run, owner: int) -> int:
        """Store a new run."""
        if run.id in self._runs:
            raise StoreConflict(f"run {run.id!r} is stored already")
        if run.state is not RunState.CREATED:
            raise MoveRefused(f"a new run is created, not {run.state.value}")
        if run.experiment not in self._experiments:
            raise missing("experiment", run.experiment, self._experiments)
        self.run_configs.body(run.run_config)
        for scorer in run.scorers:
            self.scorers.body(scorer)
        self._ids.append(run.id)
        self._runs[run.id] = _Kept(run, len(self._ids), owner)
        return len(self._ids)

    def move(self, run_id: str, old: RunState, new: RunState, at: float, reason: str | None) -> None:
        """Write a move if the run is still where the caller believes it."""
        kept = self._kept(run_id)
        check_move(old, new)
        if kept.run.state is not old:
            raise MoveRefused(
                f"run {run_id!r} is {kept.run.state.value} by now, not {old.value}", fix="read the run again"
            )
        started_at = at if new is RunState.RUNNING else kept.run.started_at
        ended_at = at if new.terminal else None
        run = replace(kept.run, state=new, reason=reason, started_at=started_at, ended_at=ended_at)
        self._runs[run_id] = _Kept(run, kept.ref, kept.owner)

    def adopt(self, run_id: str, owner: int) -> int | None:
        """Hand an unfinished run over, unless another owner is at work on it."""
        kept = self._kept(run_id)
        if kept.run.state.terminal or (kept.owner != owner and self._alive(kept.owner)):
            return None
        self._runs[run_id] = _Kept(kept.run, kept.ref, owner)
        return kept.ref

    def runs(self, experiment: str | None = None) -> list[Run]:
        """All runs, or those of one experiment, oldest first."""
        return [kept.run for kept in self._runs.values() if experiment is None or kept.run.experiment == experiment]

    def run(self, run_id: str) -> Run:
        """One run by its id or a beginning of it."""
        return self._runs[by_beginning("run", run_id, self._runs)].run

    def ref(self, run_id: str) -> int:
        """The ref of a run."""
        return self._kept(run_id).ref

    def refs(self, experiment: str, run_config: bytes) -> list[int]:
        """The refs of an experiment's runs of a run config, oldest first."""
        return [self.ref(run.id) for run in self.runs(experiment) if run.run_config == run_config]

    def id(self, ref: int) -> str:
        """The id of the run with this ref."""
        return self._ids[ref - 1]

    def knows(self, ref: int) -> bool:
        """Whether this is the ref of a run."""
        return 0 < ref <= len(self._ids)

    def _kept(self, run_id: str) -> _Kept:
        if run_id not in self._runs:
            raise missing("run", run_id, self._runs)
        return self._runs[run_id]
