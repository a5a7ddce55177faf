"""Takes apart what can be called and is not a plain function: partials, methods, caches, descriptors, builtins."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from types import (
    BuiltinMethodType,
    ClassMethodDescriptorType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any

from rejudge.pinning.bare import is_module
from rejudge.pinning.origin import home
from rejudge.pinning.parts import At, Part, Parts, Refused


def _partial(value: functools.partial[object], at: At) -> Parts:
    return Parts(["partial"], [Part("function", value.func, at), *_bound(value.func, value.args, value.keywords, at)])


def _bound(function: object, args: tuple[object, ...], keywords: Mapping[str, object], at: At) -> Iterator[Part]:
    names = _parameters(function)
    for index, value in enumerate(args):
        name = names[index] if index < len(names) else f"argument {index + 1}"
        yield Part(f"argument {index}", value, At(name, "bound argument", at.line, at.file))
    for name, value in sorted(keywords.items()):
        yield Part(f"keyword {name}", value, At(name, "bound argument", at.line, at.file))


def _parameters(function: object) -> tuple[str, ...]:
    """The names that positional arguments go to, where they can be told."""
    if type(function) is MethodType:
        return _parameters(function.__func__)[1:]
    if type(function) is functools.partial:
        return _parameters(function.func)[len(function.args) :]
    return function.__code__.co_varnames[: function.__code__.co_argcount] if type(function) is FunctionType else ()


def _method(value: MethodType, at: At) -> Parts:
    return Parts(["method"], [Part("function", value.__func__, at), Part("self", value.__self__, at)])


def _builtin(value: BuiltinMethodType, at: At) -> Parts:
    holder, module = value.__self__, value.__module__
    if holder is None or is_module(holder):
        where = home(module if type(module) is str else "")
        if where is None:
            raise Refused("it is compiled code of your own, which has no source to look at")
        return Parts([*where, value.__qualname__])
    return Parts(["method", value.__name__], [Part("self", holder, at)])


def _descriptor(value: MethodDescriptorType | WrapperDescriptorType | ClassMethodDescriptorType, at: At) -> Parts:
    return Parts(["method of", value.__name__], [Part("class", value.__objclass__, at)])


def _property(value: property, at: At) -> Parts:
    steps = {"get": value.fget, "set": value.fset, "delete": value.fdel}
    return Parts(["property"], [Part(name, step, at) for name, step in steps.items()])


def _partial_method(value: functools.partialmethod[object], at: At) -> Parts:
    return Parts(["partial method"], [Part("function", value.func, at), *_bound(None, value.args, value.keywords, at)])


def _around(kind: str, name: str) -> Callable[[object, At], Parts]:
    def apart(value: object, at: At) -> Parts:
        return Parts([kind], [Part("function", getattr(value, name), at)])

    return apart


_CALLABLES: Mapping[type, Callable[[Any, At], Parts]] = {
    functools.partial: _partial,
    functools.partialmethod: _partial_method,
    functools.singledispatchmethod: _around("single dispatch method", "dispatcher"),
    functools.cached_property: _around("cached property", "func"),
    functools._lru_cache_wrapper: _around("cached", "__wrapped__"),
    staticmethod: _around("static method", "__func__"),
    classmethod: _around("class method", "__func__"),
    property: _property,
    MethodType: _method,
    BuiltinMethodType: _builtin,
    MethodWrapperType: lambda value, at: Parts(["method", value.__name__], [Part("self", value.__self__, at)]),
    MethodDescriptorType: _descriptor,
    WrapperDescriptorType: _descriptor,
    ClassMethodDescriptorType: _descriptor,
}

CALLABLES = {id(kind): apart for kind, apart in _CALLABLES.items()}
"""By the identity of the exact type, so that no attribute of these can be the user's code."""
