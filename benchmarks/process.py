"""A measurement in a process of its own, which prints what it found as its last line of JSON."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[1]
"""The folder from which `python -m benchmarks.…` works."""

Record = TypeVar("Record", bound=msgspec.Struct)


def measured(kind: type[Record], command: Sequence[str | Path]) -> Record:
    """What a fresh process found; ends the program where it failed."""
    done = subprocess.run([str(part) for part in command], check=False, cwd=ROOT, stdout=subprocess.PIPE)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}")
    return msgspec.json.decode(done.stdout, type=kind)


def module(name: str, *arguments: object) -> list[str]:
    """The command that runs a module of this folder with this interpreter."""
    return [sys.executable, "-m", f"benchmarks.{name}", *map(str, arguments)]


def middle(records: Sequence[Record]) -> Record:
    """The median of each number that differs in records of one kind; everything else is the last one's."""
    medians = {}
    for name, value in msgspec.structs.asdict(records[-1]).items():
        values = [getattr(one, name) for one in records]
        if isinstance(value, int | float) and len(set(values)) > 1:
            medians[name] = median(values)
    return msgspec.structs.replace(records[-1], **medians)


def peak_megabytes() -> float:
    """The most memory that this process has held at once."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def show(record: msgspec.Struct) -> None:
    """Print a record as JSON."""
    print(msgspec.json.format(msgspec.json.encode(record)).decode())
