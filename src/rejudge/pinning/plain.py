"""Values of the standard library that are nothing but data, and what rebuilds each."""

from __future__ import annotations

import gc
import operator
import re
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from pathlib import PosixPath, PurePosixPath, PureWindowsPath, WindowsPath
from string import Template
from types import EllipsisType, MappingProxyType, NotImplementedType, SimpleNamespace
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from rejudge.pinning.parts import Form

_SAFE = 2**53 - 1

_ATOMS: Mapping[type, Callable[[Any], Form]] = {
    type(None): lambda value: value,
    bool: lambda value: value,
    int: lambda value: value if -_SAFE <= value <= _SAFE else ["int", f"{value:x}"],
    float: lambda value: ["float", repr(value)],
    complex: lambda value: ["complex", repr(value)],
    bytes: lambda value: ["bytes", value.hex()],
    bytearray: lambda value: ["bytearray", value.hex()],
    EllipsisType: lambda value: ["..."],
    NotImplementedType: lambda value: ["NotImplemented"],
}
"""Types without parts. Text is not here: its form depends on whose project it is in."""

_REBUILT: Mapping[type, Callable[[Any], tuple[object, ...]]] = {
    Decimal: lambda value: (str(value),),
    Fraction: lambda value: (value.numerator, value.denominator),
    UUID: lambda value: (value.hex,),
    date: lambda value: (value.isoformat(),),
    time: lambda value: (value.replace(tzinfo=None).isoformat(), value.fold, value.tzinfo),
    datetime: lambda value: (value.replace(tzinfo=None).isoformat(), value.fold, value.tzinfo),
    timedelta: lambda value: (value.days, value.seconds, value.microseconds),
    timezone: lambda value: (value.utcoffset(None), value.tzname(None)),
    ZoneInfo: lambda value: (value.key,),
    range: lambda value: (value.start, value.stop, value.step),
    slice: lambda value: (value.start, value.stop, value.step),
    re.Pattern: lambda value: (value.pattern, value.flags),
    Template: lambda value: (value.template,),
    OrderedDict: lambda value: (list(value.items()),),
    Counter: lambda value: (list(value.items()),),
    defaultdict: lambda value: (value.default_factory, list(value.items())),
    deque: lambda value: (list(value), value.maxlen),
    SimpleNamespace: lambda value: (sorted(value.__dict__.items()),),
    MappingProxyType: lambda value: tuple(gc.get_referents(value)),
    operator.itemgetter: lambda value: value.__reduce__(),
    operator.attrgetter: lambda value: value.__reduce__(),
    operator.methodcaller: lambda value: value.__reduce__(),
    PurePosixPath: lambda value: (str(value),),
    PureWindowsPath: lambda value: (str(value),),
    PosixPath: lambda value: (str(value),),
    WindowsPath: lambda value: (str(value),),
}
"""Types with parts, each of which needs a form of its own. Subclasses are not here: their code is the user's."""

ATOMS = {id(kind): form for kind, form in _ATOMS.items()}
REBUILT = {id(kind): steps for kind, steps in _REBUILT.items()}
"""By identity, since hashing an unknown type may run its metaclass."""
