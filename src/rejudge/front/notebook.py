"""A result as HTML for notebooks: one piece, no script, nothing loaded from anywhere, colours taken from the page."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rejudge.front.overview import overview

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.front.failures import Failures
    from rejudge.front.overview import Estimate, Figure, RunFacts
    from rejudge.front.result import Result

STYLE = """
.rejudge { container: rejudge / inline-size; max-width: 60rem; line-height: 1.45; overflow-wrap: anywhere; }
.rejudge { font-variant-numeric: tabular-nums; }
.rejudge .title { font-size: 1.15em; font-weight: 600; }
.rejudge .dim { opacity: .72; font-size: .92em; }
.rejudge .run { margin: .7em 0 0; padding-left: .7em; border-left: .2em solid #2f9e58; }
.rejudge .run.bad { border-color: #d6455d; }
.rejudge .scroll { overflow-x: auto; margin: 1em 0 0; }
.rejudge table { border-collapse: collapse; margin: 0; font-size: inherit; overflow-wrap: normal; }
.rejudge tr { background: none !important; }
.rejudge th, .rejudge td { padding: .3em 1.2em .3em 0; text-align: left; vertical-align: top; background: none; }
.rejudge th { font-weight: 400; opacity: .72; border-bottom: 1px solid rgba(128, 128, 128, .45); }
.rejudge tbody tr:first-child td { border-top: 1px solid rgba(128, 128, 128, .25); }
.rejudge td.name { max-width: 16em; overflow-wrap: break-word; }
@container rejudge (max-width: 36rem) { .rejudge .scale { display: none; } }
.rejudge .scale { position: relative; width: 9em; height: 1em; margin-top: .2em; }
.rejudge .scale * { position: absolute; top: 50%; }
.rejudge .axis { left: 0; right: 0; height: 1px; background: rgba(128, 128, 128, .55); }
.rejudge .reach { height: .36em; margin-top: -.18em; min-width: 1px; background: #4c8dde; opacity: .6; }
.rejudge .mean { width: 2px; height: 1em; margin: -.5em 0 0 -1px; background: currentColor; }
.rejudge details { margin: .8em 0 0; }
.rejudge summary { cursor: pointer; font-weight: 600; }
.rejudge .case { margin: .5em 0 0 .4em; padding-left: .7em; border-left: .2em solid rgba(214, 69, 93, .55); }
.rejudge dl { display: grid; grid-template-columns: fit-content(30%) minmax(0, 1fr); gap: 0 .9em; margin: .1em 0 0; }
.rejudge dt { font-weight: 400; opacity: .72; margin: 0; }
.rejudge dd { margin: 0; }
.rejudge dl, .rejudge dt, .rejudge dd { float: none; }
.rejudge .note { margin: .8em 0 0; }
.rejudge .warning { margin: 0 0 .8em; padding-left: .7em; border-left: .2em solid #d6455d; font-weight: 600; }
"""


def html_report(result: Result) -> str:
    """The report as one `<div>`: figures with their intervals, then failures to unfold, then notes."""
    seen = overview(result)
    return "\n".join(
        [
            f'<div class="rejudge"><style>{STYLE}</style>',
            *(f'<div class="note warning">{_text(warning)}</div>' for warning in seen.warnings),
            f'<div class="title">{_text(seen.experiment)}</div>',
            f'<div class="dim">{_text(seen.dataset)}</div>',
            *map(_run, seen.runs),
            *_figures(seen.figures),
            *(line for failures in seen.failures for line in _failures(failures)),
            *(f'<div class="note dim">{_text(note)}</div>' for note in seen.notes),
            "</div>",
        ]
    )


def _run(run: RunFacts) -> str:
    kind = "run bad" if run.bad else "run"
    details = " · ".join(map(_text, run.details))
    head = f"<strong>{_text(run.task)}</strong> {_text(run.state)}"
    return f'<div class="{kind}">{head}<div class="dim">{details}</div></div>'


def _figures(figures: Sequence[Figure]) -> Iterator[str]:
    if not figures:
        return
    names = ["score", "task"] if len({figure.task for figure in figures}) > 1 else ["score"]
    heads = "".join(f"<th>{name}</th>" for name in names)
    yield f'<div class="scroll"><table><thead><tr>{heads}<th colspan="3">estimate</th></tr></thead>'
    last = ""
    for figure in figures:
        name, last = "" if figure.score == last else figure.score, figure.score
        yield f"<tbody>{''.join(_rows(figure, [name, figure.task][: len(names)]))}</tbody>"
    yield "</table></div>"


def _rows(figure: Figure, names: Sequence[str]) -> Iterator[str]:
    first = "".join(f'<td class="name">{_text(name)}</td>' for name in names)
    blank = "<td></td>" * len(names)
    for place, one in enumerate(figure.estimates):
        text = f"<td>{_text(one.text)}</td>" if one.label else f'<td colspan="2">{_text(one.text)}</td>'
        label = f'<td class="name">{_text(one.label)}</td>' if one.label else ""
        yield f"<tr>{blank if place else first}{label}{text}<td>{_scale(one)}</td></tr>"
    for line in figure.missing:
        yield f'<tr>{blank}<td colspan="3" class="dim">{_text(line)}</td></tr>'


def _scale(estimate: Estimate) -> str:
    """A share of 1 and its interval, drawn from 0 to 1."""
    if estimate.reach is None:
        return ""
    low, mean, high = (100 * end for end in estimate.reach)
    return (
        '<div class="scale" title="from 0 to 100 %"><i class="axis"></i>'
        f'<i class="reach" style="left:{low:.1f}%;width:{high - low:.1f}%"></i>'
        f'<i class="mean" style="left:{mean:.1f}%"></i></div>'
    )


def _failures(failures: Failures) -> Iterator[str]:
    yield f"<details><summary>{_text(failures.title)}</summary>"
    for case in failures.cases:
        parts = "".join(f"<dt>{_text(name)}</dt><dd>{_text(text)}</dd>" for name, text in case.parts)
        yield f'<div class="case"><strong>{_text(case.title)}</strong><dl>{parts}</dl></div>'
    yield "</details>"


def _text(text: str) -> str:
    """Text from outside, which can neither be markup nor turn what stands beside it around."""
    return f"<bdi>{escape(text)}</bdi>" if text else ""
