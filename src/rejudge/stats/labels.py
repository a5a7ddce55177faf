"""Summaries of labels: a distribution of shares with intervals, and no mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rejudge.stats.counts import Counts
from rejudge.stats.interval import LEVEL, Undefined, wilson
from rejudge.stats.moments import Moments
from rejudge.stats.scale import PASS_FAIL
from rejudge.stats.summary import Share, Summary, check_scored, interval_of, planned_trials

NO_MEAN = Undefined("a label has no mean")


def summarise_label_counts(count_of: Mapping[str, int], *, name: str, counts: Counts, level: float = LEVEL) -> Summary:
    """The summary of one label per item, from how often each was given; a closed set lists its unused labels as 0.

    Raises RecordError for a number of labels that `counts` denies.
    """
    n = sum(count_of.values())
    check_scored(n, counts, name)
    shares = {
        label: Share(count=count, share=count / n, interval=wilson(count, n, level=level))
        for label, count in count_of.items()
        if n
    }
    return _summary(shares, name=name, counts=counts, n=n, items=counts.planned, trials=1)


def summarise_labels(
    labels_by_item: Sequence[Sequence[str]],
    *,
    name: str,
    counts: Counts,
    known: Iterable[str] = (),
    level: float = LEVEL,
) -> Summary:
    """The summary of one inner sequence per planned item: the labels of its trials, empty where none was given.

    An item counts once whatever its number of trials. `known` is the closed set of labels, shown even where unused.
    Raises RecordError for a number of labels that `counts` denies.
    """
    trials = planned_trials(labels_by_item, counts, name)
    given = [Counter(labels) for labels in labels_by_item if labels]
    totals = Counter(dict.fromkeys(known, 0))
    for item in given:
        totals.update(item)
    shares = {}
    for label, count in totals.items():
        moments = Moments.of(item[label] / item.total() for item in given)
        if moments.mean is not None:
            interval = interval_of(moments, scale=PASS_FAIL, level=level)
            shares[label] = Share(count=count, share=moments.mean, interval=interval)
    return _summary(shares, name=name, counts=counts, n=len(given), items=len(labels_by_item), trials=trials)


def _summary(shares: dict[str, Share], *, name: str, counts: Counts, n: int, items: int, trials: int) -> Summary:
    commonest_first = sorted(shares.items(), key=lambda pair: (-pair[1].share, pair[0]))
    return Summary(
        name=name,
        kind="label",
        direction="informational",
        counts=counts,
        items=items,
        trials=trials,
        n=n,
        interval=NO_MEAN,
        best=NO_MEAN,
        worst=NO_MEAN,
        labels=dict(commonest_first),
    )
