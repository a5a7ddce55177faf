"""The store: small protocols, batch-shaped and blocking, safe to call from several threads.

A *ref* is a store's own small integer for a record; it is valid in that store only and never leaves
the house. Writes of a running evaluation go through one method, `commit`, which is one transaction: it
is durable when it returns, and nothing of it is visible before. Readers never wait for a writer.

Errors: NotFound, StoreReadOnly, StoreFull, StoreBusy, StoreTooNew; nothing of a back end leaks out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from rejudge.storage.records import CaseOrder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from rejudge.domain.calibration import CalibrationRecord, DefaultJudge
    from rejudge.domain.case import HitRecord
    from rejudge.domain.dataset import Change, DatasetVersion
    from rejudge.domain.experiment import Experiment
    from rejudge.domain.gold import GoldVersion
    from rejudge.domain.judged_trace import JudgedTrace
    from rejudge.domain.rating import Rating, RatingSet
    from rejudge.domain.run import Run, RunState
    from rejudge.domain.run_config import RunConfig
    from rejudge.domain.run_score import RunScore
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.domain.span import Spans
    from rejudge.domain.trace import Trace
    from rejudge.storage.records import (
        Batch,
        CaseRow,
        Committed,
        EvaluationMade,
        NewItem,
        NewRating,
        Owner,
        RunCounts,
        RunUsage,
        ScoreRef,
        SpendingColumns,
        StoredItem,
        TraceRef,
        TraceValueColumns,
        UnitTrace,
        ValueColumns,
    )


class VersionDraft(Protocol):
    """A dataset version being written, group by group; nothing of it is visible before `commit`."""

    def add(self, items: Sequence[NewItem]) -> None:
        """Append items. One equal in id and content to an earlier one is dropped.

        Raises DuplicateItem, naming both lines, when an id comes again with other content.
        """

    def commit(self, *, fields: Sequence[str]) -> DatasetVersion:
        """Make it the newest version; an equal newest version is returned instead of a copy.

        `fields` are the names that its items use.

        Raises StoreConflict when the draft named a `parent` that is no longer the newest.
        """

    def discard(self) -> None:
        """Forget the draft; the store is as before."""


class DatasetStore(Protocol):
    """Datasets and their immutable versions."""

    def draft(self, dataset: str, *, reference: Sequence[str] = (), parent: int | None = None) -> VersionDraft:
        """Begin a version. `parent` is the number it is meant to follow (0: none yet); None: whichever is newest."""

    def version(self, dataset: str, number: int | None = None) -> DatasetVersion:
        """One version, or the newest; raises NotFound."""

    def find_version(self, version_id: str) -> DatasetVersion:
        """The version with this content id (or unique beginning of one); raises NotFound."""

    def versions(self, dataset: str | None = None) -> list[DatasetVersion]:
        """All versions of one dataset or of all, oldest first."""

    def items(self, version_id: str, *, start: int, count: int) -> list[StoredItem]:
        """Up to `count` items from position `start`, in order."""

    def changes(self, older: str, newer: str) -> Iterator[Change]:
        """What differs between two versions by item id: added, modified, deleted."""


class ClaimStore(Protocol):
    """Who is at work: claims are taken in `commit` by an owner that registered here."""

    def enter(self, owner: Owner, *, lease_seconds: float) -> int:
        """Register an owner of claims, or renew its lease; returns its ref. Frees claims of owners known dead."""

    def leave(self, owner: int) -> None:
        """Free every claim of this owner and forget it."""

    def holders(self, keys: Sequence[bytes]) -> list[Owner]:
        """Who holds claims on these keys, each once."""


class WorkStore(Protocol):
    """What the engine writes and looks up while it runs; every method takes a group."""

    def commit(self, batch: Batch, *, owner: int) -> Committed:
        """Write a batch in one transaction, durable on return.

        A committed trace frees its claim. A dropped trace keeps its record and its scores but is filed
        under no key any more, so that the unit can be generated again. A score that is stored already (same
        trace, rest, scorer, seen, draw and attempt) is not written again; the run gets a hit on it instead, and what
        the second judgement spent counts as the run's. An inheritance is a hit on each score that counts in the
        earlier run.
        """

    def find_traces(self, keys: Sequence[bytes]) -> dict[bytes, TraceRef]:
        """The stored traces among these keys."""

    def load_traces(self, refs: Sequence[int]) -> dict[int, Trace]:
        """The traces themselves; one that is gone or unreadable is left out."""

    def find_scores(self, traces: Sequence[int], scorers: Sequence[int]) -> list[ScoreRef]:
        """The stored scores of these traces by these scorers, all attempts."""

    def executed(self, run_id: str) -> set[tuple[int, int]]:
        """The (position, trial) pairs that the run has a case result for."""

    def latest_traces(self, experiment: str, run_config: bytes, *, start: int, count: int) -> list[UnitTrace]:
        """The trace of each unit at `count` positions from `start`, in the newest run of the config that has one."""


class RunStore(Protocol):
    """Experiments, run configs, scorers and runs."""

    def save_experiment(self, experiment: Experiment) -> Experiment:
        """Store it, or return the stored one with the same id; a new wish under a known name becomes its successor."""

    def save_run_config(self, config: RunConfig) -> int:
        """Store a run config once; returns its ref."""

    def save_scorers(self, configs: Sequence[ScorerConfig]) -> list[int]:
        """Store each scorer config once, all of them in one transaction; returns their refs, in the same order."""

    def save_run(self, run: Run, *, owner: int) -> int:
        """Store a new run in the state `created`; returns its ref."""

    def move_run(self, run_id: str, *, old: RunState, new: RunState, at: float, reason: str | None = None) -> None:
        """Write one of the five moves; raises MoveRefused if the stored state is no longer `old`."""

    def adopt_run(self, run_id: str, *, owner: int) -> int | None:
        """Take over a running run whose owner is dead; returns its ref, or None if its owner lives."""


class ArchiveStore(Protocol):
    """Experiments and runs, read back."""

    def experiments(self) -> list[Experiment]:
        """All experiments, oldest first."""

    def experiment(self, name: str) -> Experiment:
        """The newest experiment of this name, or the one with this id or unique beginning of it; raises NotFound."""

    def runs(self, experiment: str | None = None) -> list[Run]:
        """All runs, or those of one experiment id, oldest first."""

    def run(self, run_id: str) -> Run:
        """One run by its id or a unique beginning of it; raises NotFound."""

    def run_config(self, digest: bytes) -> RunConfig:
        """A stored run config; raises NotFound."""

    def scorer(self, digest: bytes) -> ScorerConfig:
        """A stored scorer config; raises NotFound."""


class RunScoreStore(Protocol):
    """Scores of whole runs."""

    def save_run_scores(self, run_id: str, scores: Sequence[RunScore]) -> None:
        """Store scores of a run; raises NotFound for a run or scorer that is not stored."""

    def run_scores(self, run_id: str) -> list[RunScore]:
        """The newest score of the run by each scorer, in the order in which the scorers first scored it."""


class ResultStore(Protocol):
    """What a result object reads, page by page."""

    def counts(self, run_id: str) -> RunCounts:
        """The numbers of a run's summary."""

    def usage(self, run_id: str) -> RunUsage:
        """What generating the outputs of a run took, and how many it reused."""

    def values(self, run_id: str, *, scorers: Collection[bytes], name: str) -> ValueColumns:
        """What counts of the values that these scorers gave under a name in a run."""

    def trace_values(self, run_id: str, *, scorers: Collection[bytes], name: str) -> TraceValueColumns:
        """The same values with the trial and the trace of each, which takes longer to read."""

    def spending(self, run_id: str) -> SpendingColumns:
        """What the traces of a run took, those that it reused among them."""

    def cases(
        self, run_id: str, *, start: int = 0, count: int = 500, order: CaseOrder = CaseOrder.POSITION
    ) -> list[CaseRow]:
        """A page of cases with their items, traces and scores.

        Failures first: execution errors, then scorer errors, then failed outcomes, then skips, then the rest.
        """

    def case(self, run_id: str, item_id: str, *, trial: int = 0) -> CaseRow:
        """One case; raises NotFound, naming near item ids."""

    def judged(self, run_id: str, *, scorers: Collection[bytes]) -> list[JudgedTrace]:
        """The cases of a run that have a trace, by position and trial, with what these scorers said of each."""

    def load_spans(self, traces: Sequence[int]) -> dict[int, Spans]:
        """The spans that were recorded with these traces; a trace with no record of them is left out."""

    def hits(self, run_id: str, *, start: int = 0, count: int = 500) -> list[HitRecord]:
        """The hit records of a run: `model_output` for reused traces, `judge_score` for reused scores."""

    def listed_traces(self, *, evaluation_made: EvaluationMade) -> list[str]:
        """Ids of stored traces; those made by an evaluation only when asked for, so that they never leak out."""


