"""What Monty lacks is said before anything runs, with the line that asks for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from rejudge.domain.errors import ConfigurationError
from rejudge.sandbox.dialect import Asked, asked_of
from rejudge.sandbox.sandbox import Sandbox

RunInSandbox = Callable[[Callable[[Sandbox], Awaitable[None]]], None]

LACKING = {
    "a generator": ("def score(output):\n    yield 1\n", "code:2: .*yield expressions"),
    "a module": ("def score(output):\n    import statistics\n    return 1\n", "code:2: .*No module named 'statistics'"),
    "what a module has not": ("import sys\n\ndef score(output):\n    sys.exit(3)\n", "code:4: .*'exit'"),
    "a name from a module": ("from os import fork\n", "code:1: .*fork"),
    "a built-in function": ("def score(output):\n    return globals()\n", "code:2: .*'globals' is not defined"),
    "a property": ("class A:\n    @property\n    def x(self):\n        return 1\n", "code:2: .*decorators"),
}

SUPPLIED = {
    "everyday code": "import json, math, re\nfrom collections import Counter\n\ndef score(output):\n"
    "    return len(sorted(set(json.loads(output)))) / math.sqrt(4) + Counter(re.findall('a', output))['a']\n",
    "what may be missing": "try:\n    import numpy\nexcept ImportError:\n    numpy = None\n",
    "a name of its own": "def globals():\n    return 1\n\ndef score(output):\n    return globals()\n",
    "an async function": "async def score(output):\n    return 1.0\n",
    "annotations of the future": "from __future__ import annotations\n\ndef score(output: str) -> int:\n    return 1\n",
    "what would raise when it runs": "def score(output):\n    raise ValueError\n",
}


@pytest.mark.parametrize("kind", ["monty"], indirect=True)
@pytest.mark.parametrize("what", LACKING)
def test_what_monty_lacks_is_named_with_its_line(what: str, in_sandbox: RunInSandbox) -> None:
    code, said = LACKING[what]

    async def checked(sandbox: Sandbox) -> None:
        with pytest.raises(ConfigurationError, match=f"(?s)^{said}.*use sandbox: bubblewrap"):
            await sandbox.check(code)

    in_sandbox(checked)


@pytest.mark.parametrize("what", SUPPLIED)
def test_what_a_sandbox_has_is_not_refused_and_not_run(what: str, kind: str, in_sandbox: RunInSandbox) -> None:
    async def check(sandbox: Sandbox) -> None:
        await sandbox.check(SUPPLIED[what] + "\nwhile True:\n    pass\n")

    in_sandbox(check)


def test_each_thing_is_asked_for_once_in_the_order_of_lines() -> None:
    code = "import os.path as path\nimport re\nfrom json import loads as read\n\n"
    code += "def f():\n    return re.sub, re.sub\n\n\ndef g():\n    return len(path.sep)\n"
    asked = asked_of(code)
    assert asked[:4] == [
        Asked("import os.path as path", 1),
        Asked("import re", 2),
        Asked("from json import loads as read", 3),
        Asked("import re\nre.sub", 6),
    ]
    assert set(asked[4:]) == {Asked("len", 10), Asked("import os.path as path\npath.sep", 10)}


def test_deep_code_is_looked_through() -> None:
    assert asked_of("x = " + "+".join(["1"] * 900)) == []
