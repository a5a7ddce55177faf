"""Which provider answers for a model, and what is refused before anything is asked."""

from __future__ import annotations

from collections.abc import Callable, Generator

import pytest

import rejudge
from rejudge.domain.demands import Demands
from rejudge.domain.view import View
from rejudge.providers.anthropic import anthropic
from rejudge.providers.fake_server import FakeModelServer, Script
from rejudge.providers.known import KEYS
from rejudge.providers.openai_compatible import openai_compatible
from rejudge.providers.provider import Provider
from rejudge.scorers.function import FunctionScorer, function_scorer
from rejudge.scorers.scorer import Scorer
from tests.providers.conftest import ITEMS, QUICK, echo

Serve = Callable[[Script], FakeModelServer]
Steps = Generator[rejudge.ModelCall, rejudge.Reply, str]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without any key or address."""
    for name in (*KEYS, "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def asking(model: str) -> Callable[[str], Steps]:
    """A task that asks this model."""

    def task(question: str) -> Steps:
        reply = yield rejudge.ModelCall(model=model, messages=[{"role": "user", "content": question}])
        return reply.text

    return task


class Demanding:
    """A scorer that says beforehand which models it will ask."""

    def __init__(self, demands: Demands) -> None:
        def judge(output: str) -> Generator[rejudge.ModelCall, rejudge.Reply, bool]:
            reply = yield rejudge.ModelCall(model=demands.models[0], messages=[{"role": "user", "content": output}])
            return reply.text == "yes"

        made = function_scorer(judge, version="1")
        assert isinstance(made, FunctionScorer)
        self._made = made
        self.config, self.way, self.needs, self.demands = made.config, made.way, made.needs, demands

    def judge(self, view: View) -> object:
        return self._made.judge(view)


def _demanding(**demands: object) -> Scorer:
    return Demanding(Demands(**demands))  # type: ignore[arg-type]


def test_models_are_answered_by_the_provider_before_the_slash(serve: Serve) -> None:
    near, far = serve(lambda asked: "near"), serve(lambda asked: "far")
    providers: dict[str, Provider] = {
        "near": openai_compatible(near.url, limits=QUICK),
        "far": anthropic(far.root, limits=QUICK),
    }
    tasks = [asking("near/meta/small"), asking("far/claude")]
    result = rejudge.evaluate(ITEMS, tasks, provider=providers, store="memory:")
    outputs = {row.trace.produced.output for run in result.runs for row in run.cases() if row.trace is not None}
    assert outputs == {"near", "far"}
    assert (near.asked[0].body["model"], far.asked[0].body["model"]) == ("meta/small", "claude")


def test_one_provider_is_given_the_names_as_they_are(serve: Serve) -> None:
    server = serve(lambda asked: "yes")
    rejudge.evaluate(
        ITEMS[:1], asking("openai/small"), provider=openai_compatible(server.url, limits=QUICK), store="memory:"
    )
    assert server.asked[0].body["model"] == "openai/small"


def test_nobody_to_answer_is_refused_before_the_first_call_with_what_to_do() -> None:
    with pytest.raises(rejudge.ConfigurationError, match=r"(?s)nobody answers.*provider=.*OPENAI_API_KEY"):
        rejudge.evaluate(ITEMS, asking("openai/small"), store="memory:")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("gpt-4o-mini", "openai/gpt-4o-mini"),
        ("openai/gpt-4o-mini", "OPENAI_API_KEY"),
        ("anthropic/claude", "ANTHROPIC_API_KEY"),
        ("groq/llama", "GROQ_API_KEY"),
        ("opnai/gpt-4o-mini", "did you mean 'openai'"),
        ("llama/nowhere.gguf", "no model file"),
    ],
)
def test_a_judges_model_that_nobody_can_answer_for_is_refused_before_any_task_runs(model: str, words: str) -> None:
    called: list[str] = []

    def task(question: str) -> str:
        called.append(question)
        return question

    with pytest.raises(rejudge.ConfigurationError) as refused:
        rejudge.evaluate(ITEMS, task, [_demanding(models=(model,))], store="memory:", version="1")
    assert words in str(refused.value)
    assert called == []


def test_log_probabilities_that_a_model_does_not_give_are_refused_before_any_task_runs(serve: Serve) -> None:
    server = serve(lambda asked: "yes")
    providers = {"far": anthropic(server.root, limits=QUICK)}
    scorer = _demanding(models=("far/claude",), logprobs=True)
    with pytest.raises(rejudge.ConfigurationError, match="weighs log-probabilities"):
        rejudge.evaluate(ITEMS, echo, [scorer], provider=providers, store="memory:")
    assert server.asked == []


def test_vectors_that_a_provider_does_not_give_are_refused_before_any_task_runs(serve: Serve) -> None:
    providers = {"far": anthropic(serve(lambda asked: "yes").root, limits=QUICK)}
    scorer = _demanding(models=("far/claude",), embedding_models=("far/vectors",))
    with pytest.raises(rejudge.ConfigurationError, match="gives no vectors"):
        rejudge.evaluate(ITEMS, echo, [scorer], provider=providers, store="memory:")


def test_a_judge_whose_demands_are_met_judges(serve: Serve) -> None:
    providers = {"near": openai_compatible(serve(lambda asked: "yes").url, limits=QUICK)}
    scorer = _demanding(models=("near/small",), logprobs=True, embedding_models=("near/vectors",))
    result = rejudge.evaluate(ITEMS, echo, [scorer], provider=providers, store="memory:")
    assert result.summary("judge").mean == 1.0


def test_a_task_whose_model_nobody_knows_fails_its_items_without_asking_anybody(serve: Serve) -> None:
    server = serve(lambda asked: "yes")
    result = rejudge.evaluate(ITEMS, asking("small"), provider={"near": openai_compatible(server.url)}, store="memory:")
    assert "names no provider" in result.runs[0].case("q0").case.execution_error.message
    assert server.asked == []


def test_what_does_not_answer_is_no_provider() -> None:
    for wrong in (object(), {"near": "http://127.0.0.1"}, "openai"):
        with pytest.raises(rejudge.ConfigurationError, match="does not answer model calls"):
            rejudge.evaluate(ITEMS, echo, provider=wrong, store="memory:")  # type: ignore[arg-type]


def test_a_provider_that_has_attributes_of_those_names_for_itself_is_left_alone() -> None:
    class Odd:
        account, limits, vendor, abilities = 3, "many", None, True

        def route(self, model: str) -> str:
            return model

        def release(self) -> None:
            raise AssertionError("this is the user's own")

        async def answer(self, call: rejudge.ModelCall) -> rejudge.Reply:
            return rejudge.Reply(text="odd")

    result = rejudge.evaluate(ITEMS[:1], asking("m"), provider=Odd(), store="memory:")
    trace = result.runs[0].case("q0").trace
    assert trace is not None
    assert trace.produced.output == "odd"
