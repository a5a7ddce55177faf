"""One run of a suite as an object: awaited for its result, iterated for its events, cancelled from outside."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, cast

from rejudge.domain.errors import Interrupted
from rejudge.front.suite_file import write_reports
from rejudge.front.suite_result import SuiteResult

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Sequence
    from pathlib import Path

    from rejudge.front.evaluation import Evaluation
    from rejudge.front.result import Result
    from rejudge.runner.progress import Progress


class SuiteEvaluation:
    """A suite that has not begun: `await` it, iterate over its events, or run it to its end; then reports are written.

    After an iteration `result` has the result.
    """

    def __init__(self, evaluation: Evaluation, *, reports: Sequence[Path] = ()) -> None:
        self._evaluation = evaluation
        self._reports = reports
        self.result: SuiteResult | None = None

    def listen(self, listener: Callable[[Progress], None]) -> SuiteEvaluation:
        """Call `listener` with the progress, several times a second while it runs."""
        self._evaluation.listen(listener)
        return self

    def cancel(self) -> None:
        """Begin nothing new; what is in flight is finished, everything is kept, and the result still comes."""
        self._evaluation.cancel()

    def __await__(self) -> Generator[object, None, SuiteResult]:
        return self._awaited().__await__()

    async def __aiter__(self) -> AsyncGenerator[Progress, None]:
        """Copies of the progress as it goes, the last one when the work has ended."""
        try:
            async with aclosing(aiter(self._evaluation)) as events:
                async for event in events:
                    yield event
        finally:
            self.result = self._finished(self._evaluation.result)

    def run(self) -> SuiteResult:
        """Run to the end, also inside a running loop; Ctrl-C raises Interrupted, which carries the result so far."""
        try:
            return self._finished(self._evaluation.run())
        except Interrupted as stopped:
            so_far = cast("Result | None", stopped.result)
            raise Interrupted(None if so_far is None else SuiteResult(so_far)) from None

    async def _awaited(self) -> SuiteResult:
        return self._finished(await self._evaluation)

    def _finished(self, result: Result) -> SuiteResult:
        self.result = SuiteResult(result)
        write_reports(self.result, self._reports)
        return self.result
