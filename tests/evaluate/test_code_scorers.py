"""Code scorers in an evaluation: graded in a sandbox, refused before the first task call, and charged for tools."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
import pytest

import rejudge
from rejudge.domain.code import CodeCall, CodeResult, ToolUse
from rejudge.domain.errors import ConfigurationError, NameClash
from rejudge.domain.score import Score, ScoreStatus
from rejudge.runner.clock import SystemClock
from rejudge.runner.sandboxes import Sandboxes
from rejudge.scorers import Scorer
from rejudge.wiring import Address, sandbox_named, trusted_code
from tests.evaluate.conftest import QUESTIONS, Counting
from tests.sandbox.hostile import HOSTILE

Name: TypeAlias = Literal["monty", "bubblewrap"]

SANDBOXES: tuple[Name, ...] = ("monty", "bubblewrap")

RIGHT = 'def score(output, reference_data):\n    return 1.0 if output == reference_data["answer"] else 0.0\n'


@pytest.fixture(params=SANDBOXES)
def sandbox(request: pytest.FixtureRequest) -> Name:
    """The name of a sandbox that works here."""
    name: Name = request.param

    async def tried() -> None:
        made = sandbox_named(name)
        try:
            await made.check("")
        finally:
            await made.close()

    try:
        asyncio.run(tried())
    except ConfigurationError as error:
        pytest.skip(str(error))
    return name


def score_of(result: rejudge.Result, item: str, scorer: Scorer) -> Score:
    """The score that the scorer gave an item."""
    (found,) = [score for score in result.runs[0].case(item).scores if score.scorer == scorer.config.digest()]
    return found


def test_code_grades_what_a_task_put_out(store: Address, adder: Counting, sandbox: Name) -> None:
    judge = rejudge.code_eval(name="right", code=RIGHT, sandbox=sandbox, reference_keys=("answer",))
    result = rejudge.evaluate(QUESTIONS, adder, [judge], store=store, reference=["answer"])
    assert result.summary().n == 6
    assert result.summary().mean == pytest.approx(5 / 6)


def test_a_corrected_reference_is_judged_again_and_a_second_call_runs_nothing(
    store: Address, adder: Counting, sandbox: Name
) -> None:
    judge = rejudge.code_eval(name="right", code=RIGHT, sandbox=sandbox, reference_keys=("answer",))
    rejudge.evaluate(QUESTIONS, adder, [judge], store=store, reference=["answer"])
    corrected = [*QUESTIONS[:-1], QUESTIONS[-1] | {"answer": "14"}]
    result = rejudge.evaluate(corrected, adder, [judge], store=store, reference=["answer"])
    assert (result.summary().n, result.summary().mean) == (6, 1.0)
    assert len(adder.calls) == 6


def test_a_missing_reference_is_a_skip_and_an_error_is_stored_with_its_reason(
    store: Address, adder: Counting, sandbox: Name
) -> None:
    items = [{"id": "a", "question": "1+1", "answer": "2"}, {"id": "b", "question": "2+2"}]
    judge = rejudge.code_eval(name="right", code=RIGHT, sandbox=sandbox, reference_keys=("answer",))
    broken = rejudge.code_eval(name="broken", code="def score(output):\n    return int('x')\n", sandbox=sandbox)
    result = rejudge.evaluate(items, adder, [judge, broken], store=store, reference=["answer"])
    assert result.summary("right").counts.skipped == 1
    assert result.summary("broken").counts.scorer_errors == 2
    skipped = score_of(result, "b", judge)
    assert (skipped.status, skipped.cause) == (ScoreStatus.SKIPPED, "missing_reference_key")
    error = score_of(result, "a", broken)
    assert (error.status, error.cause, error.values) == (ScoreStatus.ERROR, "ScorerError", ())
    assert error.reason.startswith("the code raised: ValueError")
    assert error.reason.endswith("(line 2)")


def harmed() -> dict[str, object]:
    """A task that puts out what a hostile program is told."""
    return {"output": {"file": "/no/file", "folder": "/no", "pid": 1, "port": 9}}


@pytest.mark.slow
def test_hostile_programs_are_stored_as_errors_or_refused(store: Address, sandbox: Name) -> None:
    refused, scorers = [], []
    for name, code in HOSTILE.items():
        scorer = rejudge.code_eval(name=name, code=code, sandbox=sandbox, timeout_seconds=1)
        try:
            rejudge.evaluate([], harmed, [scorer], store="memory:")
        except ConfigurationError:
            refused.append(name)
        else:
            scorers.append(scorer)
    honest = rejudge.code_eval(name="honest", code="def score(output):\n    return 1.0\n", sandbox=sandbox)
    result = rejudge.evaluate([{"id": "a"}], harmed, [*scorers, honest], store=store)
    assert result.summary("honest").mean == 1.0
    for scorer in scorers:
        score = score_of(result, "a", scorer)
        assert (score.status, score.values) == (ScoreStatus.ERROR, ()), scorer.config.name
        assert score.reason.startswith("the code ")
    assert len(refused) + len(scorers) >= 30
    assert sandbox == "monty" or not refused


def test_a_missing_sandbox_is_refused_before_the_first_task_call(
    store: Address, adder: Counting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    advices: dict[Name, str] = {
        "bubblewrap": "apt-get install bubblewrap",
        "monty": r"pip install 'rejudge\[sandbox\]'",
    }
    for name, advice in advices.items():
        judge = rejudge.code_eval(name="right", code=RIGHT, sandbox=name)
        with pytest.raises(ConfigurationError, match=f"(?s)'right': .*{name} is not installed here.*{advice}"):
            rejudge.evaluate(QUESTIONS, adder, [judge], store=store)
    assert adder.calls == []


@pytest.mark.parametrize("sandbox", ["monty"], indirect=True)
def test_what_monty_lacks_is_refused_before_the_first_task_call(store: Address, adder: Counting, sandbox: Name) -> None:
    judge = rejudge.code_eval(code="import numpy\n\ndef score(output):\n    return 1.0\n", sandbox=sandbox)
    with pytest.raises(ConfigurationError, match=r"code:1: scorer 'code_eval': .*No module named 'numpy'"):
        rejudge.evaluate(QUESTIONS, adder, [judge], store=store)
    assert adder.calls == []


def test_traces_are_judged_later_by_code(store: Address, adder: Counting, sandbox: Name) -> None:
    rejudge.evaluate(QUESTIONS, adder, [], store=store, name="sums", reference=["answer"])
    judge = rejudge.code_eval(name="right", code=RIGHT, sandbox=sandbox)
    result = rejudge.evaluate_experiment("sums", [judge], store=store)
    assert result.summary().n == 6
    assert len(adder.calls) == 6


PRICES = {"4": 1.5, "6": 2.0}


def price_of(total: str) -> float:
    """A tool that knows two prices."""
    return PRICES[total]


WITH_TOOLS = """
def score(output):
    try:
        price = price_of(total=output)
    except Exception as error:
        price = 0.0
    grade = llm(prompt="Is " + output + " a number?", model="judge-1", system_prompt="Say yes or no.")
    return {"price": price, "number": grade == "yes"}
