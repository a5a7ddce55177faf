from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from textwrap import dedent

import pytest
from rich.cells import cell_len

from rejudge.front.evaluation_file import scorers_in
from rejudge.front.progress import (
    LiveProgress,
    PlainProgress,
    Silent,
    last_line,
    line,
    progress_for,
    remaining,
    shown_names,
)
from rejudge.front.verbs import evaluation
from rejudge.runner.progress import Progress, RunningMean


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def progress(*, run: str = "run-1", **counters: object) -> Progress:
    known: dict[str, object] = {"task": "gsm8k/175b", "planned": 1319, "seconds": 30.0} | counters
    return Progress(run_id=run, **known)  # type: ignore[arg-type]


def halfway(run: str = "run-1") -> Progress:
    return progress(
        run=run, completed=630, task_errors=10, scorer_errors=2, cost=0.12, means={"correct": RunningMean(600, 330.0)}
    )


def test_a_line_says_how_far_how_good_and_how_long() -> None:
    assert line(halfway()) == "gsm8k/175b: 640/1319 (48 %) · 12 errors · correct 0.55 · $0.12 · 32 s left"
    assert last_line(halfway()) == "gsm8k/175b: 640/1319 (48 %) · 12 errors · correct 0.55 · $0.12 · in 30 s"


def test_a_line_leaves_out_what_did_not_happen_and_never_rounds_up_to_the_end() -> None:
    assert line(progress(completed=1318, reused=1318)) == "gsm8k/175b: 1318/1319 (99 %) · 1318 reused"
    assert line(progress(planned=0)) == "gsm8k/175b: nothing to do"
    assert line(progress(skipped=3, task_errors=1)) == "gsm8k/175b: 4/1319 (0 %) · 3 skipped · 1 error"


def test_a_line_says_for_whom_it_waits() -> None:
    assert line(progress(waiting=2, waiting_for=(41, 7002))) == (
        "gsm8k/175b: 0/1319 (0 %) · waiting for 2 cases that another evaluation is generating (process 41, 7002)"
    )


def test_an_unknown_cost_is_not_shown_as_zero() -> None:
    assert "$" not in line(progress(completed=10))
    assert "$0" in line(progress(completed=10, cost=0.0))


def test_means_are_short_and_few() -> None:
    means = {f"score{place}": RunningMean(2, total) for place, total in enumerate([1.0, 24690.0, 0.004, 0.0, 3.0, 4.0])}
    assert line(progress(means=means)) == (
        "gsm8k/175b: 0/1319 (0 %) · score0 0.50 · score1 1.23e+04 · score2 0.002 · score3 0.00 · 2 more scores"
    )


def test_scores_are_called_what_the_report_calls_them() -> None:
    scorers = scorers_in(
        "[{type: contains, name: Has Digit, substring: x}, {type: contains, substring: y, scores: [{name: other}]}]",
        called="here",
    )
    names = shown_names(scorers)
    means = {"has_digit": RunningMean(2, 1.0), "other": RunningMean(2, 2.0)}
    assert "· Has Digit 0.50 · contains.other 1.00" in line(progress(means=means), names=names)
    stream = io.StringIO()
    with progress_for(stream, names=names) as show:
        show(progress(means=means))
    assert "· Has Digit 0.50 · contains.other 1.00" in stream.getvalue()


def test_no_time_is_guessed_while_it_would_be_a_wild_guess() -> None:
    assert remaining(progress(completed=4, seconds=60.0)) is None
    assert remaining(progress(completed=100, seconds=1.0)) is None
    assert remaining(progress(completed=100, reused=100)) is None
    assert remaining(progress(completed=1319)) is None
    assert remaining(progress(planned=200, completed=100, seconds=30.0)) == 30.0


def test_reused_cases_do_not_make_the_rest_look_quick() -> None:
    assert remaining(progress(planned=200, completed=110, reused=100, seconds=10.0)) == 90.0


def test_a_hostile_name_steers_nothing() -> None:
    assert line(progress(task="a\x1b[2J\rb\n\u202ec" + "日" * 90, planned=1)) == (
        "a\\x1b[2J\\rb⏎\\u202ec日日日日日日…: 0/1 (0 %)"
    )


def test_plain_lines_come_now_and_then_and_once_at_the_end() -> None:
    stream, clock = io.StringIO(), Clock()
    with PlainProgress(stream, every=5.0, clock=clock) as show:
        for second in range(13):
            clock.now = float(second)
            show(progress(completed=second, planned=20, seconds=float(second)))
    assert stream.getvalue().splitlines() == [
        "gsm8k/175b: 5/20 (25 %) · 15 s left",
        "gsm8k/175b: 10/20 (50 %) · 10 s left",
        "gsm8k/175b: 12/20 (60 %) · in 12 s",
    ]


