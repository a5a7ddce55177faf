"""Whether a calibration shows that a judge is better than chance, without which it cannot stand in for anybody."""

from __future__ import annotations

from rejudge.stats.calibration import Calibration
from rejudge.stats.correction import indistinguishable, rogan_gladen
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval, Undefined

_COEFFICIENTS = {"spearman": "Spearman's ρ", "kappa": "κ"}


def not_above_chance(found: Calibration) -> str | None:
    """Why a judge is not told from one by chance; None where it is.

    By TPR + TNR, which chance has at 1, where something passes; else by κ of labels or the rank correlation of numbers,
    which chance has at 0.
    """
    if not isinstance(found.outcomes, Undefined):
        return _of_outcomes(found)
    for name, title in _COEFFICIENTS.items():
        number = found.statistics.get(name)
        if number is None:
            continue
        if isinstance(number, Undefined):
            return f"nothing shows that it is better than chance: {title} is {number}"
        interval = number.interval
        if not isinstance(interval, Interval) or interval.low <= 0:
            reach = "" if isinstance(interval, Undefined) else f", from {interval.low:.2g} to {interval.high:.2g}"
            return f"it may be no better than chance: {title} is {number.value:.2g}{reach}, and chance has 0"
    return None


def _of_outcomes(found: Calibration) -> str | None:
    tpr, tnr = (found.statistics[name] for name in ("tpr", "tnr"))
    for rate in (tpr, tnr):
        if isinstance(rate, Undefined):
            return f"nothing shows that it is better than chance, because {rate.reason}"
    if isinstance(tpr, Estimate) and isinstance(tnr, Estimate):
        worse = rogan_gladen(0, tpr.value, tnr.value)
        doubt = worse if isinstance(worse, Undefined) else indistinguishable(tpr, tnr)
        return None if doubt is None else doubt.reason
    return None
