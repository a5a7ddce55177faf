"""Follows a function through everything it uses and digests it all, noting what has no canonical form."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from types import FunctionType
from typing import cast

from rejudge.domain.canonical import canonical
from rejudge.domain.ids import digest
from rejudge.pinning.bare import is_class, is_module
from rejudge.pinning.callables import CALLABLES
from rejudge.pinning.classes import class_parts
from rejudge.pinning.functions import function_parts
from rejudge.pinning.modules import module_parts
from rejudge.pinning.objects import object_parts
from rejudge.pinning.origin import portable
from rejudge.pinning.parts import At, Form, Part, Parts, Refused, Said
from rejudge.pinning.plain import ATOMS, REBUILT

DEEPEST = 64
MOST_VALUES = 1_000_000

_SIMPLE = frozenset({*ATOMS, id(str)})
_LEFT_OUT: Form = ["unpinnable"]


class Walk:
    """One digest in the making.

    Functions, classes, modules and instances ("things") are numbered as they are met, nearest first, and refer to
    each other by number: cycles end, and neither depth nor the order of definitions matters.
    """

    def __init__(self, around: tuple[int, ...] = ()) -> None:
        self.refused: list[tuple[At, str]] = []
        self._around = around
        self._numbers: dict[int, int] = {}
        self._waiting: deque[tuple[object, At]] = deque()
        self._alive: list[object] = []
        self._inside: list[int] = []
        self._left = MOST_VALUES

    def digest(self, root: object, at: At) -> bytes:
        """The digest of `root` and all it uses; `refused` then lists what it leaves out, and why."""
        forms = [self._form(Part("", root, at))]
        while self._waiting:
            thing, at = self._waiting.popleft()
            try:
                form, held = _apart(thing, at)
            except Refused as refusal:
                forms.append(self._refuse(at, refusal))
            else:
                forms.append([form, {part.key: self._form(part) for part in sorted(held, key=_key)}])
        return digest("function", forms)

    def _form(self, part: Part) -> Form:
        self._inside.clear()
        self._left = MOST_VALUES
        try:
            return self._value(part.value, part.at)
        except Refused as refusal:
            return self._refuse(part.at, refusal)

    def _refuse(self, at: At, refusal: Refused) -> Form:
        self.refused.append((at, str(refusal)))
        return _LEFT_OUT

    def _value(self, value: object, at: At) -> Form:
        kind = type(value)
        if kind is str:
            return portable(cast("str", value), at.file)
        if id(kind) in ATOMS:
            return ATOMS[id(kind)](value)
        if kind is Said:
            return cast("Said", value).form
        if kind is list or kind is tuple:
            return self._several(kind.__name__, cast("list[object]", value), at, holder=value)
        if kind is dict:
            return self._mapping(cast("dict[object, object]", value), at)
        if kind is set or kind is frozenset:
            return self._set(cast("set[object]", value), at)
        if id(kind) in REBUILT:
            return self._several(kind.__qualname__, REBUILT[id(kind)](value), at, holder=value)
        return self._thing(value, at)

    def _several(self, kind: str, values: Collection[object], at: At, *, holder: object) -> Form:
        self._enter(holder, len(values))
        form = [self._value(one, at if _simple(one) else at.item(index)) for index, one in enumerate(values)]
        self._inside.pop()
        return [kind, *form]

    def _mapping(self, values: dict[object, object], at: At) -> Form:
        """Keeps the order of the keys: what a prompt is built from is often a dictionary."""
        self._enter(values, len(values))
        form = [
            [self._value(key, at), self._value(one, at if _simple(one) else at.item(key))]
            for key, one in list(values.items())
        ]
        self._inside.pop()
        return ["dict", *form]

    def _set(self, values: set[object], at: At) -> Form:
        """Elements that are numbered things get digests of their own, since numbers depend on the order."""
        if id(values) in self._around:
            return ["set around this", self._around.index(id(values))]
        self._enter(values, len(values))
        forms = [self._value(one, at) for one in values if _simple(one)]
        others = [self._alone(one, values, at) for one in values if not _simple(one)]
        others.sort(key=lambda other: other[0])
        self.refused.extend(refusal for _, refused in others for refusal in refused)
        self._inside.pop()
        return [type(values).__name__, sorted(forms, key=canonical), [found for found, _ in others]]

    def _alone(self, value: object, around: set[object], at: At) -> tuple[str, list[tuple[At, str]]]:
        if len(self._around) == DEEPEST // 4:
            raise Refused("it is nested too deep")
        walk = Walk((*self._around, id(around)))
        return walk.digest(value, at.item(value)).hex(), walk.refused

    def _enter(self, holder: object, size: int) -> None:
        if id(holder) in self._inside:
            raise Refused("it contains itself")
        if len(self._inside) == DEEPEST:
            raise Refused(f"it is nested more than {DEEPEST} deep")
        self._left -= size
        if self._left < 0:
            raise Refused(f"it holds more than {MOST_VALUES:,} values")
        self._inside.append(id(holder))

    def _thing(self, value: object, at: At) -> Form:
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._numbers) + 1
            self._alive.append(value)
            self._waiting.append((value, at))
        return ["thing", self._numbers[id(value)]]


def _key(part: Part) -> str:
    return part.key


def _simple(value: object) -> bool:
    return id(type(value)) in _SIMPLE


def _apart(thing: object, at: At) -> Parts:
    kind = type(thing)
    if kind is FunctionType:
        return function_parts(cast("FunctionType", thing))
    if id(kind) in CALLABLES:
        return CALLABLES[id(kind)](thing, at)
    if is_class(thing):
        return class_parts(thing, at)
    if is_module(thing):
        return module_parts(thing, at)
    return object_parts(thing, at)
