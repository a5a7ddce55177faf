"""The results as the Markdown tables of README.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.goals import goals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.hotspots import Spent
    from benchmarks.peers import Peers
    from benchmarks.results import Results

BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"
MOST_SPOTS = 10


def in_place(readme: str, results: Results) -> str:
    """The text with its tables made anew."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{tables(results)}\n{END}{after}"


def tables(results: Results) -> str:
    """Every table, with a line about the machine before them."""
    machine = results.machine
    parts = [
        f"Measured on {machine.processors} cores ({machine.system}) with Python {machine.python}, SQLite "
        f"{machine.sqlite} and rejudge {machine.rejudge}; medians of several fresh processes.\n",
        _goals(results),
        _sizes(results),
        *([] if results.peers is None else [_peers(results.peers)]),
        _starting(results),
        _threads(results),
    ]
    return "\n".join(parts)


def _goals(results: Results) -> str:
    rows = [(goal.what, goal.shown(goal.found), goal.wanted, goal.verdict) for goal in goals(results)]
    return _table("Goals", ("figure", "found", "wanted", ""), rows)


def _sizes(results: Results) -> str:
    head = (
        *("items", "items/s", "from the start", "scores added/s", "µs per item", "CPU µs per item"),
        *("CPU µs per score added", "peak MB", "peak MB, rescored", "bytes per item"),
    )
    rows = [
        (
            f"{size.items:,}",
            f"{size.items_per_second:,.0f}",
            f"{size.items_per_second_from_the_start:,.0f}",
            f"{size.scores_added_per_second:,.0f}",
            f"{size.microseconds_per_item:.1f}",
            f"{size.cpu_microseconds_per_item:.1f}",
            f"{size.cpu_microseconds_per_score_added:.1f}",
            f"{size.peak_megabytes:.0f}",
            f"{size.last_peak_megabytes:.0f}",
            f"{size.bytes_per_item:.0f}",
        )
        for size in results.overhead.sizes
    ]
    return _table("Sizes", head, rows)


def _peers(found: Peers) -> str:
    head = ("", "items/s", "rejudge is faster by", "in CPU time", "from the start", "rescoring by", "scoring alone by")
    ours = (
        f"rejudge, {found.items:,} items",
        f"{found.rejudge_items_per_second:,.0f}",
        *("", "", "", f"{found.rejudge_rescored_per_second:,.0f}/s", ""),
    )
    theirs = [
        (
            f"{one.peer} {one.version} ({one.options})",
            f"{one.items_per_second:,.0f}",
            _times(one.evaluation_ratio),
            _times(one.evaluation_cpu_ratio),
            _times(one.from_the_start_ratio),
            _times(one.rescoring_ratio),
            _times(one.scoring_ratio),
        )
        for one in found.compared
    ]
    return _table("Peers", head, [ours, *theirs])


def _starting(results: Results) -> str:
    started, waited = results.startup, results.io_bound
    rows = [
        ("the interpreter alone", f"{started.interpreter_milliseconds:.0f} ms"),
        ("`import rejudge`", f"{started.import_milliseconds:.0f} ms"),
        ("`from rejudge import evaluate`", f"{started.evaluate_milliseconds:.0f} ms"),
        ("`rejudge --help`", f"{started.help_milliseconds:.0f} ms"),
        (
            f"{waited.items:,} items that wait {waited.wait_seconds:g} s, {waited.concurrency} at once "
            f"(ideal {waited.ideal_seconds:g} s)",
            f"{waited.seconds:.2f} s",
        ),
    ]
    return _table("Starting and waiting", ("", "time"), rows)


def _threads(results: Results) -> str:
    found = results.hotspots
    both = (("evaluation", found.evaluation), ("rescoring", found.rescoring))
    rows = [(name, f"{one.wall:.1f}", f"{one.main:.1f}", f"{one.writer:.1f}") for name, one in both]
    head = (f"µs per item, {found.items:,} items", "on the clock", "CPU, main thread", "CPU, writer's thread")
    return "\n".join([_table("Threads", head, rows), *(_spots(name, spent) for name, spent in both)])


def _spots(name: str, spent: Spent) -> str:
    rows = [
        (f"`{spot.function}`", f"{spot.calls_per_item:.2f}", f"{spot.own:.1f}", f"{spot.with_what_it_calls:.1f}")
        for spot in spent.spots[:MOST_SPOTS]
    ]
    head = ("function (main thread)", "calls per item", "own µs", "with what it calls")
    return _table(f"Functions of the {name}, under the profiler", head, rows)


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.3g}×"


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join([f"### {title}\n", *_lines(head, rows), ""])


def _lines(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' + '---:|' * (len(head) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
