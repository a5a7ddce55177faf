"""A result, and single cases, as text for people: plain, or on a terminal with rich."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import to_builtins

from rejudge.domain.call import ModelCall, Reply
from rejudge.domain.ids import id_of
from rejudge.domain.item import content
from rejudge.domain.view import as_text
from rejudge.front.amounts import duration, money
from rejudge.front.cases import error_of, output_of, scores_of, verdict_of
from rejudge.front.lines import NAME, block, clipped, item_name, padded, width, wrapped
from rejudge.front.overview import overview, short, when
from rejudge.front.span_tree import span_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from rejudge.domain.call import CallRecord
    from rejudge.domain.run_config import RunConfig
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.domain.span import Spans
    from rejudge.domain.trace import Trace
    from rejudge.domain.usage import Usage
    from rejudge.front.failures import Failures
    from rejudge.front.overview import Figure, Overview
    from rejudge.front.result import Result
    from rejudge.storage.records import CaseRow

WIDTH = 100
"""The most columns that a line of a plain report takes, where nobody says otherwise."""

SCORE, TASK, GAP = 30, 20, "  "
ITEM = 26
"""The most columns of an item's id in a list of cases."""

BAR = "  │ "
"""Stands before every line of a text from outside, so that it cannot be taken for the report's own."""


def text_report(result: Result, *, columns: int = WIDTH) -> str:
    """The report as plain text of at most so many columns: figures, then failures, then notes.

    The same stored records give the same text.
    """
    return _text(overview(result), columns)


def figures_report(result: Result, *, columns: int = WIDTH) -> str:
    """The report without its failures, for where these are told in another way."""
    return _text(overview(result, failures=0), columns)


def _text(seen: Overview, columns: int) -> str:
    parts = [
        [line for warning in seen.warnings for line in wrapped(warning, columns)],
        _head(seen, columns),
        _figures(seen.figures, columns),
        *(_failures(failures, columns) for failures in seen.failures if failures.cases),
        _notes(seen.notes, columns),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part)


def print_report(result: Result, console: Console) -> None:
    """The report on a terminal, as wide as that is."""
    from rich.text import Text

    seen = overview(result)
    for warning in seen.warnings:
        console.print(Text(f"{warning}\n", style="bold red"))
    console.print(Text(seen.experiment, style="bold"))
    console.print(Text(seen.dataset, style="dim"))
    for run in seen.runs:
        console.print()
        console.print(Text.assemble((f"{run.task}: ", "bold"), (run.state, "bold red" if run.bad else "green")))
        console.print(Text(" · ".join(run.details), style="dim"))
    if seen.figures:
        console.print()
        console.print(_table(seen))
    for failures in seen.failures:
        console.print()
        console.print(Text(failures.title, style="bold red"))
        for text in _shown(failures, console.width):
            console.print(text, no_wrap=True, overflow="ellipsis")
    if seen.notes:
        console.print()
    for note in seen.notes:
        console.print(Text(f"note: {note}", style="yellow"))


def _origin(row: CaseRow, trace: Trace, config: RunConfig | None) -> str:
    """Where a trace came from and what it took; the time of reading a recorded output back says nothing."""
    if config is not None and config.recorded:
        return "reused from an earlier run (a hit), read" if row.case.reused else "recorded elsewhere, read"
    came = "reused from an earlier run (a hit)" if row.case.reused else "generated in this run"
    return f"{came}, {duration(trace.seconds)}"


