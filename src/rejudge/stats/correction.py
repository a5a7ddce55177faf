"""The pass rate that people would find, from a judge that errs and the items that people labelled.

Sources: Rogan and Gladen 1978, with the interval of Lang and Reiczigel 2014 (Preventive Veterinary Medicine 113);
PPI++ as in `prediction_powered`, with Wilson's interval at the effective sample size (Korn and Graubard 1998), and as
much more as half an unseen error of each kind would make of it (as the interval of Agresti and Coull 1998 does: few
labels without an error do not show that there is none), and the quantile of t(n − 2), as λ and a mean are taken from
the labels. Which of them is right depends on how the labelled items were
chosen, so that has to be said:

- at random from the judged items: both are right;
- by what people said (so many passes, so many fails): TPR and TNR stay right, and so does Rogan–Gladen. PPI++ would
  take the share of passes among the labels for that of the population, and is refused;
- by what the judge said: the labels are weighted back to the judge's shares in the population, which is the whole
  correction, and TPR and TNR of the labels alone would mislead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from rejudge.domain.rating import Drawing
from rejudge.stats.accuracy import NO_FAILS, NO_PASSES, rate, true_negative_rate, true_positive_rate
from rejudge.stats.confusion import Outcomes
from rejudge.stats.estimate import ALL_ALIKE, Estimate, Statistic, quantile
from rejudge.stats.interval import LEVEL, NOTHING_SCORED, Interval, Method, Undefined, wilson_ends
from rejudge.stats.prediction_powered import FEW_LABELS, LEAST_LABELS, NO_LABELS, Joint, Powered, powered

CHOSEN_BY_OUTCOME = Undefined(
    "the labelled items were chosen by what people said of them, so their pass rate is that of the choice; "
    "label items drawn at random, or use Rogan–Gladen"
)
CHOSEN_BY_JUDGE = Undefined(
    "the labelled items were chosen by what the judge said, so TPR and TNR among them are those of the choice; "
    "the reweighted rate uses the same labels rightly"
)
NOT_BY_JUDGE = Undefined("the labelled items were not chosen by what the judge said, so nothing is to be reweighted")
CHOSEN_SHARE = Undefined(
    "the labelled items were chosen by what the judge said, so their pass rate is that of the choice; "
    "the reweighted rate uses the same labels rightly"
)
ALL_LABELLED = Undefined("people labelled everything that the judge scored, so nothing is left to correct")

_ODD_SHARE = 1e-3
_UNSEEN_ERRORS = 0.5


class Corrected(msgspec.Struct, frozen=True, kw_only=True, tag="corrected"):
    """A corrected pass rate: `raw` is what the formula gave, and `value` that cut to 0 to 1.

    `power` is PPI++'s λ, the trust in the judge from 0 to 1.
    """

    value: float
    raw: float
    n: int
    interval: Interval | Undefined
    power: float | None = None

    @property
    def clipped(self) -> str | None:
        """Where and from what the rate was cut, in words; None where it was not."""
        if self.raw == self.value:
            return None
        return (
            f"cut to {self.value:g} from {self.raw:.4g}: the judge's rate and its errors do not fit each other exactly"
        )


class Correction(msgspec.Struct, frozen=True, kw_only=True):
    """The judge's pass rate on the unlabelled items, and what corrects it; each is a number or why there is none.

    `human` is the pass rate of the labelled items alone. `formula` is what Rogan and Gladen's formula gives, even where
    `rogan_gladen` is refused because the labels are too few to tell the judge from chance. `reweighted` weighs the
    labels to the judge's shares.
    """

    drawing: Drawing
    unlabelled: int
    labelled: Outcomes
    raw: Statistic
    human: Statistic
    true_positive_rate: Statistic
    true_negative_rate: Statistic
    formula: float | Undefined
    rogan_gladen: Corrected | Undefined
    prediction_powered: Corrected | Undefined
    reweighted: Corrected | Undefined


def corrected_rate(
    unlabelled: Sequence[int] | Sequence[bool],
    judge: Sequence[int] | Sequence[bool],
    human: Sequence[int] | Sequence[bool],
    *,
    drawing: Drawing,
    level: float = LEVEL,
) -> Correction:
    """The corrected pass rate from the judge's outcomes (1 passed, 0 failed) of `unlabelled` items and labelled pairs.

    `judge` and `human` are aligned; none of their items is among the unlabelled.
    """
    alone = Outcomes.of(unlabelled, unlabelled)
    return corrected_counts(alone.positives, alone.n, Outcomes.of(judge, human), drawing=drawing, level=level)


def corrected_counts(
    passed: int,
    unlabelled: int,
    labelled: Outcomes,
    *,
    drawing: Drawing,
    level: float = LEVEL,
    odd_beyond: float = 1.0,
    labelled_items: int | None = None,
) -> Correction:
    """`corrected_rate` from counts: the judge let `passed` of the `unlabelled` items pass.

    `odd_beyond` is how many times as far as independent items two random samples of these items differ, and
    `labelled_items` of how many items the labels are, where they are not of one each.
    """
    by_judge = drawing == "by_judge_outcome"
    tpr, tnr = true_positive_rate(labelled, level=level), true_negative_rate(labelled, level=level)
    chosen = drawing != "at_random"
    return Correction(
        drawing=drawing,
        unlabelled=unlabelled,
        labelled=labelled,
        raw=rate(passed, unlabelled, level=level, missing=Undefined(NOTHING_SCORED)),
        human=_chosen(drawing) if chosen else rate(labelled.positives, labelled.n, level=level, missing=NO_LABELS),
        true_positive_rate=CHOSEN_BY_JUDGE if by_judge else tpr,
        true_negative_rate=CHOSEN_BY_JUDGE if by_judge else tnr,
        formula=CHOSEN_BY_JUDGE if by_judge else _formula(passed, unlabelled, labelled),
        rogan_gladen=CHOSEN_BY_JUDGE if by_judge else _rogan_gladen(passed, unlabelled, labelled, level=level),
        prediction_powered=_chosen(drawing)
        if chosen
        else _powered(
            Joint.of_outcomes(labelled, passed=passed, unlabelled=unlabelled),
            items=labelled.n if labelled_items is None else labelled_items,
            doubt=_odd_choice(passed, unlabelled, labelled, odd_beyond),
            level=level,
        ),
        reweighted=_reweighted(passed, unlabelled, labelled, level=level) if by_judge else NOT_BY_JUDGE,
    )


def rogan_gladen(rate: float, true_positive_rate: float, true_negative_rate: float) -> float | Undefined:
    """(rate + TNR − 1) / (TPR + TNR − 1), not cut to 0 to 1; undefined for a judge that is no better than chance."""
    better = true_positive_rate + true_negative_rate - 1
    if better <= 0:
        return _no_better_than_chance(true_positive_rate, true_negative_rate)
    return (rate + true_negative_rate - 1) / better


def _formula(passed: int, n: int, labelled: Outcomes) -> float | Undefined:
    if not n and not labelled.n:
        return Undefined(NOTHING_SCORED)
    if not labelled.positives or not labelled.negatives:
        return NO_FAILS if labelled.positives else NO_PASSES
    tpr, tnr = labelled.true_positives / labelled.positives, labelled.true_negatives / labelled.negatives
    found = rogan_gladen(passed / max(1, n), tpr, tnr)
    return found if n or isinstance(found, Undefined) else ALL_LABELLED


def _rogan_gladen(passed: int, n: int, labelled: Outcomes, *, level: float) -> Corrected | Undefined:
    raw = _formula(passed, n, labelled)
    if isinstance(raw, Undefined):
        return raw
    tpr, tnr = true_positive_rate(labelled, level=level), true_negative_rate(labelled, level=level)
    if (doubt := indistinguishable(tpr, tnr)) is not None:
        return doubt
    interval = _lang_reiczigel(passed, n, labelled, level=level)
    return _corrected(raw, n=labelled.n, interval=interval)


def _lang_reiczigel(passed: int, n: int, labelled: Outcomes, *, level: float) -> Interval | Undefined:
    """Rogan and Gladen's delta method after adding z²/2 passes and fails, one label of each kind, and a shift.

    The plain delta method errs to one side near 0 and 1: with 200 + 200 labels it misses 4.3 % above and 0.7 % below.
    """
    z = quantile(level)
    positives, negatives = labelled.positives + 2, labelled.negatives + 2
    tpr, tnr = (labelled.true_positives + 1) / positives, (labelled.true_negatives + 1) / negatives
    rate, better = (passed + z * z / 2) / (n + z * z), tpr + tnr - 1
    if better <= 0:
        return _no_better_than_chance(tpr, tnr)
    middle = (rate + tnr - 1) / better
    of_tpr, of_tnr = tpr * (1 - tpr) / positives, tnr * (1 - tnr) / negatives
    shift = 2 * z * z * (middle * of_tpr - (1 - middle) * of_tnr)
    variance = rate * (1 - rate) / (n + z * z) + middle**2 * of_tpr + (1 - middle) ** 2 * of_tnr
    half = z * math.sqrt(variance) / better
    return _cut(middle + shift - half, middle + shift + half, level=level, method="lang-reiczigel")


def _powered(joint: Joint, *, items: int, doubt: Undefined | None, level: float) -> Corrected | Undefined:
    found = powered(joint)
    if isinstance(found, Undefined):
        return found
    if doubt is not None or items < LEAST_LABELS:
        return doubt or FEW_LABELS
    around = _with_unseen if found.power else _without_power
    interval = around(found, joint, items, level=level)
    return _corrected(found.value, n=joint.labelled, interval=interval, power=found.power)


def _without_power(found: Powered, joint: Joint, items: int, *, level: float) -> Interval | Undefined:
    """Wilson's interval of what people said, where the labels gave the judge no power."""
    low, high = wilson_ends(found.value, joint.labelled, _t(items - 2, level))
    return _cut(low, high, level=level, method="wilson-effective")


