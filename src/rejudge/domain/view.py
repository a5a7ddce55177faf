"""A view: what a scorer sees of one trace. No run config, no model name, no scores of others."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from msgspec import UNSET, Struct, UnsetType, field

from rejudge.domain.payload import encode
from rejudge.domain.span import SpanTree
from rejudge.domain.usage import Usage


class View(Struct, frozen=True, kw_only=True):
    """One trace with the item it came from, as a scorer is shown it.

    `trace` is the list of messages, or None where the task recorded none; `reference_data` is None
    where the item has no reference. `item` holds every field of the item, reference included;
    `extra` the other keys of a returned dict, `mapped` what the caller's mapping says, `latency` seconds. By the names
    in `declared`, the dataset's reference fields, nothing is found but the item's. `read_spans` reads the spans once
    they are asked for.
    """

    output: object = None
    text: str | UnsetType = UNSET
    trace: list[object] | None = None
    reference_data: dict[str, object] | None = None
    task_input: dict[str, object] | None = None
    item: dict[str, object] = field(default_factory=dict)
    metadata: dict[str, object] | None = None
    extra: dict[str, object] = field(default_factory=dict)
    mapped: dict[str, object] = field(default_factory=dict)
    declared: tuple[str, ...] = ()
    item_id: str = ""
    usage: Usage | None = None
    latency: float | None = None
    read_spans: Callable[[], SpanTree | None] | None = None

    @property
    def task_span(self) -> SpanTree | None:
        """The span of the task with all that was recorded inside it, new each time; None where nothing was recorded."""
        return None if self.read_spans is None else self.read_spans()

    @property
    def spans(self) -> list[SpanTree] | None:
        """The spans inside the task's own, in the order in which they began; None where nothing was recorded."""
        root = self.task_span
        return None if root is None else sorted(root.find_all(), key=attrgetter("id"))

    @property
    def final_message(self) -> str:
        """The output as text: text itself, anything else as JSON."""
        return as_text(self.output) if isinstance(self.text, UnsetType) else self.text


def as_text(value: object) -> str:
    """`value` as scorers compare it: text unchanged, anything else as JSON with non-ASCII kept (`42.0` is not `42`)."""
    return value if isinstance(value, str) else encode(value).decode()
