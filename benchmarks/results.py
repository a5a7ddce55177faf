"""Everything that was measured in one sitting, on one machine."""

from __future__ import annotations

from msgspec import Struct

from benchmarks.hotspots import Hotspots
from benchmarks.io_bound import IoBound
from benchmarks.million import Million
from benchmarks.overhead import Overhead
from benchmarks.peers import Peers
from benchmarks.sandboxes import Sandboxes
from benchmarks.spans import SpanCost
from benchmarks.startup import Startup


class Machine(Struct, kw_only=True):
    """What the figures depend on; nothing that names the machine itself."""

    processors: int
    python: str
    sqlite: str
    system: str
    rejudge: str


class Results(Struct, kw_only=True):
    """The records of all benchmarks; `peers` is None where they were left out."""

    machine: Machine
    overhead: Overhead
    peers: Peers | None
    io_bound: IoBound
    startup: Startup
    sandboxes: Sandboxes
    hotspots: Hotspots
    spans: SpanCost | None = None
    million: Million | None = None
