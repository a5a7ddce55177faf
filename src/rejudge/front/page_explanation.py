"""An explanation as a page: each score's difference in its parts, then everything else that differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.differences_text import differences_text
from rejudge.front.explain_text import spent_text
from rejudge.front.page_parts import folded, foot, head, kept, note, safe, width_of
from rejudge.front.page_split import Carrier, Part, SplitView, split_section
from rejudge.front.plots.estimate import Mark, Shown
from rejudge.front.plots.unit import Unit
from rejudge.stats.decompose import PARTS, PartName
from rejudge.stats.interval import Undefined
from rejudge.stats.split_words import CAUSES, headline, shown, what_it_does_not_mean, what_it_means

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.explanation import Explanation
    from rejudge.release.explanation import ScoreExplanation
    from rejudge.stats.decompose import Part as Estimated
    from rejudge.stats.decompose import Split

LISTED = 20
"""So many changed items of a dataset are listed."""

COLUMNS = 500
"""A line is broken by the page, not by us; so much of one line of a text is shown."""

_SAYS: dict[PartName, str] = {
    "judge": "what the other judge changes on the same traces",
    "task": "what the other task changes in the eyes of the same judge",
    "data": "what items do that one run alone has, or that have other content by now",
    "missing": "what items do that lack a score on one side",
}


def explanation_title(result: Explanation) -> str:
    """Which two runs are explained."""
    return f"Why {kept(result.first.label)} → {kept(result.second.label)} moved"


def explanation_body(result: Explanation) -> Iterator[str]:
    """The page's content."""
    facts = [
        (name, f"{kept(side.label, 28)}: {side.experiment}, task {side.task}, run {side.run}")
        for name, side in (("first", result.first), ("second", result.second))
    ]
    facts.append(("judged", spent_text(result.spent)))
    yield from head("explanation", explanation_title(result), facts, result.notes)
    for one in result.scores:
        yield '<section class="score">'
        yield from _score(one, result.first.label, result.second.label)
        yield "</section>"
    _, *lines = differences_text(result.differences, columns=COLUMNS, listed=LISTED)
    told = ['<div class="lines">', *map(_line, lines), "</div>"]
    yield from folded("Everything that differs between the recorded configurations", told, state="open")
    yield foot("Differences are second − first. No output was generated for this page.")


def _line(line: str) -> str:
    """A line, as far indented as it was, which the page may break."""
    depth = min(3, max(0, (len(line) - len(line.lstrip(" "))) // 2 - 1))
    return f'<p class="in-{depth}">{safe(line.strip())}</p>'


def _score(score: ScoreExplanation, first: str, second: str) -> Iterator[str]:
    split = score.split
    if isinstance(split, Undefined):
        yield f"<h2>{safe(score.measure)}</h2>"
        yield note(f"the split is {split}")
        return
    share = score.kind == "pass_fail"
    yield from split_section(
        SplitView(
            title=score.measure,
            unit=Unit(name="moved the pass rate by" if share else "moved the mean by", share=share, signed=True),
            parts=tuple(_part(score, split, name) for name in PARTS),
            headline=headline(split),
            whole=_shown("whole difference", split.difference, "different" if shown(split.difference) else "same"),
            means=tuple(what_it_means(split, score.kind, first=kept(first), second=kept(second))),
            limits=tuple(what_it_does_not_mean(split, score.kind)),
            known=tuple(told for told in (score.first_judge, score.second_judge) if told),
            facts=(_means(split, Unit(name="", share=share)),),
        )
    )


def _means(split: Split, unit: Unit) -> str:
    """Both sides' means, each over everything that its run scored."""
    span = width_of(split.difference.interval)
    first, second = (unit.text(mean, span=span) for mean in (split.mean_first, split.mean_second))
    return f"from {first} (n={split.n_first:,}) to {second} (n={split.n_second:,})"


def _part(score: ScoreExplanation, split: Split, name: PartName) -> Part:
    part: Estimated = getattr(split, name)
    carried = score.carried[name]
    return Part(
        shown=_shown(CAUSES[name], part, "different" if shown(part) else "same"),
        says=_SAYS[name],
        carriers=tuple(Carrier(item_id=one.item_id, moved=one.shift) for one in carried.items),
        carried=carried.count,
    )


def _shown(name: str, part: Estimated, mark: Mark) -> Shown:
    return Shown(name=name, value=part.value, interval=part.interval, n=part.n, mark=mark)
