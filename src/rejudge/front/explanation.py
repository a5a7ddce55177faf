"""What an explanation gives back: why a number moved, and the forms in which that is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.front.export import finding_dict, json_text

if TYPE_CHECKING:
    from pathlib import Path

    from rejudge.front.compared import RunInfo
    from rejudge.release.config_differences import ConfigDifferences
    from rejudge.release.explanation import Explained, ScoreExplanation, Spent
    from rejudge.release.missing import Unscored


class Explanation:
    """Why the numbers of two runs differ: what else differs between them, and each score's difference in its parts.

    Differences are second − first throughout. `unscored` says of which values a run has no score of everything planned.
    """

    def __init__(
        self,
        sides: tuple[RunInfo, RunInfo],
        explained: Explained,
        *,
        unscored: tuple[Unscored, ...] = (),
        notes: tuple[str, ...] = (),
    ) -> None:
        self.first, self.second = sides
        self.explained = explained
        self.unscored = unscored
        self.notes = notes

    @property
    def differences(self) -> ConfigDifferences:
        """What differs between the recorded configurations."""
        return self.explained.differences

    @property
    def scores(self) -> tuple[ScoreExplanation, ...]:
        """One explanation for each measure that both runs have."""
        return self.explained.scores

    @property
    def spent(self) -> Spent:
        """What was judged for the explanation, and what that cost."""
        return self.explained.spent

    def score(self, measure: str | None = None) -> ScoreExplanation:
        """The explanation of one measure, which need not be named where there is only one."""
        names = [one.measure for one in self.scores]
        if measure is None:
            if len(self.scores) != 1:
                raise ConfigurationError(
                    f"{len(names)} scores are explained", fix=f"name one: {', '.join(names)}" if names else ""
                )
            return self.scores[0]
        for one in self.scores:
            if one.measure == measure:
                return one
        raise UnknownName.among("score", measure, names)

    def to_dict(self) -> dict[str, object]:
        """Everything as JSON-like data; an undefined number is `{"undefined": REASON}`."""
        return finding_dict(
            first=self.first, second=self.second, notes=self.notes, unscored=self.unscored, explained=self.explained
        )

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_html(self, path: str | Path | None = None) -> str:
        """The explanation as one HTML page that loads nothing; written to `path` too, where one is given."""
        from rejudge.front.page import document, write_page
        from rejudge.front.page_explanation import explanation_body, explanation_title

        html = document(explanation_title(self), explanation_body(self))
        if path is not None:
            write_page(html, path)
        return html

    def _repr_html_(self) -> str:
        from rejudge.front.page import fragment
        from rejudge.front.page_explanation import explanation_body

        return fragment(explanation_body(self))

    def __str__(self) -> str:
        from rejudge.front.explain_text import explanation_text

        return explanation_text(self)

    def __repr__(self) -> str:
        return f"<Explanation of {self.first.label!r} and {self.second.label!r}: {len(self.scores)} scores>"
