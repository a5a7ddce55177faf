"""Traces as rows: written, filed under their key, dropped from it, and read back."""

from __future__ import annotations

from contextlib import suppress
from time import time
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, select, update

from rejudge.domain.call import CallRecord
from rejudge.domain.payload import decode_as
from rejudge.domain.span import Spans
from rejudge.domain.trace import Produced, Trace
from rejudge.domain.usage import Usage
from rejudge.storage.bulk import Listed, Rows
from rejudge.storage.payloads import load_payloads
from rejudge.storage.records import TraceRef
from rejudge.storage.schema import traces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from rejudge.storage.bulk import AnyTuple
    from rejudge.storage.payloads import Payloads
    from rejudge.storage.records import NewTrace

_UNKNOWN = (None, None, None)
_BODY_PAYLOAD, _CALLS_PAYLOAD = 3, 5
"""Places in a row of `_whole`."""
_MADE = 1

_rows = Rows(
    traces,
    "id",
    "key",
    "digest",
    "item",
    "run_config",
    "trial",
    "run",
    "body",
    "started_at",
    "seconds",
    "evaluation_made",
    "spans",
    "body_payload",
    "calls",
    "calls_payload",
    "input_tokens",
    "output_tokens",
    "cost",
    "spans_payload",
    rare=7,
)
_filed = traces.c.dropped_at.is_(None)
_by_key = Listed(select(traces.c.id, traces.c.key, traces.c.digest, traces.c.run).where(_filed), traces.c.key)
_drop = Listed(update(traces).where(_filed).values(dropped_at=bindparam("at")), traces.c.id)
_whole = Listed(
    select(
        traces.c.id,
        traces.c.key,
        traces.c.body,
        traces.c.body_payload,
        traces.c.calls,
        traces.c.calls_payload,
        traces.c.input_tokens,
        traces.c.output_tokens,
        traces.c.cost,
        traces.c.started_at,
        traces.c.seconds,
    ),
    traces.c.id,
)
_spans = Listed(select(traces.c.id, traces.c.spans, traces.c.spans_payload), traces.c.id)


def add_traces(
    connection: Connection, new: Sequence[NewTrace], large: Payloads, *, first: int
) -> tuple[tuple[TraceRef, ...], frozenset[int]]:
    """Store traces, with ids from `first` on, under keys that have none.

    Returns who stands under each key now, and the places of those that came too late.
    """
    stored = tuple(TraceRef(ref, trace.key, trace.digest, trace.run) for ref, trace in enumerate(new, first))
    lost: frozenset[int] = frozenset()
    if _rows.insert_columns(connection, _columns(new, large, first)) < len(new):
        filed = find_traces(connection, [trace.key for trace in new])
        lost = frozenset(place for place, mine in enumerate(stored) if filed[mine.key].ref != mine.ref)
        stored = tuple(filed[mine.key] for mine in stored)
    return stored, lost


def drop_traces(connection: Connection, refs: Sequence[int]) -> None:
    """File these traces under no key any more."""
    _drop.change(connection, refs, at=time())


def find_traces(connection: Connection, keys: Sequence[bytes]) -> dict[bytes, TraceRef]:
    """The traces that are filed under these keys."""
    rows = _by_key.tuples(connection, keys)
    return {key: TraceRef(ref, key, digest, run) for ref, key, digest, run in rows}


def load_traces(connection: Connection, refs: Sequence[int]) -> dict[int, Trace]:
    """The traces themselves, without those that are gone or unreadable."""
    rows = _whole.tuples(connection, refs)
    large = load_payloads(connection, [ref for row in rows for ref in (row[_BODY_PAYLOAD], row[_CALLS_PAYLOAD])])
    loaded = ((row[0], _trace(row, large)) for row in rows)
    return {ref: trace for ref, trace in loaded if trace is not None}


def load_spans(connection: Connection, refs: Sequence[int]) -> dict[int, Spans]:
    """The spans that were recorded with these traces, without those that are gone or unreadable."""
    rows = _spans.tuples(connection, refs)
    large = load_payloads(connection, [payload for _, _, payload in rows])
    loaded: dict[int, Spans] = {}
    for ref, stored, payload in rows:
        content = stored if payload is None else large.get(payload)
        if content is not None:
            with suppress(ValueError):
                loaded[ref] = decode_as(content, Spans)
    return loaded


def _columns(new: Sequence[NewTrace], large: Payloads, first: int) -> list[Sequence[object]]:
    bodies, body_payloads = large.columns([trace.body for trace in new])
    calls, calls_payloads = large.columns([trace.calls for trace in new])
    spans, spans_payloads = large.columns([trace.spans for trace in new])
    spent = [trace.usage or _UNKNOWN for trace in new]
    return [
        range(first, first + len(new)),
        [trace.key for trace in new],
        [trace.digest for trace in new],
        [trace.item for trace in new],
        [trace.run_config for trace in new],
        [trace.trial for trace in new],
        [trace.run for trace in new],
        bodies,
        [trace.started_at for trace in new],
        [trace.seconds for trace in new],
        [_MADE] * len(new),
        spans,
        body_payloads,
        calls,
        calls_payloads,
        *([amounts[place] for amounts in spent] for place in range(len(_UNKNOWN))),
        spans_payloads,
    ]


def _trace(row: AnyTuple, large: dict[int, bytes]) -> Trace | None:
    """The trace of a row, or None where its bytes cannot be read."""
    _, key, body, body_payload, calls, calls_payload, input_tokens, output_tokens, cost, started_at, seconds = row
    try:
        body = body if body_payload is None else large[body_payload]
        calls = calls if calls_payload is None else large[calls_payload]
        produced = decode_as(body, Produced)
        called = () if calls is None else decode_as(calls, tuple[CallRecord, ...])
    except (KeyError, ValueError):
        return None
    usage = None
    if (input_tokens, output_tokens, cost) != _UNKNOWN:
        usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens, cost=cost)
    return Trace(key=key, produced=produced, calls=called, usage=usage, started_at=started_at, seconds=seconds)
