"""How long it takes from nothing to the first line: fresh processes, beside one that does nothing."""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from msgspec import Struct

from benchmarks.process import show

if TYPE_CHECKING:
    from collections.abc import Sequence


class Startup(Struct, kw_only=True):
    """Median wall time of whole processes, the interpreter's own time included.

    `evaluate_milliseconds` is `from rejudge import evaluate`, which loads what `import rejudge` leaves for later.
    """

    processes_of_each: int
    interpreter_milliseconds: float
    import_milliseconds: float
    evaluate_milliseconds: float
    help_milliseconds: float


def startup(repeats: int) -> Startup:
    """Start each `repeats` times, in turns, after one time that compiles what is not compiled yet."""
    commands = {
        "interpreter": [sys.executable, "-c", "pass"],
        "import": [sys.executable, "-c", "import rejudge"],
        "evaluate": [sys.executable, "-c", "from rejudge import evaluate"],
        "help": [*_rejudge(), "--help"],
    }
    found: dict[str, list[float]] = {name: [] for name in commands}
    for command in commands.values():
        _seconds(command)
    for _ in range(repeats):
        for name, command in commands.items():
            found[name].append(1000 * _seconds(command))
    return Startup(
        processes_of_each=repeats,
        interpreter_milliseconds=median(found["interpreter"]),
        import_milliseconds=median(found["import"]),
        evaluate_milliseconds=median(found["evaluate"]),
        help_milliseconds=median(found["help"]),
    )


def _rejudge() -> list[str]:
    """The installed command, or the module where there is none."""
    installed = Path(sys.executable).with_name("rejudge")
    return [str(installed)] if installed.is_file() else [sys.executable, "-m", "rejudge"]


def _seconds(command: Sequence[str]) -> float:
    begun = perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return perf_counter() - begun


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=15)
    show(startup(parser.parse_args().repeats))
