"""Summaries of a run, made from the counts and sums that the store computed."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.scale import ScoreSpec, ScoreType, normalised
from rejudge.stats.attempts import Tried
from rejudge.stats.labels import summarise_label_counts, summarise_labels
from rejudge.stats.moments import Moments
from rejudge.stats.scale import Scale
from rejudge.stats.summary import Repeats, Summary, summarise_moments
from rejudge.storage.records import ValueMoments, pooled_trials

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from rejudge.domain.scorer import ScorerConfig
    from rejudge.release.reach import Reach
    from rejudge.storage.records import LabelCount, RunCounts, ScoreCounts


class Summaries:
    """The summaries of one run, by scorer and value; iterates over (scorer name, summary).

    Scorers of one name judge different items, and have one summary. `reach` says for a name which cases these are;
    `labels_by_item` reads the labels of a value item by item, where items have several trials.
    """

    def __init__(
        self,
        scorers: Sequence[ScorerConfig],
        counts: RunCounts,
        *,
        reach: Callable[[str], Reach],
        labels_by_item: Callable[[Collection[bytes], str], list[list[str]]],
    ) -> None:
        self._reach = reach
        self._labels_by_item = labels_by_item
        self._moments: dict[bytes, list[ValueMoments]] = {}
        for moment in counts.moments:
            self._moments.setdefault(moment.scorer, []).append(moment)
        self._labels: dict[bytes, list[LabelCount]] = {}
        for label in counts.labels:
            self._labels.setdefault(label.scorer, []).append(label)
        self._of_scorer = {one.scorer: one for one in counts.scores}
        named: dict[str, list[ScorerConfig]] = {}
        for config in scorers:
            named.setdefault(config.name, []).append(config)
        self._digests = {name: tuple(dict.fromkeys(one.digest() for one in configs)) for name, configs in named.items()}
        self._by_scorer = {name: self._of(name, configs) for name, configs in named.items()}

    def __iter__(self) -> Iterator[tuple[str, Summary]]:
        for name, values in self._by_scorer.items():
            for summary in values.values():
                yield name, summary

    def one(self, scorer: str | None, *, value: str | None = None) -> Summary:
        """The summary of a scorer's value; names may be left out where there is only one."""
        if scorer is None:
            if not self._by_scorer:
                raise ConfigurationError("nothing was scored: the run has no scorer", fix="add one, then ask again")
            if len(self._by_scorer) != 1:
                raise ConfigurationError(
                    f"the run has {len(self._by_scorer)} scorers", fix=f"name one: {', '.join(self._by_scorer)}"
                )
            scorer = next(iter(self._by_scorer))
        values = self._by_scorer.get(scorer)
        if values is None:
            raise UnknownName.among("scorer", scorer, self._by_scorer)
        if value is not None:
            if (key := normalised(value)) not in values:
                raise UnknownName.among("value", value, values)
            return values[key]
        own = values.get(normalised(scorer))
        if own is None and len(values) == 1:
            own = next(iter(values.values()))
        if own is None:
            raise ConfigurationError(
                f"scorer {scorer!r} gives {len(values)} values", fix=f"name one with value=: {', '.join(values)}"
            )
        return own

    def tried(self, scorer: str | None, *, value: str | None = None) -> tuple[Summary, list[Tried]]:
        """A value's summary, and how often its items passed; raises ConfigurationError for one without an outcome."""
        summary = self.one(scorer, value=value)
        digests = self._digests[next(iter(self._by_scorer)) if scorer is None else scorer]
        moments = [one for digest in digests for one in self._moments.get(digest, ())]
        found = pooled([one for one in moments if one.name == summary.name])
        if found is None and not summary.counts.scored:
            return summary, []
        if found is None or not found.trials:
            raise ConfigurationError(
                f"{summary.name} has no outcome, so no trial of it passes or fails",
                fix="declare from which value on it passes: passes_at",
            )
        return summary, [Tried(one.scored, one.passed, one.items) for one in found.trials]

    def _of(self, scorer: str, configs: Sequence[ScorerConfig]) -> dict[str, Summary]:
        """The summaries of the scorers of one name, which judge different items."""
        digests = self._digests[scorer]
        ended = [one for digest in digests if (one := self._of_scorer.get(digest)) is not None]
        moments: dict[str, list[ValueMoments]] = {}
        for moment in (one for digest in digests for one in self._moments.get(digest, ())):
            moments.setdefault(moment.name, []).append(moment)
        labels: dict[str, list[LabelCount]] = {}
        for label in (one for digest in digests for one in self._labels.get(digest, ())):
            labels.setdefault(label.name, []).append(label)
        declared = {spec.key: spec for config in configs for spec in config.scores}
        names = [*declared, *(name for name in [*moments, *labels] if name not in declared)]
        if not names:
            names = [normalised(scorer)]
        judged = _Judged(self._reach(scorer), digests, ended)
        return {
            name: self._summary(judged, name, declared.get(name), pooled(moments.get(name, ())), labels.get(name))
            for name in names
        }

    def _summary(
        self,
        judged: _Judged,
        name: str,
        spec: ScoreSpec | None,
        moments: ValueMoments | None,
        labels: list[LabelCount] | None,
    ) -> Summary:
        of_value = sum(label.count for label in labels) if labels else moments.values if moments else 0
        counts = judged.reach.counts(judged.ended, scored=of_value)
        if labels or (spec is not None and spec.type is ScoreType.LABEL):
            known = dict.fromkeys(spec.labels or (), 0) if spec else {}
            if judged.reach.trials > 1:
                by_item = self._labels_by_item(judged.digests, name)
                return summarise_labels(by_item, name=name, counts=counts, known=known)
            taken: dict[str, int] = {}
            for label in labels or ():
                taken[label.label] = taken.get(label.label, 0) + label.count
            return summarise_label_counts(known | taken, name=name, counts=counts)
        kind = spec.type if spec is not None else _inferred(moments)
        low, high = (spec or ScoreSpec(name=name, type=kind)).range
        return summarise_moments(
            _moments(moments),
            name=name,
            kind=kind.value,
            scale=Scale(low=low, high=high, direction=spec.direction.value if spec else "higher"),
            counts=counts,
            repeats=Repeats(
                items=judged.reach.items, trials=judged.reach.trials, total=moments.total if moments else 0.0
            ),
        )


