"""Reading the spans of stored traces for the scorers that ask for them."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final

from rejudge.domain.span import SpanTree, tree_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.span import Spans
    from rejudge.storage.store import Store

CHUNK: Final = 64
"""Traces whose spans are read at once."""


class SpanReader:
    """Reads the spans of a group of traces, some at a time, once a scorer asks for those of one of them.

    `task` is the name of the task that made them.
    """

    def __init__(self, store: Store, traces: Sequence[int], *, task: str) -> None:
        self.task = task
        self._store = store
        self._traces = traces
        self._places = {ref: place for place, ref in enumerate(traces)}
        self._read: dict[int, Spans | None] = {}
        self._lock = Lock()

    def below(self, root: SpanTree, *, trace: int) -> SpanTree | None:
        """`root` with the spans of this trace below it; None where none were recorded."""
        found = self._spans(trace)
        return None if found is None else tree_of(root, found.spans)

    def _spans(self, trace: int) -> Spans | None:
        with self._lock:
            if trace not in self._read:
                first = self._places[trace]
                wanted = [ref for ref in self._traces[first : first + CHUNK] if ref not in self._read]
                loaded = self._store.load_spans(wanted)
                self._read.update({ref: loaded.get(ref) for ref in wanted})
            return self._read[trace]
