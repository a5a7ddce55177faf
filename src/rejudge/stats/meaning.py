"""What each number of a calibration means, and what it does not, in words for those who decide by it."""

from __future__ import annotations

from typing import NamedTuple

from rejudge.stats.advice import Choice, advice
from rejudge.stats.calibration import Calibration
from rejudge.stats.correction import Corrected, Correction
from rejudge.stats.estimate import Estimate, Statistic
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.judged_sample import MeanCorrection
from rejudge.stats.raters import RaterAgreement


class Meaning(NamedTuple):
    """The name that people know a number by, what it says (with `{value}` or `{percent}`), and what it does not say."""

    title: str
    says: str
    does_not_say: str


_CHANCE = "Of the agreement that chance would leave open, {percent} is reached{credit}."
_BELOW_CHANCE = "The sides agree less often than chance would make them."
_KAPPA_NOT = (
    "It drops where nearly every item has the same value, however often the sides agree, "
    "so it cannot be compared between data with other shares."
)
_AC_NOT = "It hardly drops where one value is rare, so it says little about how well rare values are found."
_ALPHA_NOT = "It depends on how varied the items are, so it cannot be compared between data of another spread."
_ORDER_NOT = "It does not say that the values are the same: a judge that is always one too high has 1 as well."
_ERROR_NOT = "It does not say in which direction the judge errs, or whether it orders the items rightly."


def _beyond_chance(title: str, credit: str, does_not_say: str) -> Meaning:
    return Meaning(title, _CHANCE.replace("{credit}", f", {credit}" if credit else ""), does_not_say)


_NEAR = "with credit for a near miss in proportion to its distance"
_NEAR_SQUARED = "with credit for a near miss, and large misses weighing most"
_NEAR_ORDER = "with credit for a near miss by the order of the values alone"

MEANINGS: dict[str, Meaning] = {
    "accuracy": Meaning(
        "Accuracy",
        "Both sides say the same of {percent} of the items.",
        "Where most items pass, a judge that passes everything scores as high; look at TPR and TNR.",
    ),
    "percent_agreement": Meaning(
        "Percent agreement",
        "Two ratings of the same item agree in {percent} of the cases.",
        "Some of that is chance, and more of it where one value is common.",
    ),
    "tpr": Meaning(
        "True positive rate",
        "Of the items that people let pass, the judge lets {percent} pass.",
        "It does not say how often the judge is fooled by a bad item; that is 1 less the true negative rate.",
    ),
    "tnr": Meaning(
        "True negative rate",
        "Of the items that people failed, the judge fails {percent}.",
        "It does not say how often a fail of the judge is deserved; that depends on how many items are bad.",
    ),
    "mcc": Meaning(
        "Matthews' correlation",
        "The judge's and the people's values go together with {value}, where 0 is none and 1 is full agreement.",
        "It says nothing of which value the judge gets wrong.",
    ),
    "kappa": _beyond_chance("Cohen's κ", "", _KAPPA_NOT),
    "kappa_linear": _beyond_chance("Cohen's κ, linear weights", _NEAR, _KAPPA_NOT),
    "kappa_quadratic": _beyond_chance("Cohen's κ, quadratic weights", _NEAR_SQUARED, _KAPPA_NOT),
    "fleiss": _beyond_chance("Fleiss' κ", "", _KAPPA_NOT),
    "ac1": _beyond_chance("Gwet's AC1", "", _AC_NOT),
    "ac2_linear": _beyond_chance("Gwet's AC2, linear weights", _NEAR, _AC_NOT),
    "ac2_quadratic": _beyond_chance("Gwet's AC2, quadratic weights", _NEAR_SQUARED, _AC_NOT),
    "ac2_ordinal": _beyond_chance("Gwet's AC2, ordinal weights", _NEAR_ORDER, _AC_NOT),
    "alpha_nominal": _beyond_chance("Krippendorff's α, nominal", "", _ALPHA_NOT),
    "alpha_ordinal": _beyond_chance("Krippendorff's α, ordinal", _NEAR_ORDER, _ALPHA_NOT),
    "alpha_interval": _beyond_chance("Krippendorff's α, interval", _NEAR_SQUARED, _ALPHA_NOT),
    "alpha_ratio": _beyond_chance("Krippendorff's α, ratio", "with misses measured in proportion", _ALPHA_NOT),
    "pearson": Meaning("Pearson's r", "The pairs lie along a line to {value}, where 1 is exactly on it.", _ORDER_NOT),
    "spearman": Meaning(
        "Spearman's ρ", "Both sides rank the items alike to {value}, where 1 is the same order.", _ORDER_NOT
    ),
    "kendall": Meaning(
        "Kendall's τ-b",
        "Pairs of items in the same order on both sides outweigh those in the opposite order by {value}, where 1 is "
        "the same order throughout; what only one side ties counts against it.",
        _ORDER_NOT,
    ),
    "ccc": Meaning(
        "Lin's concordance",
        "The values are the same to {value}, where 1 is equal and 0 is unrelated; a constant offset lowers it.",
        "It rises with the spread of the items, so it cannot be compared between data of another spread.",
    ),
    "mae": Meaning("Mean absolute error", "The judge is off by {value} on average.", _ERROR_NOT),
    "mse": Meaning(
        "Mean squared error",
        "The squared error is {value} on average, so one large miss weighs as much as many small ones.",
        _ERROR_NOT,
    ),
    "rmse": Meaning(
        "Root mean squared error", "The judge is off by {value} where large misses weigh most.", _ERROR_NOT
    ),
    "normalised_mae": Meaning(
        "Normalised MAE", "The judge is off by {percent} of the scale's width on average.", _ERROR_NOT
    ),
    "normalised_mse": Meaning(
        "Normalised MSE", "The squared error is {value} of the scale's width squared on average.", _ERROR_NOT
    ),
    "bias": Meaning(
        "Bias",
        "The judge's values lie {value} above the people's on average (below them where that is negative).",
        "A bias near 0 does not say that single values are right, as misses on both sides cancel.",
    ),
    "limit_low": Meaning(
        "Lower limit of agreement",
        "Of single items few have a judge's value further below the people's than {value}.",
        "It takes the differences for normally distributed, which few steps of a scale are not.",
    ),
    "limit_high": Meaning(
        "Upper limit of agreement",
        "Of single items few have a judge's value further above the people's than {value}.",
        "It takes the differences for normally distributed, which few steps of a scale are not.",
    ),
    "brier": Meaning(
        "Brier score",
        "The squared distance of the probabilities from what happened is {value}; always saying 0.5 gets 0.25.",
        "It mixes how well passes and fails are told apart with whether the probabilities are true.",
    ),
    "ece": Meaning(
        "Expected calibration error",
        "The probabilities lie {value} from how often such items passed, bin by bin.",
        "It does not say that the judge tells good from bad: always giving the overall pass rate has 0. "
        "On few items it is above 0 by chance alone.",
    ),
}


