"""Two tasks compared by a judge: every pair in both orders, and a preference for a place is found out."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import rejudge
from rejudge.domain.view import View
from rejudge.scorers import as_verdict, create, pairwise
from rejudge.wiring import Address
from tests.scorers.steps import judged

ROWS: list[dict[str, object]] = [{"id": str(number), "question": f"q{number}"} for number in range(4)]


def short(question: str) -> str:
    return f"short {question}"


def long(question: str) -> str:
    return f"a longer answer to {question}"


def shown(call: rejudge.ModelCall) -> tuple[str, str]:
    """The two answers of a prompt, in the order in which it shows them."""
    prompt = str(call.messages[-1]["content"])
    found = re.findall(r"<(first|second)-\w{12}>\n(.*?)\n</", prompt, re.DOTALL)
    assert [place for place, _ in found] == ["first", "second"]
    return found[0][1], found[1][1]


def preferring(likes: Callable[[str], bool]) -> rejudge.ScriptedProvider:
    def script(call: rejudge.ModelCall) -> str:
        first, second = map(likes, shown(call))
        return "tie" if first == second else "first" if first else "second"

    return rejudge.ScriptedProvider(script)


def compared(store: Address, provider: rejudge.ScriptedProvider) -> rejudge.Result:
    both = rejudge.evaluate(ROWS, [short, long], store=store, name="both")
    judge = rejudge.scorers.pairwise(model="m", reasoning=False)
    return rejudge.compare_pairwise(both.runs[0], both.runs[1], judge, store=store, provider=provider)


def test_a_preference_for_one_task_is_found_in_both_orders(store: Address) -> None:
    provider = preferring(lambda answer: answer.startswith("short"))
    result = compared(store, provider)
    assert len(provider.calls) == 2 * len(ROWS)
    assert {shown(call) for call in provider.calls} >= {("short q0", "a longer answer to q0")}
    assert {shown(call) for call in provider.calls} >= {("a longer answer to q0", "short q0")}
    assert result.summary("pairwise", value="win").mean == 1.0
    assert result.summary("pairwise", value="flipped").mean == 0.0
    assert result.summary("pairwise", value="shown_first").mean == 0.5
    preferred = result.summary("pairwise", value="preferred").labels
    assert {label: share.count for label, share in preferred.items()} == {"first": 4, "tie": 0, "second": 0}


def test_a_preference_for_a_place_is_reported_and_wins_nothing(store: Address) -> None:
    result = compared(store, rejudge.ScriptedProvider(lambda call: "first"))
    assert result.summary("pairwise", value="win").mean == 0.5
    assert result.summary("pairwise", value="flipped").mean == 1.0
    assert result.summary("pairwise", value="shown_first").mean == 1.0
    row = next(iter(result.cases()))
    assert "the preference went with the place" in row.scores[0].reason


def test_the_subject_of_a_score_is_the_ordered_pair_of_traces(store: Address) -> None:
    result = compared(store, rejudge.ScriptedProvider(lambda call: "tie"))
    both = rejudge.open(store)
    runs = both.runs(result.experiment.id)
    digests = {}
    for run in runs:
        case = both.store.case(run.id, "0")
        assert case.trace is not None
        digests[both.store.run_config(run.run_config).name] = case.trace.digest()
    (score,) = result.runs[0].case("0").scores
    assert score.subject == (digests["short"], digests["long"])


def test_a_pair_that_was_judged_is_not_judged_again_and_the_other_direction_is_another_pair(store: Address) -> None:
    provider = preferring(lambda answer: answer.startswith("short"))
    compared(store, provider)
    compared(store, provider)
    assert len(provider.calls) == 2 * len(ROWS)
    both = rejudge.evaluate(ROWS, [short, long], store=store, name="both")
    turned = rejudge.compare_pairwise(
        both.runs[1], both.runs[0], rejudge.scorers.pairwise(model="m", reasoning=False), store=store, provider=provider
    )
    assert len(provider.calls) == 4 * len(ROWS)
    assert turned.summary("pairwise", value="win").mean == 0.0


def test_a_trace_without_an_opponent_is_a_skip(store: Address) -> None:
    def failing(question: str) -> str:
        if question == "q1":
            raise ValueError("no answer")
        return question

    both = rejudge.evaluate(ROWS, [short, failing], store=store, name="both")
    result = rejudge.compare_pairwise(
        both.runs[0], both.runs[1], pairwise(model="m"), store=store, provider=rejudge.ScriptedProvider(lambda _: "tie")
    )
    assert [row.scores[0].cause for row in result.cases()] == [None, "missing_trace", None, None]


def test_runs_that_cannot_be_compared_are_refused_before_anything_is_spent(store: Address) -> None:
    provider = rejudge.ScriptedProvider(lambda call: "tie")
    both = rejudge.evaluate(ROWS, [short, long], store=store, name="both")
    other = rejudge.evaluate(ROWS[:2], long, store=store, name="other")
    judge = pairwise(model="m")
    for first, second, by, told in (
        (both, other, judge, "has 2 runs"),
        (both.runs[0], other, judge, "different dataset versions"),
        (both.runs[0], both.runs[0], judge, "one task in one experiment"),
        (both.runs[0], both.runs[1], rejudge.llm_judge(model="m"), "judges single traces"),
        (both.runs[0], both.runs[1], pairwise(), "none is named"),
    ):
        with pytest.raises(rejudge.ConfigurationError, match=told):
            rejudge.compare_pairwise(first, second, by, store=store, provider=provider)
    with pytest.raises(rejudge.ConfigurationError, match=r"use rejudge\.compare_pairwise"):
        rejudge.evaluate(ROWS, short, judge, store=store, provider=provider)
    assert not provider.calls


def test_a_null_output_loses_and_nobody_is_asked() -> None:
    judge = pairwise(model="m")
    verdict, calls = judged(judge, View(output=None), other=View(output="x"))
    assert as_verdict(verdict, judge.config).values["win"] == 0.0
    assert not calls


def test_a_pair_that_no_judge_was_shown_says_nothing_about_preferences_for_a_place(store: Address) -> None:
    def silent(question: str) -> str | None:
        return None if question in ("q0", "q1", "q2") else f"a longer answer to {question}"

    both = rejudge.evaluate(ROWS, [short, silent], store=store, name="both")
    judge = pairwise(model="m", reasoning=False)
    provider = rejudge.ScriptedProvider(lambda call: "first")
    result = rejudge.compare_pairwise(both.runs[0], both.runs[1], judge, store=store, provider=provider)
    assert len(provider.calls) == 2
    for value in ("flipped", "shown_first"):
        summary = result.summary("pairwise", value=value)
        assert (summary.mean, summary.counts.scored, summary.counts.skipped) == (1.0, 1, 3)
    win = result.summary("pairwise", value="win")
    assert (win.mean, win.counts.scored) == (0.875, 4)


def test_a_panel_is_asked_in_both_orders() -> None:
    judge = pairwise(panel=("a", "b"), reasoning=False)
    verdict, calls = judged(judge, View(output="x"), ["first", "second", "tie", "tie"], other=View(output="y"))
    assert [call.model for call in calls] == ["a", "a", "b", "b"]
    assert verdict.values == {"preferred": "first", "win": 0.75, "flipped": 0.0, "shown_first": 0.5}


def test_a_prompt_of_pairs_shows_both() -> None:
    with pytest.raises(rejudge.ConfigurationError, match="does not show both answers"):
        create("pairwise", {"model": "m", "prompt_template": "{{ first }}"})


def test_what_is_no_result_is_refused(store: Address) -> None:
    with pytest.raises(rejudge.ConfigurationError, match="a str is no result"):
        rejudge.compare_pairwise("nope", "nope", pairwise(model="m"), store=store)  # type: ignore[arg-type]
