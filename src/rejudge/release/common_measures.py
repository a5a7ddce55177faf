"""What several runs, or scorers, have in common to be compared by, and what they do not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError
from rejudge.release.scores import Measure, commonest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.release.scores import ItemScores, ScoresOf


def paired(sides: Sequence[ScoresOf], scorer: str, value: str | None) -> tuple[list[list[ItemScores]], list[str]]:
    """What a scorer measured on every side, a column of each; and what cannot be compared, in words.

    A label that one side never gave is a share of 0 there.
    """
    found: list[list[ItemScores]] = []
    apart: list[str] = []
    labels: dict[str, Sequence[str]] = {}
    for name in dict.fromkeys(name for side in sides for name in side.named(scorer, value)):
        given = sum((side.undeclared_labels(scorer, name) for side in sides), Counter[str]())
        labels[name], rarer = commonest(given, Measure(scorer=scorer, value=name).name)
        apart += rarer
    measured = [{one.measure: one for one in side.measured(scorer, value, labels=labels)} for side in sides]
    for measure in dict.fromkeys(measure for columns in measured for measure in columns):
        columns = [columns.get(measure) or side.share(measure) for side, columns in zip(sides, measured, strict=True)]
        known = _as_known([one for one in columns if one is not None])
        units = list(dict.fromkeys(one.unit for one in known))
        if len(known) < len(columns):
            apart.append(f"{measure.name} is not measured in every run")
        elif len(units) > 1:
            apart.append(f"{measure.name} is not in one unit: {'; '.join(units)}")
        else:
            found.append(known)
    return found, apart


def unsure(first: str, second: str) -> str:
    """What to say of two scorers without a declared range, in words."""
    return (
        f"the difference may mean nothing: {first} and {second} declare no range, so nothing says that one unit is "
        "meant; declare low and high of both"
    )


def _as_known(columns: list[ItemScores]) -> list[ItemScores]:
    """The columns; one in which nothing was scored, so that its kind could not be seen, is of the others' kind."""
    some = next((one for one in columns if one.n), None)
    if some is None:
        return columns
    return [
        one if one.n else replace(one, kind=some.kind, scale=some.scale, passes_at=some.passes_at) for one in columns
    ]


def common_scorers(sides: Sequence[ScoresOf], scorer: str | None, value: str | None) -> list[str]:
    """The scorers that every side has, or the one that is named.

    Raises ConfigurationError where there is none, and for the name of a value that several of them may have.
    """
    if scorer is not None:
        for side in sides:
            side.digests(scorer)
        return [scorer]
    common = [name for name in sides[0].scorers if all(name in side.scorers for side in sides[1:])]
    if not common:
        told = "; ".join(f"{side.run.id[:8]}: {', '.join(side.scorers) or 'none'}" for side in sides)
        raise ConfigurationError(
            f"the runs have no scorer in common ({told})",
            fix="judge them with the same scorer: rejudge score EXPERIMENT --scorer …",
        )
    if value is not None and len(common) > 1:
        raise ConfigurationError(
            f"the value {value!r} is named, and not which scorer's: {', '.join(common)}", fix="name the scorer too"
        )
    return common


def uncommon_scorers(sides: Sequence[ScoresOf]) -> list[str]:
    """Which scorers not every side has, in words."""
    held = {name: [name in side.scorers for side in sides] for side in sides for name in side.scorers}
    places = ("first", "second")
    return [
        f"{name} is a scorer of the {places[has.index(True)]} run alone"
        if len(sides) == 2
        else f"{name} is a scorer of {sum(has)} of the {len(sides)} runs"
        for name, has in held.items()
        if not all(has)
    ]
