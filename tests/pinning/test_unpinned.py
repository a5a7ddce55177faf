"""What cannot be pinned is named, with the line and the way to mend it."""

from __future__ import annotations

import pytest

from rejudge.pinning import Unpinnable, pin
from tests.pinning.conftest import Load, PinOf

LOCK = "a _thread.lock has no canonical form"


def test_the_reason_names_the_value_the_line_and_the_cure(pin_of: PinOf) -> None:
    unpinned = pin_of("import threading\nclient = threading.Lock()\n\ndef task(q): return client.ask(q)")
    assert not unpinned.pinned
    assert unpinned.reason() == "unpinned: uses `client`, line 4; state version="
    assert unpinned.unpinnable == (Unpinnable(name="client", where="global", line=4, file="", why=LOCK),)


def test_a_pinned_function_has_no_reason(pin_of: PinOf) -> None:
    assert pin_of("def task(q): return q").reason() == ""


def test_several_values_are_listed_together(pin_of: PinOf) -> None:
    text = """import threading
a, b, c = threading.Lock(), threading.Lock(), threading.Lock()
def task(q):
    with b:
        return a, c
"""
    assert pin_of(text).reason() == "unpinned: uses `a`, line 5, `b`, line 4, and `c`, line 5; state version="


PARTIAL = "from functools import partial\n"

HELD = [
    ("def make(client):\n  def task(q):\n    return client\n  return task\ntask = make(x)", "client", "closure", 6),
    ("def task(q, client=x): return client", "client", "default", 4),
    ("def task(q, *, client=x): return client", "client", "default", 4),
    (PARTIAL + "def ask(client, q): return q\ntask = partial(ask, x)", "client", "bound argument", None),
    (PARTIAL + "def ask(q, client): return q\ntask = partial(ask, client=x)", "client", "bound argument", None),
    ("@CLASS\n  def __call__(self, q):\n    return self.client\ntask = T()", "self.client", "attribute", 7),
    ("@CLASS\n  def ask(self, q):\n    return self.client\ntask = T().ask", "self.client", "attribute", 7),
    (
        "class T:\n  def ask(s): pass\nt = T()\nt.client = x\nask = t.ask\ndef task(q): return ask",
        "ask.client",
        "attribute",
        9,
    ),
    ("class T: pass\nt = T()\nt.client = x\ndef task(q): return t.client", "t.client", "attribute", 7),
    ("class T:\n  client = x\ndef task(q): return T.client", "T.client", "attribute", 6),
    ("def task(q): return q\ntask.client = x", "task.client", "attribute", 4),
    ("C = {'a': [1, x]}\ndef task(q): return C", "C['a'][1]", "global", 5),
    ("class T: pass\nt = T()\nt.all = [x]\ndef task(q): return t", "t.all[0]", "attribute", 7),
    ("def helper(q): return x\ndef task(q): return helper(q)", "x", "global", 4),
]


@pytest.mark.parametrize(("text", "name", "where", "line"), HELD)
def test_wherever_it_is_held_it_is_found(pin_of: PinOf, text: str, name: str, where: str, line: int | None) -> None:
    text = text.replace("@CLASS", "class T:\n  def __init__(s): s.client = x")
    (found,) = pin_of("import threading\nx = threading.Lock()\n\n" + text).unpinnable
    assert (found.name, found.where, found.line, found.file, found.why) == (name, where, line, "", LOCK)


def test_what_a_class_statement_used_up_is_not_held(pin_of: PinOf) -> None:
    text = """
        import threading
        client = threading.Lock()
        class Prompts:
            taken: bool = client.acquire()
            size = client.__sizeof__()
        def task(q): return Prompts.taken
    """
    assert pin_of(text).pinned


