"""`track`: what a function or a block of a task does becomes a span of the item that it is called for."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from rejudge.domain.capture import said
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.span import GENERAL
from rejudge.tasks.spans import PLACE, Opened, Place, parent_at

if TYPE_CHECKING:
    from types import TracebackType

    from rejudge.tasks.spans import Recorder

_OWNERS = (("self",), ("cls",))
"""First parameters that are no input."""

F = TypeVar("F", bound=Callable[..., Any])


@overload
def track(function: F, /) -> F: ...
@overload
def track(name: str | None = None, /, *, kind: str = GENERAL) -> Tracking: ...
@overload
def track(*, name: str | None = None, kind: str = GENERAL) -> Tracking: ...


def track(what: object = None, /, *, name: str | None = None, kind: str = GENERAL) -> object:
    """Record a function or a block as a span: what it was given, what came out, how long it took, what it raised.

    `@track` and `@track(name=…, kind="tool")` stand before functions, coroutine functions, generators and async
    generators; `with track("search", kind="retrieval") as span:` records a block, whose `span.output` and
    `span.attributes` may be set. Outside of an evaluation's task calls nothing is recorded.

    Args:
        name: of the span; the function's own by default.
        kind: "general" by default; "tool", "model", "retrieval", "embedding" and "agent" are shown as such.
    """
    if what is None or isinstance(what, str):
        return Tracking(name if what is None else what, kind)
    return Tracking(name, kind)(cast("Callable[..., Any]", what))


class Tracking:
    """A span to be: a decorator, and a context manager where it has a name."""

    __slots__ = ("_kind", "_name")

    def __init__(self, name: str | None, kind: str) -> None:
        for stated in (kind, "" if name is None else name):
            if not isinstance(stated, str):
                raise ConfigurationError(f"track: {stated!r} is no text", fix='write track(name="search", kind="tool")')
        self._name = name
        self._kind = kind

    def __call__(self, function: F) -> F:
        """The function, recorded each time it is called inside a task call."""
        if not callable(function):
            raise ConfigurationError(
                f"track stands before a {type(function).__name__}, which is no function",
                fix="put it below @classmethod or @property, next to the def",
            )
        name = self._name or str(getattr(function, "__name__", type(function).__name__))
        tracked = _Tracked.of(function, name, self._kind)
        if inspect.isasyncgenfunction(function):
            return cast("F", _async_generator(function, tracked))
        if inspect.iscoroutinefunction(function):
            return cast("F", _coroutine(function, tracked))
        if inspect.isgeneratorfunction(function):
            return cast("F", _generator(function, tracked))
        return cast("F", _function(function, tracked))

    def __enter__(self) -> Opened:
        if self._name is None:
            raise ConfigurationError("a block has no name of its own", fix='say one: with track("search"): ...')
        opened = Opened(self._name, self._kind)
        before = PLACE.get()
        if before is not None:
            begun = before.recorder.begin(opened, parent=parent_at(before))
            within = opened.id if begun else before.span
            PLACE.set(Place(before.recorder, within, opened if begun else None, before))
        return opened

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        place = PLACE.get()
        if place is None or place.before is None:
            return
        PLACE.set(place.before)
        if place.opened is not None:
            place.recorder.end(place.opened, error=None if error is None else said(error))


@dataclass(frozen=True, slots=True)
class _Tracked:
    """What is recorded of a function's calls; with the names of what it takes by position, which saves binding them.

    It is a plain record, so that a function stays pinned when it is tracked.
    """

    name: str
    kind: str
    names: tuple[str, ...]

    @staticmethod
    def of(function: Callable[..., object], name: str, kind: str) -> _Tracked:
        """The record of a function."""
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (ValueError, TypeError):
            parameters = []
        by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return _Tracked(name, kind, tuple(one.name for one in parameters if one.kind in by_position))

    def begin(self, place: Place, args: tuple[object, ...], kwargs: dict[str, object]) -> Opened | None:
        """The span of a call, where it is recorded."""
        given: dict[str, object] = dict(zip(self.names, args, strict=False))
        if self.names[:1] in _OWNERS:
            given.pop(self.names[0], None)
        if len(args) > len(self.names):
            given["args"] = args[len(self.names) :]
        if kwargs:
            given |= kwargs
        opened = Opened(self.name, self.kind)
        return opened if place.recorder.begin(opened, parent=parent_at(place), told=given) else None


def _inside(place: Place, opened: Opened) -> Place:
    return Place(place.recorder, opened.id)


def _ended(recorder: Recorder, opened: Opened, output: object) -> None:
    if opened.output is None:
        opened.output = output
    recorder.end(opened)


def _function(function: Callable[..., object], tracked: _Tracked) -> Callable[..., object]:
    @wraps(function)
    def call(*args: object, **kwargs: object) -> object:
        place = PLACE.get()
        if place is None or (opened := tracked.begin(place, args, kwargs)) is None:
            return function(*args, **kwargs)
        before = PLACE.set(_inside(place, opened))
        try:
            output = function(*args, **kwargs)
        except BaseException as error:
            place.recorder.end(opened, error=said(error))
            raise
        finally:
            PLACE.reset(before)
        _ended(place.recorder, opened, output)
        return output

    return call


def _coroutine(function: Callable[..., Awaitable[object]], tracked: _Tracked) -> Callable[..., object]:
    @wraps(function)
    async def call(*args: object, **kwargs: object) -> object:
        place = PLACE.get()
        if place is None or (opened := tracked.begin(place, args, kwargs)) is None:
            return await function(*args, **kwargs)
        before = PLACE.set(_inside(place, opened))
        try:
            output = await function(*args, **kwargs)
        except BaseException as error:
            place.recorder.end(opened, error=said(error))
            raise
        finally:
            PLACE.reset(before)
        _ended(place.recorder, opened, output)
        return output

    return call


def _generator(
    function: Callable[..., Generator[object, object, object]], tracked: _Tracked
) -> Callable[..., Generator[object, object, object]]:
    """The variable is set while the generator itself runs, and not for whoever it yields to."""

    @wraps(function)
    def call(*args: object, **kwargs: object) -> Generator[object, object, object]:
        place = PLACE.get()
        if place is None or (opened := tracked.begin(place, args, kwargs)) is None:
            return (yield from function(*args, **kwargs))
        steps = function(*args, **kwargs)
        inside = _inside(place, opened)
        yielded: list[object] = []
        step: Callable[[], object] = steps.__next__
        output: object = None
        try:
            while True:
                before = PLACE.set(inside)
                try:
                    value = step()
                except StopIteration as end:
                    output = end.value
                    break
                finally:
                    PLACE.reset(before)
                _keep(yielded, value)
                step = _next_step(steps, (yield from _handed_out(value)))
        except GeneratorExit:
            steps.close()
            _ended(place.recorder, opened, yielded)
            raise
        except BaseException as error:
            place.recorder.end(opened, error=said(error))
            raise
        _ended(place.recorder, opened, yielded if output is None else output)
        return output

    return call


class _Thrown:
    """An exception that was thrown into a generator from outside."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


