"""The answer of one test of "there is no difference"."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from rejudge.domain.errors import RecordError

Test: TypeAlias = Literal[
    "mcnemar-exact",
    "mcnemar-mid-p",
    "mcnemar-chi2",
    "mcnemar-chi2-corrected",
    "t",
    "cluster-t",
    "wilcoxon-drop",
    "wilcoxon-pratt",
    "wilcoxon-exact",
    "sign-flip-exact",
    "sign-flip-drawn",
    "sign-flip-normal",
]


class PValue(msgspec.Struct, frozen=True, kw_only=True, tag="p-value"):
    """How often chance alone would give a `statistic` at least as far from no difference, on either side.

    `n` counts what the test could use: pairs, clusters, or those of them that differ. `drawn` is the number of random
    flips behind a p-value that was drawn, 0 where it was computed.
    """

    test: Test
    p: float
    statistic: float
    n: int
    drawn: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.p <= 1:
            raise RecordError(f"{self.p} is not a probability")
