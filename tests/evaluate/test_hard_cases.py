"""What users' code may do, and what must hold all the same: nothing hangs, nothing is stale, nothing is lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator

import pytest

import rejudge
from rejudge.domain.case import ExecutionErrorType
from rejudge.domain.run import RunState
from rejudge.wiring import Address
from tests.evaluate.conftest import QUESTIONS, Counting, length, right

ROWS = QUESTIONS[:3]
pytestmark = pytest.mark.usefixtures("_impatient")


@pytest.fixture
def _impatient() -> Generator[None, None, None]:
    """Fail with a dump of all threads where something waits for ever."""
    import faulthandler

    faulthandler.dump_traceback_later(60, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


class Unspeakable(Exception):
    """An exception that cannot even say what happened."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


class Outcome(BaseException):
    """What test libraries raise to skip or fail."""


def _raising(error: BaseException) -> Callable[[str], str]:
    def task(question: str) -> str:
        if question == "2+2":
            raise error
        return question

    task.version = "1"  # type: ignore[attr-defined]
    return task


@pytest.mark.parametrize("error", [Unspeakable(), Outcome("skipped"), asyncio.CancelledError(), StopIteration()])
def test_whatever_a_task_raises_only_its_item_fails(store: Address, error: BaseException) -> None:
    result = rejudge.evaluate(ROWS, _raising(error), [length], store=store, concurrency=1)
    assert result.runs[0].state is RunState.COMPLETED
    assert (result.summary("length").n, result.summary("length").task_errors) == (2, 1)


@pytest.mark.parametrize("error", [Unspeakable(), Outcome("skipped"), asyncio.CancelledError(), StopIteration()])
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_whatever_a_scorer_raises_is_a_stored_error(
    store: Address, adder: Counting, error: BaseException, kind: str
) -> None:
    def broken(output: str) -> bool:
        raise error

    async def broken_async(output: str) -> bool:
        raise error

    broken.version = broken_async.version = "1"  # type: ignore[attr-defined]
    scorer = broken if kind == "sync" else broken_async
    result = rejudge.evaluate(ROWS, adder, [scorer, right], store=store)
    assert result.runs[0].state is RunState.COMPLETED
    assert result.summary(scorer.__name__).scorer_errors == 3
    assert result.summary("right").n == 3


@pytest.mark.parametrize(
    "reply",
    [rejudge.Reply(text="x", usage=rejudge.Usage(cost=float("nan"))), rejudge.Reply(text="x\ud800")],
    ids=["a cost that is no number", "half a character"],
)
def test_a_provider_may_report_nonsense(store: Address, reply: rejudge.Reply) -> None:
    def task(question: str) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
        answer = yield rejudge.ModelCall(model="m", messages=[])
        return answer.text

    provider = rejudge.ScriptedProvider(lambda call: reply)
    result = rejudge.evaluate(ROWS, task, [length], store=store, provider=provider, concurrency=1)
    counts = result.runs[0].counts.cases
    assert counts.completed + counts.errors == 3


def test_a_call_that_cannot_be_stored_is_an_error_of_its_item(store: Address) -> None:
    def task(question: str) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
        yield rejudge.ModelCall(model="m", messages=[], temperature=float("nan"))
        return "x"

    provider = rejudge.ScriptedProvider(lambda call: "x")
    result = rejudge.evaluate(ROWS, task, store=store, provider=provider, concurrency=1)
    assert result.runs[0].counts.cases.errors == 3


def test_a_retry_after_that_is_no_number_asks_for_nothing(store: Address) -> None:
    tries: list[int] = []

    def task(question: str) -> str:
        tries.append(1)
        error = ConnectionError("reset")
        error.retry_after = "nan"  # type: ignore[attr-defined]
        raise error

    task.version = "1"  # type: ignore[attr-defined]
    result = rejudge.evaluate(ROWS[:1], task, store=store, retries=1, concurrency=1)
    assert result.runs[0].counts.cases.errors == 1
    assert len(tries) == 2


def test_a_timeout_that_an_async_task_swallows_is_a_timeout(store: Address) -> None:
    async def stubborn(question: str) -> str:
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            return "cut short"
        return question

    async def deaf(question: str) -> str:
        for _ in range(100):
            try:
                await asyncio.sleep(0.1)
            except asyncio.CancelledError:
                continue
        return question

    result = rejudge.evaluate(ROWS[:1], [stubborn, deaf], store=store, timeout=0.1)
    for run in result.runs:
        assert run.case("q1").case.execution_error.type is ExecutionErrorType.TIMEOUT


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_scorer_that_hangs_ends_as_an_error_at_the_timeout(store: Address, adder: Counting, kind: str) -> None:
    def hanging(output: str) -> bool:
        time.sleep(3)
        return True

    async def hanging_async(output: str) -> bool:
        await asyncio.sleep(3)
        return True

    scorer = hanging if kind == "sync" else hanging_async
    begun = time.perf_counter()
    result = rejudge.evaluate(ROWS, adder, [scorer, right], store=store, timeout=0.2)
    assert time.perf_counter() - begun < 2.5
    assert result.summary(scorer.__name__).scorer_errors == 3
    assert result.summary("right").n == 3


def test_cancelling_stops_the_judging_too(store: Address) -> None:
    judged: list[str] = []

    def task(question: str) -> str:
        return question

    async def stopping() -> int:
        async def slow(output: str) -> bool:
            judged.append(output)
            if len(judged) == 5:
                wanted.cancel()
            await asyncio.sleep(0.01)
            return True

        slow.version = "1"  # type: ignore[attr-defined]
        rows = [{"question": str(number)} for number in range(300)]
        wanted = rejudge.evaluation(rows, task, [slow], store=store, concurrency=4)
        return (await wanted).summary().pending

    assert asyncio.run(stopping()) > 200
    assert len(judged) < 20


