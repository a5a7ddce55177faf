"""Spans: what was done inside one task call, as they are kept with its trace and as scorers are shown them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field, to_builtins

from rejudge.domain.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT: Final = 0
"""The id of the task's own span, which is never stored: its trace tells what it would hold."""

TASK, GENERAL, MODEL, TOOL = "task", "general", "model", "tool"
AGENT, RETRIEVAL, EMBEDDING, HTTP = "agent", "retrieval", "embedding", "http"
"""The kinds that are given here; a span of the user's own may be of any other."""


class Span(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One piece of work. `started` is in seconds after the task began; `seconds` is None where it did not end in time.

    Ids count the spans of a trace from 1 in the order in which they began; a parent began before its children.
    `input`, `output` and `attributes` are plain JSON, shortened where they were too large.
    """

    id: int
    name: str
    parent: int = ROOT
    kind: str = GENERAL
    started: float = 0.0
    seconds: float | None = None
    input: object = None
    output: object = None
    error: str | None = None
    model: str | None = None
    usage: Usage | None = None
    attributes: dict[str, object] = field(default_factory=dict)


class Spans(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was recorded inside one task call.

    `unended` spans were still open after the task had returned and had been waited for `waited` seconds; `left_out`
    ones are not here, because there were too many.
    """

    spans: tuple[Span, ...] = ()
    unended: int = 0
    waited: float = 0.0
    left_out: int = 0

    def __bool__(self) -> bool:
        return bool(self.spans or self.unended or self.left_out)


class SpanTree(Struct, kw_only=True):
    """A span with those that began inside it, in the order in which they began; fields as in `Span`."""

    id: int
    name: str
    kind: str
    started: float = 0.0
    seconds: float | None = None
    input: object = None
    output: object = None
    error: str | None = None
    model: str | None = None
    usage: Usage | None = None
    attributes: dict[str, object] = field(default_factory=dict)
    children: list[SpanTree] = field(default_factory=list)

    def walk(self) -> Iterator[SpanTree]:
        """This span and all below it, each before its children."""
        waiting = [self]
        while waiting:
            span = waiting.pop()
            yield span
            waiting.extend(reversed(span.children))

    def find(self, name: str) -> SpanTree | None:
        """The first span below this one with this name; None where there is none."""
        return next(self.find_all(name), None)

    def find_all(self, name: str | None = None, *, kind: str | None = None) -> Iterator[SpanTree]:
        """The spans below this one with this name and of this kind, where one is said."""
        for span in self.walk():
            if span is not self and name in (None, span.name) and kind in (None, span.kind):
                yield span


def tree_of(root: SpanTree, spans: Iterable[Span]) -> SpanTree:
    """`root` with the spans below it; one whose parent is not there is put under the root itself."""
    nodes = {root.id: root}
    for span in sorted(spans, key=lambda span: span.id):
        node = SpanTree(**{name: getattr(span, name) for name in Span.__struct_fields__ if name != "parent"})
        nodes.get(span.parent, root).children.append(node)
        nodes[span.id] = node
    return root


def plain_spans(root: SpanTree) -> list[dict[str, object]]:
    """The spans below `root` as JSON-like objects with all their fields, in the order in which they began."""
    listed: list[dict[str, object]] = []
    for parent in root.walk():
        for span in parent.children:
            plain = {name: getattr(span, name) for name in SpanTree.__struct_fields__ if name != "children"}
            listed.append(plain | {"parent": parent.id, "usage": to_builtins(span.usage)})
    return sorted(listed, key=_place)


def totals(spans: Iterable[Span]) -> dict[str, int]:
    """How many spans there are of each kind."""
    counts: defaultdict[str, int] = defaultdict(int)
    for span in spans:
        counts[span.kind] += 1
    return dict(counts)


def _place(plain: dict[str, object]) -> int:
    place = plain["id"]
    assert isinstance(place, int)
    return place