"""


def test_tools_run_on_our_side_are_logged_and_are_charged_for(store: Address, adder: Counting, sandbox: Name) -> None:
    asked = []

    class Yes:
        """A provider."""

        async def answer(self, call: rejudge.ModelCall) -> rejudge.Reply:
            asked.append(call)
            return rejudge.Reply(text="yes", usage=rejudge.Usage(input_tokens=10, output_tokens=1, cost=0.5))

    scores = [rejudge.ScoreSpec(name="price", type=rejudge.ScoreType.NUMBER), rejudge.ScoreSpec(name="number")]
    judge = rejudge.code_eval(
        name="told", code=WITH_TOOLS, scores=scores, sandbox=sandbox, tools={"price_of": price_of, "llm": "llm"}
    )
    result = rejudge.evaluate(QUESTIONS[:3], adder, [judge], store=store, provider=Yes())
    first, third = score_of(result, "q1", judge), score_of(result, "q3", judge)
    assert [one.number for one in first.values] == [1.5, 1.0]
    assert [one.number for one in third.values] == [0.0, 1.0]
    assert first.usage == rejudge.Usage(input_tokens=10, output_tokens=1, cost=0.5)
    assert asked[0].messages[0] == {"role": "system", "content": "Say yes or no."}
    assert third.evidence is not None
    lookup, llm = msgspec.convert(third.evidence["tools"], list[ToolUse])
    assert (lookup.name, lookup.arguments, lookup.output) == ("price_of", {"total": "8"}, "")
    assert lookup.error == "KeyError: '8'"
    assert (llm.name, llm.output, llm.error) == ("llm", "yes", None)
    assert llm.usage == first.usage
    assert result.runs[0].usage.cost is None, "what a judge spends is no cost of the task"


def test_what_code_prints_is_kept_with_its_score(store: Address, adder: Counting, sandbox: Name) -> None:
    code = "def score(output):\n    print('seen', output)\n    return 1.0\n"
    judge = rejudge.code_eval(code=code, sandbox=sandbox)
    result = rejudge.evaluate(QUESTIONS[:1], adder, [judge], store=store)
    assert score_of(result, "q1", judge).evidence == {"printed": "seen 4\n"}


def test_code_that_asks_models_needs_a_provider(store: Address, adder: Counting, sandbox: Name) -> None:
    judge = rejudge.code_eval(code=RIGHT, tools=("llm",), sandbox=sandbox)
    with pytest.raises(ConfigurationError, match=r"(?s)'code_eval' .*nobody answers.*give provider="):
        rejudge.evaluate(QUESTIONS, adder, [judge], store=store)
    assert adder.calls == []


def test_two_tools_of_one_name_are_refused(store: Address, adder: Counting, sandbox: Name) -> None:
    def other(total: str) -> float:
        return 0.0

    one = rejudge.code_eval(name="one", code=RIGHT, tools={"price_of": price_of}, sandbox=sandbox)
    two = rejudge.code_eval(name="two", code=RIGHT, tools={"price_of": other}, sandbox=sandbox)
    with pytest.raises(NameClash, match="'two' brings a tool 'price_of'"):
        rejudge.evaluate(QUESTIONS, adder, [one, two], store=store)


ENDLESS = """
def score(output):
    for number in range(1000):
        try:
            price_of(total="5")
        except Exception:
            pass
    return 1.0
