"""The role of a scorer, and how an answer that a user's function gives becomes a verdict."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from rejudge.domain import scale
from rejudge.domain.errors import ScorerError
from rejudge.domain.usage import Usage, checked_usage
from rejudge.domain.verdict import Value, Verdict
from rejudge.domain.way import Way
from rejudge.scorers.score_result import read_result

if TYPE_CHECKING:
    from rejudge.domain.demands import Demands
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.domain.view import View

_NEXT = "return a number, a boolean, a label, a dict of named values, a pair (value, reason), or a Verdict"

__all__ = ["Scorer", "Way", "as_verdict", "normalised"]

normalised = lru_cache(maxsize=4096)(scale.normalised)
"""`scale.normalised`, remembered: one scorer gives the same few names for every item."""


class Scorer(Protocol):
    """A judgement of one view; pure, so the same view gets the same answer."""

    @property
    def config(self) -> ScorerConfig:
        """The frozen description that names the scorer."""

    @property
    def way(self) -> Way:
        """How `judge` wants to be called."""

    @property
    def needs(self) -> frozenset[str]:
        """Item fields without which the scorer can judge nothing; a field that no item has is a mistake."""

    @property
    def demands(self) -> Demands:
        """What it needs of the world beyond the view."""

    def judge(self, view: View) -> object:
        """A verdict, or what the way says: an answer for `as_verdict`, an awaitable or a generator of one."""


def as_verdict(answer: object, config: ScorerConfig) -> Verdict:
    """What a scorer answered, as a verdict; raises ScorerError, naming the scorer, for what is none."""
    if isinstance(answer, Verdict):
        _check_fields(answer, config)
        return answer if answer.skip is not None else _checked(answer, config)
    answer = read_result(answer, config)
    if isinstance(answer, Verdict):
        return as_verdict(answer, config)
    if isinstance(answer, tuple) and len(answer) == 2 and (answer[1] is None or isinstance(answer[1], str)):
        answer, reason = answer
    else:
        reason = None
    if isinstance(answer, dict):
        return Verdict(values=_named(answer, config), reason=reason or "")
    return Verdict(values={"": _value(answer, config, "")}, reason=reason or "")


def _check_fields(verdict: Verdict, config: ScorerConfig) -> None:
    """Refuse what could not be stored or read back; records check themselves only when they are read."""
    fields = (
        ("reason", isinstance(verdict.reason, str), "text"),
        ("skip", verdict.skip is None or isinstance(verdict.skip, str), "text or None"),
        ("review_of", isinstance(verdict.review_of, tuple), "a tuple of names"),
        ("left_out", isinstance(verdict.left_out, tuple), "a tuple of names"),
        ("evidence", verdict.evidence is None or isinstance(verdict.evidence, dict), "a dict or None"),
        ("usage", verdict.usage is None or isinstance(verdict.usage, Usage), "a Usage or None"),
        ("values", isinstance(verdict.values, dict), "a dict of named values"),
    )
    for name, fits, wanted in fields:
        if not fits:
            kind = type(getattr(verdict, name)).__name__
            raise ScorerError(f"scorer {config.name!r} returned a Verdict whose {name} is a {kind}, not {wanted}")
    if verdict.usage is not None:
        try:
            checked_usage(verdict.usage)
        except (ValueError, TypeError) as error:
            raise ScorerError(f"scorer {config.name!r} returned a Usage that is not well formed: {error}") from None


def _checked(verdict: Verdict, config: ScorerConfig) -> Verdict:
    """The verdict itself where its values are plain, which is nearly always; else one with plain values."""
    for value in verdict.values.values():
        if type(value) is not str and type(value) is not bool and not _is_finite(value):
            break
    else:
        if len(verdict.values) == 1:
            return verdict
    return Verdict(
        values=_named(verdict.values, config),
        reason=verdict.reason,
        review=verdict.review,
        review_of=verdict.review_of,
        left_out=verdict.left_out,
        usage=verdict.usage,
        evidence=verdict.evidence,
    )


def _is_finite(value: object) -> bool:
    return (type(value) is float or type(value) is int) and -1e308 < value < 1e308


def _named(values: dict[object, object] | dict[str, Value], config: ScorerConfig) -> dict[str, Value]:
    if not values:
        raise ScorerError(f"scorer {config.name!r} returned no value at all", fix=_NEXT)
    named: dict[str, Value] = {}
    taken: dict[str, str] = {}
    for name, value in values.items():
        if not isinstance(name, str):
            raise ScorerError(f"scorer {config.name!r} returned the name {name!r}, which is not text")
        key = normalised(name)
        if key in taken:
            raise ScorerError(
                f"scorer {config.name!r} returned {taken[key]!r} and {name!r}, which are one name, {key!r}"
            )
        taken[key] = name
        named[name] = _value(value, config, name)
    return named


def _value(value: object, config: ScorerConfig, name: str) -> Value:
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        number = int(value) if isinstance(value, int) else float(value)
        if -1e308 < number < 1e308 or (isinstance(number, float) and math.isfinite(number)):
            return number
        shown = number if isinstance(number, float) else "a whole number too large to be stored"
        raise ScorerError(f"scorer {config.name!r} returned {shown}{_for(name)}", fix="return a finite number, or skip")
    what = "None" if value is None else f"a value of type {type(value).__name__}"
    raise ScorerError(f"scorer {config.name!r} returned {what}{_for(name)}", fix=_NEXT)


def _for(name: str) -> str:
    return f" for {name!r}" if name else ""
