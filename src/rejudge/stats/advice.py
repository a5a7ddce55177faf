"""Which number to use after a correction, and why, in words for those who decide by it."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from rejudge.stats.correction import Corrected, Correction
from rejudge.stats.estimate import Statistic
from rejudge.stats.interval import Undefined
from rejudge.stats.judged_sample import MeanCorrection
from rejudge.stats.prediction_powered import FEW_DIFFERENCES, FEW_LABELS

Choice: TypeAlias = Literal["prediction_powered", "rogan_gladen", "reweighted", "human"]


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """The number to use, None where none can be, and why."""

    use: Choice | None
    why: str


_AT_RANDOM = (
    "the labels were drawn at random, so it is right whatever errors the judge makes, and hardly ever less sure than "
    "the labels alone"
)
_BY_HUMAN = (
    "how often the judge is right on passes and on fails does not depend on how many of each were labelled; it "
    "supposes that the judge errs as often on all others"
)
_BY_JUDGE = "it gives the labels back the judge's shares of passes and fails, which their choice had changed"
_ALL_LABELLED = "people labelled nearly everything that the judge scored, so the judge adds nothing"
_NO_BETTER = "the judge does not go with what people say on the labelled traces, so it adds nothing to them"


def advice(found: Correction | MeanCorrection) -> Advice:
    """The number that the way of drawing the labels makes right, or why there is none."""
    if found.drawing == "at_random":
        return _at_random(found)
    if isinstance(found, MeanCorrection):
        return _either("prediction_powered", found.prediction_powered, _AT_RANDOM)
    if found.drawing == "by_human_outcome":
        return _either("rogan_gladen", found.rogan_gladen, _BY_HUMAN)
    return _either("reweighted", found.reweighted, _BY_JUDGE)


def _at_random(found: Correction | MeanCorrection) -> Advice:
    powered, human = found.prediction_powered, found.human
    usable = not isinstance(human, Undefined) and human.n >= 2
    if usable and _unlabelled(found) < 2:
        return Advice(use="human", why=_ALL_LABELLED)
    if usable and isinstance(powered, Corrected) and not powered.power:
        return Advice(use="human", why=_NO_BETTER)
    if usable and isinstance(powered, Undefined) and powered in (FEW_LABELS, FEW_DIFFERENCES):
        return Advice(use="human", why=powered.reason)
    return _either("prediction_powered", powered, _AT_RANDOM)


def _unlabelled(found: Correction | MeanCorrection) -> int:
    return found.unlabelled if isinstance(found, Correction) else found.judged - found.labelled


def _either(choice: Choice, found: Corrected | Statistic, why: str) -> Advice:
    if isinstance(found, Undefined):
        return Advice(use=None, why=found.reason)
    if isinstance(found.interval, Undefined):
        return Advice(use=None, why=f"it has no interval, because {found.interval.reason}")
    return Advice(use=choice, why=why)