"""


def test_code_that_calls_tools_too_often_is_ended_whatever_it_catches(
    store: Address, adder: Counting, sandbox: Name
) -> None:
    judge = rejudge.code_eval(name="greedy", code=ENDLESS, tools=(price_of,), sandbox=sandbox, timeout_seconds=60)
    honest = rejudge.code_eval(name="honest", code="def score(output):\n    return 1.0\n", sandbox=sandbox)
    result = rejudge.evaluate(QUESTIONS[:1], adder, [judge, honest], store=store)
    score = score_of(result, "q1", judge)
    assert score.status is ScoreStatus.ERROR
    assert score.reason == "the code called tools too often: it called tools more than 100 times"
    assert result.summary("honest").mean == 1.0


@pytest.mark.parametrize("sandbox", ["monty"], indirect=True)
def test_a_call_of_a_tool_that_cannot_be_logged_is_not_made(store: Address, adder: Counting, sandbox: Name) -> None:
    asked: list[rejudge.ModelCall] = []

    def reply(call: rejudge.ModelCall) -> rejudge.Reply:
        asked.append(call)
        return rejudge.Reply(text="1")

    provider = rejudge.ScriptedProvider(reply)
    code = "def score(output):\n    return llm(prompt='x', model='m', temperature=float('nan'))\n"
    judge = rejudge.code_eval(code=code, tools=("llm",), sandbox=sandbox)
    result = rejudge.evaluate(QUESTIONS[:1], adder, [judge], store=store, provider=provider)
    score = score_of(result, "q1", judge)
    assert score.status is ScoreStatus.ERROR
    assert "cannot be stored" in score.reason
    assert asked == []


def test_code_cannot_ask_which_files_there_are_by_naming_them_as_models(
    store: Address, adder: Counting, sandbox: Name
) -> None:
    code = "def score(output):\n    return llm(prompt='x', model='llama//etc/passwd')\n"
    judge = rejudge.code_eval(code=code, tools=("llm",), sandbox=sandbox)
    provider = rejudge.ScriptedProvider(lambda call: "never")
    result = rejudge.evaluate(QUESTIONS[:1], adder, [judge], store=store, provider=provider)
    (score,) = next(iter(result.cases())).scores
    assert "may not name a model by its file" in score.reason
    assert provider.calls == []


SPENDS_AND_STAYS = """
def score(output):
    llm(prompt="Is it good?", model="judge-1")
    while True:
        pass
