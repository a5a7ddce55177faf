"""A change anywhere in what a function uses changes its digest; a change elsewhere does not."""

from __future__ import annotations

import pytest

from rejudge.pinning import pin
from tests.pinning.conftest import Load, PinOf, assert_mark_counts

# Each text has one MARK, which is replaced by two values in turn.
USES = {
    "a default argument": "def task(q, n=MARK): return q * n",
    "a keyword default": "def task(q, *, n=MARK): return q * n",
    "a closure cell": """
        def make(n):
            def task(q): return q * n
            return task
        task = make(MARK)
    """,
    "an argument bound by partial": """
        from functools import partial
        def times(q, n): return q * n
        task = partial(times, n=MARK)
    """,
    "a positional argument bound by partial": """
        from functools import partial
        def times(n, q): return q * n
        task = partial(times, MARK)
    """,
    "an argument bound by the inner of two partials": """
        from functools import partial
        def times(n, m, q): return q * n * m
        inner = partial(times, MARK)
        inner.note = "keeps them apart"
        task = partial(inner, 3)
    """,
    "a global": "N = MARK\ndef task(q): return q * N",
    "a global inside a container": "N = {'a': [1, (MARK,)]}\ndef task(q): return q * N['a'][1][0]",
    "a helper": "def times(q): return q * MARK\ndef task(q): return times(q)",
    "a helper's global": "N = MARK\ndef times(q): return q * N\ndef task(q): return times(q)",
    "a helper's default": "def times(q, n=MARK): return q * n\ndef task(q): return times(q)",
    "a name in a nested function": "N = MARK\ndef task(q):\n    def inner(): return N\n    return inner() * q",
    "a name in a comprehension": "N = MARK\ndef task(q): return [N for _ in q]",
    "a name in a nested comprehension": "N = MARK\ndef task(q): return [[N for _ in p] for p in q]",
    "a name in a lambda": "N = MARK\ndef task(q): return sorted(q, key=lambda c: N)",
    "a name in an inner class": "N = MARK\ndef task(q):\n    class Inner:\n        n = N\n    return Inner.n * q",
    "a name in a method of an inner class": """
        N = MARK
        def task(q):
            class Inner:
                def n(self): return N
            return Inner().n() * q
    """,
    "a name in a nested function's decorator": """
        N = MARK
        def by(n): return lambda f: f
        def task(q):
            @by(N)
            def inner(): return q
            return inner()
    """,
    "a name in a nested function's default": "N = MARK\ndef task(q):\n    def inner(n=N): return n\n    return inner()",
    "a decorator's wrapper": """
        def loud(function):
            def wrapper(q): return function(q) * MARK
            return wrapper
        @loud
        def task(q): return q
    """,
    "what a decorator was given": """
        def loud(n):
            def decorate(function):
                def wrapper(q): return function(q) * n
                return wrapper
            return decorate
        @loud(MARK)
        def task(q): return q
    """,
    "the function that functools.wraps hides": """
        import functools
        def passed_on(function):
            @functools.wraps(function)
            def wrapper(q): return wrapper.__wrapped__(q)
            return wrapper
        @passed_on
        def task(q): return q * MARK
    """,
    "an attribute of the function": "def task(q): return q * task.n\ntask.n = MARK",
    "a cached function": "import functools\n@functools.lru_cache\ndef task(q): return q * MARK",
    "what a cached helper uses": """
        import functools
        N = MARK
        @functools.cache
        def times(q): return q * N
        def task(q): return times(q)
    """,
    "a context manager made of a generator": """
        import contextlib
        @contextlib.contextmanager
        def around(): yield MARK
        def task(q):
            with around() as n: return q * n
    """,
    "a registered implementation of a single dispatch": """
        import functools
        @functools.singledispatch
        def times(q): return q
        @times.register
        def _(q: int): return q * MARK
        def task(q): return times(q)
    """,
    "an annotation, which frameworks read": "N = MARK\ndef task(q: N): return q",
    "an async function": "N = MARK\nasync def task(q): return q * N",
    "a generator": "N = MARK\ndef task(q): yield q * N",
    "an async generator": "N = MARK\nasync def task(q): yield q * N",
    "a function in a table": "TABLE = {'times': lambda q: q * MARK}\ndef task(q): return TABLE['times'](q)",
    "a function in a set": "def f(q): return q * MARK\nALL = {f, len}\ndef task(q): return [one(q) for one in ALL]",
    "a bound method of a text": "ask = '{} MARK'.format\ndef task(q): return ask(q)",
    "an alias of types": "N = list[int] | None if MARK == 1 else list[str] | None\ndef task(q: N): return q",
    "a global of the user's class in a type": """
        class Model:
            n = MARK
        Models = list[Model]
        def task(q) -> Models: return []
    """,
}


