from __future__ import annotations

from rejudge.domain.span import Span, Spans
from rejudge.domain.usage import Usage
from rejudge.front.lines import width
from rejudge.front.span_tree import MOST_LINES, span_lines

STEERING = "\x1b[2J\nforged"


def test_spans_are_shown_as_a_tree_with_kind_time_tokens_and_failure() -> None:
    spans = Spans(
        spans=(
            Span(id=1, name="plan", kind="agent", started=0.0, seconds=1.25),
            Span(id=2, name="ask", parent=1, kind="model", seconds=1.0, model="m-1", usage=Usage(input_tokens=3)),
            Span(id=3, name="look", parent=1, kind="tool", seconds=0.004, error="KeyError: 'x'"),
            Span(id=4, name="later"),
        ),
        unended=1,
        waited=3.0,
    )
    heading, lines = span_lines(spans, columns=80)
    assert heading == (
        "4 spans; 1 still open when the task had returned after a wait of 3.0 s, so that what followed is not here"
    )
    assert lines == [
        "plan · agent · 1.2 s",
        "  ask · model · 1.0 s · m-1 · 3 tokens in",
        "  look · tool · 4 ms · failed: KeyError: 'x'",
        "later · general · still open",
    ]


def test_what_a_tool_was_given_and_told_is_shown_in_short() -> None:
    spans = Spans(
        spans=(
            Span(id=1, name="stock", kind="tool", seconds=0.004, input={"article": "hat"}, output=3),
            Span(id=2, name="search", seconds=0.004, input={"word": "x" * 100}, error="KeyError: 'x'"),
            Span(id=3, name="roll", seconds=0.004, input={}, output=False),
            Span(id=4, name="m", kind="model", seconds=1.0, input=["a long prompt"], output="an answer"),
        )
    )
    _, lines = span_lines(spans, columns=200)
    assert lines == [
        'stock · tool · 4 ms · {"article":"hat"} → 3',
        f'search · general · 4 ms · {{"word":"{"x" * 30}… · failed: KeyError: \'x\'',
        "roll · general · 4 ms · → false",
        "m · model · 1.0 s",
    ]


def test_names_and_errors_cannot_steer_the_terminal_or_leave_their_line() -> None:
    spans = Spans(spans=(Span(id=1, name=STEERING, kind=STEERING, error=STEERING * 1_000, model=STEERING),))
    _, lines = span_lines(spans, columns=80)
    assert len(lines) == 1
    assert "\x1b" not in lines[0]
    assert width(lines[0]) <= 80


def test_a_great_many_spans_are_counted_and_deep_ones_stay_within_the_line() -> None:
    spans = Spans(spans=tuple(Span(id=place, parent=place - 1, name="deeper") for place in range(1, 3_001)), left_out=7)
    heading, lines = span_lines(spans, columns=80)
    assert heading == "3000 spans; 7 left out, because there were too many"
    assert len(lines) == MOST_LINES + 1
    assert lines[-1] == f"… and {3_000 - MOST_LINES} more spans"
    assert all(width(line) <= 80 for line in lines)