"""


def test_what_code_spent_before_it_was_cut_off_is_charged_for(store: Address, adder: Counting, sandbox: Name) -> None:
    usage = rejudge.Usage(input_tokens=10, output_tokens=1, cost=0.5)
    provider = rejudge.ScriptedProvider(lambda call: rejudge.Reply(text="yes", usage=usage))
    judge = rejudge.code_eval(code=SPENDS_AND_STAYS, tools=("llm",), sandbox=sandbox, timeout_seconds=60)
    result = rejudge.evaluate(QUESTIONS[:1], adder, [judge], store=store, provider=provider, timeout=5.0)
    score = score_of(result, "q1", judge)
    assert score.status is ScoreStatus.ERROR
    assert score.usage == usage


def napping() -> float:
    """A tool that takes its time."""
    time.sleep(30)
    return 1.0


async def dreaming() -> float:
    """An async one."""
    await asyncio.sleep(30)
    return 1.0


@pytest.mark.parametrize("tool", [napping, dreaming])
def test_a_tool_that_takes_too_long_is_an_error_that_the_code_is_told(
    sandbox: Name, tool: Callable[[], object]
) -> None:
    code = f"def score(output):\n    try:\n        return {tool.__name__}()\n    except RuntimeError as error:\n"
    code += "        return str(error)\n"
    judge = rejudge.code_eval(code=code, tools=(tool,), sandbox=sandbox)

    async def judged() -> CodeResult:
        sandboxes = Sandboxes(sandbox_named, trust=trusted_code, models=None, clock=SystemClock(), tool_seconds=0.3)
        try:
            await sandboxes.check([judge])
            call = CodeCall(
                sandbox=sandbox, code=code, function="score", arguments={"output": ""}, tools=(tool.__name__,)
            )
            return await sandboxes(call)
        finally:
            await sandboxes.close()

    result = asyncio.run(judged())
    assert "0.3 s" in str(result.value)
    assert result.tools[0].error is not None


def test_a_tool_that_runs_code_that_runs_a_tool_comes_to_an_end(adder: Counting, sandbox: Name) -> None:
    reached = []

    def again(level: int) -> str:
        reached.append(level)
        assert level < 10, "there is no end to it"
        inner = rejudge.code_eval(
            name="inner", code=NESTED, tools={"again": again}, sandbox=sandbox, timeout_seconds=60
        )
        result = rejudge.evaluate([{"id": "x"}], lambda: level + 1, [inner], store="memory:", progress="silent")
        return next(result.cases()).scores[0].reason

    again.version = "1"  # type: ignore[attr-defined]
    judge = rejudge.code_eval(name="outer", code=NESTED, tools={"again": again}, sandbox=sandbox, timeout_seconds=60)
    rejudge.evaluate([{"id": "x"}], lambda: 0, [judge], store="memory:")
    assert reached == [0, 1, 2]


NESTED = """
def score(output):
    again(level=output)
    return 1.0
"""


def test_code_judges_the_spans_of_a_task_in_a_run_and_afterwards(sandbox: Name, tmp_path: Path) -> None:
    @rejudge.track(kind="tool")
    def look(word: str) -> str:
        return word.upper()

    def task(question: str) -> str:
        return "".join(look(part) for part in question.split("+"))

    code = (
        "def score(spans):\n"
        "    used = [span for span in spans if span['kind'] == 'tool']\n"
        "    return float(len(used)) if all(span['parent'] == 0 for span in used) else -1.0\n"
    )
    number = [rejudge.ScoreSpec(name="n", type=rejudge.ScoreType.NUMBER)]
    counted = rejudge.code_eval(code=code, name="tools used", scores=number, sandbox=sandbox)
    result = rejudge.evaluate(QUESTIONS, task, counted, store=tmp_path / "s.db", name="spans")
    assert result.summary("tools used").mean == 2.0
    late = rejudge.code_eval(code=code + "# once more\n", name="late", scores=number, sandbox=sandbox)
    assert rejudge.evaluate_experiment("spans", late, store=tmp_path / "s.db").summary("late").mean == 2.0


def test_code_that_asks_for_spans_is_another_scorer_than_before_it_was_given_any() -> None:
    settings = rejudge.code_eval(code="def score(output, spans=None):\n    return 1.0\n").config.settings
    assert settings["spans"] is True
    assert "spans" not in rejudge.code_eval(code="def score(output):\n    return 1.0\n").config.settings
