"""Every file keeps the rules of CONTRIBUTING.md; an exception is an entry here, with its reason."""

from __future__ import annotations

from functools import partial

import pytest

from tests.architecture.rules import RULES, Fault, Rule, boolean_fields, switch
from tests.architecture.source import Source, sources

EXCEPTIONS: dict[str, str] = {
    # "path::thing as the failure names it": "why the rule yields here"
}


def _faults(rule: Rule) -> list[Fault]:
    if rule is switch:
        fields = frozenset(name for source in sources() for name in boolean_fields(source))
        rule = partial(switch, fields=fields)
    return [fault for source in sources() for fault in rule(source)]


@pytest.mark.parametrize("name", RULES)
def test_every_file_keeps_the_rule(name: str) -> None:
    broken = [str(fault) for fault in _faults(RULES[name]) if fault.key not in EXCEPTIONS]
    assert not broken, "\n".join([name, *broken])


def test_every_exception_is_still_needed_and_has_a_reason() -> None:
    met = {fault.key for rule in RULES.values() for fault in _faults(rule)}
    assert set(EXCEPTIONS) <= met
    assert all(EXCEPTIONS.values())


BREACHES = [
    ("a file is at most 400 lines", "src/rejudge/domain/a.py", "x = 1\n" * 401),
    ("a function is at most 60 lines", "tests/a.py", "def f() -> None:\n" + "    x = 1\n" * 60),
    ("a class is at most 200 lines", "src/rejudge/domain/a.py", "class A:\n" + "    x = 1\n" * 200),
    ("a function takes at most 8 parameters", "src/rejudge/runner/a.py", "def f(a, b, c, d, *, e, f, g, h, i): ..."),
    ("a file is named after a noun", "src/rejudge/runner/_utils.py", ""),
    ("a module says what it is for", "src/rejudge/runner/__init__.py", ""),
    ("no exception is swallowed", "tests/a.py", "try:\n    x = 1\nexcept OSError:\n    pass\n"),
    ("no exception is swallowed", "src/rejudge/a.py", "with contextlib.suppress(Exception):\n    x = 1\n"),
    ("no boolean parameter switches behaviour", "src/rejudge/runner/a.py", "def f(*, dry_run: bool = False): ..."),
    ("no boolean parameter switches behaviour", "src/rejudge/runner/a.py", "def f(fast: 'bool | None'): ..."),
    ("pure floors take neither clock nor chance", "src/rejudge/stats/a.py", "x = np.random.default_rng()"),
    ("pure floors take neither clock nor chance", "src/rejudge/domain/a.py", "x = datetime.now(UTC)"),
    ("a test can fail", "tests/unit/test_a.py", "def test_a() -> None:\n    print(1)\n"),
]

ACCEPTED = [
    ("a file is at most 400 lines", "src/rejudge/domain/a.py", "x = 1\n" * 400),
    ("a function takes at most 8 parameters", "src/rejudge/front/verbs.py", "def f(a, b, c, d, *, e, f, g, h, i): ..."),
    ("a module says what it is for", "src/rejudge/runner/__init__.py", '"""Runs."""'),
    ("no exception is swallowed", "src/rejudge/a.py", "try:\n    x = 1\nexcept OSError as error:\n    tell(error)\n"),
    ("no exception is swallowed", "src/rejudge/a.py", "with suppress(FileNotFoundError):\n    x = 1\n"),
    ("no boolean parameter switches behaviour", "src/rejudge/runner/a.py", "class A(Struct):\n    done: bool = False"),
    ("no boolean parameter switches behaviour", "src/rejudge/scorers/a.py", "def f(value: bool | str): ..."),
    ("pure floors take neither clock nor chance", "src/rejudge/stats/a.py", "x = np.random.default_rng(seed)"),
    ("pure floors take neither clock nor chance", "src/rejudge/runner/a.py", "x = datetime.now(UTC)"),
    (
        "a test can fail",
        "tests/unit/test_a.py",
        "def test_a() -> None:\n    with pytest.raises(OSError):\n        f()\n",
    ),
]


@pytest.mark.parametrize(("name", "path", "text"), BREACHES)
def test_a_breach_is_found(name: str, path: str, text: str) -> None:
    assert list(RULES[name](Source.of(path, text)))


@pytest.mark.parametrize(("name", "path", "text"), ACCEPTED)
def test_what_only_looks_like_a_breach_is_accepted(name: str, path: str, text: str) -> None:
    assert not list(RULES[name](Source.of(path, text)))


def test_a_parameter_that_carries_a_stored_field_is_data() -> None:
    text = "class A(Struct):\n    case_sensitive: bool = True\n\ndef f(*, case_sensitive: bool): ...\n"
    source = Source.of("src/rejudge/scorers/a.py", text)
    assert not list(switch(source, frozenset(boolean_fields(source))))