def test_an_evaluation_whose_waiter_was_cancelled_calls_the_task_no_more(store: Address) -> None:
    calls: list[str] = []
    called = asyncio.Event()

    async def task(question: str) -> str:
        calls.append(question)
        called.set()
        try:
            await asyncio.sleep(0.2)
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
        return question

    task.version = "1"  # type: ignore[attr-defined]

    async def leaving() -> int:
        rows = [{"question": str(number)} for number in range(50)]
        waiting = asyncio.ensure_future(rejudge.evaluation(rows, task, store=store, concurrency=4))
        await called.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        made = len(calls)
        await asyncio.sleep(0.3)
        return len(calls) - made

    assert asyncio.run(leaving()) == 0


def test_scoring_what_was_cancelled_says_that_cases_are_missing(store: Address) -> None:
    rows = [{"id": f"i{number}", "question": str(number)} for number in range(40)]

    def task(question: str) -> str:
        if question == "5":
            raise ValueError("five")
        return question

    rejudge.evaluate(rows, task, store=store, name="x", stop="first error", concurrency=1)
    result = rejudge.evaluate_experiment("x", [length], store=store)
    summary = result.summary("length")
    assert summary.planned == summary.scored + summary.task_errors + summary.pending == 40
    assert summary.pending > 0
    assert result.runs[0].state is RunState.FAILED
    assert "no trace to judge" in str(result.runs[0].run.reason)
    assert result.exit_code(max_errors=10) == 3


def test_values_of_two_kinds_under_one_name_are_scorer_errors_and_the_report_comes(
    store: Address, adder: Counting
) -> None:
    def mixed(output: str) -> object:
        return True if output == "4" else 3.7 if output == "6" else "label"

    result = rejudge.evaluate(ROWS, adder, [mixed], store=store, concurrency=1)
    summary = result.summary("mixed")
    assert (summary.scored, summary.scorer_errors) == (1, 2)
    assert "mixed" in str(result)


def test_a_listener_that_fails_costs_nothing(store: Address, adder: Counting, caplog: pytest.LogCaptureFixture) -> None:
    def bad(progress: object) -> None:
        raise RuntimeError("bad listener")

    result = rejudge.evaluation(ROWS, adder, [right], store=store).listen(bad).run()
    assert result.summary().n == 3
    assert "a listener failed" in caplog.text


def test_a_task_that_was_never_begun_is_in_the_result_all_the_same(store: Address) -> None:
    def broken(question: str) -> str:
        raise ValueError("broken")

    def fine(question: str) -> str:
        return question

    result = rejudge.evaluate(ROWS, [broken, fine], [length], store=store, stop="first error", concurrency=1)
    assert [run.task for run in result.runs] == ["broken", "fine"]
    assert result.runs[1].state is RunState.FAILED
    assert "not begun" in str(result.runs[1].run.reason)
    assert result.summary("length", task="fine").pending == 3


def test_a_thread_that_comes_back_late_gives_its_slot_back(store: Address) -> None:
    def slow(question: str) -> str:
        time.sleep(0.12)
        return question

    rows = [{"question": str(number)} for number in range(12)]
    result = rejudge.evaluate(rows, slow, store=store, timeout=0.06, concurrency=3)
    assert result.runs[0].counts.cases.errors >= 6


def cancel_yourself() -> None:
    current = asyncio.current_task()
    assert current is not None
    current.cancel()


async def gives_up(question: str) -> str:
    if question == "2+2":
        cancel_yourself()
        await asyncio.sleep(0)
    return question


async def gives_up_and_raises(question: str) -> str:
    if question == "2+2":
        cancel_yourself()
        raise ValueError("enough")
    return question


async def changes_its_mind(question: str) -> str:
    cancel_yourself()
    return question


@pytest.mark.parametrize(
    ("task", "errors", "told"),
    [
        (gives_up, 1, "the task was cancelled from inside"),
        (gives_up_and_raises, 1, "ValueError: enough"),
        (changes_its_mind, 0, ""),
    ],
)
def test_a_task_that_cancels_itself_ends_no_other_item(task: Callable[[str], object], errors: int, told: str) -> None:
    result = rejudge.evaluate(ROWS, task, length, store="memory:", concurrency=1)
    counts = result.run().counts.cases
    assert (result.run().state, counts.completed, counts.errors) == (RunState.COMPLETED, 3 - errors, errors)
    assert told in next(result.cases()).case.execution_error.message


def test_a_scorer_that_cancels_itself_is_an_error_and_never_a_missing_score() -> None:
    async def gives_up(output: str) -> bool:
        cancel_yourself()
        await asyncio.sleep(0)
        return True

    result = rejudge.evaluate(ROWS, _raising(ValueError()), gives_up, store="memory:")
    assert result.summary("gives_up").scorer_errors == 2
    assert result.exit_code() == 3


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()])
def test_one_of_several_calls_that_would_end_the_process_fails_its_item_alone(error: BaseException) -> None:
    def task(question: str) -> Generator[object, object, object]:
        said: dict[str, object] = {"role": "user", "content": question}
        yield [rejudge.ModelCall(model=name, messages=[said]) for name in ("a", "b")]
        return question

    def model(call: rejudge.ModelCall) -> str:
        if (call.model, call.messages[0]["content"]) == ("b", "2+2"):
            raise error
        return "fine"

    result = rejudge.evaluate(ROWS, task, length, provider=rejudge.ScriptedProvider(model), store="memory:")
    assert (result.run().state, result.run().counts.cases.completed) == (RunState.COMPLETED, 2)
    assert type(error).__name__ in next(result.cases()).case.execution_error.message
