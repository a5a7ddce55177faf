"""The same items, task and scorers with rejudge, pydantic-evals and Inspect AI, in turns in one sitting.

rejudge reads the rows from a file and stores the dataset, every output and every score durably; pydantic-evals gets the
rows in memory and stores nothing; Inspect AI gets them in memory and writes a log. Every process evaluates one item
first, which is start-up and apart, for all three.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from msgspec import Struct

from benchmarks.environments import python_of
from benchmarks.process import measured, middle, module, show
from benchmarks.run_rejudge import RejudgeRun
from benchmarks.workload import write_items


class PeerRun(Struct, kw_only=True):
    """Seconds of each part, as `RejudgeRun` has them; the rescoring in three parts, where the package can."""

    version: str
    items: int
    import_seconds: float
    first_seconds: float
    evaluate_seconds: float
    evaluate_cpu_seconds: float
    read_seconds: float | None = None
    score_seconds: float | None = None
    score_cpu_seconds: float | None = None
    write_seconds: float | None = None


class Compared(Struct, kw_only=True):
    """Medians of the peer's runs, and how many times faster rejudge was in the run just before each.

    `rescoring` reads the stored log, scores and writes it back, as rejudge does; `scoring` is the middle part alone.
    """

    peer: str
    version: str
    options: str
    items_per_second: float
    start_up_seconds: float
    evaluation_ratio: float
    evaluation_cpu_ratio: float
    from_the_start_ratio: float
    rescored_per_second: float | None = None
    scored_per_second: float | None = None
    rescoring_ratio: float | None = None
    scoring_ratio: float | None = None


class Peers(Struct, kw_only=True):
    """Ours beside theirs."""

    items: int
    rounds: int
    rejudge_items_per_second: float
    rejudge_rescored_per_second: float
    rejudge_start_up_seconds: float
    compared: list[Compared]


PEERS = [
    ("pydantic-evals", "run_pydantic_evals.py", "max_concurrency=16", ()),
    ("inspect-ai", "run_inspect.py", "defaults, no display", ()),
    ("inspect-ai", "run_inspect.py", "fastest: no log in real time, no control server", ("fastest",)),
]
"""Each package, the script that runs it, and the way in which it is run: in words, and as the script's arguments."""


def peers(count: int, *, rounds: int) -> Peers:
    """Every peer `rounds` times, each time right after rejudge."""
    pairs: dict[tuple[str, str], list[tuple[RejudgeRun, PeerRun]]] = {}
    with TemporaryDirectory(prefix="rejudge-benchmark-") as scratch:
        items = write_items(Path(scratch) / "items.jsonl", count)
        for _ in range(rounds):
            for package, script, options, arguments in PEERS:
                command: list[str | Path] = [
                    python_of(package),
                    "-P",
                    Path(__file__).with_name(script),
                    items,
                    *map(str, arguments),
                ]
                pair = measured(RejudgeRun, module("run_rejudge", items)), measured(PeerRun, command)
                pairs.setdefault((package, options), []).append(pair)
    ours = middle([our for found in pairs.values() for our, _ in found])
    return Peers(
        items=count,
        rounds=rounds,
        rejudge_items_per_second=count / ours.evaluate_seconds,
        rejudge_rescored_per_second=count / ours.rescore_seconds,
        rejudge_start_up_seconds=ours.import_seconds + ours.first_seconds,
        compared=[_compared(*named, found) for named, found in pairs.items()],
    )


def _compared(peer: str, options: str, pairs: list[tuple[RejudgeRun, PeerRun]]) -> Compared:
    theirs = middle([run for _, run in pairs])
    found = Compared(
        peer=peer,
        version=theirs.version,
        options=options,
        items_per_second=theirs.items / theirs.evaluate_seconds,
        start_up_seconds=theirs.import_seconds + theirs.first_seconds,
        evaluation_ratio=median(their.evaluate_seconds / our.evaluate_seconds for our, their in pairs),
        evaluation_cpu_ratio=median(their.evaluate_cpu_seconds / our.evaluate_cpu_seconds for our, their in pairs),
        from_the_start_ratio=median(_from_the_start(their) / _from_the_start(our) for our, their in pairs),
    )
    if theirs.score_seconds:
        whole = [(our.rescore_seconds, _rescoring(their)) for our, their in pairs]
        found.rescored_per_second = theirs.items / median(seconds for _, seconds in whole)
        found.scored_per_second = theirs.items / theirs.score_seconds
        found.rescoring_ratio = median(seconds / our for our, seconds in whole)
        found.scoring_ratio = median((their.score_seconds or 0.0) / our.rescore_seconds for our, their in pairs)
    return found


def _from_the_start(run: RejudgeRun | PeerRun) -> float:
    return run.import_seconds + run.first_seconds + run.evaluate_seconds


def _rescoring(run: PeerRun) -> float:
    return (run.read_seconds or 0.0) + (run.score_seconds or 0.0) + (run.write_seconds or 0.0)


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    show(peers(asked.items, rounds=asked.rounds))
