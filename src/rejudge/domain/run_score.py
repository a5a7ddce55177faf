"""A score of a whole run: what a user's function said about all its results."""

from __future__ import annotations

from msgspec import Struct

from rejudge.domain.score import ScoreStatus, ScoreValue


class RunScore(Struct, frozen=True, kw_only=True):
    """One judgement of a run by one scorer (the digest of its config); a later one replaces it in reports.

    `cases` of `planned` cases had ended well when it was made. `reason` is what the function said, or the error that
    escaped it; `at` is in seconds since 1970 (UTC).
    """

    scorer: bytes
    status: ScoreStatus
    values: tuple[ScoreValue, ...] = ()
    reason: str = ""
    cause: str | None = None
    cases: int = 0
    planned: int = 0
    at: float = 0.0