class RatingStore(Protocol):
    """What people said of traces."""

    def save_rating_set(self, rating_set: RatingSet) -> RatingSet:
        """Store it, or return the stored one of the same digest.

        Another question under a known name takes the name over, and so does an earlier one that is asked again.
        """

    def rating_sets(self) -> list[RatingSet]:
        """All rating sets, the one that was asked last at the end."""

    def rating_set(self, name: str) -> RatingSet:
        """The last set of this name, or the one with this id or unique beginning of it; raises NotFound."""

    def save_ratings(self, rating_set: bytes, ratings: Sequence[NewRating]) -> int:
        """Store ratings of a set (its digest) in one transaction; returns how many were new.

        One that was stored before is not stored again, nor one that says the same as what counts of its rater and
        trace. Raises NotFound for a set or trace that is not stored; nothing is stored then.
        """

    def ratings(self, rating_set: bytes) -> list[Rating]:
        """Every rating of a set in the order in which they were stored, superseded ones too; raises NotFound."""


class CalibrationStore(Protocol):
    """Gold labels, calibrations, and the decisions that rest on them."""

    def save_gold(self, gold: GoldVersion) -> GoldVersion:
        """Store it as the next version of its rating set; an equal newest version is returned instead of a copy.

        Raises NotFound for a rating set that is not stored.
        """

    def gold_versions(self, rating_set: bytes) -> list[GoldVersion]:
        """The gold versions of a rating set (its digest), oldest first; raises NotFound."""

    def save_calibration(self, record: CalibrationRecord) -> CalibrationRecord:
        """Store a calibration, or return the stored one of the same digest; raises NotFound for a stranger in it."""

    def calibrations(self) -> list[CalibrationRecord]:
        """All calibrations, oldest first."""

    def save_default_judge(self, judge: DefaultJudge) -> None:
        """Store the decision; raises NotFound for a scorer or calibration that is not stored."""

    def default_judges(self) -> list[DefaultJudge]:
        """Every decision, oldest first; of one question the last counts."""


class Store(
    DatasetStore,
    ClaimStore,
    WorkStore,
    RunStore,
    ArchiveStore,
    RunScoreStore,
    ResultStore,
    RatingStore,
    CalibrationStore,
    Protocol,
):
    """The whole bundle, as one back end offers it."""

    def close(self) -> None:
        """Finish writing and let go of the back end; a closed store refuses everything else."""