def test_each_run_ends_with_its_own_line() -> None:
    stream = io.StringIO()
    with PlainProgress(stream, clock=Clock()) as show:
        show(progress(run="1", task="one", planned=2, completed=1))
        show(progress(run="1", task="one", planned=2, completed=2))
        show(progress(run="2", task="two", planned=2, completed=2))
    show.close()
    assert stream.getvalue().splitlines() == ["one: 2/2 (100 %) · in 30 s", "two: 2/2 (100 %) · in 30 s"]


def test_nothing_is_written_where_nothing_ran() -> None:
    plain, terminal = io.StringIO(), Terminal()
    PlainProgress(plain).close()
    LiveProgress(terminal).close()
    assert plain.getvalue() + terminal.getvalue() == ""


def test_the_display_suits_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = Terminal()
    closed.close()
    monkeypatch.setenv("TERM", "xterm-256color")
    assert isinstance(progress_for(Terminal()), LiveProgress)
    assert isinstance(progress_for(io.StringIO()), PlainProgress)
    assert isinstance(progress_for(None), Silent)
    assert isinstance(progress_for(closed), Silent)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(progress_for(Terminal()), PlainProgress)


def test_silent_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    with progress_for(None) as show:
        show(halfway())
    assert capfd.readouterr() == ("", "")


def drawn(monkeypatch: pytest.MonkeyPatch, columns: int, *shown: Progress) -> str:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(columns))
    stream, clock = Terminal(), Clock()
    with LiveProgress(stream, clock=clock) as show:
        for one in shown:
            clock.now += 1.0
            show(one)
    return stream.getvalue()


def test_a_terminal_shows_a_bar_that_gives_way_to_one_line_per_run(monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(monkeypatch, 100, halfway(), halfway("run-2"))
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)
    assert "gsm8k/175b  ━" in plain
    assert "  640/1319 (48 %)  32 s left" in plain
    assert "\n12 errors · correct 0.55 · $0.12" in plain.replace("\r", "")
    assert plain.count(last_line(halfway())) == 2
    assert plain.rstrip("\n\r").endswith(last_line(halfway()))
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 2


@pytest.mark.parametrize("columns", [12, 20, 44, 80])
def test_the_bar_fits_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(columns))
    means = {f"score{place}" * 5: RunningMean(2, 1.0) for place in range(9)}
    stream = Terminal()
    show = LiveProgress(stream)
    show(progress(task="日本語" * 40, completed=700, planned=10_000, means=means))
    first, second = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream.getvalue()).strip().split("\n")
    show.close()
    assert "  700/100" in first
    assert second.startswith("score0")
    assert cell_len(first.rstrip("\r")) <= columns
    assert cell_len(second.rstrip("\r")) <= columns


def test_no_colours_are_used_where_none_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9](;[0-9]+)*m", drawn(monkeypatch, 80, halfway()))


def test_the_bar_is_not_drawn_at_every_step() -> None:
    stream, clock = Terminal(), Clock()
    with LiveProgress(stream, clock=clock) as show:
        show(halfway())
        once = len(stream.getvalue())
        for _ in range(1000):
            show(halfway())
        assert len(stream.getvalue()) == once


@pytest.mark.parametrize("kind", [PlainProgress, LiveProgress])
def test_a_stream_that_was_closed_ends_the_picture_and_not_the_run(kind: type[PlainProgress | LiveProgress]) -> None:
    stream, clock = Terminal(), Clock()
    show = kind(stream, clock=clock)
    show(halfway())
    stream.close()
    for _ in range(3):
        clock.now += 10.0
        show(halfway())
    show(halfway("run-2"))
    show.close()
    assert stream.closed
    assert type(sys.stdout).__module__ != "rich.file_proxy"


@pytest.mark.parametrize("terminal", ["True", "False"])
def test_a_pipe_whose_reader_left_ends_the_picture_and_nothing_else(terminal: str) -> None:
    program = dedent(
        f"""
        import io, os, sys
        from rejudge.front.progress import LiveProgress, PlainProgress
        from rejudge.runner.progress import Progress

        class Pipe(io.TextIOWrapper):
            def isatty(self):
                return {terminal}

        reader, writer = os.pipe()
        os.close(reader)
        stream = Pipe(os.fdopen(writer, "wb", buffering=0), write_through=True)
        kind = LiveProgress if {terminal} else PlainProgress
        ticks = iter(range(0, 1000, 10))
        with kind(stream, clock=lambda: next(ticks)) as show:
            for run in ("1", "2"):
                for done in range(3):
                    show(Progress(run_id=run, task="t", planned=3, completed=done))
        print("the result")
        """
    )
    environment = {**os.environ, "TERM": "xterm"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (0, "the result\n"), done.stderr


def test_an_evaluation_tells_its_progress() -> None:
    stream = io.StringIO()

    def answer(question: str) -> str:
        return question.upper()

    def correct(output: str) -> bool:
        return output == "A"

    with progress_for(stream) as show:
        evaluation([{"question": "a"}, {"question": "b"}], answer, correct, store="memory:").listen(show).run()
    assert re.fullmatch(r"answer: 2/2 \(100 %\) · correct 0\.50 · in \d+ ms\n", stream.getvalue())
