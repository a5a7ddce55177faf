"""Trials of an optimisation: experiments that say which optimisation they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.protocol import OPTIMIZATION, TYPE, TYPES
from rejudge.front.options import evaluation_of, wish_of
from rejudge.front.watching import shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from rejudge.front.inputs import DatasetLike, ScorerLike, TaskLike
    from rejudge.front.options import Options
    from rejudge.front.result import Result


def evaluate_optimization_trial(
    dataset: DatasetLike,
    task: TaskLike,
    scorers: ScorerLike | Sequence[ScorerLike] = (),
    *,
    optimization_id: str,
    experiment_type: str = "trial",
    **options: Unpack[Options],
) -> Result:
    """`evaluate`, recorded as a trial of an optimisation (or as a mini-batch, which is not compared with trials).

    `options` are those of `evaluate`. `open(store).experiments(optimization_id=…)` and `rejudge list` find them again.
    """
    stated: object = optimization_id
    if not (isinstance(stated, str) and stated.strip()):
        raise ConfigurationError(f"optimization_id={optimization_id!r} names no optimisation", fix="give a text")
    if experiment_type not in TYPES:
        raise UnknownName.among("experiment type", experiment_type, TYPES)
    wish = wish_of(dataset, task, scorers, options)
    wish = replace(wish, protocol={OPTIMIZATION: optimization_id, TYPE: experiment_type})
    with shown(options.get("progress", "auto")) as display:
        return evaluation_of(wish.evaluate, options).listen(display).run()
