"""Progress as it is shown while an evaluation runs: a live bar on a terminal, plain lines elsewhere, or nothing.

Whatever happens to the stream, nothing here raises into the evaluation: a picture is not worth a run.
"""

from __future__ import annotations

import logging
import os
import sys
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, TextIO

from rejudge.domain.scale import normalised
from rejudge.front.amounts import counted, duration, money
from rejudge.front.cases import value_name
from rejudge.front.lines import clipped, width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import TracebackType
    from typing import Self

    from rich.live import Live
    from rich.table import Table

    from rejudge.runner.progress import Progress
    from rejudge.scorers.scorer import Scorer

log = logging.getLogger(__name__)

PLAIN_SECONDS = 5.0
"""At most so often a plain line is written."""

LIVE_SECONDS = 0.1
"""At most so often the live bar is drawn."""

SETTLED_CASES, SETTLED_SECONDS = 5, 2.0
"""After so many generated cases and so much time a guess of the rest is worth showing."""

NAME, MEANS = 32, 4
"""Columns of a name, and means in a line, beyond which the rest is left out."""

WIDEST_BAR, NARROWEST_BAR = 40, 8

GAP = "  "

AS_STORED: Mapping[str, str] = MappingProxyType({})
"""For scores that are shown by the names under which their values are stored."""


