"""What scorers said of the traces of a run, without what it was said about: for setting it beside other labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.score import ScoreStatus, ScoreValue

if TYPE_CHECKING:
    from collections.abc import Mapping


class Judgement(Struct, frozen=True, gc=False):
    """What counts of what a scorer said of a trace."""

    status: ScoreStatus
    values: tuple[ScoreValue, ...]
    reason: str


class JudgedTrace(Struct, frozen=True, kw_only=True):
    """A case with a trace (its digest), and what scorers (by digest) said of it; one that said nothing is left out.

    Of several draws of a judgement it is the first. What was said of several traces together is not among them.
    """

    trace: bytes
    item_id: str
    trial: int
    said: Mapping[bytes, Judgement]
