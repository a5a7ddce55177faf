"""The entries of an experiment's protocol that the engine itself writes, and how they are read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rejudge.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from rejudge.domain.experiment import Experiment

SELECTION: Final = "selection"
"""What was selected of a dataset."""

ACCEPTED: Final = "accepted_changes"
"""What differs from the experiment that this one goes on with."""

ALLOWED_TOOLS: Final = "allow_tools"
"""The tools of agents that may act for real."""

EXPLAINS: Final = "explains"
"""Which run's traces are judged as in which other run, to explain why the two differ."""

TYPE: Final = "experiment_type"
OPTIMIZATION: Final = "optimization_id"

REGULAR: Final = "regular"
TYPES: Final = ("trial", "mini-batch", REGULAR)
"""What an experiment may be to an optimisation; a mini-batch is not compared with whole trials."""


def is_explanation(experiment: Experiment) -> bool:
    """Whether an experiment holds what was judged for an explanation, and measures nothing itself.

    Its items were chosen by what two runs have in common, and its judge may be one that nobody uses any more: whatever
    counts runs for a decision leaves it out.
    """
    return EXPLAINS in experiment.protocol


def refuse_explanation(run: str, experiment: Experiment) -> None:
    """Raises ConfigurationError where a run, by its id, is of an experiment that measures nothing itself."""
    if is_explanation(experiment):
        raise ConfigurationError(
            f"run {run} of {experiment.name!r} was made for an explanation and measures nothing itself",
            fix="name the runs that were explained; `rejudge show` shows what was judged for it",
        )


def type_of(experiment: Experiment) -> str:
    """What an experiment is to an optimisation."""
    stated = experiment.protocol.get(TYPE)
    return stated if isinstance(stated, str) else REGULAR


def allowed_tools(experiment: Experiment) -> tuple[str, ...]:
    """The tools that may act for real in an experiment."""
    stated = experiment.protocol.get(ALLOWED_TOOLS)
    return tuple(map(str, stated)) if isinstance(stated, list | tuple) else ()


def optimization_of(experiment: Experiment) -> str | None:
    """The optimisation that an experiment belongs to."""
    stated = experiment.protocol.get(OPTIMIZATION)
    return stated if isinstance(stated, str) else None
