"""Every benchmark, one after the other: writes `results.json` beside this file and its tables into README.md."""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
from argparse import ArgumentParser
from pathlib import Path

import msgspec

import rejudge
from benchmarks.hotspots import Hotspots
from benchmarks.io_bound import IoBound
from benchmarks.million import Million
from benchmarks.overhead import Overhead
from benchmarks.peers import Peers
from benchmarks.process import measured, module
from benchmarks.results import Machine, Results
from benchmarks.sandboxes import Sandboxes
from benchmarks.spans import SpanCost
from benchmarks.startup import Startup
from benchmarks.tables import in_place, tables

FOLDER = Path(__file__).parent
RESULTS, README = FOLDER / "results.json", FOLDER / "README.md"

USUAL: dict[str, tuple[object, ...]] = dict.fromkeys(
    ("startup", "overhead", "io_bound", "sandboxes", "spans", "million", "hotspots", "peers"), ()
)
TINY: dict[str, tuple[object, ...]] = {
    "overhead": ("--items", 20, 40, "--repeats", 1),
    "peers": ("--items", 20, "--rounds", 1),
    "io_bound": ("--items", 20, "--wait", 0.01, "--concurrency", 10, "--repeats", 1),
    "startup": ("--repeats", 1),
    "sandboxes": ("--traces", 20, "--repeats", 1),
    "spans": ("--items", 20, "--repeats", 1),
    "million": ("--scores", 200, "--repeats", 1),
    "hotspots": ("--items", 20),
}
"""Arguments with which everything runs and nothing is measured well."""


KINDS: dict[str, type[msgspec.Struct]] = {
    "startup": Startup,
    "overhead": Overhead,
    "io_bound": IoBound,
    "sandboxes": Sandboxes,
    "spans": SpanCost,
    "million": Million,
    "hotspots": Hotspots,
    "peers": Peers,
}


def every(arguments: dict[str, tuple[object, ...]], *, known: Results | None = None) -> Results:
    """The records of the benchmarks that `arguments` names; those of the others as they are `known`."""
    found: dict[str, msgspec.Struct | None] = {name: getattr(known, name, None) for name in KINDS}
    for name, given in arguments.items():
        found[name] = measured(KINDS[name], module(name, *given))
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    machine = Machine(
        processors=processors or 1,
        python=platform.python_version(),
        sqlite=sqlite3.sqlite_version,
        system=f"{platform.system()} {platform.machine()}",
        rejudge=rejudge.__version__,
    )
    return msgspec.convert(msgspec.to_builtins({"machine": machine, **found}), Results)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--tiny", action="store_true", help="see that everything runs; nothing is written")
    parser.add_argument("--without-peers", action="store_true", help="leave out what other packages are installed for")
    parser.add_argument("--only", nargs="+", choices=list(KINDS), help="measure these again and keep the other figures")
    asked = parser.parse_args()
    arguments = dict(TINY if asked.tiny else USUAL)
    if asked.without_peers:
        del arguments["peers"]
    known = None
    if asked.only:
        known = msgspec.json.decode(RESULTS.read_bytes(), type=Results)
        arguments = {name: arguments[name] for name in asked.only}
    results = every(arguments, known=known)
    if not asked.tiny:
        RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(results)) + b"\n")
        README.write_text(in_place(README.read_text(encoding="utf-8"), results), encoding="utf-8")
    sys.stdout.write(tables(results))
