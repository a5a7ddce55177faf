"""Summaries of a run, made from the counts and sums that the store computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.scale import ScoreSpec, ScoreType, normalised
from rejudge.stats.attempts import Tried
from rejudge.stats.counts import Counts
from rejudge.stats.labels import summarise_label_counts, summarise_labels
from rejudge.stats.moments import Moments
from rejudge.stats.scale import Scale
from rejudge.stats.summary import Repeats, Summary, summarise_moments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rejudge.domain.run import Run
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.storage.records import LabelCount, RunCounts, ScoreCounts, ValueMoments


class Summaries:
    """The summaries of one run, by scorer and value; iterates over (scorer name, summary).

    `labels_by_item` reads the labels of a value item by item; it is asked only where items have several trials.
    """

    def __init__(
        self,
        run: Run,
        scorers: Sequence[ScorerConfig],
        counts: RunCounts,
        *,
        trials: int,
        labels_by_item: Callable[[bytes, str], list[list[str]]],
    ) -> None:
        self._run = run
        self._trials = trials
        self._labels_by_item = labels_by_item
        self._counts = counts
        self._digests = {config.name: config.digest() for config in scorers}
        self._by_scorer = {config.name: self._of(config) for config in scorers}

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
        found = next((one for one in self._counts.moments if self._is(one, summary, scorer)), None)
        if found is None and not summary.counts.scored:
            return summary, []
        if found is None or not found.trials:
            raise ConfigurationError(
                f"{summary.name} has no outcome, so no trial of it passes or fails",
                fix="declare from which value on it passes: passes_at",
            )
        return summary, [Tried(one.scored, one.passed, one.items) for one in found.trials]

    def _is(self, moments: ValueMoments, summary: Summary, scorer: str | None) -> bool:
        of_scorer = scorer is None or moments.scorer == self._digests[scorer]
        return of_scorer and moments.name == summary.name

    def _of(self, config: ScorerConfig) -> dict[str, Summary]:
        digest = config.digest()
        ended = next((one for one in self._counts.scores if one.scorer == digest), None)
        moments = {one.name: one for one in self._counts.moments if one.scorer == digest}
        labels: dict[str, list[LabelCount]] = {}
        for label in self._counts.labels:
            if label.scorer == digest:
                labels.setdefault(label.name, []).append(label)
        declared = {spec.key: spec for spec in config.scores}
        names = [*declared, *(name for name in [*moments, *labels] if name not in declared)]
        if not names:
            names = [normalised(config.name)]
        return {
            name: self._summary(config, name, declared.get(name), ended, moments.get(name), labels.get(name))
            for name in names
        }

    def _summary(
        self,
        config: ScorerConfig,
        name: str,
        spec: ScoreSpec | None,
        ended: ScoreCounts | None,
        moments: ValueMoments | None,
        labels: list[LabelCount] | None,
    ) -> Summary:
        of_value = sum(label.count for label in labels) if labels else moments.values if moments else 0
        counts = self._law_six(ended, of_value)
        if labels or (spec is not None and spec.type is ScoreType.LABEL):
            known = dict.fromkeys(spec.labels or (), 0) if spec else {}
            if self._trials > 1:
                by_item = self._labels_by_item(config.digest(), name)
                return summarise_labels(by_item, name=name, counts=counts, known=known)
            taken = {label.label: label.count for label in labels or ()}
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
                items=self._run.planned // self._trials, trials=self._trials, total=moments.total if moments else 0.0
            ),
        )

    def _law_six(self, ended: ScoreCounts | None, of_value: int) -> Counts:
        cases = self._counts.cases
        skipped = cases.skipped + (ended.skipped if ended else 0)
        errors = ended.errors if ended else 0
        # A value that some verdicts left out (an undeclared name) is missing there, not scored.
        left_out = (ended.scored if ended else 0) - of_value
        known = of_value + left_out + skipped + errors + cases.errors
        return Counts(
            planned=self._run.planned,
            scored=of_value,
            skipped=skipped + left_out,
            scorer_errors=errors,
            task_errors=cases.errors,
            pending=self._run.planned - known,
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
