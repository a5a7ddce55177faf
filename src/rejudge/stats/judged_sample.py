"""What people would say of a whole sample that a judge scored and people labelled in part.

Where several trials of an item are in the sample they are no independent cases: rates have their intervals by item, and
the interval of a corrected rate becomes as much wider as the spread of what items do to it, taken whole (Miller 2024,
appendix A), exceeds that of single trials.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from rejudge.domain.errors import RecordError
from rejudge.domain.rating import Drawing
from rejudge.stats.accuracy import rate, rate_by_item
from rejudge.stats.column import moments_of, places, repeated
from rejudge.stats.confusion import Outcomes
from rejudge.stats.correction import Corrected, Correction, corrected_counts, indistinguishable
from rejudge.stats.estimate import ONE_ITEM, Estimate, Statistic, quantile
from rejudge.stats.interval import (
    LEVEL,
    NOTHING_SCORED,
    Interval,
    Undefined,
    check_level,
    t_interval,
)
from rejudge.stats.prediction_powered import NO_LABELS, prediction_powered_mean, too_little

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rejudge.stats.column import Names
    from rejudge.stats.ties import Codes, Floats

    Mask = NDArray[np.bool_]

CHOSEN_MEAN = Undefined(
    "the labelled items were chosen by what was said of them, so their mean is that of the choice; "
    "label items drawn at random"
)

_ODD_SHARE = 1e-3


class MeanCorrection(msgspec.Struct, frozen=True, kw_only=True):
    """The mean of a judge's numbers over a sample, that of the people over what they labelled, and PPI++'s.

    The unit is the item: its trials are averaged first. `judged` and `labelled` count items.
    """

    drawing: Drawing
    judged: int
    labelled: int
    raw: Statistic
    human: Statistic
    prediction_powered: Statistic


def corrected_sample(
    judge: Sequence[int],
    human: Sequence[int | None],
    *,
    drawing: Drawing,
    items: Names | None = None,
    level: float = LEVEL,
) -> Correction:
    """The corrected pass rate of everything that a judge scored: 1 passed, 0 failed, None for what has no label.

    `raw` is the judge's rate over all. Labels at random leave the others for the correction; chosen ones leave others
    that are not like the sample any more, so there the judge's rate over all is what is corrected. `items` names the
    item of each trial.
    """
    sample = _Sample.of(judge, human)
    rest = ~sample.labelled if drawing == "at_random" else sample.labelled | True
    labelled = Outcomes.of(*(side[sample.labelled].tolist() for side in (sample.judge, sample.human)))
    codes = None if items is None else repeated(items, len(sample.judge))
    beyond = 1.0 if codes is None else _beyond(sample, codes)
    found = corrected_counts(
        int(sample.judge[rest].sum()),
        int(rest.sum()),
        labelled,
        drawing=drawing,
        level=level,
        odd_beyond=beyond,
        labelled_items=None if codes is None else len(set(codes[sample.labelled].tolist())),
    )
    raw = rate(int(sample.judge.sum()), len(sample.judge), level=level, missing=Undefined(NOTHING_SCORED))
    found = msgspec.structs.replace(found, raw=raw, unlabelled=int((~sample.labelled).sum()))
    return found if codes is None else _by_item(found, sample, rest, codes, level=level)


def corrected_mean(
    judge: Sequence[float],
    human: Sequence[float | None],
    *,
    drawing: Drawing,
    items: Names | None = None,
    level: float = LEVEL,
) -> MeanCorrection:
    """The corrected mean of a judge's numbers by PPI++, from what people said of some of them (None for the others).

    Of an item with some labelled trials these alone are compared. Intervals by t, that of PPI++ further where values
    are skewed (`prediction_powered`); not cut.
    """
    import numpy as np

    check_level(level)
    sample = _Sample.of(judge, human)
    codes, named = places(range(len(judge)) if items is None else items, n=len(judge), what="items")
    everything, labelled = (_means(sample.judge, codes, len(named), of) for of in (None, sample.labelled))
    people = _means(sample.human, codes, len(named), sample.labelled)
    with_label = ~np.isnan(people)
    alone, pairs = everything[~with_label], (people[with_label], labelled[with_label])
    chosen = None if drawing == "at_random" else CHOSEN_MEAN
    doubt = chosen or _odd_means(pairs[1], alone)
    if doubt is None and len(alone) >= 2 and len(pairs[0]) >= 2:
        doubt = too_little(*(side.tolist() for side in pairs))
    return MeanCorrection(
        drawing=drawing,
        judged=len(everything),
        labelled=len(pairs[0]),
        raw=_mean(everything, level=level, missing=Undefined(NOTHING_SCORED)),
        human=chosen or _mean(pairs[0], level=level, missing=NO_LABELS),
        prediction_powered=doubt or prediction_powered_mean(*(side.tolist() for side in (*pairs, alone)), level=level),
    )


class _Sample(NamedTuple):
    judge: Floats
    human: Floats  # NaN where there is no label
    labelled: Mask

    @classmethod
    def of(cls, judge: Sequence[float], human: Sequence[float | None]) -> _Sample:
        import numpy as np

        if len(judge) != len(human):
            raise RecordError(f"{len(human)} labels for {len(judge)} values", fix="put None where there is no label")
        people = np.array([math.nan if value is None else value for value in human], dtype=np.float64)
        return cls(np.asarray(judge, dtype=np.float64), people, ~np.isnan(people))


def _by_item(found: Correction, sample: _Sample, rest: Mask, codes: Codes, *, level: float) -> Correction:
    """The same with intervals for which an item, and not a trial, is one case."""
    f, y, labelled = sample
    human = found.human
    passed, failed = labelled & (y == 1), labelled & (y == 0)
    tpr, tnr = found.true_positive_rate, found.true_negative_rate
    if isinstance(tpr, Estimate):
        tpr = rate_by_item(f[passed], codes[passed], level=level)
    if isinstance(tnr, Estimate):
        tnr = rate_by_item(1 - f[failed], codes[failed], level=level)
    classic = found.rogan_gladen
    if isinstance(classic, Corrected) and (doubt := indistinguishable(tpr, tnr)) is not None:
        classic = doubt
    if isinstance(classic, Corrected) and isinstance(tpr, Estimate) and isinstance(tnr, Estimate):
        moves = _moves(f, rest) - classic.raw * _moves(f, passed) + (1 - classic.raw) * _moves(1 - f, failed)
        classic = _corrected_by_item(classic, moves, labelled, codes)
    powered, weighted = found.prediction_powered, found.reweighted
    if isinstance(powered, Corrected):
        trust = powered.power or 0.0
        moves = trust * _moves(f, rest) + _moves(y - trust * f, labelled)
        powered = _corrected_by_item(powered, moves, labelled, codes)
    if isinstance(weighted, Corrected):
        weighted = _corrected_by_item(weighted, _moves_reweighted(sample), labelled, codes)
    return msgspec.structs.replace(
        found,
        raw=rate_by_item(f, codes, level=level),
        human=rate_by_item(y[labelled], codes[labelled], level=level) if isinstance(human, Estimate) else human,
        true_positive_rate=tpr,
        true_negative_rate=tnr,
        rogan_gladen=classic,
        prediction_powered=powered,
        reweighted=weighted,
    )


def _moves(values: Floats, of: Mask) -> Floats:
    """What each trial does to the mean of the values `of` some trials."""
    import numpy as np

    moves = np.zeros(len(values))
    if of.any():
        moves[of] = (values[of] - values[of].mean()) / of.sum()
    return moves


def _moves_reweighted(sample: _Sample) -> Floats:
    """Σ share of a judge outcome × the people's rate within it: through the rates, and through the shares."""
    import numpy as np

    f, y, labelled = sample
    moves = _moves(y, labelled & (f == 1)) * f.mean() + _moves(y, labelled & (f == 0)) * (1 - f.mean())
    within = [y[labelled & (f == outcome)] for outcome in (1, 0)]
    rates = [part.mean() if len(part) else 0.0 for part in within]
    return np.asarray(moves + (rates[0] - rates[1]) * _moves(f, labelled | True))


