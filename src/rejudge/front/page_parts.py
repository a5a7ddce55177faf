"""The parts that every page is made of: text from outside, figures with their numbers, tables, sentences, items."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from rejudge.front.lines import clipped, one_line
from rejudge.front.plots.estimate import SIGNS
from rejudge.front.plots.svg import NARROW, WIDE
from rejudge.stats.comparison_words import render_p
from rejudge.stats.interval import Interval, Undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rejudge.front.plots.estimate import Mark, Shown
    from rejudge.front.plots.unit import Unit
    from rejudge.stats.interval import Method

METHODS: Final[dict[Method, str]] = {
    "wilson": "Wilson's",
    "clopper-pearson": "Clopper and Pearson's",
    "t": "Student's t",
    "cluster-t": "t over clusters",
    "bootstrap-percentile": "bootstrap percentiles",
    "bootstrap-bca": "BCa bootstrap",
    "bootstrap-conservative": "bootstrap, conservative",
    "cluster-bootstrap-percentile": "bootstrap percentiles over clusters",
    "cluster-bootstrap-bca": "BCa bootstrap over clusters",
    "cluster-bootstrap-conservative": "bootstrap over clusters, conservative",
    "jackknife-t": "leaving out one group at a time",
    "jackknife-z": "leaving out one group at a time, on Fisher's scale",
    "jackknife-log": "leaving out one group at a time, of the logarithm",
    "order-statistics": "between two of the values",
    "woodruff": "Woodruff's",
    "newcombe": "Newcombe's",
    "welch-t": "Welch's t",
    "tango": "Tango's",
    "fisher-z": "Fisher's z",
    "normal": "normal",
    "delta-t": "delta method",
    "delta-z": "delta method, on Fisher's scale",
    "cluster-delta-t": "delta method over clusters",
    "cluster-delta-z": "delta method over clusters, on Fisher's scale",
    "lang-reiczigel": "Lang and Reiczigel's",
    "wilson-effective": "Wilson's at the effective size",
    "cluster-wilson": "Wilson's over clusters",
    "cluster-widened": "widened for clusters",
    "cluster-score-t": "score test over clusters",
    "score-t": "score test",
    "hall-t": "t, widened where values are skewed",
    "mover": "recovered from those of single rates",
}
"""Methods of intervals in words."""

LONGEST = 600
"""Characters of a text from outside that a page shows."""


def safe(text: str) -> str:
    """Text from outside, which can neither be markup nor turn what stands beside it around."""
    if len(text) > LONGEST:
        text = text[:LONGEST] + "…"
    return f"<bdi>{escape(one_line(text))}</bdi>" if text else ""


def kept(text: str, limit: int = 60) -> str:
    """A name from outside within a sentence, short enough to be read over."""
    return clipped(text, limit)


def sign(mark: Mark) -> str:
    """The mark of an estimate as a character, which its neighbours put into words."""
    return f'<span class="sign {mark}" aria-hidden="true">{SIGNS[mark]}</span>'


def figure(title: str, says: str, draw: Callable[[float], str], numbers: str) -> str:
    """A plot, drawn for wide and for narrow pages, with what it says above and its numbers as a table below."""
    return "\n".join(
        [
            f"<figure><figcaption><h3>{safe(title)}</h3>",
            f"<p>{safe(says)}</p>" if says else "",
            f'</figcaption><div class="plot">{draw(WIDE)}{draw(NARROW)}</div>',
            f'<details class="numbers"><summary>The numbers as a table</summary>{numbers}</details>',
            "</figure>",
        ]
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str) -> str:
    """A table of texts, whose first column names its rows; it scrolls by itself where it is too wide."""
    head = "".join(f'<th scope="col">{safe(one)}</th>' for one in heads)
    body = "".join(
        f'<tr><th scope="row">{safe(row[0])}</th>{"".join(f"<td>{safe(cell)}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    told = escape(one_line(caption))
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{told}"><table><caption>{safe(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def contents(heads: Sequence[str], rows: Iterable[tuple[str, Sequence[str]]]) -> str:
    """What the sections hold, in one table before them: each row's name leads to the section `score-N`, N from 1.

    The cells are markup.
    """
    head = "".join(f'<th scope="col">{safe(one)}</th>' for one in heads)
    body = "".join(
        f'<tr><th scope="row"><a href="#score-{place}">{safe(name)}</a></th>'
        f"{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for place, (name, cells) in enumerate(rows, 1)
    )
    return (
        '<nav aria-label="scores"><div class="scroll" role="region" tabindex="0" aria-label="all scores"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></nav>"
    )


def estimates_table(rows: Iterable[Shown], unit: Unit, *, caption: str, name: str = "") -> str:
    """The rows of a plot of intervals."""
    return table(
        [name or "name", "value", "interval", "n", "note"],
        [(row.name, unit.text(row.value, span=width_of(row.interval)), *_interval(row, unit)) for row in rows],
        caption=caption,
    )


def width_of(interval: Interval | Undefined) -> float:
    """How wide an interval is, 0 where there is none."""
    return interval.high - interval.low if isinstance(interval, Interval) else 0.0


def how(interval: Interval | Undefined) -> str:
    """`95 % interval, Wilson's`: the level and the method of an interval, or why there is none."""
    if isinstance(interval, Undefined):
        return str(interval)
    return f"{100 * interval.level:g} % interval, {METHODS[interval.method]}"


def p_text(p: float | Undefined) -> str:
    """`p = 0.031`, or why there is none."""
    return f"p {p}" if isinstance(p, Undefined) else render_p(p)


def _interval(row: Shown, unit: Unit) -> tuple[str, str, str]:
    if isinstance(row.interval, Undefined):
        told = str(row.interval)
    else:
        span = width_of(row.interval)
        ends = " to ".join(unit.text(end, span=span) for end in (row.interval.low, row.interval.high))
        told = f"{ends} ({how(row.interval)})"
    return told, f"{row.n:,}", ", ".join(filter(None, (row.note, row.more)))


def sentences(heading: str, told: Iterable[str]) -> Iterator[str]:
    """A list of sentences under a heading, nothing where there is none."""
    lines = [f"<li>{safe(one)}</li>" for one in told]
    if lines:
        yield f"<h3>{safe(heading)}</h3>" if heading else ""
        yield f"<ul>{''.join(lines)}</ul>"


def folded(summary: str, inside: Iterable[str], *, state: str = "") -> Iterator[str]:
    """Something to unfold; `state` may be `open`."""
    yield f'<details class="items"{" open" if state == "open" else ""}><summary>{safe(summary)}</summary>'
    yield from inside
    yield "</details>"


def note(text: str) -> str:
    """What a reader must know before the numbers are believed."""
    return f'<p class="note" role="note">{safe(text)}</p>'


def head(kind: str, title: str, facts: Iterable[tuple[str, str]], notes: Iterable[str] = ()) -> Iterator[str]:
    """The head of a page: what it is about, and what is compared with what."""
    yield f'<header><p class="kicker">rejudge · {safe(kind)}</p><h1>{safe(title)}</h1>'
    rows = "".join(f"<dt>{safe(name)}</dt><dd>{safe(fact)}</dd>" for name, fact in facts)
    if rows:
        yield f'<dl class="sides">{rows}</dl>'
    yield from map(note, notes)
    yield "</header>"


def hero(mark: Mark, verdict: str, big: str, facts: str) -> str:
    """The answer in one line, before everything else."""
    return (
        f'<div class="hero {mark}"><div class="verdict">{sign(mark)} {safe(verdict)}</div>'
        f'<div class="big">{safe(big)}</div><div class="facts">{safe(facts)}</div></div>'
    )


def columns(pictures: Iterable[str], words: Iterable[str]) -> Iterator[str]:
    """Pictures, with the words about them beside them where the page is wide enough, else below."""
    yield '<div class="columns"><div class="pictures">'
    yield from pictures
    yield "</div><aside>"
    yield from words
    yield "</aside></div>"


def foot(text: str) -> str:
    """The last line of a page."""
    return f"<footer>{safe(text)}</footer>"
