"""A verdict: what a scorer answers about one view, before it is checked and stored as a score."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct, field

from rejudge.domain.usage import Usage

Value: TypeAlias = "float | int | bool | str"


class Skip(StrEnum):
    """Why nothing could be judged: the fault of our data, never of what is judged."""

    MISSING_REFERENCE_KEY = "missing_reference_key"
    MISSING_INPUT_FIELD = "missing_input_field"
    MISSING_TRACE = "missing_trace"
    MISSING_SPANS = "missing_spans"
    MISSING_USAGE = "missing_usage"
    EXTRACTION_FAILED = "extraction_failed"
    INCOMPATIBLE_INPUT_SHAPE = "incompatible_input_shape"
    NO_RECORDING = "no_recording"


class Verdict(Struct, frozen=True, kw_only=True):
    """Named values with a reason in words, or a skip with its cause.

    A single unnamed value stands under the empty name and takes the scorer's own. A person decides on the values
    whose names are in `review_of`, or on all of them where `review` is set. Declared scores that have no value for this
    view are named in `left_out`, so that none is forgotten: their figures count the other views alone.
    """

    values: dict[str, Value] = field(default_factory=dict)
    reason: str = ""
    skip: str | None = None
    review: bool = False
    review_of: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    usage: Usage | None = None
    evidence: dict[str, object] | None = None

    @staticmethod
    def of(value: Value, reason: str = "") -> Verdict:
        """A verdict with one value."""
        return Verdict(values={"": value}, reason=reason)

    @staticmethod
    def skipped(cause: Skip, reason: str) -> Verdict:
        """A verdict that says why nothing could be judged."""
        return Verdict(skip=cause.value, reason=reason)
