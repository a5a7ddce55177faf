"""What scorers say of the traces of some runs: the current scores, case by case, with where each case stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.scale import ScoreSpec, ScoreType, normalised
from rejudge.domain.score import ScoreStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rejudge.domain.run import Run
    from rejudge.domain.score import Score, ScoreValue
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.storage.records import CaseRow
    from rejudge.storage.store import Store

PAGE = 500


class Case(Struct, frozen=True, kw_only=True):
    """One trace of a run, and what each of some scorers (by digest) says of it; the first draw of several."""

    trace: bytes
    item_id: str
    trial: int
    run_id: str
    scores: dict[bytes, Score]


def judged_cases(store: Store, runs: Iterable[Run], scorers: Sequence[bytes]) -> list[Case]:
    """The cases of some runs that have a trace; a trace that several runs share comes once."""
    found: dict[bytes, Case] = {}
    for run in runs:
        for row in _rows(store, run.id):
            if row.case.trace is None or row.case.trace in found:
                continue
            scores: dict[bytes, Score] = {}
            for score in row.scores:
                if score.scorer in scorers and len(score.subject) == 1:
                    scores.setdefault(score.scorer, score)
            found[row.case.trace] = Case(
                trace=row.case.trace, item_id=row.item.id, trial=row.case.trial, run_id=run.id, scores=scores
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


def value_in(score: Score | None, name: str) -> ScoreValue | None:
    """The value of this name in a score, where it has one."""
    if score is None or score.status is not ScoreStatus.SCORED:
        return None
    return next((value for value in score.values if value.name == name), None)


def _rows(store: Store, run_id: str) -> Iterator[CaseRow]:
    start = 0
    while page := store.cases(run_id, start=start, count=PAGE):
        yield from page
        start += len(page)


def _values(cases: Iterable[Case], scorer: bytes) -> Iterator[ScoreValue]:
    scores = (case.scores[scorer] for case in cases if scorer in case.scores)
    return (value for score in scores for value in score.values)


def _seen(name: str, values: Sequence[ScoreValue]) -> ScoreSpec:
    """The spec of a score that its scorer did not declare, as its values show it."""
    if any(value.number is None for value in values):
        return ScoreSpec(name=name, type=ScoreType.LABEL)
    judged = all(value.outcome is not None and value.number in (0.0, 1.0) for value in values)
    return ScoreSpec(name=name, type=ScoreType.PASS_FAIL if judged else ScoreType.NUMBER)
