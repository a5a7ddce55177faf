"""Records what happens inside a task call: one recorder for each try, found through one context variable.

Where no recorder stands in the context, nothing is recorded and nothing is slowed down.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from rejudge.domain.capture import Capture, said
from rejudge.domain.errors import RecordError
from rejudge.domain.payload import encode
from rejudge.domain.span import GENERAL, ROOT, Span, Spans
from rejudge.tasks.carrying import carry_into_threads
from rejudge.tasks.conventions import Meaning, meaning_of

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_SPANS: Final = 5_000
"""Spans of one task call; further ones are counted and left out."""

MOST_CHARACTERS: Final = 8_000_000
"""Of all inputs, outputs and attributes of one task call together."""

MOST_ATTRIBUTES: Final = 128

NAME: Final = 200
"""Characters of a name or kind."""

NOTHING: Final = encode(Spans())
"""What is stored of a call in which nothing was recorded."""


class Opened:
    """A span that has begun. What is put into `output`, `error` and `attributes` is told when it ends.

    Where it stands (`id`, `parent`, `begun`) is the recorder's to say.
    """

    __slots__ = ("_place", "_told", "attributes", "error", "input", "kind", "name", "output")

    def __init__(self, name: str, kind: str = GENERAL, input: object = None) -> None:
        self._place = (ROOT, ROOT, 0.0)
        self._told: object = None
        self.name = name
        self.kind = kind
        self.input = input
        self.output: object = None
        self.error: object = None
        self.attributes: dict[str, object] = {}

    @property
    def id(self) -> int:
        """Its number among the spans of the call."""
        return self._place[0]

    @property
    def parent(self) -> int:
        """The span in which it began."""
        return self._place[1]

    @property
    def begun(self) -> float:
        """When it began, in seconds after the call did."""
        return self._place[2]

    def place(self, id: int, parent: int, begun: float) -> None:
        """Say where it stands."""
        self._place = (id, parent, begun)

    def give(self, told: object) -> None:
        """Note what it was given, as it has been told."""
        self.input = self._told = told

    @property
    def input_is_told(self) -> bool:
        """Whether nobody put anything else into `input` since."""
        return self.input is self._told


class Recorder:
    """The spans of one try of one unit. Safe to use from several threads; once sealed, it only counts what is late."""

    __slots__ = (
        *(
            "_adopted",
            "_began",
            "_count",
            "_ended",
            "_idle",
            "_left_out",
            "_lock",
            "_on_late",
            "_open",
            "_sealed",
            "_tell",
        ),
        *("began_at", "elapsed", "foreign"),
    )

    def __init__(
        self,
        *,
        now: Callable[[], float] = time.time,
        elapsed: Callable[[], float] = time.perf_counter,
        on_late: Callable[[], None] | None = None,
    ) -> None:
        self.began_at = now()
        self.elapsed = elapsed
        self.foreign: dict[int, int] = {}
        self._adopted: Spans | None = None
        self._began = elapsed()
        self._count = 0
        self._open: dict[int, Opened] = {}
        self._ended: list[Span] = []
        self._left_out = 0
        self._lock = Lock()
        self._tell = Capture(MOST_CHARACTERS)
        self._idle: Callable[[], None] | None = None
        self._sealed = False
        self._on_late = on_late

    @property
    def busy(self) -> bool:
        """Whether a span has begun and not ended."""
        return bool(self._open)

    def when_idle(self, then: Callable[[], None]) -> None:
        """Call `then` once no span is open, in whichever thread that happens; at once, where none is."""
        with self._lock:
            if self._open:
                self._idle = then
                return
        then()

    def begin(self, opened: Opened, *, parent: int, told: object = None) -> bool:
        """Note that a span began; `told` is what it was given. False where it is not recorded."""
        told = self._tell(told)
        with self._lock:
            if self._sealed:
                return self._too_late()
            if self._count >= MOST_SPANS:
                self._left_out += 1
                return False
            self._count += 1
            opened.place(self._count, parent, self.elapsed() - self._began)
            opened.give(told)
            self._open[opened.id] = opened
        return True

    def end(self, opened: Opened, *, error: str | None = None, seconds: float | None = None) -> None:
        """Note that a span ended, `seconds` after it began where that is known better."""
        if seconds is None:
            seconds = self.elapsed() - self._began - opened.begun
        span = self._span(opened, error=error, seconds=seconds)
        with self._lock:
            if self._sealed:
                self._too_late()
                return
            if self._open.pop(opened.id, None) is None:
                return
            self._ended.append(span)
            idle = None if self._open else self._idle
            if idle is not None:
                self._idle = None
        if idle is not None:
            idle()

    def seal(self, *, waited: float = 0.0) -> Spans:
        """What was recorded until now; nothing more is added."""
        with self._lock:
            self._sealed = True
            still_open, self._open = self._open, {}
            ended, self._ended = self._ended, []
        if self._adopted is not None:
            return self._adopted
        if not ended and not still_open and not self._left_out:
            return _NOTHING
        unended = [self._span(opened, error=None, seconds=None) for opened in still_open.values()]
        spans = sorted([*ended, *unended], key=lambda span: span.id)
        return Spans(
            spans=tuple(spans), unended=len(unended), waited=waited if unended else 0.0, left_out=self._left_out
        )

    def discard(self) -> None:
        """Forget everything, and what comes later: the try came to nothing."""
        self._on_late = None
        self.seal()

    def adopt(self, spans: Spans) -> None:
        """Take over what another process recorded of this call."""
        self._adopted = spans

    def _too_late(self) -> bool:
        if self._on_late is not None:
            self._on_late()
        return False

    def _span(self, opened: Opened, *, error: str | None, seconds: float | None) -> Span:
        tell, meaning = self._tell, _NO_MEANING
        attributes: dict[str, object] = {}
        if opened.attributes:
            attributes = self._attributes(opened.attributes)
            meaning = meaning_of(attributes)
        return Span(
            id=opened.id,
            name=str(tell(opened.name))[:NAME],
            parent=opened.parent,
            kind=str(tell(meaning.kind if meaning.kind and opened.kind == GENERAL else opened.kind))[:NAME],
            started=opened.begun,
            seconds=seconds,
            input=meaning.input if opened.input is None else self._input(opened),
            output=meaning.output if opened.output is None else tell(opened.output),
            error=error or self._error(opened.error),
            model=meaning.model,
            usage=meaning.usage,
            attributes=meaning.rest if attributes else attributes,
        )

    def _input(self, opened: Opened) -> object:
        return opened.input if opened.input_is_told else self._tell(opened.input)

    def _error(self, stated: object) -> str | None:
        """What a user put into `error`: words, or an exception that was caught."""
        if isinstance(stated, BaseException):
            return said(stated)
        return None if stated is None else str(self._tell(stated))

    def _attributes(self, attributes: Mapping[str, object]) -> dict[str, object]:
        try:
            listed = list(dict(attributes).items())
        except Exception as error:  # noqa: BLE001 - whatever stands in for the dict that was there
            return {"…": f"not readable: {type(error).__name__}"}
        told = {str(self._tell(name))[:NAME]: self._tell(value) for name, value in listed[:MOST_ATTRIBUTES]}
        if len(listed) > MOST_ATTRIBUTES:
            told["…"] = f"{len(listed) - MOST_ATTRIBUTES:,} more"
        return told


class Place(NamedTuple):
    """Where in which recorder the code stands that is running: inside this span, entered from that place."""

    recorder: Recorder
    span: int
    opened: Opened | None = None
    before: Place | None = None


PLACE: ContextVar[Place | None] = ContextVar("rejudge_place", default=None)
"""None outside of task calls, and for scorers and judges, whatever else goes on."""

_NOTHING: Final = Spans()
_NO_MEANING: Final = Meaning()

_foreign_parent: list[Callable[[Recorder], int]] = []
"""Who says which span of another library the running code stands in; empty where there is no such library."""


def also_within(parent: Callable[[Recorder], int]) -> None:
    """Let `parent` say in which span of another library, by our id, the running code stands; 0 for none."""
    _foreign_parent[:] = [parent]


def parent_at(place: Place) -> int:
    """The span that a new one begins in: of ours and those of another library the one that began last."""
    parent = place.span
    for foreign in _foreign_parent:
        parent = max(parent, foreign(place.recorder))
    return parent


class Within:
    """Where a block records, and where was recorded before it."""

    __slots__ = ("_before", "_place")

    def __init__(self, place: Place) -> None:
        self._place = place
        self._before: Place | None = None

    def __enter__(self) -> None:
        self._before = PLACE.get()
        PLACE.set(self._place)

    def __exit__(self, *raised: object) -> None:
        PLACE.set(self._before)


def recording(recorder: Recorder) -> Within:
    """Let what is run in a block, and in threads and tasks begun there, record into `recorder`."""
    carry_into_threads(PLACE)
    return Within(Place(recorder, ROOT))


def stored(spans: Spans) -> bytes:
    """The form in which the spans of a trace are stored."""
    if not spans:
        return NOTHING
    try:
        return encode(spans)
    except RecordError:  # somebody changed what had been told; that span alone is left out
        kept = tuple(filter(_can_be_stored, spans.spans))
        return encode(replace(spans, spans=kept, left_out=spans.left_out + len(spans.spans) - len(kept)))


def _can_be_stored(span: Span) -> bool:
    try:
        encode(span)
    except RecordError:
        return False
    return True