def case_report(
    row: CaseRow,
    scorers: Mapping[bytes, ScorerConfig],
    spans: Spans | None = None,
    *,
    of: RunConfig | None = None,
    columns: int = WIDTH,
) -> str:
    """One case in full: its item, output, messages and spans, every score with its reason, and the tries before.

    `of` is the run config that it belongs to, which tells whether its time was measured.

    Lines have at most so many columns, but for texts from outside, which stand as they are.
    """
    case, trace = row.case, row.trace
    head = [f"item {item_name(case.item_id, 2 * NAME)}, trial {case.trial}: {verdict_of(row)}"]
    if case.reason:
        head += _block("skipped", case.reason)
    if case.execution_error.message:
        head += _block("error", error_of(row))
    if trace is not None:
        head.append(f"{short(trace.id)}, {_origin(row, trace, of)} at {when(trace.started_at)}, {_spent(trace.usage)}")
    elif case.trace is not None:
        head.append(f"{short(id_of('trace', case.trace))} is gone from the store")
    parts = [head]
    parts += [_block(f"item.{name}", as_text(value)) for name, value in content(row.item.id, row.item.fields).items()]
    if trace is not None:
        parts.append(_block("output", as_text(trace.produced.output)))
        parts += [_message(message) for message in trace.produced.messages or ()]
    if spans:
        heading, lines = span_lines(spans, columns=columns - width(BAR))
        parts.append([heading, *(BAR + line for line in lines)])
    for name, text, _ in scores_of(row, scorers):
        parts.append(_block(f"score {name}", text))
    for score in row.scores:
        config = scorers.get(score.scorer)
        parts += [_asked("unknown scorer" if config is None else config.name, record) for record in score.calls]
    for number, attempt in enumerate(case.attempts, start=1):
        waited = f", then waited {duration(attempt.waited)}" if attempt.waited else ""
        parts.append(_block(f"try {number}, {duration(attempt.seconds)}{waited}", attempt.error))
    return "\n\n".join("\n".join(_fitting(part, columns)) for part in parts)


def _fitting(lines: Iterable[str], columns: int) -> Iterator[str]:
    """The lines, those of the report's own broken where they are too long."""
    for line in lines:
        yield from [line] if line.startswith(BAR) else wrapped(line, columns)


class _Listed(NamedTuple):
    """A line of a list of cases: its short cells, then what shares the rest of it."""

    short: tuple[str, ...]
    output: str
    scores: str


