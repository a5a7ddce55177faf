"""A Python function as a task: it asks for what it wants by parameter name."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.ids import digest
from rejudge.domain.item import given_to_all
from rejudge.domain.run_config import RunConfig
from rejudge.domain.verdict import Skip
from rejudge.domain.way import Way
from rejudge.pinning.parameters import Kind, asked, kind_of
from rejudge.pinning.pin import pin
from rejudge.tasks.returned import returned_keys, shown
from rejudge.tasks.task import CannotTake, Given

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

_WAYS = {Kind.VALUE: Way.THREAD, Kind.AWAITABLE: Way.LOOP, Kind.GENERATOR: Way.STEPS}
_WHOLE = "item"
_TRIAL = "trial"


class FunctionTask:
    """A function that takes `item`, single fields by name, or `trial`, and gives an output."""

    def __init__(
        self,
        function: Callable[..., object],
        *,
        name: str | None = None,
        version: str | None = None,
        depends_on: Mapping[str, object] | None = None,
        scenario: str | None = None,
    ) -> None:
        _refuse_class(function)
        self._function = function
        self.way = _way_of(function)
        parameters = asked(function)
        self._whole = _WHOLE in parameters.names
        self._wants_trial = _TRIAL in parameters.names
        self.needs = frozenset(parameters.required) - {_WHOLE, _TRIAL}
        self.outputs = returned_keys(function)
        self.shown = shown(function)
        pinned = pin(function, version=version)
        settings: dict[str, object] = {"function": pinned.digest.hex()}
        if pinned.version is not None:
            settings["version"] = pinned.version
        if not pinned.pinned:
            settings["unpinned"] = sorted({one.name for one in pinned.unpinnable})
        self.config = RunConfig(
            name=name or function_name(function),
            kind="function",
            settings=settings,
            depends_on=dict(depends_on or {}),
            scenario=scenario,
            given=None if self._whole else tuple(sorted(self.needs)),
            unpinned=None if pinned.pinned else pinned.reason(),
        )

    def given(self, item_id: str, fields: dict[str, object], *, reference: Collection[str], trial: int) -> Given:
        """All but reference fields and annotations for a task that asks for the item, else the fields it names."""
        named: dict[str, object] = {}
        for name in self.needs:
            if name not in fields:
                raise CannotTake(Skip.MISSING_INPUT_FIELD.value, f"the item has no field {name!r}")
            named[name] = fields[name]
        given = named
        if self._whole:
            whole = given_to_all(fields, reference=reference)
            given = named | whole if named else whole
            named[_WHOLE] = whole
        found = digest("given", given)
        if self._wants_trial:
            named[_TRIAL] = trial
        return Given(found, named)

    def call(self, given: Given, *, trial: int) -> object:
        """Call the function with what it asked for."""
        return self._function(**given.arguments)


def function_name(function: Callable[..., object]) -> str:
    """A label for a function, a partial of one, or a callable object."""
    named = function
    while not hasattr(named, "__name__") and hasattr(named, "func"):
        named = cast("Callable[..., object]", named.func)
    name = getattr(named, "__name__", None) or type(named).__name__
    return "lambda" if name == "<lambda>" else str(name)


def _refuse_class(function: Callable[..., object]) -> None:
    if not isinstance(function, type):
        return
    name = function.__name__
    if "__call__" in dir(function):
        fix = f"give an instance, whose __call__ is the task: {name}(…)"
    else:
        fix = f"give a function that returns the output, or a method of an instance of {name}"
    raise ConfigurationError(f"the class {name} is no task: calling it makes an object, not an output", fix=fix)


def _way_of(function: Callable[..., object]) -> Way:
    kind = kind_of(function)
    if kind not in _WAYS:
        raise ConfigurationError(
            f"task {function_name(function)!r} is an async generator, which cannot return an output",
            fix="write an async function, or a plain generator that yields calls and returns the output",
        )
    return _WAYS[kind]
