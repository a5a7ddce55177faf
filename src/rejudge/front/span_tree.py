"""The spans of a case as a compact tree: one line each, with its kind, how long it took, and what it failed with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.span import EMBEDDING, MODEL, ROOT, TASK, SpanTree, tree_of
from rejudge.domain.view import as_text
from rejudge.front.amounts import counted, duration
from rejudge.front.lines import NAME, clipped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.domain.span import Spans

MOST_LINES = 60
"""Spans of one case that are shown."""

DEEPEST = 12
"""Levels that are indented; what is deeper stands no further to the right."""


def span_lines(spans: Spans, *, columns: int) -> tuple[str, list[str]]:
    """A heading, and a line of at most so many columns for each span, those inside another one indented."""
    root = tree_of(SpanTree(id=ROOT, name="", kind=TASK), spans.spans)
    lines = [clipped("  " * min(depth, DEEPEST) + _line(span), columns) for depth, span in _nested(root)]
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"… and {counted(len(lines) - MOST_LINES, 'more span')}"]
    return _heading(spans), lines


def _heading(spans: Spans) -> str:
    told = [counted(len(spans.spans), "span")]
    if spans.unended:
        wait = f" after a wait of {duration(spans.waited)}" if spans.waited else ""
        told.append(f"{spans.unended} still open when the task had returned{wait}, so that what followed is not here")
    if spans.left_out:
        told.append(f"{spans.left_out} left out, because there were too many")
    return "; ".join(told)


def _nested(root: SpanTree) -> Iterator[tuple[int, SpanTree]]:
    waiting = [(0, child) for child in reversed(root.children)]
    while waiting:
        depth, span = waiting.pop()
        yield depth, span
        waiting.extend((depth + 1, child) for child in reversed(span.children))


def _line(span: SpanTree) -> str:
    told = [clipped(span.name, NAME), span.kind, "still open" if span.seconds is None else duration(span.seconds)]
    if span.model is not None and not (span.kind == MODEL and span.model == span.name):
        told.append(span.model)
    if span.usage is not None:
        sides = ((span.usage.input_tokens, "in"), (span.usage.output_tokens, "out"))
        told += [f"{number} tokens {side}" for number, side in sides if number is not None]
    if span.kind not in (MODEL, EMBEDDING):
        told += _passed_through(span)
    if span.error is not None:
        told.append(f"failed: {span.error}")
    return " · ".join(told)


def _passed_through(span: SpanTree) -> Iterator[str]:
    """What went in and what came out, in short; what models are asked and say are the messages of the trace."""
    given = "" if span.input in (None, {}) else f"{clipped(as_text(span.input), NAME)} "
    if span.output is not None:
        yield f"{given}→ {clipped(as_text(span.output), NAME)}"
    elif given:
        yield given.rstrip()
