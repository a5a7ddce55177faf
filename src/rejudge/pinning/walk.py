"""Follows a function through everything it uses and digests it all, naming what has no canonical form."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from types import FunctionType, ModuleType

from rejudge.domain.canonical import canonical
from rejudge.domain.ids import digest
from rejudge.pinning.callables import CALLABLES
from rejudge.pinning.classes import class_parts
from rejudge.pinning.functions import function_parts
from rejudge.pinning.modules import module_parts
from rejudge.pinning.objects import object_parts
from rejudge.pinning.parts import At, Form, Part, Parts, Refused, Said
from rejudge.pinning.plain import ATOMS, REBUILT, text

DEEPEST = 100
MOST_VALUES = 1_000_000

_PINNED_BY_NAME_ONLY: Form = ["unpinnable"]


class Walk:
    """One digest in the making.

    Functions, classes, modules and instances ("things") are numbered as they are met, nearest first, and refer to
    each other by number, so cycles end and neither depth nor the order of definitions matters.
    """

    def __init__(self, refused: list[tuple[At, str]], sets: tuple[int, ...] = ()) -> None:
        self._refused = refused
        self._sets = sets
        self._numbers: dict[int, int] = {}
        self._waiting: deque[tuple[object, At]] = deque()
        self._alive: list[object] = []
        self._inside: list[int] = []
        self._left = MOST_VALUES

    def digest(self, root: object, at: At) -> bytes:
        """The digest of `root` and everything it uses; what is refused is listed on the way."""
        forms = [self._held(Part("", root, at))]
        while self._waiting:
            thing, at = self._waiting.popleft()
            try:
                form, held = _apart(thing, at)
            except Refused as refusal:
                self._refused.append((at, str(refusal)))
                forms.append(_PINNED_BY_NAME_ONLY)
            else:
                forms.append([form, {part.key: self._held(part) for part in held}])
        return digest("function", forms)

    def _held(self, part: Part) -> Form:
        self._left = MOST_VALUES
        try:
            return self._value(part.value, part.at)
        except Refused as refusal:
            self._inside.clear()
            self._refused.append((part.at, str(refusal)))
            return _PINNED_BY_NAME_ONLY

    def _value(self, value: object, at: At) -> Form:
        kind = type(value)
        if kind is str:
            return text(value, at.file)  # type: ignore[arg-type]
        if kind in ATOMS:
            return ATOMS[kind](value)
        if kind is Said:
            return value.form  # type: ignore[attr-defined]
        if kind is list or kind is tuple:
            return self._several(kind.__name__, value, value, at)
        ...
