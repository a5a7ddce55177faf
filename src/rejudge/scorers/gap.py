"""A gap: there is no value, and whose fault that is."""

from __future__ import annotations

from dataclasses import dataclass

from rejudge.domain.verdict import Skip


@dataclass(frozen=True, slots=True)
class Gap:
    """Why there is nothing to compare: a skip where our data lacks it, else (no cause) what is judged fails."""

    cause: Skip | None
    reason: str
