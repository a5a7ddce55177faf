"""The records that stores take and give: small, positional where they are many, keyword-only where they are few.

Those that are many hold no references that could form a circle, so the garbage collector need not visit them.
"""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct, field

from rejudge.domain.case import CaseResult, ExecutionErrorType, ExecutionStatus
from rejudge.domain.item import Item
from rejudge.domain.payload import decode_as
from rejudge.domain.rating import Rating
from rejudge.domain.scale import Outcome
from rejudge.domain.score import Score, ScoreStatus, ScoreValue
from rejudge.domain.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class NewItem(Struct, frozen=True, gc=False):
    """An item on its way in: its content digest, its fields as stored bytes, and the line it came from."""

    item_id: str
    digest: bytes
    body: bytes
    line: int | None = None


class StoredItem(Struct, frozen=True, gc=False):
    """An item of a version: `body` decodes to its fields, `position` is its place from 0."""

    ref: int
    position: int
    item_id: str
    body: bytes


class Owner(Struct, frozen=True):
    """Who holds claims: one evaluation in one process. `started` tells apart processes that share a number."""

    host: str
    boot: str
    pid: int
    started: str
    nonce: str


class TraceRef(Struct, frozen=True, gc=False):
    """Where a stored trace is: the index holds these, not payloads."""

    ref: int
    key: bytes
    digest: bytes
    run: int


class UnitTrace(Struct, frozen=True, gc=False):
    """Which trace an experiment has for one item and trial, and which item version it was last evaluated on."""

    position: int
    trial: int
    trace: TraceRef


class NewTrace(Struct, frozen=True, gc=False):
    """A trace on its way in. `body` is the encoded Produced, `calls` the encoded call records or None.

    `spans` is the encoded Spans, or None where none were recorded, as of a recorded output.
    """

    key: bytes
    digest: bytes
    item: int
    run_config: int
    trial: int
    run: int
    body: bytes
    calls: bytes | None
    usage: tuple[int | None, int | None, float | None] | None
    started_at: float
    seconds: float
    spans: bytes | None = None


class NewCase(Struct, gc=False):
    """A case result on its way in.

    `trace` is the ref of a stored trace, `fresh` the index of a trace in the same batch (known only when it joins
    the batch); at most one is given. A batch never overwrites a case that the run already has.
    """

    run: int
    position: int
    trial: int
    item: int
    status: ExecutionStatus
    trace: int | None = None
    fresh: int | None = None
    error_type: ExecutionErrorType = ExecutionErrorType.NONE
    message: str | None = None
    attempts: bytes | None = None
    started_at: float | None = None
    completed_at: float | None = None


class NewScore(Struct, frozen=True, gc=False):
    """A score on its way in: `trace` is the ref of the (first) subject, `rest` the digests of further ones.

    `usage` is what the judgement spent: input tokens, output tokens and cost; `detail` holds it as well, whole.
    """

    run: int
    trace: int
    scorer: int
    seen: bytes
    status: ScoreStatus
    values: tuple[ScoreValue, ...]
    at: float
    reason: str = ""
    cause: str | None = None
    detail: bytes | None = None
    draw: int = 0
    attempt: int = 0
    rest: bytes = b""
    usage: tuple[int | None, int | None, float | None] | None = None

    @property
    def asked_somebody(self) -> bool:
        """Whether calls were made for it, or it says what it spent: that is kept, though another was stored first."""
        told = self.usage is None and self.detail is not None
        return bool(decode_as(self.detail or b"", _Asked).calls) if told else self.usage is not None


class _Asked(Struct, frozen=True):
    """What of the detail of a score tells whether anybody was asked."""

    calls: list[object] = field(default_factory=list)


class NewRating(Struct, frozen=True):
    """A rating on its way in, with the ref of the trace that it names."""

    trace: int
    rating: Rating


class ScoreRef(Struct, frozen=True, gc=False):
    """A stored score as planning needs it: whether it is there, how it ended, and whose it is."""

    ref: int
    trace: int
    scorer: int
    seen: bytes
    attempt: int
    status: ScoreStatus
    run: int


class ScoreHit(Struct, frozen=True, gc=False):
    """A stored score that a run reuses."""

    run: int
    score: int
    at: float


class Inheritance(Struct, frozen=True):
    """Everything that some scorers said in an earlier run, reused as a whole by another run of the experiment."""

    run: int
    source: str
    scorers: tuple[int, ...]
    at: float


class Batch(Struct):
    """Everything that one transaction writes."""

    claims: list[bytes] = field(default_factory=list)
    releases: list[bytes] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    traces: list[NewTrace] = field(default_factory=list)
    cases: list[NewCase] = field(default_factory=list)
    scores: list[NewScore] = field(default_factory=list)
    hits: list[ScoreHit] = field(default_factory=list)
    inherited: list[Inheritance] = field(default_factory=list)

    @property
    def lasts(self) -> bool:
        """Whether it holds more than who is at work on what."""
        return any((self.dropped, self.traces, self.cases, self.scores, self.hits, self.inherited))


class Committed(Struct, frozen=True):
    """What became of a batch.

    `granted` are the claims that were free (or whose owner is dead) and are now ours. `traces` holds a
    ref per trace of the batch, in order; an index in `lost` says that another trace stood under that key
    already: the ref is that one's, and the loser is kept only as spend in its case's attempts.
    """

    granted: frozenset[bytes]
    traces: tuple[TraceRef, ...]
    lost: frozenset[int]


