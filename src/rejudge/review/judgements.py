"""What scorers say of the traces of some runs: the current scores, case by case, with where each case stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.scale import ScoreSpec, ScoreType, normalised
from rejudge.domain.score import ScoreStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rejudge.domain.judged_trace import Judgement
    from rejudge.domain.run import Run
    from rejudge.domain.score import ScoreValue
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.storage.store import Store


class Case(Struct, frozen=True, kw_only=True):
    """One trace of a run, and what each of some scorers (by digest) says of it; the first draw of several."""

    trace: bytes
    item_id: str
    trial: int
    run_id: str
    said: Mapping[bytes, Judgement]


def judged_cases(store: Store, runs: Iterable[Run], scorers: Sequence[bytes]) -> list[Case]:
    """The cases of some runs that have a trace; a trace that several runs share comes once."""
    found: dict[bytes, Case] = {}
    for run in runs:
        for one in store.judged(run.id, scorers=scorers):
            if one.trace not in found:
                found[one.trace] = Case(
                    trace=one.trace, item_id=one.item_id, trial=one.trial, run_id=run.id, said=one.said
                )
    return list(found.values())


def value_named(cases: Sequence[Case], config: ScorerConfig, value: str | None, *, preferred: str) -> ScoreSpec:
    """The score of a scorer that is meant: the named one, the only one, the one called as the scorer or `preferred`.

    Of an undeclared score the type is told by its values. Raises UnknownName, and ConfigurationError where several
    are possible and where the scorer has no value at all.
    """
    specs = {spec.key: spec for spec in config.scores}
    given: dict[str, list[ScoreValue]] = {}
    for one in _values(cases, config.digest()):
        given.setdefault(one.name, []).append(one)
    specs = {name: _seen(name, values) for name, values in given.items()} | specs
    if value is not None:
        if (key := normalised(value)) not in specs:
            raise UnknownName.among("value", value, specs)
        return specs[key]
    if not specs:
        raise ConfigurationError(
            f"scorer {config.name!r} has no value for any trace of the experiment", fix="let it judge first"
        )
    for name in (preferred, normalised(config.name)):
        if name in specs:
            return specs[name]
    if len(specs) > 1:
        raise ConfigurationError(
            f"scorer {config.name!r} gives {len(specs)} values", fix=f"name one with value=: {', '.join(specs)}"
        )
    return next(iter(specs.values()))


def value_in(judgement: Judgement | None, name: str) -> ScoreValue | None:
    """The value of this name in a judgement, where it has one."""
    if judgement is None or judgement.status is not ScoreStatus.SCORED:
        return None
    return next((value for value in judgement.values if value.name == name), None)


def _values(cases: Iterable[Case], scorer: bytes) -> Iterator[ScoreValue]:
    judgements = (case.said[scorer] for case in cases if scorer in case.said)
    return (value for judgement in judgements for value in judgement.values)


def _seen(name: str, values: Sequence[ScoreValue]) -> ScoreSpec:
    """The spec of a score that its scorer did not declare, as its values show it."""
    if any(value.number is None for value in values):
        return ScoreSpec(name=name, type=ScoreType.LABEL)
    judged = all(value.outcome is not None and value.number in (0.0, 1.0) for value in values)
    return ScoreSpec(name=name, type=ScoreType.PASS_FAIL if judged else ScoreType.NUMBER)
