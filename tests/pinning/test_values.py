"""The canonical form of what a function holds."""

from __future__ import annotations

import pytest

from rejudge.pinning import pin
from tests.pinning.conftest import Load, PinOf

HEAD = """
import collections, datetime, decimal, enum, fractions, operator, pathlib, re, string, types, typing, uuid, zoneinfo
import pydantic
from dataclasses import dataclass
class Size(enum.Enum):
    BIG = 1
    SMALL = 2
class Flag(enum.Flag):
    A = 1
    B = 2
class Text(str): pass
class Row(typing.NamedTuple):
    a: int
@dataclass
class Data:
    a: int
V = {value}
def task(q): return V
"""

VALUES = [
    "None", "True", "False", "0", "1", "-1", "2**53", "2**200", "10**6000", "1.0", "0.0", "-0.0", "1.5",
    "float('inf')", "float('-inf')", "float('nan')", "1j", "''", "'a'", "'\\x00a'", "'\\ud800'", "'é'",
    "b''", "b'a'", "bytearray(b'a')", "...", "NotImplemented",
    "[]", "[1]", "[1, 2]", "[2, 1]", "()", "(1,)", "[[1], 2]", "[1, [2]]", "{}", "{'a': 1}", "{'a': 1, 'b': 2}",
    "{'b': 2, 'a': 1}", "{1: 'a'}", "{'1': 'a'}", "set()", "{1}", "{1, 2}", "frozenset({1, 2})", "{(1, 2)}",
    "{'a', Size.BIG}",
    "range(3)", "slice(1, 2)", "decimal.Decimal('1')", "decimal.Decimal('1.0')", "decimal.Decimal('NaN')",
    "fractions.Fraction(1, 2)", "uuid.UUID(int=1)", "datetime.date(2026, 1, 2)", "datetime.datetime(2026, 1, 2)",
    "datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)",
    "datetime.datetime(2026, 1, 2, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin'))", "datetime.time(1, 2)",
    "datetime.timedelta(seconds=1)", "pathlib.Path('a/b')", "pathlib.PurePosixPath('a/b')", "re.compile('a')",
    "re.compile('a', re.I)", "re.compile(b'a')", "string.Template('$a')", "collections.OrderedDict(a=1)",
    "collections.Counter('aab')", "collections.defaultdict(list, a=[1])", "collections.defaultdict(set, a=[1])",
    "collections.deque([1, 2])", "collections.deque([1, 2], 2)", "types.SimpleNamespace(a=1)",
    "types.MappingProxyType({'a': 1})",
    "operator.itemgetter('a')", "operator.itemgetter('b')", "operator.attrgetter('a')", "operator.methodcaller('a', 1)",
    "Size.BIG", "Size.SMALL", "Flag.A", "Flag.A | Flag.B", "Text('a')", "Row(1)", "Data(1)", "Data(2)", "Size", "Data",
    "len", "str.upper", "'a'.upper", "dict.fromkeys", "int", "list[int]", "list[str]", "int | None", "typing.Any",
    "typing.Optional[Data]", "typing.TypeVar('T')", "typing.NewType('Name', str)", "typing.Literal['a']",
    "typing.Annotated[int, 'a']", "typing.Annotated[int, pydantic.Field(gt=1)]",
    "typing.Annotated[int, pydantic.Field(gt=2)]", "list[Data]", "typing.List[Data]",
]  # fmt: skip


def test_equal_values_have_one_form_and_different_values_have_different_ones(load: Load) -> None:
    seen: dict[bytes, str] = {}
    for value in VALUES:
        one, same = (pin(load(HEAD.format(value=value)).task) for _ in range(2))
        assert one.unpinnable == (), value
        assert one == same, value
        assert seen.setdefault(one.digest, value) == value
    assert len(seen) == len(VALUES)


@pytest.mark.parametrize(
    "value", ["{'a', 'b', 'c', (1, 'd')}", "frozenset('abcdefgh')", "{Size.BIG, Size.SMALL, len, int}"]
)
def test_a_set_has_no_order(pin_of: PinOf, value: str) -> None:
    backwards = f"type({value})(reversed(list({value})))"
    assert pin_of(HEAD.format(value=value)) == pin_of(HEAD.format(value=backwards))


def test_functions_in_a_set_that_read_that_set_are_pinned(pin_of: PinOf) -> None:
    text = "def f(): return ALL, {n}\ndef g(): return ALL\nALL = {{f, g}}\ndef task(q): return ALL"
    assert pin_of(text.format(n=1)).pinned
    assert pin_of(text.format(n=1)) == pin_of(text.format(n=1))
    assert pin_of(text.format(n=1)).digest != pin_of(text.format(n=2)).digest


def test_a_global_counts_as_it_is_when_pinned(load: Load) -> None:
    module = load("RULES = ['a']\ndef task(q): return RULES")
    before = pin(module.task)
    module.RULES.append("b")
    assert pin(module.task).digest != before.digest
    module.RULES.pop()
    assert pin(module.task) == before


def test_objects_that_refer_to_each_other_are_pinned(pin_of: PinOf) -> None:
    text = """
        class Node:
            def __init__(self, name): self.name, self.next = name, None
        a, b = Node("a"), Node("{name}")
        a.next, b.next = b, a
        def task(q): return a.next.name
    """
    assert pin_of(text.format(name="b")) == pin_of(text.format(name="b"))
    assert pin_of(text.format(name="b")).digest != pin_of(text.format(name="c")).digest


def test_a_path_inside_the_project_is_the_same_in_every_clone(pin_of: PinOf) -> None:
    for text in (
        "import pathlib\nP = pathlib.Path(__file__).parent / 'prompts'\ndef task(q): return P",
        "import os\nP = os.path.dirname(os.path.abspath(__file__))\ndef task(q): return P",
        "import pathlib\ndef task(q, at=pathlib.Path(__file__).parent): return at, __file__, __name__",
    ):
        assert pin_of(text) == pin_of(text)
    other = "import pathlib\nP = pathlib.Path(__file__).parent / '{}'\ndef task(q): return P"
    assert pin_of(other.format("a")).digest != pin_of(other.format("b")).digest