@pytest.mark.parametrize("text", USES.values(), ids=USES.keys())
def test_what_a_function_uses_counts(pin_of: PinOf, text: str) -> None:
    assert_mark_counts(pin_of, text)


def test_what_a_function_does_not_use_costs_nothing(pin_of: PinOf) -> None:
    text = """
        N = 1
        UNUSED = {unused}
        def task(q): return q * N
        def other(q): return q + {unused}
    """
    assert pin_of(text.format(unused=1)) == pin_of(text.format(unused=2))


def test_the_order_of_definitions_does_not_count(pin_of: PinOf) -> None:
    first = "A = 1\nB = 2\ndef task(q): return helper(q) * B\ndef helper(q): return q * A\n"
    second = "def helper(q): return q * A\nB = 2\ndef task(q): return helper(q) * B\nA = 1\n"
    assert pin_of(first) == pin_of(second)


def test_functions_that_call_each_other_are_followed_once(pin_of: PinOf) -> None:
    text = """
        def task(n): return n and odd(n - 1)
        def odd(n): return n and even(n - 1)
        def even(n): return {even} and odd(n - 1)
    """
    assert pin_of(text.format(even="n")) == pin_of(text.format(even="n"))
    assert pin_of(text.format(even="n")).digest != pin_of(text.format(even="not n")).digest


def test_a_function_that_calls_itself_is_pinned(pin_of: PinOf) -> None:
    assert pin_of("def task(n): return n and task(n - 1)").pinned


def test_a_chain_of_a_thousand_helpers_is_followed_to_its_end(pin_of: PinOf) -> None:
    chain = "\n".join(f"def f{n}(q): return f{n + 1}(q)" for n in range(1000))
    text = f"{chain}\ndef f1000(q): return q * MARK\ndef task(q): return f0(q)\n"
    assert pin_of(text.replace("MARK", "1")).digest != pin_of(text.replace("MARK", "2")).digest


def test_functions_made_in_a_loop_are_as_many_run_configs(load: Load) -> None:
    module = load("""
        def with_default(model):
            def task(q, model=model): return (model, q)
            return task
        def with_closure(model):
            def task(q): return (model, q)
            return task
        models = ["a", "b", "c", "d"]
        defaults = [with_default(model) for model in models]
        closures = [with_closure(model) for model in models]
        lambdas = [lambda q, model=model: (model, q) for model in models]
    """)
    for made in (module.defaults, module.closures, module.lambdas):
        assert len({pin(function).digest for function in made}) == 4


def test_a_name_that_is_defined_later_changes_the_digest(load: Load) -> None:
    module = load("def task(q): return q * N")
    before = pin(module.task)
    vars(module)["N"] = 1
    assert pin(module.task).digest != before.digest


def test_a_global_is_told_from_a_builtin_of_the_same_name(pin_of: PinOf) -> None:
    assert (
        pin_of("def task(q): return len(q)").digest != pin_of("def len(q): return 1\ndef task(q): return len(q)").digest
    )


def test_an_attribute_is_not_taken_for_a_global_of_the_same_name(pin_of: PinOf) -> None:
    text = "import threading\nclient = threading.Lock()\ndef task(q): return q.client"
    assert pin_of(text).pinned


def test_a_field_is_not_taken_for_a_global_of_the_same_name(pin_of: PinOf) -> None:
    text = """
        import threading
        from dataclasses import dataclass
        client = threading.Lock()
        @dataclass
        class Config:
            client: str = "x"
        def task(q): return Config()
    """
    assert pin_of(text).pinned


def test_a_cached_property_that_was_computed_changes_nothing(load: Load) -> None:
    module = load("""
        import functools
        class Prompts:
            @functools.cached_property
            def lines(self): return ["x"]
            def task(self, q): return self.lines
        prompts = Prompts()
    """)
    before = pin(module.prompts.task)
    module.prompts.task("q")
    assert pin(module.prompts.task) == before


def test_a_logger_does_not_count(pin_of: PinOf) -> None:
    text = "import logging\nlog = logging.getLogger('{}')\ndef task(q): log.info(q)"
    assert pin_of(text.format("a")) == pin_of(text.format("b"))
    assert pin_of(text.format("a")).pinned
