"""An execution policy: how often an item is run, and how many of its runs have to pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from rejudge.domain.errors import ConfigurationError, Place, UnknownName

FIELD: Final = "policy"
"""The field of an item that holds its own policy."""

MOST_RUNS: Final = 10_000
"""So often an item may be run: beyond it stands a slip of the pen."""

_NAMES: Final = {
    "runs": "runs",
    "runs_per_item": "runs",
    "trials": "runs",
    "threshold": "threshold",
    "pass_threshold": "threshold",
}
"""What a policy may say, under the names that people know it by."""


class ExecutionPolicy(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How often an item is run and how many of these runs have to pass; None leaves it to whoever comes before.

    Raises ConfigurationError for what is no whole number from 1 on, and for a threshold that the runs cannot reach.
    """

    runs: int | None = None
    threshold: int | None = None

    def __post_init__(self) -> None:
        for name in ("runs", "threshold"):
            _check_count(name, getattr(self, name))
        if self.runs is not None and self.threshold is not None:
            _check_reachable(self.runs, self.threshold)


class MergedPolicy(Struct, frozen=True, kw_only=True):
    """What holds for one item: `runs` runs, of which `threshold` have to pass."""

    runs: int = 1
    threshold: int = 1

    def __post_init__(self) -> None:
        _check_reachable(self.runs, self.threshold)


def merged(suite: ExecutionPolicy | None, item: ExecutionPolicy | None) -> MergedPolicy:
    """The item's policy over the suite's, field by field; what neither says is 1.

    Raises ConfigurationError where more runs have to pass than there are.
    """
    policies = [policy for policy in (item, suite) if policy is not None]
    runs = next((policy.runs for policy in policies if policy.runs is not None), 1)
    threshold = next((policy.threshold for policy in policies if policy.threshold is not None), 1)
    return MergedPolicy(runs=runs, threshold=threshold)


def policy_of(stated: object, *, item: str = "") -> ExecutionPolicy | None:
    """The policy that a mapping states, or None where nothing is stated.

    Raises ConfigurationError or UnknownName, naming the item that it stands in.
    """
    where = Place(item=item, field=FIELD) if item else None
    if stated is None or isinstance(stated, ExecutionPolicy):
        return stated
    if not isinstance(stated, Mapping):
        raise ConfigurationError(
            f"a policy is a mapping, not a {type(stated).__name__}",
            where=where,
            fix="write runs and threshold, such as {runs: 3, threshold: 2}",
        )
    found: dict[str, int | None] = {}
    for name, value in stated.items():
        known = _NAMES.get(name) if isinstance(name, str) else None
        if known is None:
            raise UnknownName.among("setting of a policy", str(name), _NAMES, where=where)
        if known in found:
            raise ConfigurationError(f"the policy says twice what {known} are", where=where)
        found[known] = value
    try:
        return ExecutionPolicy(**found)
    except ConfigurationError as error:
        raise ConfigurationError(error.what, where=where, fix=error.fix) from None


def _check_count(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise ConfigurationError(f"{name} is {value!r}, which is no whole number", fix="give 1 or more")
    if not 1 <= value <= MOST_RUNS:
        raise ConfigurationError(f"{name} is {value}", fix=f"give a whole number from 1 to {MOST_RUNS:,}")


def _check_reachable(runs: int, threshold: int) -> None:
    if threshold > runs:
        raise ConfigurationError(
            f"{threshold} runs have to pass (threshold), and there are only {runs} (runs)",
            fix="raise runs or lower threshold",
        )
