"""What a leaderboard of runs gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.front.export import finding_dict, json_text

if TYPE_CHECKING:
    from pathlib import Path

    from rejudge.front.compared import RunInfo
    from rejudge.release.leaderboard import Ranked
    from rejudge.release.pairwise import PairwiseRanked


class RankingResult:
    """Runs ranked by a score, with the ranks that the data allow and every pair compared, corrected for all pairs.

    Where a judge compared their outputs side by side, `pairwise` is what it says, and there are no other rankings.
    """

    def __init__(
        self,
        sides: tuple[RunInfo, ...],
        rankings: tuple[Ranked, ...],
        *,
        pairwise: PairwiseRanked | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.sides = sides
        self.rankings = rankings
        self.pairwise = pairwise
        self.notes = notes

    def ranking(self, measure: str | None = None) -> Ranked:
        """The ranking by one measure, which need not be named where there is only one."""
        names = [one.leaderboard.name for one in self.rankings]
        if measure is None:
            if len(self.rankings) != 1:
                raise ConfigurationError(f"there are {len(names)} rankings", fix=f"name one: {', '.join(names)}")
            return self.rankings[0]
        for one in self.rankings:
            if one.leaderboard.name == measure:
                return one
        raise UnknownName.among("measure", measure, names)

    def to_dict(self) -> dict[str, object]:
        """Everything as JSON-like data; an undefined number is `{"undefined": REASON}`."""
        return finding_dict(runs=self.sides, rankings=self.rankings, pairwise=self.pairwise, notes=self.notes)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_html(self, path: str | Path | None = None) -> str:
        """The ranking as one HTML page that loads nothing; written to `path` too, where one is given."""
        from rejudge.front.page import document, write_page
        from rejudge.front.page_leaderboard import ranking_body, ranking_title

        html = document(ranking_title(self), ranking_body(self))
        if path is not None:
            write_page(html, path)
        return html

    def _repr_html_(self) -> str:
        from rejudge.front.page import fragment
        from rejudge.front.page_leaderboard import ranking_body

        return fragment(ranking_body(self))

    def __str__(self) -> str:
        from rejudge.front.ranking_text import ranking_text

        return ranking_text(self)

    def __repr__(self) -> str:
        return f"<RankingResult of {len(self.sides)} runs>"
