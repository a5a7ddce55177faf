"""What a scorer is shown of a trace, and the digest of what of it the score depends on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from rejudge.domain.ids import digest
from rejudge.domain.item import given_to_all
from rejudge.domain.span import ROOT, TASK, SpanTree
from rejudge.domain.trace import Produced
from rejudge.domain.view import View

if TYPE_CHECKING:
    from rejudge.runner.span_reader import SpanReader
    from rejudge.runner.work import Judged, Shape

Fields = dict[str, object]


def view_of(judged: Judged, fields: Fields, shape: Shape) -> View:
    """What a scorer sees of a trace and its item (rulings 2 and 17)."""
    produced = judged.produced
    if shape.reference:
        reference = {name: fields[name] for name in shape.reference if name in fields} or None
    else:
        reference = fields
    if shape.given is None:
        nothing_hidden = shape.hidden.isdisjoint(fields)
        task_input = fields if nothing_hidden else given_to_all(fields, reference=shape.reference)
    else:
        task_input = {name: fields[name] for name in shape.given if name in fields}
    return View(
        output=produced.output,
        trace=produced.messages,
        reference_data=reference,
        task_input=task_input,
        item=fields,
        metadata=produced.metadata,
        extra=produced.extra or {},
        declared=shape.reference,
        item_id=judged.unit.item.item_id,
        usage=judged.usage,
        latency=None if shape.given_is_elsewhere else judged.seconds,  # reading a recording is not what it took
        read_spans=None if judged.spans is None else partial(_task_span, judged, judged.spans, task_input),
    )


def _task_span(judged: Judged, spans: SpanReader, task_input: Fields) -> SpanTree | None:
    """The span of the task, which its trace tells, with those below it; new each time."""
    produced = judged.produced
    root = SpanTree(
        id=ROOT,
        name=spans.task,
        kind=TASK,
        seconds=judged.seconds,
        input=task_input,
        output=produced.output,
        usage=judged.usage,
    )
    return spans.below(root, trace=judged.ref.ref)


def fresh_view(judged: Judged, shape: Shape) -> View:
    """A view that shares nothing with any other, for scorers that may change what they are shown."""
    produced = msgspec.convert(msgspec.to_builtins(judged.produced), Produced)
    return view_of(msgspec.structs.replace(judged, produced=produced), judged.unit.fields(), shape)


def seen_with(seen: bytes, other: Judged | None) -> bytes:
    """The digest of what a judge of pairs reads beside a trace: what it sees of the item, and the other trace."""
    return seen if other is None else digest("seen-pair", [seen.hex(), other.ref.digest.hex()])


def seen_digest(fields: Fields, sees: tuple[str, ...] | None, shape: Shape) -> bytes:
    """The digest of what a scorer reads beside the trace: the item's fields, and how they divide.

    All fields count where the scorer does not say which it reads, and what the task is given counts where the
    trace's key does not hold it already.
    """
    if sees is None:
        seen: Fields = {"fields": fields}
    else:
        seen = {"fields": {name: fields[name] for name in sees if name in fields}}
        if shape.given_is_elsewhere:
            seen["given"] = given_to_all(fields, reference=shape.reference)
    if shape.reference:
        seen["reference"] = shape.reference
    return digest("seen", seen)
