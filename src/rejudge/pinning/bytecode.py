"""What a code object does, without where it was written: for functions that have no source."""

from __future__ import annotations

from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from types import CodeType, EllipsisType

from rejudge.domain.canonical import canonical
from rejudge.pinning.parts import Form

_KINDS = CO_VARARGS | CO_VARKEYWORDS | CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR


def bytecode(code: CodeType) -> Form:
    """The same in every process of one Python minor version: `co_code` is never the specialised form."""
    return [
        "code",
        code.co_code.hex(),
        code.co_exceptiontable.hex(),
        [code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _KINDS],
        [list(names) for names in (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)],
        [constant(value) for value in code.co_consts],
    ]


def constant(value: object) -> Form:
    """The form of a constant that the compiler can put into code."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return ["int", f"{value:x}"]
        case float() | complex():
            return ["number", repr(value)]
        case bytes():
            return ["bytes", value.hex()]
        case tuple():
            return ["tuple", *map(constant, value)]
        case frozenset():
            return ["frozenset", *sorted(map(constant, value), key=canonical)]
        case slice():
            return ["slice", *map(constant, (value.start, value.stop, value.step))]
        case CodeType():
            return bytecode(value)
        case EllipsisType():
            return ["..."]
    raise TypeError(f"a {type(value).__name__} is no constant of Python code")