def _with_unseen(found: Powered, joint: Joint, items: int, *, level: float) -> Interval | Undefined:
    """The interval of what was seen together with that after half an item more of each kind of error.

    What was seen alone holds the truth in 74 % of samples of 30 labels where 95 % pass and the judge errs on 1 % of
    those; both together in 93.8 % or more, from 20 labels on, of judges from perfect to useless;
    of 50 labels where 99 % pass in 91 to 92 %, as Wilson's own.
    """
    freedom = items - 2
    plain = _effective_wilson(found.value, found.error, freedom=freedom, level=level)
    more = powered(joint.with_errors(_UNSEEN_ERRORS * joint.labelled / items), power=found.power)
    unseen = (
        more if isinstance(more, Undefined) else _effective_wilson(more.value, more.error, freedom=freedom, level=level)
    )
    if isinstance(plain, Undefined) or isinstance(unseen, Undefined):
        return plain if isinstance(unseen, Undefined) else unseen
    return msgspec.structs.replace(plain, low=min(plain.low, unseen.low), high=max(plain.high, unseen.high))


def _reweighted(passed: int, n: int, labelled: Outcomes, *, level: float) -> Corrected | Undefined:
    """Each judge outcome's share of human passes, weighted by how often the judge gave that outcome to all others."""
    if not n:
        return Undefined(NOTHING_SCORED)
    share = passed / n
    strata = (
        ("passed", share, labelled.true_positives, labelled.judge_positives),
        ("failed", 1 - share, labelled.false_negatives, labelled.n - labelled.judge_positives),
    )
    value, variance, spread = 0.0, 0.0, 0.0
    for outcome, weight, human_passes, labels in strata:
        if weight and not labels:
            return Undefined(f"people labelled no item that the judge {outcome}, so nothing is known of those")
        if weight:
            found = human_passes / labels
            # One more label of each kind keeps a few equal labels from showing no spread at all (Agresti and Caffo).
            likely = (human_passes + 1) / (labels + 2)
            value += weight * found
            spread += weight * found * found
            variance += weight**2 * likely * (1 - likely) / labels
    error = math.sqrt(variance + max(0.0, spread - value * value) / n)
    return _corrected(value, n=labelled.n, interval=_effective_wilson(value, error, level=level))


