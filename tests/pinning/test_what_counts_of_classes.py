"""A change anywhere in a class that a function uses, or in an object of it, changes the function's digest."""

from __future__ import annotations

import pytest

from tests.pinning.conftest import PinOf, assert_mark_counts

# Each text has one MARK, which is replaced by two values in turn.
USES = {
    "a static method": """
        class Prompts:
            @staticmethod
            def task(q): return q * MARK
        task = Prompts.task
    """,
    "a class method's class": """
        class Prompts:
            n = MARK
            @classmethod
            def task(cls, q): return q * cls.n
        task = Prompts.task
    """,
    "an attribute of a class that is used": "class Prompts:\n    n = MARK\ndef task(q): return q * Prompts.n",
    "a method of a class that is used": """
        class Prompts:
            def n(self): return MARK
        def task(q): return q * Prompts().n()
    """,
    "a property": """
        class Prompts:
            @property
            def n(self): return MARK
        def task(q): return q * Prompts().n
    """,
    "a cached property": """
        import functools
        class Prompts:
            @functools.cached_property
            def n(self): return MARK
        def task(q): return q * Prompts().n
    """,
    "a base class": "class Base:\n    n = MARK\nclass Prompts(Base): pass\ndef task(q): return q * Prompts.n",
    "a metaclass": """
        class Meta(type):
            def n(cls): return MARK
        class Prompts(metaclass=Meta): pass
        def task(q): return q * Prompts.n()
    """,
    "a metaclass that is called": """
        class Meta(type):
            def n(cls): return MARK
        Prompts = Meta("Prompts", (), {})
        def task(q): return q * Prompts.n()
    """,
    "a keyword of a class": """
        class Base:
            def __init_subclass__(cls, n): cls.n = n
        class Prompts(Base, n=MARK): pass
        def task(q): return q * Prompts.n
    """,
    "an inner class of a class": """
        class Prompts:
            class Inner:
                n = MARK
        def task(q): return q * Prompts.Inner.n
    """,
    "a class's attribute set later": "class Prompts: pass\nPrompts.n = MARK\ndef task(q): return q * Prompts.n",
    "a class's call": """
        class Task:
            def __call__(self, q): return q * MARK
        task = Task()
    """,
    "the state of a callable object": """
        class Task:
            def __init__(self, n): self.n = n
            def __call__(self, q): return q * self.n
        task = Task(MARK)
    """,
    "the state of a bound instance": """
        class Prompts:
            def __init__(self, n): self.n = n
            def task(self, q): return q * self.n
        task = Prompts(MARK).task
    """,
    "a slot": """
        class Prompts:
            __slots__ = ("n", "unset")
            def __init__(self, n): self.n = n
            def task(self, q): return q * self.n
        task = Prompts(MARK).task
    """,
    "state two objects away": """
        class Model:
            def __init__(self, n): self.n = n
        class Prompts:
            def __init__(self, n): self.models = [Model(n)]
            def task(self, q): return q * self.models[0].n
        task = Prompts(MARK).task
    """,
    "a class reached through super()": """
        class Base:
            def n(self): return MARK
        class Prompts(Base):
            def n(self): return super().n()
        def task(q): return q * Prompts().n()
    """,
    "a field of a data class": """
        from dataclasses import dataclass
        @dataclass(frozen=True)
        class Config:
            n: int
        CONFIG = Config(n=MARK)
        def task(q): return q * CONFIG.n
    """,
    "a default factory of a data class": """
        from dataclasses import dataclass, field
        @dataclass
        class Config:
            n: list[int] = field(default_factory=lambda: [MARK])
        def task(q): return q * Config().n[0]
    """,
    "what a default factory of a data class names": """
        from dataclasses import dataclass, field
        def first(): return [MARK]
        @dataclass
        class Config:
            n: list[int] = field(default_factory=first)
        def task(q): return q * Config().n[0]
    """,
    "a field of a msgspec struct": """
        import msgspec
        class Config(msgspec.Struct):
            n: int
        CONFIG = Config(n=MARK)
        def task(q): return q * CONFIG.n
    """,
    "a default of a msgspec struct": """
        import msgspec
        class Config(msgspec.Struct):
            n: int = MARK
        def task(q): return q * Config().n
    """,
    "a field of a pydantic model": """
        from pydantic import BaseModel
        class Config(BaseModel):
            n: int
        CONFIG = Config(n=MARK)
        def task(q): return q * CONFIG.n
    """,
    "a default of a pydantic model": """
        from pydantic import BaseModel, Field
        class Config(BaseModel):
            n: int = Field(MARK, description="how often")
        def task(q): return q * Config().n
    """,
    "a private attribute of a pydantic model": """
        from pydantic import BaseModel
        class Config(BaseModel):
            _n: int = 0
        CONFIG = Config()
        CONFIG._n = MARK
        def task(q): return q * CONFIG._n
    """,
    "a validator of a pydantic model": """
        from pydantic import BaseModel, field_validator
        class Config(BaseModel):
            n: int = 1
            @field_validator("n")
            @classmethod
            def times(cls, value): return value * MARK
        def task(q): return q * Config(n=2).n
    """,
    "a model inside a model": """
        from pydantic import BaseModel
        class Inner(BaseModel):
            n: int = MARK
        class Config(BaseModel):
            inner: Inner
        def task(q): return Config.model_validate(q)
    """,
    "the value of an enum member": """
        from enum import Enum
        class Size(Enum):
            BIG = MARK
        def task(q): return q * Size.BIG.value
    """,
    "a method of an enum": """
        from enum import Enum
        class Size(Enum):
            BIG = 1
            def n(self): return MARK
        SIZE = Size.BIG
        def task(q): return q * SIZE.n()
    """,
    "a default of a named tuple": """
        from typing import NamedTuple
        class Config(NamedTuple):
            n: int = MARK
        def task(q): return q * Config().n
    """,
    "what a dictionary of the user's own kind holds": """
        class Registry(dict):
            def __missing__(self, key): return 0
        PROMPTS = Registry(n=MARK)
        def task(q): return q * PROMPTS["n"]
    """,
    "a method that dispatches by type": """
        import functools
        class Prompts:
            @functools.singledispatchmethod
            def n(self, q): return q * MARK
        def task(q): return Prompts().n(q)
    """,
    "a partial method": """
        import functools
        class Prompts:
            def times(self, n, q): return q * n
            n = functools.partialmethod(times, MARK)
        def task(q): return Prompts().n(q)
    """,
    "what a generic base was given": """
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Base(Generic[T]): pass
        class Inner:
            n = MARK
        class Prompts(Base[Inner]): pass
        def task(q): return Prompts.__orig_bases__
    """,
    "an alias of annotated types": """
        from typing import Annotated
        from pydantic import BaseModel, Field
        Size = Annotated[int, Field(gt=MARK)]
        class Config(BaseModel):
            n: Size
        def task(q): return Config(n=q)
    """,
    "a protocol": """
        from typing import Protocol
        class Asks(Protocol):
            n: int = MARK
        class Prompts(Asks): pass
        def task(q): return Prompts.n
    """,
    "a special method behind a library's decorator": """
        import contextlib
        class Prompts:
            @contextlib.contextmanager
            def __call__(self): yield MARK
        def task(q):
            with Prompts()() as n: return q * n
    """,
    "a special method that is a partial": """
        import functools
        class Prompts:
            def times(self, n, q): return q * n
            __call__ = functools.partialmethod(times, MARK)
        def task(q): return Prompts()(q)
    """,
    "a data class made on the fly": """
        import dataclasses
        Config = dataclasses.make_dataclass("Config", [("n", int, MARK)])
        def task(q): return q * Config().n
    """,
    "an abstract method": """
        import abc
        class Asks(abc.ABC):
            @abc.abstractmethod
            def n(self): return MARK
        class Prompts(Asks):
            def n(self): return super().n()
        def task(q): return Prompts().n()
    """,
}


@pytest.mark.parametrize("text", USES.values(), ids=USES.keys())
def test_what_a_class_says_or_holds_counts(pin_of: PinOf, text: str) -> None:
    assert_mark_counts(pin_of, text)