def test_a_line_in_another_file_says_which(pin_of: PinOf) -> None:
    helpers = "import threading\nclient = threading.Lock()\ndef ask(q):\n    return client"
    text = "import helpers\ndef task(q): return helpers.ask(q)"
    assert pin_of(text, helpers=helpers).reason() == "unpinned: uses `client`, line 4 of helpers.py; state version="
    text = "import helpers\ndef task(q): return helpers.client"
    assert pin_of(text, helpers=helpers).reason() == "unpinned: uses `helpers.client`, line 2; state version="


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("open(os.devnull)", "a _io.TextIOWrapper has no canonical form"),
        ("socket.socket()", "a socket.socket has no canonical form"),
        ("(n for n in 'ab')", "a generator has no canonical form"),
        ("iter([1])", "a list_iterator has no canonical form"),
        ("random.Random(1)", "a random.Random has no canonical form"),
        ("object()", "an object has no canonical form"),
        ("weakref.ref(threading.Thread)", "a weakref.ReferenceType has no canonical form"),
        ("MyRandom(1)", "a tasks.MyRandom keeps state that cannot be read"),
        ("numpy.array([1])", "a numpy.ndarray has no canonical form"),
        ("jinja2.Template('x')", "a jinja2.environment.Template has no canonical form"),
    ],
)
def test_values_without_a_canonical_form(load: Load, value: str, why: str) -> None:
    module = load(f"""
import jinja2, numpy, os, random, socket, threading, weakref
class MyRandom(random.Random): pass
x = {value}
def task(q): return x
def close(): getattr(x, "close", str)()
""")
    assert [found.why for found in pin(module.task).unpinnable] == [why]
    module.close()


def test_the_part_that_can_be_pinned_still_counts(pin_of: PinOf) -> None:
    text = "import threading\nclient = threading.Lock()\nN = {n}\ndef task(q): return client, N"
    assert pin_of(text.format(n=1)) == pin_of(text.format(n=1))
    assert pin_of(text.format(n=1)).digest != pin_of(text.format(n=2)).digest


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("[]\nx.append(x)", "it contains itself"),
        ("{}\nx['a'] = [x]", "it contains itself"),
        ("1\nfor _ in range(5000): x = [x]", "it is nested more than 64 deep"),
        ("1\nfor _ in range(5000): x = {'a': x}", "it is nested more than 64 deep"),
        ("1\nfor _ in range(5000): x = (x,)", "it is nested more than 64 deep"),
        ("1\nfor _ in range(300): x = frozenset({x, 2})", "it is nested too deep"),
        ("1\nfor _ in range(60): x = [x, x]", "it holds more than 1,000,000 values"),
    ],
)
def test_values_without_end_are_named_like_any_other(pin_of: PinOf, value: str, why: str) -> None:
    (found,) = pin_of(f"x = {value}\ndef task(q): return x").unpinnable
    assert found.why == why
    assert found.name.startswith("x")
    assert found.line == value.count("\n") + 2


def test_one_value_without_end_does_not_stop_the_others(pin_of: PinOf) -> None:
    text = "a = 1\nfor _ in range(99): a = [a]\nb = [{n}]\ndef task(q, *, x=a): return a, b, x"
    assert [found.name for found in pin_of(text.format(n=1)).unpinnable] == ["x", "a"]
    assert pin_of(text.format(n=1)).digest != pin_of(text.format(n=2)).digest


def test_ten_thousand_objects_in_a_row_are_pinned(pin_of: PinOf) -> None:
    text = """
        class Node: pass
        first = node = Node()
        for n in range(10_000):
            node.next = Node()
            node = node.next
        node.name = "{}"
        def task(q): return first
    """
    assert pin_of(text.format("a")).pinned
    assert pin_of(text.format("a")).digest != pin_of(text.format("b")).digest


def test_state_of_a_class_that_extends_an_installed_one_is_read_where_it_can_be(load: Load) -> None:
    module = load("""
        import string, threading
        class Prompt(string.Template): pass
        class Waits(threading.Event): pass
        prompt, waits = Prompt("Dear $name"), Waits()
        def task(q): return prompt
        def other(q): return waits
    """)
    assert pin(module.task).pinned
    assert [found.name for found in pin(module.other).unpinnable] == ["waits._cond"]