def _corrected_by_item(found: Corrected, moves: Floats, labelled: Mask, codes: Codes) -> Corrected:
    """The same with an interval that is wider by what items do to the number over what trials would."""
    from scipy.special import stdtrit

    interval = found.interval
    if isinstance(interval, Undefined):
        return found
    times, items = _times(moves, labelled, codes)
    if items < 2:
        return msgspec.structs.replace(found, interval=ONE_ITEM)
    times *= float(stdtrit(items - 1, (1 + interval.level) / 2)) / quantile(interval.level)
    low = max(0.0, found.value - times * (found.value - interval.low))
    high = min(1.0, found.value + times * (interval.high - found.value))
    wider = Interval(low=low, high=high, level=interval.level, method="cluster-widened")
    return msgspec.structs.replace(found, interval=wider)


def _times(moves: Floats, of: Mask, codes: Codes) -> tuple[float, int]:
    """How many times as large the error is by item as by trial, and how many items are `of` those that matter.

    Where nothing moves the number, trials of an item count as equal.
    """
    import numpy as np

    counted = np.bincount(codes[of])
    trials, items = int(counted.sum()), int((counted > 0).sum())
    if items < 2:
        return 1.0, items
    whole, single = np.bincount(codes, weights=moves), float(moves @ moves)
    if single <= 1e-18:
        return math.sqrt(trials / items), items
    correction = items / (items - 1) / (trials / (trials - 1))
    return math.sqrt(max(1.0, float(whole @ whole) / single * correction)), items


