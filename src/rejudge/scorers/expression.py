"""A value expression: what it reads of a view, and its value or whose fault it is that there is none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final

from msgspec import to_builtins

from rejudge.domain.errors import ScorerError
from rejudge.domain.span import plain_spans
from rejudge.domain.verdict import Skip
from rejudge.domain.view import View
from rejudge.scorers.evaluation import REFERENCE, RETURNED, SPANS, Step, build, source_of
from rejudge.scorers.gap import Gap
from rejudge.scorers.parts import PARTS, message
from rejudge.scorers.syntax import Source, fields_read, messages_read, names_read, parse, patterns_read, spans_read
from rejudge.scorers.undefined import Failed, Missing

_READ: Final[Mapping[str, Callable[[View], object]]] = {
    **PARTS,
    "final_message": message,
    "usage": lambda view: to_builtins(view.usage),
    RETURNED: lambda view: view.extra,
}


def recorded_spans(view: View) -> object:
    """The spans as expressions find them: a list of objects, or nothing."""
    root = view.task_span
    return Missing(SPANS, "no spans were recorded") if root is None else plain_spans(root)


SKIPS: Final[Mapping[str, Skip]] = {
    SPANS: Skip.MISSING_SPANS,
    "usage": Skip.MISSING_USAGE,
    "latency": Skip.MISSING_USAGE,
    REFERENCE: Skip.MISSING_REFERENCE_KEY,
    "reference_data": Skip.MISSING_REFERENCE_KEY,
    "task_input": Skip.MISSING_INPUT_FIELD,
    "item": Skip.MISSING_INPUT_FIELD,
}
"""Nothing under these names is a skip; nothing under any other is the fault of what is judged."""


class Expression:
    """A Jinja2 expression over the parts of a view and the names `beside` them, checked when it is made.

    `fields` are the item fields that it reads by name, or None where that depends on the data. `patterns` says that it
    meets text with regular expressions.
    """

    __slots__ = ("_parameter", "_reads", "_step", "_tree", "_wants_reference", "fields", "patterns")

    def __init__(self, text: str, *, parameter: str, beside: Collection[str] = ()) -> None:
        source = Source(text.replace("\r\n", "\n").strip(), parameter)
        self._parameter = parameter
        self._tree = parse(source, names=(*PARTS, *beside))
        self._step: Step = build(self._tree)
        read = names_read(self._tree)
        self._wants_reference = REFERENCE in read
        self._reads = [(name, read_it) for name, read_it in _READ.items() if name in read]
        if spans_read(self._tree):
            self._reads = [(name, read_it) for name, read_it in self._reads if name != "trace"]
            self._reads += [("trace", _READ["trace"])] if messages_read(self._tree) else []
            self._reads.append((SPANS, recorded_spans))
        if "output" in read:
            self._reads.append((RETURNED, _READ[RETURNED]))
        self.fields = fields_read(self._tree, ("reference_data", "item"))
        self.patterns = patterns_read(self._tree)
        if not read:
            self._check_constant(source)

    def value(self, view: View, reference: object = None) -> object:
        """The value for one view, plain JSON and never null, or the Gap that there is instead.

        Raises ScorerError where the expression itself is at fault and nothing that it read.
        """
        names: dict[str, object] = {}
        for name, read in self._reads:
            names[name] = read(view)
        if self._wants_reference:
            names[REFERENCE] = reference
        if "trace" in names and names["trace"] is None:
            return Gap(Skip.MISSING_TRACE, f"{self._parameter} reads the trace, and none was recorded")
        if isinstance(spans := names.get(SPANS), Missing):
            return Gap(Skip.MISSING_SPANS, f"{self._parameter} reads trace.spans, and {spans.why}")
        try:
            value = self._step(names)
        except Failed as failure:
            return self._gap(failure.root, failure.why)
        if type(value) is str:
            return value
        if value is None:
            return self._gap(source_of(self._tree, names), "null")
        if (missing := _missing_in(value)) is not None:
            return self._gap(missing.root, missing.why)
        return value

    def _gap(self, root: str, why: str) -> Gap:
        if not root:
            raise ScorerError(f"{self._parameter}: {why}", fix="mend the expression; nothing that it reads is at fault")
        return Gap(SKIPS.get(root), f"{self._parameter}: {why}, under {root}")

    def _check_constant(self, source: Source) -> None:
        try:
            self.value(View())
        except ScorerError as error:
            raise source.refused(f"the expression never has a value ({error.what})") from None


def _missing_in(value: object) -> Missing | None:
    """The first undefined value in `value`, which may be one or a list that holds one."""
    open_parts = [value]
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, Missing):
            return part
        if isinstance(part, list):
            open_parts.extend(reversed(part))
    return None