class _Judged(NamedTuple):
    """The scorers of one name: which cases they are for, and how their judgements ended."""

    reach: Reach
    digests: Collection[bytes]
    ended: Sequence[ScoreCounts]


def pooled(moments: Sequence[ValueMoments]) -> ValueMoments | None:
    """The moments of several groups of items together (the parallel form of Chan, Golub and LeVeque, 1979)."""
    if len(moments) < 2:
        return moments[0] if moments else None
    items = sum(one.items for one in moments)
    mean = fsum(one.mean * one.items for one in moments) / items
    return ValueMoments(
        scorer=moments[0].scorer,
        name=moments[0].name,
        items=items,
        values=sum(one.values for one in moments),
        mean=mean,
        squares=fsum(one.squares + one.items * (one.mean - mean) ** 2 for one in moments),
        minimum=min(one.minimum for one in moments),
        maximum=max(one.maximum for one in moments),
        binary=all(one.binary for one in moments),
        total=fsum(one.total for one in moments),
        judged=sum(one.judged for one in moments),
        trials=pooled_trials(trial for one in moments for trial in one.trials),
    )


def _moments(moments: ValueMoments | None) -> Moments:
    """Sums over item means; where those are all 0 or 1, their sum is a whole number whatever rounding left of it."""
    if moments is None:
        return Moments(n=0, total=0.0, squares=0.0, minimum=None, maximum=None, zero_or_one=True)
    total = moments.mean * moments.items
    return Moments(
        n=moments.items,
        total=float(round(total)) if moments.binary else total,
        squares=moments.squares,
        minimum=moments.minimum,
        maximum=moments.maximum,
        zero_or_one=moments.binary,
    )


def _inferred(moments: ValueMoments | None) -> ScoreType:
    """Undeclared values that all have an outcome were booleans; any other number is a plain number."""
    return ScoreType.PASS_FAIL if moments is not None and moments.judged == moments.values else ScoreType.NUMBER
