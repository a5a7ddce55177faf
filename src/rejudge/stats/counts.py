"""What became of everything that was planned, so that nothing leaves a denominator unseen."""

from __future__ import annotations

import msgspec

from rejudge.domain.errors import RecordError


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How the planned units (item × trial) of one scorer in one run ended.

    `pending` holds what is not yet run and what is generated but not yet scored.
    Raises RecordError for a negative count and where the parts do not add up to `planned`.
    """

    planned: int
    scored: int
    skipped: int = 0
    scorer_errors: int = 0
    task_errors: int = 0
    pending: int = 0

    def __post_init__(self) -> None:
        parts = {name: getattr(self, name) for name in self.__struct_fields__[1:]}
        negative = [f"{name} = {count}" for name, count in parts.items() if count < 0]
        if negative:
            raise RecordError(f"a count cannot be negative: {', '.join(negative)}")
        if self.planned != sum(parts.values()):
            told = " + ".join(f"{count} {name.replace('_', ' ')}" for name, count in parts.items())
            raise RecordError(
                f"planned {self.planned} is not {told} = {sum(parts.values())}",
                fix="count every planned unit exactly once; look for results counted twice or left out",
            )

    @property
    def missing(self) -> int:
        """Planned units that have no score, whatever the reason."""
        return self.planned - self.scored
