"""What a run says in depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.front.export import finding_dict, json_text

if TYPE_CHECKING:
    from pathlib import Path

    from rejudge.front.compared import RunInfo
    from rejudge.release.describe import Described, DescribedScore
    from rejudge.stats.summary import Summary


class Description:
    """One run in depth: each measure with its summary, slices, clusters and repeats, and what the traces took."""

    def __init__(
        self, run: RunInfo, described: Described, summaries: dict[str, Summary], *, notes: tuple[str, ...] = ()
    ) -> None:
        self.run = run
        self.described = described
        self.summaries = summaries
        self.notes = notes

    def score(self, measure: str | None = None) -> DescribedScore:
        """One measure, which need not be named where there is only one."""
        names = [one.measure for one in self.described.scores]
        if measure is None:
            if len(names) != 1:
                raise ConfigurationError(f"the run has {len(names)} measures", fix=f"name one: {', '.join(names)}")
            return self.described.scores[0]
        for one in self.described.scores:
            if one.measure == measure:
                return one
        raise UnknownName.among("measure", measure, names)

    def summary_of(self, score: DescribedScore) -> Summary | None:
        """The summary that the report gives of a measure; a label's is that of all labels."""
        return self.summaries.get(f"{score.scorer}.{score.value}")

    def to_dict(self) -> dict[str, object]:
        """Everything as JSON-like data; an undefined number is `{"undefined": REASON}`."""
        described = {name: getattr(self.described, name) for name in self.described.__struct_fields__}
        return finding_dict(run=self.run, summaries=self.summaries, **described, notes=self.notes)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_html(self, path: str | Path | None = None) -> str:
        """The run in depth as one HTML page that loads nothing; written to `path` too, where one is given."""
        from rejudge.front.page import document, write_page
        from rejudge.front.page_description import description_body, description_title

        html = document(description_title(self), description_body(self))
        if path is not None:
            write_page(html, path)
        return html

    def _repr_html_(self) -> str:
        from rejudge.front.page import fragment
        from rejudge.front.page_description import description_body

        return fragment(description_body(self))

    def __str__(self) -> str:
        from rejudge.front.describe_text import description_text

        return description_text(self)

    def __repr__(self) -> str:
        return f"<Description of {self.run.label!r}: {len(self.described.scores)} measures>"