def _beyond(sample: _Sample, codes: Codes) -> float:
    """How many times as far the judge's rates on labelled and other trials differ by chance as if all were items."""
    apart = _moves(sample.judge, sample.labelled) - _moves(sample.judge, ~sample.labelled)
    return _times(apart, sample.labelled, codes)[0]


def _means(values: Floats, codes: Codes, items: int, of: Mask | None) -> Floats:
    """The mean of each item's values `of` some trials; NaN for an item that has none."""
    import numpy as np

    if of is not None:
        values, codes = values[of], codes[of]
    counts = np.bincount(codes, minlength=items)
    sums = np.bincount(codes, weights=values, minlength=items)
    return np.asarray(np.divide(sums, counts, out=np.full(items, math.nan), where=counts > 0))


def _mean(values: Floats, *, level: float, missing: Undefined) -> Statistic:
    moments = moments_of(values)
    if moments.mean is None:
        return missing
    interval = t_interval(moments.mean, moments.std or 0.0, moments.n, level=level)
    return Estimate(value=moments.mean, n=moments.n, interval=interval)


def _odd_means(labelled: Floats, alone: Floats) -> Undefined | None:
    """Why labels look chosen: the judge's mean on them is not that on the other items (p < 0.001, by t)."""
    from scipy.special import stdtrit

    sides = [moments_of(side) for side in (labelled, alone)]
    if min(side.n for side in sides) < 2:
        return None
    means, errors = [side.mean or 0.0 for side in sides], [(side.std or 0.0) / math.sqrt(side.n) for side in sides]
    apart, error = abs(means[0] - means[1]), math.hypot(*errors)
    if not error or apart <= float(stdtrit(min(side.n for side in sides) - 1, 1 - _ODD_SHARE / 2)) * error:
        return None
    return Undefined(
        f"the judge's mean is {means[0]:.3g} on the labelled items and {means[1]:.3g} on the others, so the labelled "
        "ones were hardly drawn at random; label items drawn at random"
    )