def cases_table(rows: Iterable[CaseRow], scorers: Mapping[bytes, ScorerConfig], *, columns: int = WIDTH) -> str:
    """Cases as lines of at most so many columns, each with its result, its output or error, and its scores.

    The trial has a column where it tells cases apart; what has no scores takes their room too.
    """
    listed = list(rows)
    if not listed:
        return "no cases"
    trials = any(row.case.trial for row in listed)
    names = ("item", "trial", "result") if trials else ("item", "result")
    lines = [_Listed(names, "output", "scores"), *(_listed(row, scorers, trials) for row in listed)]
    if not any(line.scores for line in lines[1:]):
        lines[0] = lines[0]._replace(scores="")
    item = min(ITEM, columns // 4)
    left = [min(item, max(map(width, column))) for column in zip(*(line.short for line in lines), strict=True)]
    room = columns - sum(left) - len(GAP) * len(left)
    judged = [line for line in lines if line.scores]
    scored = max((width(clipped(line.scores, room)) for line in judged), default=0)
    longest = max((width(clipped(line.output, room)) for line in judged), default=0)
    output = min(longest, max(room * 2 // 5, room - scored - len(GAP)))
    told = []
    for line in lines:
        cells = [padded(clipped(cell, limit), limit) for cell, limit in zip(line.short, left, strict=True)]
        if line.scores:
            cells += [padded(clipped(line.output, output), output), clipped(line.scores, room - output - len(GAP))]
        else:
            cells.append(clipped(line.output, room))
        told.append(GAP.join(cells).rstrip())
    return "\n".join(told)


def _listed(row: CaseRow, scorers: Mapping[bytes, ScorerConfig], trials: bool) -> _Listed:
    case = row.case
    trial = (str(case.trial),) if trials else ()
    scores = " · ".join(f"{name} {text}" for name, text, _ in scores_of(row, scorers))
    return _Listed((item_name(case.item_id, ITEM), *trial, verdict_of(row)), output_of(row), scores)


def _head(seen: Overview, columns: int) -> list[str]:
    facts = [("experiment", [seen.experiment]), ("dataset", [seen.dataset])]
    facts += [("task", [f"{run.task}: {run.state}", *run.details]) for run in seen.runs]
    return [line for name, texts in facts for line in _beside(padded(name, 10), texts, columns)]


def _figures(figures: Sequence[Figure], columns: int) -> list[str]:
    if not figures:
        return []
    score = min(SCORE, columns // 4, max(5, *(width(figure.score) for figure in figures)))
    task = min(TASK, columns // 4, max(4, *(width(figure.task) for figure in figures)))
    several = len({figure.task for figure in figures}) > 1

    def left(first: str, second: str) -> str:
        cells = [padded(clipped(first, score), score), padded(clipped(second, task), task)]
        return GAP.join(cells if several else cells[:1])

    lines = _beside(left("score", "task"), ["estimate"], columns)
    last = ""
    for figure in figures:
        name = "" if figure.score == last else figure.score
        last = figure.score
        lines += _beside(left(name, figure.task), [*figure.lines, *figure.missing], columns)
    return lines


def _failures(failures: Failures, columns: int) -> list[str]:
    lines = [clipped(failures.title, columns)]
    for case in failures.cases:
        lines.append(f"{GAP}{clipped(case.title, columns - len(GAP))}")
        names = min(TASK, columns // 4, max(width(name) for name, _ in case.parts))
        for name, text in case.parts:
            left = f"{GAP}{GAP}{padded(clipped(name, names), names)}{GAP}"
            lines.append(left + clipped(text, columns - width(left)))
    return lines


def _notes(notes: Iterable[str], columns: int) -> list[str]:
    return [line for note in notes for line in _beside("note", [note], columns)]


def _beside(left: str, texts: Iterable[str], columns: int) -> list[str]:
    """`texts` in a column beside `left`, which stands on the first line only."""
    room = columns - width(left) - len(GAP)
    lines = [line for text in texts for line in wrapped(text, room)]
    blank = " " * width(left)
    return [f"{blank if place else left}{GAP}{line}" for place, line in enumerate(lines)]


def _table(seen: Overview) -> Table:
    from rich.table import Table
    from rich.text import Text

    several = len(seen.runs) > 1
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for column in ("score", "task", "estimate") if several else ("score", "estimate"):
        table.add_column(column, overflow="fold")
    last = ""
    for figure in seen.figures:
        text = Text("\n".join(figure.lines), style="bold")
        for line in figure.missing:
            text.append(f"\n{line}", style="not bold yellow")
        name = "" if figure.score == last else figure.score
        last = figure.score
        table.add_row(*map(Text, (name, figure.task) if several else (name,)), text)
    return table


def _shown(failures: Failures, room: int) -> Iterator[Text]:
    from rich.text import Text

    for case in failures.cases:
        yield Text(f"{GAP}{case.title}", style="bold")
        names = min(TASK, max(width(name) for name, _ in case.parts))
        for name, text in case.parts:
            left = f"{GAP}{GAP}{padded(clipped(name, names), names)}{GAP}"
            yield Text.assemble((left, "dim"), clipped(text, max(1, room - width(left))))


def _block(name: str, text: str) -> list[str]:
    return [clipped(name, WIDTH), *(BAR + line for line in block(text))]


def _message(message: object) -> list[str]:
    if not isinstance(message, dict):
        return _block("message", as_text(message))
    role, content = message.get("role"), message.get("content")
    rest = {name: value for name, value in message.items() if name not in ("role", "content")}
    told = [as_text(part) for part in (content, rest) if part]
    return _block(f"message of {as_text(role)}", "\n".join(told))


def _asked(scorer: str, record: CallRecord) -> list[str]:
    """A call that a scorer made, and what it was answered."""
    call, reply = record.call, record.reply
    if not isinstance(call, ModelCall) or not isinstance(reply, Reply):
        return _block(f"{scorer} asked", as_text(to_builtins(call)))
    lines = [line for message in call.messages for line in _block(f"{scorer} to {call.model}", _said(message))]
    head = f"{reply.model or call.model} to {scorer}, {duration(record.seconds)}, {_spent(reply.usage)}"
    told = [part for part in (reply.reasoning, reply.text, reply.refusal) if part]
    return lines + _block(head, "\n".join(told) or "(nothing)")


def _said(message: dict[str, object]) -> str:
    return f"[{as_text(message.get('role'))}] {as_text(message.get('content'))}"


def _spent(usage: Usage | None) -> str:
    if usage is None:
        return "cost unknown"
    tokens = [
        f"{number} tokens {side}"
        for number, side in ((usage.input_tokens, "in"), (usage.output_tokens, "out"))
        if number is not None
    ]
    return ", ".join(["cost unknown" if usage.cost is None else f"cost {money(usage.cost)}", *tokens])
