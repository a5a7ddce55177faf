"""What a new user gets wrong first, and how he is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rejudge
from rejudge.domain.errors import ConfigurationError, NotFound, UnknownName
from rejudge.storage.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = [{"id": "a", "question": "2 + 2", "answer": "4"}]


def task(question: str) -> str:
    return str(eval(question))


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(ConfigurationError) as raised:
        call()
    return str(raised.value)


@pytest.mark.parametrize("script", [["4"], "4", {"2 + 2": "4"}])
def test_a_script_that_is_no_function_is_refused_when_the_provider_is_made(script: object) -> None:
    said = refused(lambda: rejudge.ScriptedProvider(script))  # type: ignore[arg-type]
    assert f"is a {type(script).__name__}, and no function" in said
    assert "ScriptedProvider(lambda call: " in said


def test_a_kind_of_scorer_that_was_not_called_is_refused() -> None:
    said = refused(lambda: rejudge.evaluate(ROWS, task, rejudge.exact_match, store=MemoryStore()))
    assert "exact_match makes scorers and is none itself\n  next: call it" in said
    assert "contains makes" in refused(lambda: rejudge.run_tests(ROWS, task, scorers=[rejudge.contains]))


@pytest.mark.parametrize(
    ("option", "name"),
    [("filter", "dataset_filter_string"), ("limit", "nb_samples"), ("workers", "concurrency"), ("runs", "trials")],
)
def test_an_option_that_has_another_name_elsewhere_is_told_its_name_here(option: str, name: str) -> None:
    with pytest.raises(UnknownName, match=f"unknown option '{option}'\n  next: what is meant is called {name}="):
        rejudge.evaluate(ROWS, task, store=MemoryStore(), **{option: 1})  # type: ignore[arg-type]


def test_a_threshold_is_a_matter_of_suites() -> None:
    said = refused(lambda: rejudge.evaluate(ROWS, task, store=MemoryStore(), threshold=2))  # type: ignore[call-arg]
    assert "unknown option 'threshold'\n  next: what has to pass is said of a suite: run_tests(" in said


def test_two_functions_of_one_name_are_told_how_to_differ() -> None:
    said = refused(lambda: rejudge.evaluate(ROWS, task, [lambda output: 1, lambda output: 0], store=MemoryStore()))
    assert "two scorers are named 'lambda'" in said
    assert "for a function `def` with a name of its own" in said


def test_an_unknown_item_is_told_with_all_that_are_there() -> None:
    rows = [*ROWS, {"id": "b", "question": "1 + 1", "answer": "2"}]
    said = refused(lambda: rejudge.evaluate(rows, task, store=MemoryStore(), dataset_item_ids=["a", "x"]))
    assert "unknown item 'x'\n  next: known: a, b" in said


def test_what_a_scorer_raised_says_where() -> None:
    def broken(output: str) -> float:
        return 1 / (len(output) - 1)

    result = rejudge.evaluate(ROWS, task, broken, store=MemoryStore())
    (score,) = next(result.cases()).scores
    assert score.reason.startswith("ZeroDivisionError: ")
    assert "(test_first_mistakes.py:" in score.reason
    assert score.reason.endswith(" in broken)")


def test_advice_stands_on_a_line_of_its_own_in_the_report() -> None:
    result = rejudge.evaluate(ROWS, task, lambda output: None, store=MemoryStore())
    lines = [line.split() for line in str(result).splitlines()]
    assert ["next", "return", "a"] in [line[:3] for line in lines]


def test_a_case_is_told_in_one_line() -> None:
    right = rejudge.exact_match(name="right", reference_key="answer")
    result = rejudge.evaluate(ROWS, task, right, store=MemoryStore(), reference=["answer"])
    assert repr(next(result.cases())) == "<CaseRow 'a', trial 0: completed, right 1.0>"


def test_a_scorer_in_place_of_k_is_refused() -> None:
    right = rejudge.exact_match(name="right", reference_key="answer")
    result = rejudge.evaluate(ROWS, task, right, trials=2, store=MemoryStore(), reference=["answer"])
    said = refused(lambda: result.pass_at_k("right", 2))  # type: ignore[arg-type]
    assert "k is 'right', and no number of trials\n  next: write pass_at_k(3" in said
    assert result.pass_hat_k(2, "right").mean == 1.0


@pytest.mark.parametrize(
    "look",
    [
        lambda store: rejudge.evaluate_experiment("sums", lambda output: True, store=store),
        lambda store: rejudge.evaluate_resume("sums", task, store=store),
        lambda store: rejudge.evaluate_threads("sums", lambda trace: True, store=store),
        lambda store: rejudge.import_scores("sums", "scores.jsonl", "person", store=store),
    ],
)
def test_a_mistyped_store_is_told_and_not_made(look: Callable[[str], object], tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"sums\.db: there is no store here\n  next: name the right one: store="):
        look(str(tmp_path / "sums.db"))
    assert list(tmp_path.iterdir()) == []


def asked(messages: object, **options: object) -> rejudge.Result:
    provider = rejudge.ScriptedProvider(lambda call: str(call.messages[-1]["content"]))
    return rejudge.evaluate_prompt(ROWS, messages, "m", provider=provider, store=MemoryStore(), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["Solve {question}", "{question}", "Solve: '{ question }'"])
def test_a_prompt_with_single_braces_that_names_no_field_is_refused(text: str) -> None:
    said = refused(lambda: asked(text))
    assert "names no field of an item, and holds {" in said
    assert "a placeholder has two braces: {{ question }}" in said


@pytest.mark.parametrize(
    "text", [r"Put it in \\boxed{answer}", 'Say {"a": 1}', "{{ question }} as {answer}", "{{ '{question}' }}", "Say {}"]
)
def test_braces_that_are_meant_are_left_alone(text: str) -> None:
    (row,) = asked(text).cases()
    assert row.trace is not None
    assert row.trace.produced.output == text.replace("{{ question }}", "2 + 2").replace(
        "{{ '{question}' }}", "{question}"
    )


def test_a_role_that_nobody_has_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"role in messages\.0 'usr'\n  next: did you mean 'user'"):
        asked([{"role": "usr", "content": "{{ question }}"}])


def test_a_parameter_of_the_model_is_told_where_it_goes() -> None:
    assert "did you mean 'temperature'" in refused(lambda: asked("{{ question }}", temprature=0))
    assert "say it as one of parameters={'top_p': …}" in refused(lambda: asked("{{ question }}", top_p=0.5))
