"""What every deterministic kind shares: a check that passes or fails, and how that maps to the declared scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from rejudge.domain.demands import NOTHING
from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.domain.scale import Outcome, ScoreSpec, ScoreType
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.verdict import Value, Verdict
from rejudge.scorers.gap import Gap
from rejudge.scorers.pattern import ENGINE
from rejudge.scorers.scorer import Way

if TYPE_CHECKING:
    from rejudge.domain.view import View

Check: TypeAlias = "Callable[[View], str | Gap | None]"
"""A function that answers None where a view passes, and else why it fails or what is not there."""


class Deterministic(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The parameters that every deterministic kind takes beside its own."""

    name: Annotated[str | UnsetType, Meta(description="What the scorer is called; its kind, if left out.")] = UNSET
    scores: Annotated[
        Sequence[ScoreSpec] | UnsetType,
        Meta(description="The scores that a verdict is written to; one pass_fail with the scorer's name, if left out."),
    ] = UNSET
    required: Annotated[bool, Meta(description="Whether a case needs this scorer to pass.")] = False
    pass_value: Annotated[
        float | str | UnsetType, Meta(description="What a pass is worth on a score that is not pass_fail.")
    ] = UNSET
    fail_value: Annotated[
        float | str | UnsetType, Meta(description="What a fail is worth on a score that is not pass_fail.")
    ] = UNSET


_IN_THE_CONFIG: Final = ("name", "scores", "required")
"""Parameters that a config holds outside its settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a check reads of an item: fields it cannot do without, and all fields it sees (None: any).

    `patterns` says that it meets what it reads with regular expressions.
    """

    needs: frozenset[str] = frozenset()
    sees: frozenset[str] | None = frozenset()
    patterns: bool = False


class DeterministicScorer:
    """A check under a config; every declared score gets the value of a pass or that of a fail."""

    __slots__ = ("_check", "_failing", "_passed", "config", "needs", "way")
    demands = NOTHING

    def __init__(self, config: ScorerConfig, check: Check, *, needs: frozenset[str], worth: _Worth) -> None:
        self.config = config
        self.way = Way.INLINE
        self.needs = needs
        self._check = check
        self._passed = Verdict(values=worth.passing)
        self._failing = worth.failing

    def judge(self, view: View) -> Verdict:
        """The verdict; with the reason, where the view does not pass."""
        found = self._check(view)
        if found is None:
            return self._passed
        if isinstance(found, str):
            return Verdict(values=self._failing, reason=found)
        if found.cause is None:
            return Verdict(values=self._failing, reason=found.reason)
        return Verdict.skipped(found.cause, found.reason)


def scorer_of(
    parameters: Deterministic, check: Check, *, kind: str, version: int, reading: Reading
) -> DeterministicScorer:
    """The scorer of a deterministic kind; `version` counts the changes of what the kind does with its parameters."""
    name = kind if isinstance(parameters.name, UnsetType) else parameters.name
    scores = declared(name, parameters.scores, required=parameters.required)
    own = {key: value for key, value in msgspec.to_builtins(parameters).items() if key not in _IN_THE_CONFIG}
    config = ScorerConfig(
        name=name,
        type=kind,
        settings={"version": version, **(ENGINE if reading.patterns else {}), **own},
        scores=scores,
        sees=None if reading.sees is None else tuple(sorted(reading.sees)),
    )
    return DeterministicScorer(config, check, needs=reading.needs, worth=_worth(parameters, name, scores))


def declared(name: str, scores: Sequence[ScoreSpec] | UnsetType, *, required: bool) -> tuple[ScoreSpec, ...]:
    """The scores that a scorer of that name declares: those given, or one pass_fail that is called like it."""
    if isinstance(scores, UnsetType):
        return (ScoreSpec(name=name, required=required),)
    if not scores:
        raise ConfigurationError(
            f"{name}: scores is empty, so that a verdict would be written nowhere",
            fix="declare a score, or leave scores out for one pass_fail named after the scorer",
        )
    if not required:
        return tuple(scores)
    return tuple(msgspec.structs.replace(spec, required=True) for spec in scores)


@dataclass(frozen=True, slots=True)
class _Worth:
    """What a pass and a fail are written as, by the key of every declared score."""

    passing: dict[str, Value] = field(default_factory=dict)
    failing: dict[str, Value] = field(default_factory=dict)


def _worth(parameters: Deterministic, name: str, scores: tuple[ScoreSpec, ...]) -> _Worth:
    worth = _Worth()
    for spec in scores:
        passing, failing = _pair(parameters, name, spec)
        try:
            worth.passing[spec.key], worth.failing[spec.key] = spec.checked(passing), spec.checked(failing)
        except RecordError as error:
            raise ConfigurationError(f"{name}: {error.what}", fix="mend pass_value and fail_value") from None
        told = (spec.outcome(passing), spec.outcome(failing))
        if spec.has_outcome and told != (Outcome.PASSED, Outcome.FAILED):
            raise ConfigurationError(
                f"{name}: on score {spec.name!r} a pass ({passing}) and a fail ({failing}) would not count as such",
                fix="mend pass_value and fail_value, or when the score passes",
            )
    return worth


def _pair(parameters: Deterministic, name: str, spec: ScoreSpec) -> tuple[float | str, float | str]:
    passing, failing = parameters.pass_value, parameters.fail_value
    if spec.type is ScoreType.PASS_FAIL:
        return 1.0, 0.0
    if not isinstance(passing, UnsetType) and not isinstance(failing, UnsetType):
        return passing, failing
    if spec.type is ScoreType.PASS_FAIL_CRITICAL and passing is UNSET and failing is UNSET:
        return 1.0, 0.0
    raise ConfigurationError(
        f"{name}: score {spec.name!r} is a {spec.type.value}, and a check only passes or fails",
        fix="say what each is worth: pass_value and fail_value",
    )
