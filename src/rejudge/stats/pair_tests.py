"""Which tests fit the pairs at hand, and which of them decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rejudge.stats.clusters import exact_sums
from rejudge.stats.column import places
from rejudge.stats.differences import aligned, differences, rounding, tie_unit
from rejudge.stats.interval import LEVEL, Undefined
from rejudge.stats.mcnemar import Outcomes, mcnemar_chi2, mcnemar_chi2_corrected, mcnemar_exact, mcnemar_mid_p
from rejudge.stats.p_value import PValue, Test
from rejudge.stats.paired import Paired, paired_by
from rejudge.stats.permutation import sign_flip
from rejudge.stats.scale import Scale
from rejudge.stats.wilcoxon import SignedRanks, wilcoxon, wilcoxon_exact

if TYPE_CHECKING:
    from rejudge.stats.column import Floats, Names, Numbers, Places

_CLUSTERED = Undefined("it takes items for independent, and they share clusters")


@dataclass(frozen=True, kw_only=True, slots=True)
class Pairs:
    """Two aligned columns with what every test of them needs.

    `moved` has one value for each independent unit: the difference of a pair, or the sum of a cluster's differences.
    `outcomes` is None unless every value is 0 or 1 and both lie on the scale.
    """

    first: Floats
    second: Floats
    differences: Floats
    clusters: Places | None
    moved: Floats
    outcomes: Outcomes | None
    summary: Paired

    @classmethod
    def of(
        cls, first: Numbers, second: Numbers, *, scale: Scale, clusters: Names | None = None, level: float = LEVEL
    ) -> Pairs:
        """The pairs of two columns over the same items; raises RecordError where they cannot be paired."""
        import numpy as np

        before, after = aligned(first, second)
        changes = differences(before, after)
        moved, place = changes, None
        if clusters is not None:
            place, named = places(clusters, n=len(changes), what="clusters")
            moved = exact_sums(changes, rounding(before, after), place, len(named))
        binary = scale.holds(0) and scale.holds(1) and all(np.isin(side, (0, 1)).all() for side in (before, after))
        return cls(
            first=before,
            second=after,
            differences=changes,
            clusters=place,
            moved=moved,
            outcomes=Outcomes.of(before, after) if binary else None,
            summary=paired_by(before, after, changes, clusters=place, level=level),
        )

    @property
    def none_differ(self) -> bool:
        """Whether every pair is a tie, of which there is one at least."""
        return bool(len(self.differences)) and not self.differences.any()


def all_tests(pairs: Pairs, *, seed: int, flips: int) -> dict[Test, PValue | Undefined]:
    """Every test that fits, the deciding one first; those that clusters forbid stand there as undefined.

    McNemar's for 0/1 data, else t, Wilcoxon's and sign flips; cluster-t and flips of whole clusters for clusters.
    Empty without pairs.
    """
    if not len(pairs.differences):
        return {}
    if pairs.clusters is not None:
        found: dict[Test, PValue | Undefined] = {"cluster-t": pairs.summary.t}
        flipped = sign_flip(pairs.moved, seed=seed, flips=flips)
        found[flipped.test] = flipped
        refused: tuple[Test, ...] = ("wilcoxon-pratt", "wilcoxon-drop")
        if pairs.outcomes is not None:
            refused = ("mcnemar-exact", "mcnemar-mid-p")
        return found | dict.fromkeys(refused, _CLUSTERED)
    if pairs.outcomes is not None:
        b, c = pairs.outcomes.b, pairs.outcomes.c
        tests = (mcnemar_exact, mcnemar_mid_p, mcnemar_chi2, mcnemar_chi2_corrected)
        return {result.test: result for result in (test(b, c) for test in tests)}
    changes = pairs.differences
    ranks = SignedRanks.of(changes, unit=tie_unit(pairs.first, pairs.second))
    flipped = sign_flip(changes, seed=seed, flips=flips)
    return {
        "t": pairs.summary.t,
        flipped.test: flipped,
        "wilcoxon-pratt": wilcoxon(ranks, zeros="pratt"),
        "wilcoxon-drop": wilcoxon(ranks, zeros="drop"),
        "wilcoxon-exact": wilcoxon_exact(ranks),
    }


def primary_test(tests: dict[Test, PValue | Undefined]) -> tuple[Test, str] | Undefined:
    """Which of the tests decides, and why: an exact one where there is one, else Student's, to which n is enough.

    Exact are McNemar's, and sign flips where few pairs differ or all by the same amount.
    """
    if not tests:
        return Undefined("there are no pairs")
    first = next(iter(tests))
    if first == "mcnemar-exact":
        return first, "every value is 0 or 1, and this test never errs more often than it says"
    if "sign-flip-exact" in tests:
        return "sign-flip-exact", "so few differ, or all by the same amount, that every assignment of signs was counted"
    if first == "cluster-t":
        return first, "items of a cluster resemble each other, so clusters are what is independent"
    return first, "so many differ that their mean is close to normal, and it belongs to the interval"