class Display(Protocol):
    """A listener that shows progress; `close` ends it and may be called twice."""

    def __call__(self, progress: Progress) -> None:
        """Show how far a run is."""

    def close(self) -> None:
        """Leave the stream tidy."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def progress_for(stream: TextIO | None, *, names: Mapping[str, str] = AS_STORED) -> Display:
    """The display that suits a stream: live on a terminal, plain lines elsewhere, nothing where there is none.

    `names` says what values of scorers are called there, as `shown_names` has it.
    """
    if stream is None or stream.closed:
        return Silent()
    if stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown"):
        return LiveProgress(stream, names=names)
    return PlainProgress(stream, names=names)


def shown_names(scorers: Iterable[Scorer]) -> dict[str, str]:
    """What a report calls the values of these scorers, by the names under which they are stored."""
    names: dict[str, str] = {}
    for config in (scorer.config for scorer in scorers):
        for value in [normalised(config.name), *(spec.key for spec in config.scores)]:
            names.setdefault(value, value_name(config.name, value))
    return names


class Silent(Display):
    """Shows nothing."""

    def __call__(self, progress: Progress) -> None:
        """Take no notice."""

    def close(self) -> None:
        """There is nothing to tidy."""


class PlainProgress(Display):
    """A line now and then, and one at the end of every run.

    `clock` tells seconds that never go back.
    """

    def __init__(
        self,
        stream: TextIO,
        *,
        names: Mapping[str, str] = AS_STORED,
        every: float = PLAIN_SECONDS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._stream: TextIO | None = stream
        self._names = names
        self._every = every
        self._clock = clock
        self._shown = clock()
        self._latest: Progress | None = None

    def __call__(self, progress: Progress) -> None:
        """Write a line when it is time for one, and the last one of the run before."""
        if self._latest is not None and self._latest.run_id != progress.run_id:
            self._finish()
        self._latest = progress
        if self._clock() - self._shown >= self._every:
            self._shown = self._clock()
            self._write(line(progress, names=self._names))

    def close(self) -> None:
        """Write the last line."""
        self._finish()
        self._stream = None

    def _finish(self) -> None:
        if self._latest is not None:
            self._write(last_line(self._latest, names=self._names))
        self._latest = None
        self._shown = self._clock()

    def _write(self, text: str) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(f"{text}\n")
            self._stream.flush()
        except Exception:
            log.debug("the progress display has stopped", exc_info=True)
            self._stream = None


class LiveProgress(Display):
    """A bar that is drawn over and over, and gives way to one line for every run that has ended.

    What the task prints to the terminal meanwhile stands above the bar.
    """

    def __init__(
        self, stream: TextIO, *, names: Mapping[str, str] = AS_STORED, clock: Callable[[], float] = monotonic
    ) -> None:
        self._stream = stream
        self._names = names
        self._clock = clock
        self._drawn = -LIVE_SECONDS
        self._live: Live | None = None
        self._latest: Progress | None = None
        self._broken = False

    def __call__(self, progress: Progress) -> None:
        """Draw the bar, unless it was drawn just now."""
        if self._latest is not None and self._latest.run_id != progress.run_id:
            self._guarded(self._finish)
        self._latest = progress
        now = self._clock()
        if now - self._drawn >= LIVE_SECONDS:
            self._drawn = now
            self._guarded(self._draw)

    def close(self) -> None:
        """Take the bar away and leave the last line."""
        self._guarded(self._finish)

    def _guarded(self, step: Callable[[], None]) -> None:
        if self._broken:
            return
        try:
            step()
        except Exception:
            log.debug("the progress display has stopped", exc_info=True)
            self._broken = True
            self._release()

    def _draw(self) -> None:
        if self._latest is None:
            return
        if self._live is None:
            self._live = _live(self._stream)
            self._live.start()
        self._live.update(_bar(self._latest, self._live.console.width, self._names), refresh=True)

    def _finish(self) -> None:
        if self._latest is None:
            return
        latest, self._latest = self._latest, None
        live, self._live = self._live or _live(self._stream), None
        live.stop()
        text = last_line(latest, names=self._names)
        live.console.print(text, markup=False, highlight=False, emoji=False, soft_wrap=True)

    def _release(self) -> None:
        """Let go of the terminal; standard output and error are what they were."""
        live, self._live = self._live, None
        if live is None:
            return
        live.console.quiet = True
        try:
            live.stop()
        except Exception:  # rich may have begun only half of what it now takes back
            log.debug("the progress display could not be taken back", exc_info=True)


def line(progress: Progress, *, names: Mapping[str, str] = AS_STORED) -> str:
    """How far a run is: `175b: 640/1319 (48 %) · 12 errors · correct 0.55 · $0.12 · 31 s left`."""
    left = remaining(progress)
    rest = [] if left is None else [f"{duration(left)} left"]
    return _told(progress, rest, names)


def last_line(progress: Progress, *, names: Mapping[str, str] = AS_STORED) -> str:
    """How far a run came, with the time that it took."""
    return _told(progress, [f"in {duration(progress.seconds)}"], names)


def remaining(progress: Progress) -> float | None:
    """Seconds until the last case has ended if the others take as long; None while that would be a wild guess.

    What was reused took no time, so it says nothing about the rest.
    """
    left = progress.planned - progress.ended
    generated = progress.ended - progress.reused
    if left <= 0 or generated < SETTLED_CASES or progress.seconds < SETTLED_SECONDS:
        return None
    return max(1.0, left * progress.seconds / generated)


def _told(progress: Progress, rest: list[str], names: Mapping[str, str]) -> str:
    head = f"{clipped(progress.task, NAME)}: {_count(progress)}"
    return " · ".join([head, *_happened(progress), *_means(progress, names), *rest])


def _count(progress: Progress) -> str:
    if not progress.planned:
        return "nothing to do"
    return f"{progress.ended}/{progress.planned} ({100 * progress.ended // progress.planned} %)"


def _happened(progress: Progress) -> list[str]:
    told = [f"{progress.reused} reused"] if progress.reused else []
    if progress.skipped:
        told.append(f"{progress.skipped} skipped")
    if progress.errors:
        told.append(counted(progress.errors, "error"))
    if progress.waiting or progress.judgements_waiting:
        told.append(_waiting(progress))
    return told


def _waiting(progress: Progress) -> str:
    others = ", ".join(map(str, progress.waiting_for))
    if progress.waiting:
        told = f"{counted(progress.waiting, 'case')} that another evaluation is generating"
    else:
        told = f"{counted(progress.judgements_waiting, 'judgement')} that another evaluation is making"
    return f"waiting for {told}" + (f" (process {others})" if others else "")


def _means(progress: Progress, names: Mapping[str, str]) -> list[str]:
    known = [(names.get(name, name), mean.mean) for name, mean in progress.means.items() if mean.mean is not None]
    told = [f"{clipped(name, NAME)} {_digits(mean)}" for name, mean in known[:MEANS]]
    if len(known) > MEANS:
        told.append(counted(len(known) - MEANS, "more score"))
    if progress.cost is not None:
        told.append(money(progress.cost))
    return told


def _digits(mean: float) -> str:
    return f"{mean:.2f}" if 0.01 <= abs(mean) < 1000 or mean == 0 else f"{mean:.3g}"


def _live(stream: TextIO) -> Live:
    from rich.console import Console
    from rich.live import Live

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            # Rich would send the standard output of the whole process to nowhere and end it.
            raise BrokenPipeError

    return Live(
        console=Terminal(file=stream),
        auto_refresh=False,
        transient=True,
        redirect_stdout=_on_terminal(sys.stdout),
        redirect_stderr=_on_terminal(sys.stderr),
    )


def _on_terminal(stream: TextIO | None) -> bool:
    """Whether what is written there would cross the bar; what goes to a file or a pipe has to stay there."""
    return stream is not None and not stream.closed and stream.isatty()


def _bar(progress: Progress, room: int, names: Mapping[str, str]) -> Table:
    """Two lines of at most `room` columns: the bar with what is done and left, and what happened."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    name, count = clipped(progress.task, min(NAME, room // 3)), _count(progress)
    left = remaining(progress)
    tail = count if left is None else f"{count}{GAP}{duration(left)} left"
    bar = min(WIDEST_BAR, room - width(name) - width(tail) - 2 * len(GAP))
    head = Table.grid(padding=(0, len(GAP), 0, 0))
    for _ in range(3):
        head.add_column(no_wrap=True)
    drawn = ProgressBar(total=progress.planned, completed=progress.ended, width=max(1, bar))
    head.add_row(Text(name, style="bold"), *([drawn] if bar >= NARROWEST_BAR else []), Text(tail))
    lines = Table.grid()
    lines.add_row(head)
    happened = Text(clipped(" · ".join([*_happened(progress), *_means(progress, names)]), room), style="dim")
    happened.highlight_words([counted(progress.errors, "error")], "not dim red")
    if happened:
        lines.add_row(happened)
    return lines
