"""What a function asks for by name, and what a call of it gives."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest

from rejudge.domain.errors import ConfigurationError
from rejudge.pinning import Asked, Kind, asked, kind_of


def ask(question: str, context: str, /) -> str:
    return question + context


def task(question: str, context: str, *, model: str = "m", tone: str) -> str:
    return question + context + model + tone


class Prompts:
    def answer(self, question: str, context: str = "") -> str:
        return question + context

    @classmethod
    def short(cls, question: str) -> str:
        return question

    @staticmethod
    def plain(question: str) -> str:
        return question

    def __call__(self, question: str, hint: str) -> str:
        return question + hint


def test_required_names_and_names_with_defaults_stay_apart() -> None:
    assert asked(task) == Asked(
        required=("question", "context", "tone"), optional=("model",), any_positional=False, any_keyword=False
    )
    assert asked(task).names == ("question", "context", "tone", "model")


def test_anything_goes_is_said_and_asks_for_nothing() -> None:
    def anything(*args: str, **kwargs: str) -> str:
        return "".join([*args, *kwargs.values()])

    assert asked(anything) == Asked(required=(), optional=(), any_positional=True, any_keyword=True)


@pytest.mark.parametrize(
    ("function", "required", "optional"),
    [
        (functools.partial(task, "q"), ("context", "tone"), ("model",)),
        (functools.partial(task, tone="dry"), ("question", "context"), ("model",)),
        (functools.partial(task, question="q"), ("context", "tone"), ("model",)),
        (functools.partial(functools.partial(task, "q"), model="n"), ("context", "tone"), ()),
        (functools.partial(Prompts(), hint="h"), ("question",), ()),
        (Prompts().answer, ("question",), ("context",)),
        (Prompts.short, ("question",), ()),
        (Prompts.plain, ("question",), ()),
        (Prompts(), ("question", "hint"), ()),
        (lambda question, n=1: (question, n), ("question",), ("n",)),
        (functools.lru_cache(task), ("question", "context", "tone"), ("model",)),
    ],
)
def test_self_and_bound_arguments_are_gone(
    function: Callable[..., object], required: tuple[str, ...], optional: tuple[str, ...]
) -> None:
    assert (asked(function).required, asked(function).optional) == (required, optional)


def test_a_wrapped_function_asks_for_what_the_inner_one_does() -> None:
    @functools.wraps(task)
    def wrapper(*args: str, **kwargs: str) -> str:
        return task(*args, **kwargs)

    assert asked(wrapper) == asked(task)


def test_a_parameter_that_no_name_can_fill_is_refused_with_its_place() -> None:
    with pytest.raises(ConfigurationError) as refusal:
        asked(ask)
    assert "ask` takes question, context by position only" in refusal.value.what
    assert refusal.value.where is not None
    assert refusal.value.where.file == __file__
    assert refusal.value.where.line == ask.__code__.co_firstlineno
    assert "remove the `/`" in refusal.value.fix


def test_a_bound_positional_parameter_is_no_hindrance() -> None:
    assert asked(functools.partial(ask, "q", "c")).names == ()


def test_a_builtin_that_does_not_say_what_it_takes_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="wrap it in a def"):
        asked(getattr)
    with pytest.raises(ConfigurationError, match="wrap it in a def"):
        asked(3)  # type: ignore[arg-type]


async def waits(question: str) -> str:
    return question


def yields(question: str) -> Iterator[str]:
    yield question


async def streams(question: str) -> AsyncIterator[str]:
    yield question


class Waits:
    async def __call__(self, question: str) -> str:
        return question

    async def answer(self, question: str) -> str:
        return question

    def steps(self, question: str) -> Iterator[str]:
        yield question


class Streams:
    async def __call__(self, question: str) -> AsyncIterator[str]:
        yield question


@functools.wraps(waits)
def hands_on(question: str) -> Awaitable[str]:
    return waits(question)


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (task, Kind.VALUE),
        (len, Kind.VALUE),
        (Prompts(), Kind.VALUE),
        (Prompts, Kind.VALUE),
        (waits, Kind.AWAITABLE),
        (functools.partial(functools.partial(waits), "q"), Kind.AWAITABLE),
        (Waits(), Kind.AWAITABLE),
        (functools.partial(Waits(), "q"), Kind.AWAITABLE),
        (Waits().answer, Kind.AWAITABLE),
        (yields, Kind.GENERATOR),
        (Waits().steps, Kind.GENERATOR),
        (streams, Kind.ASYNC_GENERATOR),
        (Streams(), Kind.ASYNC_GENERATOR),
        (hands_on, Kind.VALUE),
    ],
)
def test_the_kind_is_what_the_call_itself_gives(function: Callable[..., object], kind: Kind) -> None:
    assert kind_of(function) is kind
