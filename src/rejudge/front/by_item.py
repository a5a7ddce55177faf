"""A run item by item: the trials of each, and what a scorer said over them."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.errors import UnknownName
from rejudge.domain.scale import Outcome, normalised
from rejudge.domain.score import ScoreStatus
from rejudge.stats.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rejudge.domain.item import Item
    from rejudge.domain.score import ScoreValue
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.storage.records import CaseRow


class TrialSummary(Struct, frozen=True, kw_only=True):
    """One value of a scorer over the trials of one item.

    `values` are in the order of the trials that have one; mean, minimum and maximum are None without any, `std`
    (n − 1) is None under two. `passed` of `judged` outcomes passed; `failed` judgements ended in an error, `skipped`
    ones had nothing to judge.
    """

    values: tuple[float, ...]
    mean: float | None
    std: float | None
    minimum: float | None
    maximum: float | None
    judged: int
    passed: int
    failed: int
    skipped: int

    @property
    def n(self) -> int:
        """Trials with a value."""
        return len(self.values)


class ItemResult:
    """One item with its cases, in the order of the trials."""

    def __init__(self, cases: tuple[CaseRow, ...], scorers: Mapping[bytes, ScorerConfig]) -> None:
        self.cases = cases
        self._scorers = scorers

    def __repr__(self) -> str:
        return f"<ItemResult of {self.item.id!r}: {len(self.cases)} trials>"

    @property
    def item(self) -> Item:
        """The item."""
        return self.cases[0].item

    def trials(self, scorer: str | None = None, *, value: str | None = None) -> TrialSummary:
        """What a scorer said over the item's trials; its name may be left out where there is only one.

        `value` names one of several values of a scorer. Raises UnknownName.
        """
        digest, name = self._named(scorer)
        wanted = normalised(name if value is None else value)
        scores = [score for row in self.cases for score in row.scores if score.scorer == digest]
        found = [one for score in scores for one in score.values if one.name == wanted]
        if not found and value is None:
            found = [one for score in scores for one in score.values[:1]]
        return _summary(
            found,
            failed=sum(score.status is ScoreStatus.ERROR for score in scores),
            skipped=sum(score.status is ScoreStatus.SKIPPED for score in scores),
        )

    def _named(self, scorer: str | None) -> tuple[bytes, str]:
        names = {config.name: digest for digest, config in self._scorers.items()}
        if scorer is None and len(names) == 1:
            (scorer,) = names
        if scorer not in names:
            raise UnknownName.among("scorer", scorer or "", names)
        return names[scorer], scorer


def by_item(cases: Iterable[CaseRow], scorers: Mapping[bytes, ScorerConfig]) -> Iterator[ItemResult]:
    """Group cases that come in dataset order."""
    for _, rows in groupby(cases, key=lambda row: row.case.position):
        yield ItemResult(tuple(sorted(rows, key=lambda row: row.case.trial)), scorers)


def _summary(values: Iterable[ScoreValue], *, failed: int, skipped: int) -> TrialSummary:
    found = list(values)
    numbers = [value.number for value in found if value.number is not None]
    moments = Moments.of(numbers)
    outcomes = [value.outcome for value in found if value.outcome is not None]
    return TrialSummary(
        values=tuple(numbers),
        mean=moments.mean,
        std=moments.std,
        minimum=moments.minimum,
        maximum=moments.maximum,
        judged=len(outcomes),
        passed=outcomes.count(Outcome.PASSED),
        failed=failed,
        skipped=skipped,
    )
