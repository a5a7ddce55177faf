"""What the kinds share that give a number: a measurement of a view, under a config with one declared score."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from rejudge.domain.demands import NOTHING
from rejudge.domain.scale import ScoreSpec
from rejudge.domain.scorer import ScorerConfig
from rejudge.scorers.pattern import ENGINE
from rejudge.scorers.scorer import Way

if TYPE_CHECKING:
    from rejudge.domain.verdict import Verdict
    from rejudge.domain.view import View
    from rejudge.scorers.deterministic import Reading

Measurement: TypeAlias = "Callable[[View], Verdict]"
"""A function that answers with one unnamed number, or with a skip."""


class Measure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The parameters that every measuring kind takes beside its own."""

    name: Annotated[
        str | UnsetType, Meta(description="What the scorer and its score are called; its kind, if left out.")
    ] = UNSET
    required: Annotated[
        bool, Meta(description="Whether a case needs this scorer to pass; the number that passes is then to be given.")
    ] = False


class MeasuringScorer:
    """A measurement under a config."""

    __slots__ = ("_measurement", "config", "needs", "way")
    demands = NOTHING

    def __init__(self, config: ScorerConfig, measurement: Measurement, *, needs: frozenset[str]) -> None:
        self.config = config
        self.way = Way.INLINE
        self.needs = needs
        self._measurement = measurement

    def judge(self, view: View) -> Verdict:
        """The number, or why there is none."""
        return self._measurement(view)


def measuring(
    parameters: Measure, measurement: Measurement, *, kind: str, version: int, reading: Reading, score: ScoreSpec
) -> MeasuringScorer:
    """The scorer of a measuring kind; `score` says what its numbers mean, whatever they are called.

    `version` counts the changes of what the kind does with its parameters.
    """
    name = kind if isinstance(parameters.name, UnsetType) else parameters.name
    own = {key: value for key, value in msgspec.to_builtins(parameters).items() if key not in ("name", "required")}
    config = ScorerConfig(
        name=name,
        type=kind,
        settings={"version": version, **(ENGINE if reading.patterns else {}), **own},
        scores=(msgspec.structs.replace(score, name=name, required=parameters.required),),
        sees=None if reading.sees is None else tuple(sorted(reading.sees)),
    )
    return MeasuringScorer(config, measurement, needs=reading.needs)
