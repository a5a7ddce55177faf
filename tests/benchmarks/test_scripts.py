"""Every benchmark runs, here with next to nothing to measure, and says what it found as JSON."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from benchmarks.all import README, RESULTS, TINY
from benchmarks.environments import PINNED, is_there
from benchmarks.hotspots import Hotspots
from benchmarks.io_bound import IoBound
from benchmarks.million import Million
from benchmarks.overhead import Overhead
from benchmarks.peers import Peers
from benchmarks.process import measured, module
from benchmarks.results import Results
from benchmarks.spans import SpanCost
from benchmarks.startup import Startup
from benchmarks.tables import tables

ROOT = Path(__file__).resolve().parents[2]


def test_the_overhead_is_measured_at_each_size() -> None:
    found = measured(Overhead, module("overhead", *TINY["overhead"]))
    assert [size.items for size in found.sizes] == [20, 40]
    assert all(size.items_per_second > 0 and size.scores_added_per_second > 0 for size in found.sizes)
    assert all(size.peak_megabytes > 10 and size.bytes_per_item > 0 for size in found.sizes)
    assert found.time_per_item_growth is not None


def test_the_waiting_is_compared_with_the_ideal() -> None:
    found = measured(IoBound, module("io_bound", *TINY["io_bound"]))
    assert found.ideal_seconds == pytest.approx(0.02)
    assert found.seconds > found.ideal_seconds


def test_the_start_is_measured_beside_the_interpreter_alone() -> None:
    found = measured(Startup, module("startup", *TINY["startup"]))
    assert 0 < found.interpreter_milliseconds < found.evaluate_milliseconds


def test_the_cost_of_a_span_is_what_tracking_adds() -> None:
    found = measured(SpanCost, module("spans", *TINY["spans"]))
    assert (found.items, found.spans_per_item) == (20, 5)
    assert found.plain_items_per_second > 0
    assert found.tracked_items_per_second > 0


def test_scores_are_summarised_and_compared_from_a_store() -> None:
    found = measured(Million, module("million", *TINY["million"]))
    assert found.scores == 200
    assert [read.kind for read in found.read] == ["passes", "numbers"]
    assert all(read.summary_seconds > 0 and read.comparison_seconds > 0 for read in found.read)


def test_the_time_is_split_by_thread_and_function() -> None:
    found = measured(Hotspots, module("hotspots", *TINY["hotspots"]))
    for spent in (found.evaluation, found.rescoring):
        assert spent.main > 0
        assert spent.writer > 0
        assert len(spent.spots) == 15
        assert all(str(ROOT) not in spot.function for spot in spent.spots)


@pytest.mark.slow
@pytest.mark.parametrize("package", PINNED)
def test_the_peers_are_measured_in_turns(package: str) -> None:
    if not all(map(is_there, PINNED)):
        pytest.skip(f"no environment with {package}: python -m benchmarks.peers makes it")
    found = measured(Peers, module("peers", *TINY["peers"]))
    compared = [one for one in found.compared if one.peer == package]
    assert compared
    assert all(one.version == PINNED[package] and one.evaluation_ratio > 0 for one in compared)


@pytest.mark.slow
def test_everything_at_once_prints_its_tables_and_leaves_the_stored_results_alone() -> None:
    before = README.read_bytes(), RESULTS.read_bytes()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.all", "--tiny", "--without-peers"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for title in ("Goals", "Sizes", "Starting and waiting", "Threads"):
        assert f"### {title}" in done.stdout
    assert (README.read_bytes(), RESULTS.read_bytes()) == before


def test_the_readme_quotes_the_stored_results() -> None:
    results = msgspec.json.decode(RESULTS.read_bytes(), type=Results)
    assert tables(results) in README.read_text(encoding="utf-8")