def _handed_out(value: object) -> Generator[object, object, object]:
    """What is sent back for a value, or the exception that is thrown in its place."""
    try:
        return (yield value)
    except GeneratorExit:
        raise
    except BaseException as error:  # noqa: BLE001 - thrown on into the generator that yielded
        return _Thrown(error)


def _next_step(steps: Generator[object, object, object], sent: object) -> Callable[[], object]:
    if isinstance(sent, _Thrown):
        return lambda: steps.throw(sent.error)
    return lambda: steps.send(sent)


MOST_YIELDED = 1_000
"""Values of a generator that are kept as its output."""


def _keep(yielded: list[object], value: object) -> None:
    if len(yielded) < MOST_YIELDED:
        yielded.append(value)


def _async_generator(
    function: Callable[..., AsyncGenerator[object, object]], tracked: _Tracked
) -> Callable[..., AsyncGenerator[object, object]]:
    @wraps(function)
    async def call(*args: object, **kwargs: object) -> AsyncGenerator[object, object]:
        place = PLACE.get()
        opened = None if place is None else tracked.begin(place, args, kwargs)
        steps = function(*args, **kwargs)
        inside = place if place is None or opened is None else _inside(place, opened)
        yielded: list[object] = []
        step: Callable[[], Awaitable[object]] = steps.__anext__
        failure: BaseException | None = None
        try:
            while True:
                before = PLACE.set(inside)
                try:
                    value = await step()
                except StopAsyncIteration:
                    return
                finally:
                    PLACE.reset(before)
                _keep(yielded, value)
                try:
                    sent = yield value
                except GeneratorExit:
                    await steps.aclose()
                    raise
                except BaseException as thrown:  # noqa: BLE001 - thrown on into the generator that yielded
                    step = _athrow(steps, thrown)
                else:
                    step = _asend(steps, sent)
        except GeneratorExit:
            raise
        except BaseException as error:
            failure = error
            raise
        finally:
            if place is not None and opened is not None:
                if failure is None:
                    _ended(place.recorder, opened, yielded)
                else:
                    place.recorder.end(opened, error=said(failure))

    return call


def _asend(steps: AsyncGenerator[object, object], sent: object) -> Callable[[], Awaitable[object]]:
    return lambda: steps.asend(sent)


def _athrow(steps: AsyncGenerator[object, object], thrown: BaseException) -> Callable[[], Awaitable[object]]:
    return lambda: steps.athrow(thrown)
