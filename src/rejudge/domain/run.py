"""A run: one execution of one run config for an experiment, with six states and five moves.

created → queued → running → completed | failed | cancelled
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from rejudge.domain.errors import MoveRefused


class RunState(StrEnum):
    """Where the execution is. It says nothing about how good the results are."""

    CREATED = "created"
    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def terminal(self) -> bool:
        """Whether no move leads out of this state."""
        return self in (RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED)


MOVES = frozenset(
    {
        (RunState.CREATED, RunState.QUEUED),
        (RunState.QUEUED, RunState.RUNNING),
        (RunState.RUNNING, RunState.COMPLETED),
        (RunState.RUNNING, RunState.FAILED),
        (RunState.RUNNING, RunState.CANCELLED),
    }
)


def check_move(old: RunState, new: RunState) -> None:
    """Raise MoveRefused unless this is one of the five moves."""
    if (old, new) not in MOVES:
        fix = "resume it as a new run" if old.terminal else ""
        raise MoveRefused(f"a run cannot go from {old.value} to {new.value}", fix=fix)


class Run(Struct, frozen=True, kw_only=True):
    """One execution: which experiment, which run config, which scorers, and how far it got.

    `planned` counts its cases (items × trials). `reason` says why it failed or was cancelled.
    `added_later` names the scorers that were added after results had been seen. `opponent_run_id` is the run whose
    traces stand second in the pairs that a judge compared. Times are seconds since 1970.
    """

    id: str
    experiment: str
    run_config: bytes
    scorers: tuple[bytes, ...]
    added_later: tuple[bytes, ...] = ()
    planned: int
    state: RunState = RunState.CREATED
    reason: str | None = None
    resumed_from_run_id: str | None = None
    opponent_run_id: str | None = None
    created_at: float = 0.0
    started_at: float | None = None
    ended_at: float | None = None
