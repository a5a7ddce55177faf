"""A user's function as a scorer: what it may ask for, what it is given, how it is known again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from functools import partial

import pytest

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import ScoreSpec
from rejudge.domain.usage import Usage
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers import Way, as_verdict, function_scorer

VIEW = View(
    output={"answer": "42"},
    trace=[{"role": "assistant"}],
    reference_data={"gold": "42"},
    task_input={"question": "?"},
    item={"question": "?", "gold": "42", "limit": 7},
    metadata={"steps": 2},
    extra={"confidence": 0.5, "gold": "the task's"},
    usage=Usage(input_tokens=3),
    latency=0.25,
)


def judged(function: Callable[..., object], view: View = VIEW) -> object:
    scorer = function_scorer(function, version="1")
    return scorer.judge(view)


def test_a_function_is_given_the_parts_it_names() -> None:
    def parts(
        *,
        output: object,
        final_message: object,
        trace: object,
        reference_data: object,
        task_input: object,
        item: object,
        metadata: object,
        usage: object,
        latency: object,
        view: object,
    ) -> object:
        return (
            *(output, final_message, trace, reference_data, task_input),
            *(item, metadata, usage, latency, view),
        )

    assert judged(parts) == (
        *(VIEW.output, '{"answer":"42"}', VIEW.trace, VIEW.reference_data, VIEW.task_input),
        *(VIEW.item, VIEW.metadata, VIEW.usage, VIEW.latency, VIEW),
    )


def test_another_name_is_an_item_field_or_else_a_key_that_the_task_returned() -> None:
    def pair(gold: object, confidence: object) -> object:
        return gold, confidence

    assert judged(pair) == ("42", 0.5)
    assert function_scorer(pair).needs == {"gold", "confidence"}


def test_a_part_hides_an_item_field_of_the_same_name() -> None:
    view = View(output="the task's", item={"output": "the item's"})
    assert judged(lambda output: output, view) == "the task's"


def test_a_parameter_with_a_default_is_never_filled_from_an_item_field_and_never_missing() -> None:
    def scored(output: object, limit: int = 100, unknown: str = "default") -> object:
        return limit, unknown

    scorer = function_scorer(scored)
    assert scorer.judge(VIEW) == (100, "default")
    assert scorer.needs == frozenset()


def test_a_part_with_a_default_is_filled_where_there_is_one() -> None:
    def scored(output: object, trace: object = "none", usage: object = "none") -> object:
        return trace, usage

    assert judged(scored, View(output="a", trace=[])) == ([], "none")


def test_null_is_a_value_of_an_item_field() -> None:
    assert judged(lambda gold: gold is None, View(output="a", item={"gold": None})) is True


@pytest.mark.parametrize(
    ("function", "cause", "named"),
    [
        (lambda nowhere: 1, Skip.MISSING_INPUT_FIELD, "nowhere"),
        (lambda trace: 1, Skip.MISSING_TRACE, "trace"),
        (lambda reference_data: 1, Skip.MISSING_REFERENCE_KEY, "reference_data"),
        (lambda task_input: 1, Skip.MISSING_INPUT_FIELD, "task_input"),
    ],
)
def test_what_is_not_there_is_a_skip_that_names_it(function: Callable[..., object], cause: Skip, named: str) -> None:
    verdict = judged(function, View(output="a"))
    assert isinstance(verdict, Verdict)
    assert verdict.skip == cause
    assert named in verdict.reason


async def later(output: object) -> bool:
    return True


def asking(output: object, gold: object) -> Generator[object, object, bool]:
    reply = yield "a call"
    return bool(reply)


class Longer:
    name = "at least"
    scores = (ScoreSpec(name="long enough"),)

    def __init__(self, limit: int = 1) -> None:
        self.limit = limit

    def __call__(self, final_message: str) -> bool:
        return len(final_message) >= self.limit


def test_a_function_runs_in_the_way_it_is_written() -> None:
    assert function_scorer(lambda output: True).way is Way.THREAD
    assert function_scorer(later).way is Way.LOOP
    assert function_scorer(asking).way is Way.STEPS
    assert function_scorer(Longer(3)).way is Way.THREAD
    coroutine = function_scorer(later).judge(VIEW)
    assert isinstance(coroutine, Awaitable)
    coroutine.close()  # type: ignore[attr-defined]


def test_steps_are_steps_even_where_something_is_missing() -> None:
    asked = function_scorer(asking).judge(VIEW)
    assert isinstance(asked, Generator)
    assert next(asked) == "a call"
    skipped = function_scorer(asking).judge(View(output="a"))
    assert isinstance(skipped, Generator)
    with pytest.raises(StopIteration) as end:
        next(skipped)
    assert end.value.value.skip == Skip.MISSING_INPUT_FIELD


def test_an_async_generator_is_refused() -> None:
    async def stream(output: object) -> AsyncIterator[int]:
        yield 1

    with pytest.raises(ConfigurationError, match="'stream' is an async generator"):
        function_scorer(stream)


def test_an_instance_or_its_class_is_a_scorer() -> None:
    scorer = function_scorer(Longer(3))
    assert scorer.config.name == "at least"
    assert scorer.config.scores == (ScoreSpec(name="long enough"),)
    assert scorer.judge(View(output="ab")) is False
    assert function_scorer(Longer).judge(View(output="ab")) is True

    class NoCall:
        pass

    with pytest.raises(ConfigurationError, match="the class NoCall makes no scorer"):
        function_scorer(NoCall)


def polite(output: object, word: str) -> bool:
    return word in str(output)


def test_a_scorer_is_named_after_its_function() -> None:
    assert function_scorer(polite).config.name == "polite"
    assert function_scorer(partial(polite, word="please")).config.name == "polite"
    assert function_scorer(lambda output: True).config.name == "lambda"
    assert function_scorer(polite, name="manners").config.name == "manners"


def test_arguments_bound_beforehand_are_part_of_the_identity() -> None:
    please, thanks = (function_scorer(partial(polite, word=word)) for word in ("please", "thanks"))
    assert please.needs == frozenset()
    assert please.config.id != thanks.config.id
    assert please.config.id == function_scorer(partial(polite, word="please")).config.id


def test_a_version_replaces_the_digest_of_the_code() -> None:
    def scored(output: object) -> bool:
        return bool(output)

    first = function_scorer(scored, version="1").config
    assert first.settings["version"] == "1"
    assert function_scorer(scored, version="2").config.id != first.id
    scored.version = "1"  # type: ignore[attr-defined]
    assert function_scorer(scored).config.id == first.id


def test_a_function_that_cannot_be_pinned_says_why() -> None:
    client = object()

    def scored(output: object) -> bool:
        return output is client

    unpinned = function_scorer(scored).config.unpinned
    assert unpinned is not None
    assert "`client`" in unpinned
    assert function_scorer(scored, version="1").config.unpinned is None


@pytest.mark.parametrize(
    ("function", "sees"),
    [
        (lambda output, gold, question: 1, ("gold", "question")),
        (lambda output, trace: 1, ()),
        (lambda output, reference_data: 1, None),
        (lambda item, gold: 1, None),
        (lambda view: 1, None),
        (lambda output, reference_data=None: 1, None),
    ],
)
def test_a_function_says_which_item_fields_it_sees(
    function: Callable[..., object], sees: tuple[str, ...] | None
) -> None:
    assert function_scorer(function).config.sees == sees


def test_scores_can_be_declared_where_the_scorer_is_made() -> None:
    scores = [ScoreSpec(name="a"), ScoreSpec(name="b")]
    scorer = function_scorer(lambda output: {"a": 1, "b": False}, version="1", scores=scores)
    assert scorer.config.scores == tuple(scores)
    assert as_verdict(scorer.judge(VIEW), scorer.config).values == {"a": 1, "b": False}
    with pytest.raises(ConfigurationError, match="not all of type ScoreSpec"):
        function_scorer(polite, scores=["a"])  # type: ignore[list-item]
