"""What a comparison of runs gives back: numbers to decide on, and the forms in which they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.front.export import finding_dict, json_text

if TYPE_CHECKING:
    from pathlib import Path

    from rejudge.release.comparison import Compared, ScoreComparison
    from rejudge.stats.decision import ComparisonVerdict


class RunInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A run that a finding is about: how it is called there (of two scorers, as either is), and what it is."""

    label: str
    run: str
    experiment: str
    task: str
    state: str
    pending: int


class ComparisonResult:
    """Two runs, or two scorers of one run, compared on the same items; second − first throughout."""

    def __init__(self, sides: tuple[RunInfo, RunInfo], compared: Compared, *, notes: tuple[str, ...] = ()) -> None:
        self.first, self.second = sides
        self.compared = compared
        self.notes = notes

    @property
    def scores(self) -> tuple[ScoreComparison, ...]:
        """One comparison for each measure that both sides have."""
        return self.compared.scores

    def score(self, measure: str | None = None) -> ScoreComparison:
        """The comparison of one measure, which need not be named where there is only one."""
        if measure is None:
            if len(self.scores) != 1:
                names = ", ".join(one.measure for one in self.scores)
                raise ConfigurationError(f"{len(self.scores)} scores were compared", fix=f"name one: {names}")
            return self.scores[0]
        for one in self.scores:
            if one.measure == measure:
                return one
        raise UnknownName.among("score", measure, [one.measure for one in self.scores])

    def verdict(self, measure: str | None = None) -> ComparisonVerdict:
        """Better, worse, different, no difference shown or not enough data, corrected for all scores compared."""
        return self.score(measure).corrected.verdict

    def to_dict(self) -> dict[str, object]:
        """Everything as JSON-like data; an undefined number is `{"undefined": REASON}`."""
        return finding_dict(first=self.first, second=self.second, notes=self.notes, compared=self.compared)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_html(self, path: str | Path | None = None) -> str:
        """The comparison as one HTML page that loads nothing; written to `path` too, where one is given."""
        from rejudge.front.page import document, write_page
        from rejudge.front.page_comparison import comparison_body, comparison_title

        html = document(comparison_title(self), comparison_body(self))
        if path is not None:
            write_page(html, path)
        return html

    def _repr_html_(self) -> str:
        from rejudge.front.page import fragment
        from rejudge.front.page_comparison import comparison_body

        return fragment(comparison_body(self))

    def __str__(self) -> str:
        from rejudge.front.compare_text import comparison_text

        return comparison_text(self)

    def __repr__(self) -> str:
        return f"<ComparisonResult of {self.first.label!r} and {self.second.label!r}: {len(self.scores)} scores>"
