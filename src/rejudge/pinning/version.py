"""The version that a user states for a function instead of having its code looked at."""

from __future__ import annotations

import os
import sys
from functools import _lru_cache_wrapper, partial
from types import FunctionType, MethodType

from rejudge.domain.errors import ConfigurationError
from rejudge.pinning.bare import attribute, class_name, is_class, module_name, namespace


def stated_version(function: object) -> str | None:
    """The `version` attribute of a function or callable object, None where it has none.

    Raises ConfigurationError for a version that is empty, is not text, or is computed by a property.
    """
    holder = function.__func__ if type(function) is MethodType else function
    value = attribute(holder, "version")
    return None if value is None else checked_version(value, function)


def checked_version(value: object, function: object) -> str:
    """`value` if it can serve as a version, else ConfigurationError."""
    if type(value) is str and value.strip():
        return value
    what = "is empty" if type(value) is str else f"is not text but of type {class_name(type(value))}"
    raise ConfigurationError(
        f"the version of `{qualified_name(function)}` {what}", fix='state it as text: version="1", say, or leave it out'
    )


def qualified_name(function: object) -> str:
    """Module and name of a callable: the same whether its file is imported or run as a script."""
    core = innermost(function)
    if type(core) is FunctionType:
        module = core.__globals__.get("__name__")
        return _joined(module if isinstance(module, str) else "", core.__qualname__)
    cls = core if is_class(core) else type(core)
    return _joined(module_name(cls), class_name(cls))


def innermost(function: object) -> object:
    """What partials, bound methods and caches call in the end: a function, class or callable object."""
    if type(function) is MethodType:
        return innermost(function.__func__)
    if type(function) is partial:
        return innermost(function.func)
    if type(function) is _lru_cache_wrapper:
        return innermost(function.__wrapped__)
    return function


def _joined(module: str, name: str) -> str:
    told = _script_name() if module == "__main__" else module
    return f"{told}.{name}" if told else name


def _script_name() -> str:
    """What the running script would be called if it were imported; empty for a prompt or notebook."""
    main = namespace(sys.modules["__main__"])
    spec = main.get("__spec__")
    if spec is not None:
        return str(getattr(spec, "name", "")).removesuffix(".__main__")
    file = main.get("__file__")
    if type(file) is not str:
        return ""
    folder, base = os.path.split(os.path.abspath(file))
    steps = [os.path.splitext(base)[0]]
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        steps.insert(0, package)
    return ".".join(steps)
