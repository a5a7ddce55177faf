"""What a comparison of two runs is asked, and what it found."""

from __future__ import annotations

from typing import TypedDict

import msgspec
from msgspec import structs

from rejudge.release.disagreement import Disagreement
from rejudge.release.joined import Changed, Unpaired
from rejudge.release.missing import Lacking
from rejudge.stats.comparison import Comparison
from rejudge.stats.decision import ComparisonVerdict
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.many import Corrected


class CompareQuestion(TypedDict, total=False):
    """What a comparison of runs is asked; each may be left out.

    `scorer` and `value`: which score; all that both have in common where none is named. `clusters`: a field of the
    items whose equal values make items resemble each other. `by`: a field whose values are slices (of a list, as of
    tags, each value). `margin`: how much worse is still acceptable, and `smallest`: the smallest difference of
    interest, both in the score's unit. `level`: of confidence. `seed`: of the bootstrap. `listed`: how many items of
    each kind of change are named.
    """

    scorer: str | None
    value: str | None
    clusters: str | None
    by: str | None
    margin: float | None
    smallest: float | None
    level: float
    seed: int
    listed: int


class SliceComparison(msgspec.Struct, frozen=True, kw_only=True):
    """The items with one value of a field; `p` and `verdict` are corrected for all slices.

    `items` of both datasets have the value, `unscored` of them without a score on either side.
    """

    name: str
    items: int
    unscored: int
    comparison: Comparison
    p: float | Undefined
    verdict: ComparisonVerdict

    @property
    def decided(self) -> Comparison:
        """The comparison with the verdict that holds beside the other slices."""
        return structs.replace(self.comparison, verdict=self.verdict)


class ScoreComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One measure on both sides; `label` is the one whose share it is. `same_scorer`: the very same judged both.

    `unpaired` are the items that only the first, only the second has a score for. `differences` are a sample of the
    items' differences in order of size, for a picture, `intervals` those of either side's mean alone. Of two scorers,
    `disagreement` tells of the traces, and `unpaired_traces` how many only the first, only the second has a score for,
    which count for neither; both are None where runs are compared. `lacking` says what was planned and has no score,
    `unscored` which items neither side has a score for.
    """

    measure: str
    label: str | None
    corrected: Corrected
    same_scorer: bool
    passes_at: float | None
    unpaired: tuple[Unpaired, Unpaired]
    regressions: Changed | Undefined
    fixes: Changed | Undefined
    both_wrong: Changed | Undefined
    intervals: tuple[Interval | Undefined, Interval | Undefined]
    slices: tuple[SliceComparison, ...]
    differences: tuple[float, ...]
    disagreement: Disagreement | None
    lacking: Lacking
    unscored: Unpaired
    unpaired_traces: tuple[int, int] | None = None

    @property
    def comparison(self) -> Comparison:
        """The comparison before it was corrected for its company."""
        return self.corrected.comparison

    @property
    def decided(self) -> Comparison:
        """The comparison with the verdict that holds beside the other scores."""
        return structs.replace(self.comparison, verdict=self.corrected.verdict, because=self.corrected.because)


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a comparison found; the first score is the first scorer's.

    `shared` items are in both dataset versions with equal content, `changed_items` have one id and other content, and
    `only_first` and `only_second` count those of one version alone. `not_comparable` says in words what was left out.
    """

    scores: tuple[ScoreComparison, ...]
    shared: int
    changed_items: tuple[str, ...]
    only_first: int
    only_second: int
    not_comparable: tuple[str, ...]
    sliceless: int = 0
