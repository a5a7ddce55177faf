"""A pattern that would match for ever costs its item a score, and nobody else anything."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import rejudge
from rejudge.wiring import Address

HOSTILE = "a" * 80 + "!"


def repeat(output: str) -> str:
    return output


def test_the_hostile_item_is_an_error_and_the_others_are_scored(store: Address) -> None:
    rows = [{"output": "aaa"}, {"output": HOSTILE}, {"output": "b"}, {"output": "a a!"}]
    scorers = [
        rejudge.pattern_match(name="alternatives", pattern=r"^(a|aa)+$"),
        rejudge.pattern_match(name="repeats", pattern=r"^(\w+\s?)*$"),
    ]
    begun = time.monotonic()
    result = rejudge.evaluate(rows, repeat, scorers, store=store)
    assert time.monotonic() - begun < 30
    scores = [{score.status.value: score.reason for score in row.scores} for row in result.cases()]
    assert [("error" in one, "scored" in one) for one in scores] == [
        (False, True),
        (True, True),
        (False, True),
        (False, True),
    ]
    assert "was given up after 1 s on a text of 81 characters" in scores[1]["error"]
    assert result.summary("alternatives").n == 3
    assert result.summary("repeats").n == 4


def test_the_loop_goes_on_though_every_item_is_hostile_and_one_interrupt_ends_it(tmp_path: Path) -> None:
    script = f"""
    import rejudge

    def repeat(output):
        return output

    rows = [{{"id": str(n), "output": {HOSTILE!r}}} for n in range(400)]
    scorer = rejudge.pattern_match(pattern=r"^(a|aa)+$")
    print("begun", flush=True)
    try:
        rejudge.evaluate(rows, repeat, [scorer], store="store.db", concurrency=2)
    except rejudge.Interrupted as error:
        print("interrupted", error.result.summary("pattern_match").counts.scorer_errors > 0, flush=True)
    """
    (tmp_path / "script.py").write_text(textwrap.dedent(script))
    process = subprocess.Popen([sys.executable, "script.py"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "begun"
    time.sleep(6)
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    told, _ = process.communicate(timeout=60)
    assert told.split() == ["interrupted", "True"]
    assert time.monotonic() - begun < 20


def test_a_pattern_that_backtracks_for_hours_elsewhere_is_answered(store: Address) -> None:
    begun = time.monotonic()
    rows = [{"output": "a" * 34 + "!"}, {"output": "two words"}]
    result = rejudge.evaluate(rows, repeat, rejudge.pattern_match(pattern="^(\\w+\\s?)*$"), store=store)
    assert [row.scores[0].values[0].number for row in result.cases()] == [0.0, 1.0]
    assert time.monotonic() - begun < 20
