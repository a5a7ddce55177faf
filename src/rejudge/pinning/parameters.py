"""What a task or scorer function asks for by name, and what a call of it gives back."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from types import FunctionType, MethodType

from rejudge.domain.errors import ConfigurationError, Place
from rejudge.pinning.version import innermost, qualified_name


class Kind(StrEnum):
    """What calling a function gives."""

    VALUE = "value"
    AWAITABLE = "awaitable"
    GENERATOR = "generator"
    ASYNC_GENERATOR = "async generator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The parameters that are still open, in the order they were written."""

    required: tuple[str, ...]
    optional: tuple[str, ...]
    """Have a default: never filled from an item's field unless mapped, and never missing."""
    any_positional: bool
    any_keyword: bool
    """`**kwargs`; takes nothing by itself."""

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that may be given by name."""
        return self.required + self.optional


def asked(function: Callable[..., object]) -> Asked:
    """What a function asks for; bound arguments and `self` are gone.

    Raises ConfigurationError for positional-only parameters, which no name can fill, and for callables that do not
    say what they take.
    """
    parameters = _signature(function).parameters.values()
    bound = _bound_keywords(function)
    refused = [one.name for one in parameters if one.kind is inspect.Parameter.POSITIONAL_ONLY]
    if refused:
        raise ConfigurationError(
            f"`{qualified_name(function)}` takes {', '.join(refused)} by position only, but is called by name",
            where=_place(function),
            fix="remove the `/` from its parameters",
        )
    kinds = {one.kind for one in parameters}
    named = [
        one
        for one in parameters
        if one.kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        and one.name not in bound
    ]
    return Asked(
        required=tuple(one.name for one in named if one.default is inspect.Parameter.empty),
        optional=tuple(one.name for one in named if one.default is not inspect.Parameter.empty),
        any_positional=inspect.Parameter.VAR_POSITIONAL in kinds,
        any_keyword=inspect.Parameter.VAR_KEYWORD in kinds,
    )


def kind_of(function: Callable[..., object]) -> Kind:
    """What a call gives, seen through partials, bound methods and `__call__`.

    A plain function that returns another's coroutine or generator is a `VALUE`: only the call can tell.
    """
    called: object = function
    while isinstance(called, functools.partial):
        called = called.func
    if not isinstance(called, FunctionType | MethodType | type):
        called = getattr(type(called), "__call__", called)  # noqa: B004
    if inspect.isasyncgenfunction(called):
        return Kind.ASYNC_GENERATOR
    if inspect.iscoroutinefunction(called):
        return Kind.AWAITABLE
    return Kind.GENERATOR if inspect.isgeneratorfunction(called) else Kind.VALUE


def _signature(function: Callable[..., object]) -> inspect.Signature:
    try:
        if sys.version_info >= (3, 14):
            from annotationlib import Format

            return inspect.signature(function, annotation_format=Format.STRING)
        return inspect.signature(function)
    except (ValueError, TypeError) as error:
        raise ConfigurationError(
            f"`{qualified_name(function)}` does not say which parameters it takes ({error})",
            where=_place(function),
            fix="wrap it in a def that names what it takes",
        ) from None


def _bound_keywords(function: object) -> frozenset[str]:
    if isinstance(function, functools.partial):
        return frozenset(function.keywords) | _bound_keywords(function.func)
    return frozenset()


def _place(function: object) -> Place | None:
    core = innermost(function)
    called = core if isinstance(core, FunctionType) else getattr(type(core), "__call__", None)  # noqa: B004
    if isinstance(called, FunctionType):
        return Place(file=called.__code__.co_filename, line=called.__code__.co_firstlineno)
    return None
