"""Pinning looks at the user's objects without running any code of theirs."""

from __future__ import annotations

from rejudge.pinning import pin
from tests.pinning.conftest import Load

TRAPS = """
import enum

ran = []

class Trap:
    def _spring(self, *args, **kwargs):
        ran.append("a method")
        raise RuntimeError
    __repr__ = __str__ = __eq__ = __hash__ = __len__ = __iter__ = __bool__ = __reduce_ex__ = __getstate__ = _spring
    __getitem__ = __contains__ = __index__ = __fspath__ = __format__ = __sizeof__ = __dir__ = _spring
    def __getattr__(self, name): self._spring()
    def __getattribute__(self, name): object.__getattribute__(self, "_spring")()
    @property
    def value(self): self._spring()
    @property
    def __class__(self): self._spring()
    @property
    def __wrapped__(self): self._spring()
    def __get__(self, instance, owner): raise RuntimeError

class Meta(type):
    def _spring(cls, *args):
        ran.append("a metaclass")
        raise RuntimeError
    __repr__ = __eq__ = __hash__ = __iter__ = __call__ = _spring
    def __getattribute__(cls, name): type.__getattribute__(cls, "_spring")()
    def __instancecheck__(cls, instance): type.__getattribute__(cls, "_spring")()
    def __subclasscheck__(cls, other): type.__getattribute__(cls, "_spring")()

class OfMeta(metaclass=Meta):
    n = 1

class Sequence(list):
    def __iter__(self): raise RuntimeError
    def __len__(self): raise RuntimeError

class Mapping(dict):
    def items(self): raise RuntimeError
    def keys(self): raise RuntimeError
    def __iter__(self): raise RuntimeError

class Word(str):
    def __str__(self): raise RuntimeError
    def __hash__(self): raise RuntimeError

class Holder:
    trap = Trap()

trap = object.__new__(Trap)
of_meta = object.__new__(OfMeta)
held, rows, table, word = Holder(), Sequence([1, trap]), Mapping(a=trap), Word("x")

def task(q, default=trap):
    return trap, of_meta, OfMeta, held, rows, table, word, [trap], {"a": trap}

def made(cell):
    def inner(q): return cell
    return inner

closed = made(trap)
"""


def test_no_hook_of_a_users_class_is_called(load: Load) -> None:
    module = load(TRAPS)
    assert pin(module.task).pinned
    assert pin(module.closed).pinned
    assert pin(module.trap).pinned
    assert pin(module.of_meta).pinned
    assert module.ran == []


def test_the_function_itself_is_not_called(load: Load) -> None:
    module = load("ran = []\ndef task(q): ran.append(q)\ndef other(q=task): return q")
    assert pin(module.task).pinned
    assert pin(module.other).pinned
    assert module.ran == []
