"""What was wanted of each figure, and whether it was reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.million import Million
    from benchmarks.overhead import Overhead, Size
    from benchmarks.peers import Compared, Peers
    from benchmarks.results import Results


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure with the bound it has to keep: `least` or `most`. `aim` is what would be better still."""

    what: str
    found: float
    unit: str = ""
    least: float | None = None
    most: float | None = None
    aim: float | None = None

    @property
    def met(self) -> bool:
        """Whether the bound is kept."""
        return (self.least is None or self.found >= self.least) and (self.most is None or self.found <= self.most)

    @property
    def verdict(self) -> str:
        """In a word."""
        if not self.met:
            return "**missed**"
        return "aim met" if self.aim is not None and self.found >= self.aim else "met"

    @property
    def wanted(self) -> str:
        """The bound and the aim in words."""
        bound = f"≥ {self.shown(self.least)}" if self.least is not None else f"≤ {self.shown(self.most or 0.0)}"
        return bound if self.aim is None else f"{bound} (aim {self.shown(self.aim)})"

    def shown(self, value: float) -> str:
        """A value with its unit, in three or so figures."""
        number = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
        return f"{number}{self.unit}"


def goals(results: Results) -> Iterator[Goal]:
    """Every goal of which the results say something."""
    yield from _of_overhead(results.overhead)
    if results.peers is not None:
        yield from _of_peers(results.peers)
    waited, started = results.io_bound, results.startup
    yield Goal("10,000 waits of 0.2 s, 500 at once: above the ideal", 100 * waited.above_ideal, " %", most=8)
    yield Goal("`import rejudge`", started.import_milliseconds, " ms", most=150)
    yield Goal("`rejudge --help`", started.help_milliseconds, " ms", most=250)
    for judged in results.sandboxes.judged:
        what = f"code scores a second in {judged.sandbox}, {results.sandboxes.traces:,} traces"
        yield Goal(what, judged.scores_per_second, least=judged.wanted)
    if (spans := results.spans) is not None:
        what = (
            f"recording a span: {spans.items:,} items of {spans.spans_per_item} spans, "
            f"{spans.tracked_items_per_second:,.0f} items/s with them, {spans.plain_items_per_second:,.0f} without"
        )
        yield Goal(what, spans.microseconds_per_span, " µs", most=60)
    if results.million is not None:
        yield from _of_million(results.million)


def _of_overhead(found: Overhead) -> Iterator[Goal]:
    sizes: dict[int, Size] = {size.items: size for size in found.sizes}
    if (usual := sizes.get(20_000)) is not None:
        yield Goal("items a second, 20,000 items", usual.items_per_second, least=8_000, aim=16_000)
        rescored = usual.scores_added_per_second
        yield Goal("scores a second added to 20,000 stored traces", rescored, least=40_000, aim=80_000)
    if (large := sizes.get(200_000)) is not None:
        yield Goal("peak memory, 200,000 items", large.peak_megabytes, " MB", most=300)
    if found.time_per_item_growth is not None and found.bytes_per_item_growth is not None:
        yield Goal("time per item, 200,000 against 20,000 items", found.time_per_item_growth, "×", most=1.3)
        yield Goal("bytes per item, 200,000 against 20,000 items", found.bytes_per_item_growth, "×", most=1.1)


def _of_million(found: Million) -> Iterator[Goal]:
    for read in found.read:
        count = f"{found.scores:,} {read.kind}"
        yield Goal(f"{count} summarised from the store", read.summary_seconds, " s", most=2)
        yield Goal(f"{count} compared with as many of another run", read.comparison_seconds, " s", most=5)


def _of_peers(found: Peers) -> Iterator[Goal]:
    first: dict[str, Compared] = {}
    for compared in found.compared:
        first.setdefault(compared.peer, compared)
    plain, inspect = first["pydantic-evals"], first["inspect-ai"]
    yield Goal("evaluation against pydantic-evals", plain.evaluation_ratio, "×", least=2, aim=4)
    yield Goal("evaluation against Inspect AI", inspect.evaluation_ratio, "×", least=70)
    if inspect.rescoring_ratio is not None:
        yield Goal("rescoring against Inspect AI", inspect.rescoring_ratio, "×", least=80, aim=160)