class CaseCounts(Struct, frozen=True, kw_only=True):
    """How the cases of a run ended so far."""

    completed: int = 0
    skipped: int = 0
    errors: int = 0


class ScoreCounts(Struct, frozen=True, kw_only=True):
    """How the judgements of one scorer in one run ended; `causes` counts skips by cause.

    The rest is what those that the run made itself spent, those among them that came after another was stored,
    summing only what is known: `known_costs` had a cost.
    """

    scorer: bytes
    scored: int = 0
    skipped: int = 0
    errors: int = 0
    causes: dict[str, int] = field(default_factory=dict)
    made: int = 0
    cost: float | None = None
    known_costs: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None


class TrialCount(Struct, frozen=True, kw_only=True):
    """How many items have `scored` values with an outcome, of which `passed` passed."""

    scored: int
    passed: int
    items: int


class ValueMoments(Struct, frozen=True, kw_only=True):
    """One named numeric score over a run, averaged within items first.

    `items` items have `values` values in all, which sum to `total`. `mean` is the mean of item means,
    `squares` the sum of squared distances of item means from it, `minimum` and `maximum` are theirs too.
    `binary` says whether every item mean is 0 or 1, `judged` how many values have an outcome. `trials` says how
    often items passed; it is empty where no value has an outcome.
    """

    scorer: bytes
    name: str
    items: int
    values: int
    mean: float
    squares: float
    minimum: float
    maximum: float
    binary: bool
    total: float
    judged: int
    trials: tuple[TrialCount, ...] = ()


def trial_counts(passed_by_item: Iterable[Sequence[bool]]) -> tuple[TrialCount, ...]:
    """How often items passed, from the outcomes of each item's values."""
    items = (TrialCount(scored=len(outcomes), passed=sum(outcomes), items=1) for outcomes in passed_by_item)
    return pooled_trials(one for one in items if one.scored)


def pooled_trials(trials: Iterable[TrialCount]) -> tuple[TrialCount, ...]:
    """The counts of several groups of items together."""
    counts: Counter[tuple[int, int]] = Counter()
    for one in trials:
        counts[one.scored, one.passed] += one.items
    return tuple(
        TrialCount(scored=scored, passed=passed, items=items) for (scored, passed), items in sorted(counts.items())
    )


class LabelCount(Struct, frozen=True, kw_only=True):
    """How often a named label score took one label."""

    scorer: bytes
    name: str
    label: str
    count: int


class RunCounts(Struct, frozen=True, kw_only=True):
    """Everything that the summary of a run is made of; totals are computed, never stored."""

    cases: CaseCounts
    scores: tuple[ScoreCounts, ...]
    moments: tuple[ValueMoments, ...]
    labels: tuple[LabelCount, ...]


class RunUsage(Struct, frozen=True, kw_only=True):
    """What generating the outputs of a run took, and how many completed cases `reused` one and took nothing.

    It sums only what is known: `known_costs` traces had a cost. `cost` is in US dollars.
    """

    reused: int = 0
    cost: float | None = None
    known_costs: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float = 0.0


class ValueColumns(Struct, frozen=True):
    """What counts of the values that scorers gave under one name in a run, a row each, ordered by position and trial.

    A value is a number or a label; the other is None.
    """

    positions: Sequence[int]
    numbers: Sequence[float | None]
    labels: Sequence[str | None]
    outcomes: Sequence[Outcome | None]


class TraceValueColumns(Struct, frozen=True):
    """The same values with what was judged; `traces` are the refs of the (first) subjects."""

    positions: Sequence[int]
    trials: Sequence[int]
    traces: Sequence[int]
    numbers: Sequence[float | None]
    labels: Sequence[str | None]


class SpendingColumns(Struct, frozen=True):
    """What generating the traces of a run took, a row each, ordered by position and trial; None is not known.

    `seconds` is how long the task ran, `cost` is in US dollars. Reused traces are among them.
    """

    positions: Sequence[int]
    trials: Sequence[int]
    seconds: Sequence[float]
    input_tokens: Sequence[int | None]
    output_tokens: Sequence[int | None]
    cost: Sequence[float | None]


class CaseOrder(Enum):
    """In which order cases are read."""

    POSITION = "position"
    FAILURES_FIRST = "failures first"


class CaseRow(Struct, frozen=True, kw_only=True):
    """One case with everything that belongs to it; the current score of each scorer of the run."""

    case: CaseResult
    item: Item
    trace: Trace | None
    scores: tuple[Score, ...]

    def __repr__(self) -> str:
        case = self.case
        told = [f"{one.name} {one.number if one.label is None else one.label!r}" for one in self._values()]
        told += [score.status.value for score in self.scores if not score.values]
        return f"<CaseRow {case.item_id!r}, trial {case.trial}: {', '.join([case.execution_status.value, *told])}>"

    def _values(self) -> list[ScoreValue]:
        return [value for score in self.scores for value in score.values]


class EvaluationMade(Enum):
    """Whether a listing of traces shows those that an evaluation generated."""

    LEFT_OUT = "left out"
    INCLUDED = "included"
