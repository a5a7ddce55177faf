"""Spans of OpenTelemetry as spans of the unit inside whose task call they began.

The SDK is an optional package. It is loaded when a recording begins and it is there; the user's own tracer provider is
used where one is set.
"""

from __future__ import annotations

from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import WeakSet

from rejudge.domain.span import ROOT
from rejudge.tasks.spans import PLACE, Opened, Recorder, also_within, parent_at

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import Span as OpenTelemetrySpan

MOST_OPEN: Final = 100_000
"""Spans that have begun and not ended, of all units together; beyond it the oldest are forgotten."""

NANOSECONDS: Final = 1e9

_known: WeakSet[object] = WeakSet()
_lock = Lock()


def listen() -> None:
    """File the spans of OpenTelemetry from now on, where its SDK is installed."""
    if not _is_installed():
        return
    with _lock:
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider

        provider: object = trace.get_tracer_provider()
        if isinstance(provider, trace.ProxyTracerProvider):
            provider = TracerProvider()
            trace.set_tracer_provider(provider)
        add = getattr(provider, "add_span_processor", None)  # one that does nothing has none
        if add is None or provider in _known:
            return
        _known.add(provider)
        add(_processor())
        also_within(_current)


def _is_installed() -> bool:
    try:
        return find_spec("opentelemetry.sdk") is not None
    except (ImportError, ValueError):
        return False


class _Begun(NamedTuple):
    """A span of OpenTelemetry that is open, with ours."""

    recorder: Recorder
    opened: Opened


class Filing:
    """Which spans of OpenTelemetry are open, by their ids, and what each becomes."""

    def __init__(self) -> None:
        self._open: dict[tuple[int, int], _Begun] = {}

    def begin(self, span: OpenTelemetrySpan, name: str, within: int | None, started: float) -> None:
        """File a span that began here, if this is inside a task call; `within` is the id of its parent there."""
        place = PLACE.get()
        if place is None:
            return
        recorder = place.recorder
        parent = recorder.foreign.get(within, ROOT) if within is not None else ROOT
        opened = Opened(name)
        if not recorder.begin(opened, parent=max(parent, place.span) if parent else parent_at(place)):
            return
        opened.place(opened.id, opened.parent, max(0.0, started - recorder.began_at))
        context = span.get_span_context()
        recorder.foreign[context.span_id] = opened.id
        self._open[context.trace_id, context.span_id] = _Begun(recorder, opened)
        if len(self._open) > MOST_OPEN:
            self._open.pop(next(iter(self._open)), None)

    def end(self, span: ReadableSpan) -> None:
        """Tell what came of a span that was filed, wherever it ends."""
        context = span.get_span_context()
        begun = None if context is None else self._open.pop((context.trace_id, context.span_id), None)
        if begun is None:
            return
        opened = begun.opened
        opened.name = span.name
        opened.attributes = dict(span.attributes or {})
        for event in span.events:
            if event.name.startswith("gen_ai."):
                opened.attributes |= dict(event.attributes or {})
        seconds = None
        if span.start_time is not None and span.end_time is not None:
            seconds = max(0.0, (span.end_time - span.start_time) / NANOSECONDS)
        begun.recorder.end(opened, error=_error(span), seconds=seconds)


def _error(span: ReadableSpan) -> str | None:
    """What a span failed with, in words."""
    from opentelemetry.trace import StatusCode

    if span.status.status_code is not StatusCode.ERROR:
        return None
    for event in reversed(span.events):
        attributes = event.attributes or {}
        if event.name == "exception" and attributes.get("exception.type"):
            return f"{attributes['exception.type']!s}: {attributes.get('exception.message', '')!s}"
    return span.status.description or "error"


def _current(recorder: Recorder) -> int:
    """The span of OpenTelemetry in which the running code stands, by our id; 0 where none is filed there."""
    from opentelemetry import trace

    return recorder.foreign.get(trace.get_current_span().get_span_context().span_id, ROOT)


def _processor() -> object:
    from opentelemetry.sdk.trace import SpanProcessor

    filing = Filing()

    class Processor(SpanProcessor):
        """Tells the filing of every span that begins and ends."""

        def on_start(self, span: OpenTelemetrySpan, parent_context: Context | None = None) -> None:
            within = getattr(span, "parent", None)
            began = getattr(span, "start_time", None)
            filing.begin(
                span,
                getattr(span, "name", "span"),
                None if within is None else within.span_id,
                (began or 0) / NANOSECONDS,
            )

        def on_end(self, span: ReadableSpan) -> None:
            filing.end(span)

    return Processor()
