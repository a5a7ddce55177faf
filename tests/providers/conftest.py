"""What the tests of providers share: a fake server, small tasks and judges that ask a model, and a way to count."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

import rejudge
from rejudge.providers.fake_server import FakeModelServer
from rejudge.providers.provider import Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from rejudge.providers.fake_server import Script

KEY = "sk-proj-9fQ/x7+Lk2=VtR8wZ0aB3cD"
"""A key with characters that are escaped in addresses, in JSON and in base64."""

QUICK = Limits(attempt_seconds=10.0, total_seconds=60.0)
"""Time enough on a busy machine, and an end."""

IMPATIENT = Limits(attempt_seconds=0.5, total_seconds=60.0)
"""For a server that never answers."""

ITEMS = [{"id": f"q{number}", "question": f"what is {number}+{number}?"} for number in range(4)]


def asking(question: str) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
    """A task that asks a model once."""
    reply = yield rejudge.ModelCall(model="m", messages=[{"role": "user", "content": question}])
    return reply.text or f"refused: {reply.refusal}"


def judge(output: str) -> Generator[rejudge.ModelCall, rejudge.Reply, bool]:
    """A judge that asks a model whether an output is good."""
    reply = yield rejudge.ModelCall(model="judge", messages=[{"role": "user", "content": f"is it good? {output}"}])
    if reply.text not in ("yes", "no"):
        raise rejudge.ScorerError(f"the judge said {reply.text or reply.refusal!r}")
    return reply.text == "yes"


def echo(question: str) -> str:
    """A task that asks nobody."""
    return question


@pytest.fixture
def serve() -> Iterator[Callable[[Script], FakeModelServer]]:
    """Starts fake servers that end with the test."""
    with ExitStack() as stack:
        yield lambda script: stack.enter_context(FakeModelServer(script))