def in_words(name: str, statistic: Statistic) -> str:
    """One statistic as a short paragraph: title, number, interval, n, what it means and what it does not.

    Raises KeyError for a name that no calibration has.
    """
    meaning = MEANINGS[name]
    if isinstance(statistic, Undefined):
        return f"{meaning.title} is {statistic}."
    return f"{meaning.title} {_number(statistic)}. {said_by(name, statistic)} {meaning.does_not_say}"


def said_by(name: str, estimate: Estimate) -> str:
    """What one number says, in a sentence; raises KeyError for a name that no calibration has."""
    value, says = estimate.value, MEANINGS[name].says
    if value < 0 and says.startswith(_CHANCE[:20]):
        return _BELOW_CHANCE
    return says.format(value=f"{value:.3g}", percent=f"{100 * value:.1f} %")


def calibration_in_words(found: Calibration | RaterAgreement) -> dict[str, str]:
    """Every statistic of a calibration, or of the agreement among raters, in words, by name and in order."""
    return {name: in_words(name, statistic) for name, statistic in found.statistics.items()}


def correction_in_words(correction: Correction | MeanCorrection) -> list[str]:
    """The raw and the corrected number, a sentence or two each, what was refused and why, and which one to use."""
    lines = _mean_in_words(correction) if isinstance(correction, MeanCorrection) else _rate_in_words(correction)
    told = advice(correction)
    use = "none of them" if told.use is None else _CHOICES[told.use]
    return [
        *lines,
        f"Use {use}: {told.why}.",
        "A correction holds for items of the kind that people labelled; it cannot see other kinds.",
    ]


_CHOICES: dict[Choice, str] = {
    "prediction_powered": "PPI++",
    "rogan_gladen": "Rogan–Gladen",
    "reweighted": "the reweighted rate",
    "human": "people's own number",
}


def _mean_in_words(correction: MeanCorrection) -> list[str]:
    raw, powered = correction.raw, correction.prediction_powered
    lines = [f"The judge's mean is {raw if isinstance(raw, Undefined) else _number(raw)}."]
    if isinstance(powered, Undefined):
        return [*lines, f"Corrected by PPI++: refused, {powered}."]
    return [*lines, f"Corrected by PPI++: people's mean would be {_number(powered)}."]


def _rate_in_words(correction: Correction) -> list[str]:
    raw = correction.raw
    lines = [f"The judge's pass rate is {raw}."]
    if not isinstance(raw, Undefined):
        lines = [f"The judge lets {_percent(raw)} pass; that interval counts none of the judge's errors."]
    corrected = {
        "Rogan–Gladen, from how often the judge is right on passes and on fails": correction.rogan_gladen,
        "PPI++, from how the judge's outcomes differ from people's": correction.prediction_powered,
    }
    if correction.drawing == "by_judge_outcome":
        corrected = {"labels weighted to how often the judge passes and fails": correction.reweighted}
    for how, rate in corrected.items():
        if isinstance(rate, Undefined):
            lines.append(f"Corrected by {how}: refused, {rate}.")
        else:
            cut = f" The rate was {rate.clipped}." if rate.clipped else ""
            lines.append(f"Corrected by {how}: people would let {_percent(rate)} pass.{cut}")
    return lines


def _number(found: Estimate) -> str:
    if isinstance(found.interval, Interval):
        return f"{found.value:.3g} [{found.interval.low:.3g}, {found.interval.high:.3g}] (n={found.n})"
    return f"{found.value:.3g} (n={found.n}; its interval is {found.interval})"


def _percent(found: Estimate | Corrected) -> str:
    if isinstance(found.interval, Interval):
        ends = f"[{100 * found.interval.low:.1f}, {100 * found.interval.high:.1f}]"
        return f"{100 * found.value:.1f} % {ends} (n={found.n})"
    return f"{100 * found.value:.1f} % (n={found.n}; its interval is {found.interval})"
