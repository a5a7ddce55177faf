"""The numbers of a run's summary from the scores that count in it."""

from __future__ import annotations

from collections import Counter, defaultdict
from math import fsum
from typing import TYPE_CHECKING

from rejudge.domain.scale import Outcome
from rejudge.domain.score import ScoreStatus
from rejudge.storage.known import known_sum
from rejudge.storage.records import LabelCount, ScoreCounts, ValueMoments, trial_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from rejudge.storage.records import NewScore


def score_counts(scorer: bytes, scores: Sequence[NewScore], *, made: Sequence[NewScore]) -> ScoreCounts:
    """How the judgements of one scorer ended, and what those that the run made itself spent."""
    usages = [score.usage or (None, None, None) for score in made]
    ended = Counter(score.status for score in scores)
    causes = Counter(score.cause or "" for score in scores if score.status is ScoreStatus.SKIPPED)
    return ScoreCounts(
        scorer=scorer,
        scored=ended[ScoreStatus.SCORED],
        skipped=ended[ScoreStatus.SKIPPED],
        errors=ended[ScoreStatus.ERROR],
        causes=dict(sorted(causes.items())),
        made=len(usages),
        cost=known_sum(cost for _, _, cost in usages),
        known_costs=sum(cost is not None for _, _, cost in usages),
        input_tokens=known_sum(tokens for tokens, _, _ in usages),
        output_tokens=known_sum(tokens for _, tokens, _ in usages),
    )


def moments(scorer: bytes, scores: Sequence[NewScore], *, item_of: Callable[[int], str]) -> list[ValueMoments]:
    """The moments of each numeric value of one scorer, by name; trials are averaged within their item first."""
    names: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    outcomes: defaultdict[str, defaultdict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for score in scores:
        for value in score.values:
            if value.number is not None:
                names[value.name][item_of(score.trace)].append(value.number)
                if value.outcome is not None:
                    outcomes[value.name][item_of(score.trace)].append(value.outcome is Outcome.PASSED)
    return [
        _moments(scorer, name, names[name].values(), passed=list(outcomes[name].values())) for name in sorted(names)
    ]


def label_counts(scorer: bytes, scores: Sequence[NewScore]) -> list[LabelCount]:
    """How often each labelled value of one scorer took which label."""
    counts = Counter((value.name, value.label) for score in scores for value in score.values if value.label is not None)
    return [
        LabelCount(scorer=scorer, name=name, label=label, count=count)
        for (name, label), count in sorted(counts.items())
    ]


def _moments(
    scorer: bytes, name: str, items: Collection[Sequence[float]], *, passed: Sequence[Sequence[bool]]
) -> ValueMoments:
    values = [value for item in items for value in item]
    means = [fsum(item) / len(item) for item in items]
    mean = fsum(means) / len(means)
    return ValueMoments(
        scorer=scorer,
        name=name,
        items=len(items),
        values=len(values),
        mean=mean,
        squares=fsum((one - mean) ** 2 for one in means),
        minimum=min(means),
        maximum=max(means),
        binary=all(one in (0.0, 1.0) for one in means),
        total=fsum(values),
        judged=sum(map(len, passed)),
        trials=trial_counts(passed),
    )
