"""Verdicts that were given elsewhere: by another tool's judge, or by people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Never

from rejudge.domain.demands import NOTHING
from rejudge.domain.errors import ScorerError
from rejudge.domain.ids import digest
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.verdict import Skip, Verdict
from rejudge.scorers.scorer import Way

if TYPE_CHECKING:
    from rejudge.domain.scale import ScoreSpec
    from rejudge.domain.view import View

IMPORTED: Final = "imported"
"""The type of a scorer whose verdicts were imported: what tells them from those of our own scorers."""


class RecordedScorer:
    """Recorded verdicts under a config, by item id and trial; where none was recorded, that is a skip.

    The scorer is named by what was recorded: one record more, or one that says something else, makes another scorer.
    Its scores stand beside the earlier ones.
    """

    __slots__ = ("_verdicts", "config")
    way = Way.RECORDED
    needs: frozenset[str] = frozenset()
    demands = NOTHING

    def __init__(self, name: str, spec: ScoreSpec | None, verdicts: Mapping[tuple[str, int], Verdict]) -> None:
        records = [
            [item, trial, one.values, one.reason, None if one.usage is None else one.usage.cost, one.skip]
            for (item, trial), one in sorted(verdicts.items())
        ]
        self._verdicts = verdicts
        self.config = ScorerConfig(
            name=name,
            type=IMPORTED,
            settings={"records": digest("records", records).hex()},
            scores=() if spec is None else (spec,),
            sees=(),
        )

    def recorded(self, item_id: str, trial: int) -> Verdict:
        """What was recorded of this item and trial."""
        found = self._verdicts.get((item_id, trial))
        if found is not None:
            return found
        which = "this item" if trial == 0 else f"trial {trial} of this item"
        return Verdict.skipped(Skip.NO_RECORDING, f"nothing was recorded of {which}")

    def judge(self, view: View) -> Never:
        """Raises ScorerError: a view does not say which item it is of."""
        raise ScorerError(f"{self.config.name!r} was judged elsewhere", fix="import its scores into an experiment")
