"""A suite as one HTML page: no script, nothing loaded from anywhere, in light and dark, on any width."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from rejudge.domain.case import QualityStatus
from rejudge.front.amounts import duration
from rejudge.front.lines import NAME, TEXT, block, clipped, item_name, one_line
from rejudge.front.overview import short, when
from rejudge.front.suite_report import assertion_facts, headline, item_title, rate_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.suite_result import Assertion, ItemResult, ItemRun, SuiteResult

LONGEST: Final = 4_000
"""Characters of an output that are shown; the JSON report holds all of it."""

ITEM: Final = 80
"""The most columns of an item's id."""

STYLE: Final = """
:root { color-scheme: light dark; --line: #d1d9e0; --dim: #59636e; --paper: #f6f8fa; --ground: #fff; --ink: #1f2328; }
:root { --good: #1a7f37; --bad: #cf222e; --open: #9a6700; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3d444d; --dim: #9198a1; --paper: #151b23; --ground: #0d1117; --ink: #f0f6fc; }
  :root { --good: #3fb950; --bad: #f85149; --open: #d29922; }
}
* { box-sizing: border-box; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; }
body { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; background: var(--ground); color: var(--ink); }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .3rem; }
h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p { margin: .2rem 0; }
.dim { color: var(--dim); font-size: .875rem; }
.passed { color: var(--good); }
.failed { color: var(--bad); }
.needs_human_review, .not_evaluated, .empty { color: var(--open); }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; padding: .5rem .8rem; }
summary { cursor: pointer; font-weight: 600; }
section { border-top: 1px solid var(--line); margin: .8rem 0 0; padding: .6rem 0 0; }
ul { list-style: none; margin: .3rem 0; padding: 0; }
li { margin: .3rem 0; padding-left: 1.4rem; text-indent: -1.4rem; }
li > .mark { display: inline-block; text-indent: 0; width: 1.4rem; }
pre { background: var(--paper); border-radius: .3rem; font: .875rem/1.5 ui-monospace, monospace; }
pre { margin: .2rem 0 .6rem; max-height: 22rem; overflow: auto; padding: .5rem .7rem; white-space: pre-wrap; }
@media print { pre { max-height: none; } }
"""

MARKS: Final = {
    QualityStatus.PASSED: "✓",
    QualityStatus.FAILED: "✗",
    QualityStatus.NEEDS_HUMAN_REVIEW: "?",
    QualityStatus.NOT_EVALUATED: "–",
}
"""What tells the states apart for whoever sees no colours."""


def html_page(suite: SuiteResult) -> str:
    """The page: what the suite came to, then its items, failures first."""
    experiment, run = suite.result.experiment, suite.result.run()
    facts = (
        f"{experiment.dataset}, version {short(experiment.dataset_version)} · {run.task} · run {run.id} "
        f"at {_minute(run.run.created_at)}"
    )
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{escape(one_line(suite.name))}: {suite.status.value.replace('_', ' ')}</title>",
        f"<style>{STYLE}</style></head><body>",
        f"<h1>{_text(suite.name)}</h1>",
        f'<p class="{suite.status.value}"><strong>{_text(headline(suite))}</strong></p>',
        f"<p>{_text(rate_text(suite))}</p>",
        f'<p class="dim">{_text(facts)}</p>',
        *(f'<p class="not_evaluated">{_text(note)}</p>' for note in [*suite.notes, *suite.warnings]),
        "<h2>Items, failures first</h2>" if suite.items else "",
        *(line for item in suite.failures_first for line in _item(item)),
        "</body></html>",
    ]
    return "\n".join(filter(None, lines)) + "\n"


def _minute(seconds: float) -> str:
    return f"{when(seconds)[:16].replace('T', ' ')} UTC"


def _item(item: ItemResult) -> Iterator[str]:
    opened = "" if item.status is QualityStatus.PASSED else " open"
    title = item_title(item).removeprefix(item_name(item.id, NAME))
    yield f"<details{opened}><summary>"
    mark = f'<span class="{item.status.value}">{MARKS[item.status]}</span>'
    yield f"{mark} {_text(item_name(item.id, ITEM))}{_text(title)}"
    yield "</summary>"
    yield from _block("input", item.input)
    for run in item.runs:
        yield from _run(run, several=len(item.runs) > 1)
    yield "</details>"


def _run(run: ItemRun, *, several: bool) -> Iterator[str]:
    yield "<section>"
    facts = [f"run {run.trial}"] if several else []
    facts += [run.status.value.replace("_", " ")]
    facts += [duration(run.seconds)] if run.seconds is not None else []
    facts += [short(run.trace)] if run.trace else []
    yield f'<p class="dim">{_text(" · ".join(facts))}</p>'
    if run.pending:
        yield "<p>not run yet</p>"
    if run.error is not None:
        yield f'<p class="not_evaluated">{_text(run.error)}</p>'
    if run.assertions:
        yield "<ul>"
        yield from map(_assertion, run.assertions)
        yield "</ul>"
    if run.output is not None:
        yield from _block("output", run.output)
    yield "</section>"


def _assertion(assertion: Assertion) -> str:
    """What came of it in a mark and in words, so that neither colours nor marks have to be seen."""
    state = assertion.status.value
    facts = ", ".join([state.replace("_", " "), *assertion_facts(assertion)])
    why = assertion.error or assertion.reason
    mark = f'<span class="mark {state}" aria-hidden="true">{MARKS[assertion.status]}</span>'
    name = f"<strong>{_text(clipped(assertion.name, TEXT))}</strong>"
    told = f'{mark}{name} <span class="{state}">{_text(facts)}</span>'
    return f"<li>{told}{f': {_text(clipped(why, TEXT))}' if why else ''}</li>"


def _block(name: str, text: str) -> Iterator[str]:
    more = " …" if len(text) > LONGEST else ""
    shown = "\n".join(map(escape, block(text[:LONGEST])))
    yield f'<p class="dim">{name}</p>'
    yield f'<pre dir="auto">{shown}{more}</pre>'


def _text(text: str) -> str:
    """Text from outside, which can neither be markup nor turn what stands beside it around."""
    return f"<bdi>{escape(one_line(text))}</bdi>" if text else ""
