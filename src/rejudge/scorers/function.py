"""A user's function, or an object with a method `score`, as a scorer: it asks by the names of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from functools import partial
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Final, cast

from rejudge.domain.demands import NOTHING
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import ScoreSpec
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.verdict import Skip, Verdict
from rejudge.pinning import Kind, asked, kind_of, pin
from rejudge.scorers.merged import dataset_item, merged, task_outputs
from rejudge.scorers.parts import PARTS, SPANS
from rejudge.scorers.scorer import Way

if TYPE_CHECKING:
    from rejudge.domain.view import View
    from rejudge.scorers.scorer import Scorer

_WAYS: Final = {Kind.VALUE: Way.THREAD, Kind.AWAITABLE: Way.LOOP, Kind.GENERATOR: Way.STEPS}

_PARTS: Final = {**PARTS, **SPANS, "dataset_item": dataset_item, "task_outputs": task_outputs}

_WHOLE: Final = frozenset({"reference_data", "item", "view", "dataset_item"})
"""What holds any item field; a function that asks for one of them may read all."""

_SKIPS: Final = {
    "trace": Skip.MISSING_TRACE,
    "reference_data": Skip.MISSING_REFERENCE_KEY,
    "task_input": Skip.MISSING_INPUT_FIELD,
    **dict.fromkeys(SPANS, Skip.MISSING_SPANS),
}
"""Parts that a function cannot do without if it has no default for them."""


class FunctionScorer:
    """A function under a config. Names that no view has are item fields, or else keys that the task returned.

    `asked` are the names that a mapping may supply; None where the function takes any.
    """

    __slots__ = (
        *("_fields", "_function", "_names", "_optional", "_parts", "_wants_view"),
        *("asked", "config", "needs", "way"),
    )
    demands = NOTHING

    def __init__(self, config: ScorerConfig, function: Callable[..., object], *, way: Way) -> None:
        names = asked(function)
        self.config = config
        self.way = way
        self._function = function
        self._names = names
        self._wants_view = "view" in names.names
        self._parts = [(name, _PARTS[name]) for name in names.required if name in _PARTS]
        self._optional = [(name, _PARTS[name]) for name in names.optional if name in _PARTS]
        self._fields = [name for name in names.required if name not in _PARTS and name != "view"]
        self.needs = frozenset(self._fields)
        self.asked = None if names.any_keyword else frozenset(names.names)

    def judge(self, view: View) -> object:
        """What the function gives for the parts it asks for; a skip, where one of them is not there."""
        given = self._arguments(view)
        if not isinstance(given, Verdict):
            return self._function(**given)
        return _at_once(given) if self.way is Way.STEPS else given

    def _arguments(self, view: View) -> dict[str, object] | Verdict:
        given: dict[str, object] = {"view": view} if self._wants_view else {}
        if view.mapped:
            given.update((name, value) for name, value in view.mapped.items() if name in self._names.names)
        for name, part in self._parts:
            if name in view.mapped:
                continue
            value = given[name] = part(view)
            if value is None and name in _SKIPS:
                return Verdict.skipped(_SKIPS[name], f"the scorer asks for {name}, and there is none")
        for name, part in self._optional:
            if name not in view.mapped and (value := part(view)) is not None:
                given[name] = value
        for name in self._fields:
            if name in view.mapped:
                continue
            source = view.item
            if name not in source and name not in view.declared:
                source = view.extra if name in view.extra or not isinstance(view.output, dict) else view.output
            if name not in source:
                return Verdict.skipped(Skip.MISSING_INPUT_FIELD, f"the item has no field {name!r}")
            given[name] = source[name]
        if self._names.any_keyword:
            named = self._names.names
            rest = {**merged(view), **view.mapped}
            given.update((name, value) for name, value in rest.items() if name not in given and name not in named)
        return given


def _at_once(verdict: Verdict) -> Generator[object, object, Verdict]:
    """Steps that ask nobody."""
    yield from ()
    return verdict


def function_scorer(
    function: object,
    *,
    name: str | None = None,
    version: str | None = None,
    scores: Sequence[ScoreSpec] = (),
) -> Scorer:
    """The scorer that calls `function` (or an instance with `__call__` or `score`) with what its parameters name.

    `output`, `final_message`, `trace`, `reference_data`, `task_input`, `item`, `metadata`, `usage`, `latency`,
    `task_span`, `spans` and `view` are parts of the view, `dataset_item` is the stored item with its id and
    `task_outputs` what the task returned, by key; every other name is an item field, or else a key that the task
    returned. `**kwargs` takes all fields and keys. A parameter with a default is filled from the view, or by a mapping.
    Where `name`, `version` or `scores` is left out, the function's attribute of that name counts. An object with a
    method `score` is asked by that method.
    """
    made = _instance(function) if isinstance(function, type) else function
    called = _method(made)
    kind = kind_of(called)
    own = _innermost(made)
    if version is None and called is not made:
        version = getattr(made, "version", None)
    if kind not in _WAYS:
        raise ConfigurationError(
            f"scorer {_name(own)!r} is an {kind.value}", fix="return a value, or yield calls from a plain def"
        )
    found = pin(called, version=version)
    settings: dict[str, object] = {"digest": found.digest.hex()}
    if found.version is not None:
        settings["version"] = found.version
    if not found.pinned:
        settings["unpinned"] = sorted({one.name for one in found.unpinnable})
    names = asked(called)
    fields = [one for one in names.required if one not in _PARTS]
    config = ScorerConfig(
        name=_name(own) if name is None else name,
        type="function",
        settings=settings,
        scores=_scores(scores or getattr(own, "scores", ()), _name(own)),
        sees=None if names.any_keyword or _WHOLE.intersection(names.names) else tuple(sorted(fields)),
        unpinned=found.reason() or None,
    )
    return FunctionScorer(config, called, way=_WAYS[kind])


def has_score(scorer: object) -> bool:
    """Whether this is an object, or the class of one, that judges by a method `score`."""
    method = getattr(scorer, "score", None)
    return callable(method) and not isinstance(scorer, FunctionType | MethodType | partial)


def _method(scorer: object) -> Callable[..., object]:
    return cast("Callable[..., object]", scorer.score if has_score(scorer) else scorer)  # type: ignore[attr-defined]


def _instance(cls: type) -> Callable[..., object]:
    try:
        made: object = cls()
    except TypeError:
        made = None
    if not callable(made) and not has_score(made):
        raise ConfigurationError(
            f"the class {cls.__name__} makes no scorer by itself",
            fix=f"give it a method score or __call__, and pass an instance where it needs arguments: {cls.__name__}(…)",
        )
    return cast("Callable[..., object]", made)


def _innermost(function: object) -> object:
    return _innermost(function.func) if isinstance(function, partial) else function


def _name(function: object) -> str:
    stated = getattr(function, "name", None)
    if isinstance(stated, str):
        return stated
    return str(getattr(function, "__name__", type(function).__name__)).strip("<>")


def _scores(stated: object, name: str) -> tuple[ScoreSpec, ...]:
    listed = tuple(stated) if isinstance(stated, Iterable) else (stated,)
    scores = tuple(one for one in listed if isinstance(one, ScoreSpec))
    if len(scores) != len(listed):
        raise ConfigurationError(f"scorer {name!r}: its scores are not all of type ScoreSpec")
    return scores
