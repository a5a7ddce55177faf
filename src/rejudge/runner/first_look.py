"""A look at the first thing that a task returned, where nothing else tells whether scorers get what they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.path import ABSENT
from rejudge.domain.view import View
from rejudge.scorers.merged import task_outputs, value_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.errors import MissingField
    from rejudge.domain.trace import Produced
    from rejudge.runner.needs import Need


class FirstLook:
    """Compares what scorers need with the first result; `pending` until there has been one."""

    def __init__(self, needs: Sequence[Need] = ()) -> None:
        self._needs = needs
        self.pending = bool(needs)
        self.error: MissingField | None = None

    @property
    def satisfied(self) -> bool:
        """Whether nothing is known to be missing."""
        return self.error is None

    def see(self, produced: Produced) -> None:
        """Look at a result, if it is the first one."""
        if not self.pending:
            return
        self.pending = False
        view = View(
            output=produced.output,
            trace=produced.messages,
            metadata=produced.metadata,
            extra=produced.extra or {},
        )
        for need in self._needs:
            if value_in(view, need.path) is ABSENT:
                self.error = need.error_of_task(task_outputs(view))
                return

    def check(self) -> None:
        """Raise the error of what was missing."""
        if self.error is not None:
            raise self.error