def _effective_wilson(value: float, error: float, *, freedom: int | None = None, level: float) -> Interval | Undefined:
    """Wilson's interval of so many independent items as would have this standard error, of `freedom` degrees.

    value ± z·error misses 4 to 14 % on one side where a rate is near 1.
    """
    if error <= 0:
        return ALL_ALIKE
    z = quantile(level) if freedom is None else _t(freedom, level)
    if not 0 < value < 1:
        return _cut(value - z * error, value + z * error, level=level, method="normal")
    low, high = wilson_ends(value, value * (1 - value) / error**2, z)
    return _cut(low, high, level=level, method="wilson-effective")


def _t(freedom: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def _cut(low: float, high: float, *, level: float, method: Method) -> Interval | Undefined:
    if low >= 1 or high <= 0:
        return Undefined(
            f"the whole interval, {low:.3g} to {high:.3g}, lies outside 0 to 1: what the judge does on the labelled "
            "items is not what it does on the others"
        )
    return Interval(low=max(0.0, low), high=min(1.0, high), level=level, method=method)


def _corrected(raw: float, *, n: int, interval: Interval | Undefined, power: float | None = None) -> Corrected:
    return Corrected(value=min(1.0, max(0.0, raw)), raw=raw, n=n, interval=interval, power=power)


def indistinguishable(true_positive_rate: Statistic, true_negative_rate: Statistic) -> Undefined | None:
    """Why a judge is not told from chance: Newcombe's 1998 interval of TPR − (1 − TNR) reaches 0."""
    rates = [one for one in (true_positive_rate, true_negative_rate) if isinstance(one, Estimate)]
    ends = [one.interval for one in rates if isinstance(one.interval, Interval)]
    if len(ends) < 2:
        return Undefined("nothing shows how sure TPR and TNR are")
    (tpr, tnr), (positives, negatives) = (one.value for one in rates), (one.n for one in rates)
    better = tpr + tnr - 1
    least = better - math.hypot(tpr - ends[0].low, tnr - ends[1].low)
    if least > 0:
        return None
    return Undefined(
        f"TPR {tpr:.3g} + TNR {tnr:.3g} = {tpr + tnr:.3g} of {positives} + {negatives} labels may as "
        f"well be {1 + least:.3g}, and chance has 1; label more items"
    )


def _odd_choice(passed: int, n: int, labelled: Outcomes, beyond: float) -> Undefined | None:
    """Why labels look chosen: the judge's share of passes among them is not that of the other items (p < 0.001)."""
    from statistics import NormalDist

    size = labelled.n
    if size < 2 or n < 2:
        return None
    share, other = labelled.judge_positives / size, passed / n
    pooled = (labelled.judge_positives + passed) / (size + n)
    error = beyond * math.sqrt(pooled * (1 - pooled) * (1 / size + 1 / n))
    if not error or abs(share - other) <= -NormalDist().inv_cdf(_ODD_SHARE / 2) * error:
        return None
    return Undefined(
        f"the judge let {share:.1%} of the labelled items pass and {other:.1%} of the others, so the labelled ones "
        "were hardly drawn at random; label items drawn at random, or say how they were chosen"
    )


def _no_better_than_chance(true_positive_rate: float, true_negative_rate: float) -> Undefined:
    return Undefined(
        f"TPR {true_positive_rate:.3g} + TNR {true_negative_rate:.3g} is not above 1: "
        "the judge is no better than chance"
    )


def _chosen(drawing: Drawing) -> Undefined:
    return CHOSEN_SHARE if drawing == "by_judge_outcome" else CHOSEN_BY_OUTCOME
