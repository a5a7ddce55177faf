from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from rejudge.domain.run import RunState
from rejudge.domain.run_config import RunConfig
from rejudge.domain.usage import Usage
from rejudge.front.report import WIDTH, print_report, text_report
from rejudge.front.result import Result
from tests.front.examples import CAPITALS, HOSTILE, capitals, hostile, mixed, said, texts, without_digests
from tests.front.recorded import Case, Fault, Made, label, pass_fail, recorded

MIXED = """\
experiment  capitals/answer
dataset     capitals, version dataset-…, 5 items
task        answer: failed after 2.0 s: stopped after 1 error
            5 cases: 3 completed (none reused), 1 task error, 1 pending
            task cost at least $0.0012, known for 1 of 3 outputs, tokens 10 in and 3 out
            run 01977420-0000-7000-8000-000000000001
task        guess: completed in 2.0 s
            5 cases: 5 completed (none reused)
            run 01977420-0000-7000-8000-000000000002

score    task    estimate
correct  answer  50 % [9, 91] wilson n=2 of 5
                 5 planned: 2 scored, 1 skipped, 1 task error, 1 pending
                 20 to 80 % whatever the 3 missing would score, n=2 of 5
         guess   20 % [4, 62] wilson n=5
topic    answer  asia    50 % [9, 91] wilson n=2 of 5
                 europe  50 % [9, 91] wilson n=2 of 5
                 5 planned: 2 scored, 1 task error, 2 pending
length   answer  5 [undefined because one value shows no spread] n=1 of 5
                 5 planned: 1 scored, 1 scorer error, 1 task error, 2 pending
                 bounds undefined because the range is not declared, n=1 of 5

answer: 1 case with a task error
  pe
    error  timeout after 2 tries: no output after 5 s
    input  Capital of Peru?

answer: 1 case with a scorer error
  jp
    input    Capital of Japan?
    output   Kyoto
    correct  failed: expected "Tokyo", got "Kyoto"
    length   error: KeyError: 'gold'

guess: 4 failed cases
  jp
    input    Capital of Japan?
    output   Kyoto
    correct  failed
  pe
    input    Capital of Peru?
    output   Lyon
    correct  failed
  ml
    input    Capital of Mali?
    output   Nice
    correct  failed
  fj
    input    Capital of Fiji?
    output   Metz
    correct  failed

note  correct skipped on answer: 1 missing_reference_key"""


def test_a_report_says_how_it_went_then_how_good_it_was_then_what_failed() -> None:
    second = Made(
        cases=[said(city, city == "Paris") for city in ("Paris", "Kyoto", "Lyon", "Nice", "Metz")],
        task="guess",
        scorers=(pass_fail(),),
    )
    assert without_digests(text_report(capitals(mixed(), second))) == MIXED


def test_the_same_store_gives_the_same_report() -> None:
    result = capitals(mixed())
    again = Result(result.store, result.experiment, tuple(run.id for run in result.runs))
    assert text_report(result) == text_report(again) == str(result)
    assert text_report(result) == text_report(capitals(mixed()))


def test_what_was_reused_is_told_and_costs_nothing_again() -> None:
    cases = [said("Paris", 1.0) for _ in CAPITALS]
    first = Made(cases=[*cases[:4], None], scorers=(pass_fail(),), state=RunState.CANCELLED, reason="cancelled")
    second = Made(cases=cases, scorers=(pass_fail(),))
    third = Made(cases=cases, scorers=(pass_fail(),))
    result = capitals(first, second, third)
    report = text_report(result)
    assert "answer: cancelled after 2.0 s\n" in report
    assert "5 cases: 4 completed (none reused), 1 pending" in report
    assert "5 cases: 5 completed (4 of them reused)" in report
    assert "5 cases: 5 completed (all reused)\n            task cost: no output was generated" in report


def test_the_cost_of_what_called_no_model_is_not_a_question() -> None:
    cases = [Case(output="x")] * 5
    replayed = RunConfig(name="answer", kind="replay", settings={})
    assert "cost" not in text_report(capitals(Made(cases=cases)))
    assert "cost" not in text_report(capitals(Made(cases=cases, config=replayed)))


def test_shares_of_one_table_have_the_same_decimals() -> None:
    items: list[dict[str, object]] = [{"id": f"i{place:02d}"} for place in range(40)]
    cases = [Case(output="x", scores={"first": 1.0, "second": float(place > 3)}) for place in range(40)]
    report = text_report(recorded(items, Made(cases=cases, scorers=(pass_fail("first"), pass_fail("second")))))
    assert "first   100.0 % [91.2, 100.0] wilson n=40\n" in report
    assert "second  90.0 % [76.9, 96.0] wilson n=40\n" in report


def test_skipped_cases_are_told_with_their_cause() -> None:
    skipped = Case(skip="no_recording: no recorded output")
    report = text_report(capitals(Made(cases=[said("x", 1.0), *[skipped] * 4], scorers=(pass_fail(),))))
    assert "note  answer: 4 cases skipped: no_recording: no recorded output" in report
    other = Case(skip="incompatible_input_shape: it is a conversation")
    report = text_report(capitals(Made(cases=[skipped, other, *[skipped] * 3])))
    assert " ".join(report.split()).startswith(
        "nothing was scored: 5 cases skipped: 4 no_recording: no recorded output; 1 incompatible_input_shape: it is a"
    )


def test_recordings_under_other_names_are_told_before_all_else() -> None:
    skipped = [Case(skip="no_recording: no recorded output")] * 2
    derived = text_report(recorded([{"question": "a"}, {"question": "b"}], Made(cases=skipped)))
    assert re.match(
        r"nothing was scored: no item has a recorded output; items are named like 'item-[0-9a-f]{8}…', so set `id`\s"
        r"of the dataset to the field that the recordings use\n\nexperiment ",
        " ".join(derived.partition("\n\n")[0].split()) + "\n\n" + derived.partition("\n\n")[2],
    )
    stated = " ".join(text_report(recorded([{"id": "a"}, {"id": "b"}], Made(cases=skipped))).split())
    assert stated.startswith("nothing was scored: no item has a recorded output; items are named like 'a', so set")
    assert "skipped: no_recording" not in stated


def test_the_failed_trials_of_an_item_are_one_entry() -> None:
    cases = [said(text, float(text == "good"), "wrong") for text in ["bad", "worse", "bad", *["good"] * 11, "bad"]]
    report = text_report(recorded(CAPITALS, Made(cases=cases, scorers=(pass_fail(),)), trials=3))
    assert (
        "answer: 4 failed cases\n"
        "  fr (3 trials)\n"
        "    input    Capital of France?\n"
        "    output   bad\n"
        "    output   worse\n"
        "    correct  failed: wrong\n"
        "  fj, trial 2\n" in report
    )


def test_many_failed_trials_leave_room_for_other_items() -> None:
    items: list[dict[str, object]] = [{"id": f"i{place}"} for place in range(9)]
    cases = [said("x", 0.0)] * 27
    report = text_report(recorded(items, Made(cases=cases, scorers=(pass_fail(),)), trials=3))
    assert "answer: the first 5 items of the failed cases\n  i0 (3 trials)\n" in report
    assert "  i4 (3 trials)\n" in report
    assert "  i5" not in report


def test_an_input_does_not_repeat_the_id_above_it() -> None:
    config = RunConfig(name="answer", kind="function", settings={}, given=("id", "question"))
    report = text_report(capitals(Made(cases=[said("x", 0.0), *[None] * 4], config=config, scorers=(pass_fail(),))))
    assert "  fr\n    input    Capital of France?\n" in report


@given(texts, st.integers(40, 200))
def test_a_report_is_as_narrow_as_it_is_asked_to_be(text: str, columns: int) -> None:
    assert all(cell_len(line) <= columns for line in text_report(hostile(text), columns=columns).split("\n"))


@pytest.mark.parametrize(
    ("costs", "told"),
    [
        ([None] * 5, "task cost unknown, tokens 15 in\n"),
        ([0.0] * 5, "task cost $0, tokens 15 in\n"),
        ([0.5] * 5, "task cost $2.50, tokens 15 in\n"),
        ([0.5, None, None, None, None], "task cost at least $0.50, known for 1 of 5 outputs"),
    ],
)
def test_an_unknown_cost_is_never_zero(costs: list[float | None], told: str) -> None:
    cases = [Case(output="x", usage=Usage(cost=cost, input_tokens=3)) for cost in costs]
    assert told in text_report(capitals(Made(cases=cases)))


def test_an_empty_dataset_says_so() -> None:
    report = text_report(recorded([], Made(cases=[], scorers=(pass_fail(),))))
    assert "0 items" in report
    assert "no cases: the dataset is empty" in report
    assert "note  the dataset is empty: nothing was run, so nothing can be said" in report
    assert "%" not in report


def test_a_run_without_scorers_says_that_nothing_is_lost() -> None:
    report = text_report(capitals(Made(cases=[Case(output="x")] * 5)))
    assert "note  no scorers: the outputs are stored and can be scored at any time, without a task call" in report


def test_a_task_that_cannot_be_pinned_is_told_with_the_reason() -> None:
    config = RunConfig(
        name="answer", kind="function", settings={}, unpinned="unpinned: uses `client`, line 4; state version="
    )
    report = text_report(capitals(Made(cases=[Case(output="x")] * 5, config=config)))
    assert (
        "note  answer is unpinned: uses `client`, line 4; state version= (its traces serve this experiment only)"
        in " ".join(report.split()).replace("note ", "note  ")
    )


def test_undeclared_dependencies_are_told_only_where_a_scenario_asks_for_them() -> None:
    rag: dict[str, object] = {"knowledge_index_version": "index-7", "embedding_model_version": "e5"}
    asking = RunConfig(name="answer", kind="function", settings={}, scenario="rag", depends_on=rag)
    cases = [Case(output="x")] * 5
    assert "answer does not declare model_version" in text_report(capitals(Made(cases=cases, config=asking)))
    assert "declare" not in text_report(capitals(Made(cases=cases)))


def test_a_scorer_that_was_added_after_results_were_seen_is_marked() -> None:
    made = Made(cases=[said("x", 1.0)] * 5, scorers=(pass_fail(),), added_later=(pass_fail().digest(),))
    assert "note  correct was added after results of answer had been seen" in text_report(capitals(made))


def test_rare_labels_are_counted_together() -> None:
    items: list[dict[str, object]] = [{"id": str(place)} for place in range(14)]
    cases = [Case(output="x", scores={"topic": f"topic {min(place, 12):02d}"}) for place in range(14)]
    report = text_report(recorded(items, Made(cases=cases, scorers=(label(),))))
    assert "topic  topic 12  14 % [4, 40] wilson n=14" in report
    assert "       3 more labels, given 3 of 14 times" in report


def test_a_label_that_was_never_given_stands_with_zero() -> None:
    cases = [Case(output="x", scores={"mood": "good"})] * 5
    report = text_report(capitals(Made(cases=cases, scorers=(label("mood", ("good", "bad")),))))
    assert "good  100 % [57, 100] wilson n=5" in report
    assert "bad   0 % [0, 43] wilson n=5" in report


def test_trials_are_told_with_their_items() -> None:
    cases = [said("x", float(place % 3 == 0)) for place in range(10)]
    report = text_report(recorded(CAPITALS, Made(cases=cases, scorers=(pass_fail(),)), trials=2))
    assert "5 items × 2 trials" in report
    assert "n=5 × 2 trials" in report
    assert "  fr, trial 1\n" in report


def test_failed_cases_are_found_behind_many_scorer_errors() -> None:
    items: list[dict[str, object]] = [{"id": f"i{place:04d}"} for place in range(600)]
    broken = Fault(reason="judge down")
    cases = [Case(output="x", scores={"first": broken, "second": broken if place % 2 else 1.0}) for place in range(500)]
    cases += [Case(output="x", scores={"first": float(place < 40), "second": 1.0}) for place in range(100)]
    report = text_report(recorded(items, Made(cases=cases, scorers=(pass_fail("first"), pass_fail("second")))))
    assert "answer: the first 5 cases with a scorer error\n  i0000\n" in report
    assert "answer: the first 5 failed cases\n  i0540\n" in report


@given(texts)
def test_whatever_is_in_it_a_report_is_narrow_and_steers_no_terminal(text: str) -> None:
    report = text_report(hostile(text))
    assert all(cell_len(line) <= WIDTH for line in report.split("\n"))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", report)


def test_an_output_cannot_forge_a_line_of_the_report() -> None:
    forged = said("Lima\n\ncorrect  passed (1)\r\x1b[2J", 0.0)
    report = text_report(capitals(Made(cases=[None, None, forged, None, None], scorers=(pass_fail(),))))
    assert "    output   Lima⏎⏎correct  passed (1)\\r\\x1b[2J\n" in report


def terminal(result: Result, columns: int) -> str:
    stream = io.StringIO()
    print_report(result, Console(file=stream, width=columns, force_terminal=True, color_system="truecolor"))
    return stream.getvalue()


@pytest.mark.parametrize("columns", [30, 60, 140])
def test_on_a_terminal_nothing_from_outside_becomes_markup_or_a_command(columns: int) -> None:
    shown = terminal(hostile(HOSTILE), columns)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "\x1b" not in plain
    assert not set(plain) & {"\r", "\x07", "\u202e", "\u200b"}
    assert all(cell_len(line) <= columns for line in plain.split("\n"))
    assert "[red]bold" in re.sub(r"\s", "", plain)


def test_a_terminal_shows_what_the_plain_report_says() -> None:
    result = capitals(mixed(), Made(cases=[said("x", 1.0)] * 5, task="guess", scorers=(pass_fail(),)))
    plain = re.sub(r"\x1b\[[0-9;]*m", "", terminal(result, 200))
    for line in text_report(result).split("\n"):
        words = re.sub(r"^(experiment|dataset|task|note) +", "", line)
        assert all(part in plain for part in re.split("  +", words))


def test_without_colours_the_terminal_report_has_no_escapes() -> None:
    stream = io.StringIO()
    print_report(capitals(mixed()), Console(file=stream, width=100))
    assert "\x1b" not in stream.getvalue()
    assert "answer: failed after 2.0 s: stopped after 1 error" in stream.getvalue()


def test_a_running_run_says_since_when() -> None:
    made = Made(cases=[said("x", 1.0), None, None, None, None], scorers=(pass_fail(),), state=RunState.RUNNING)
    assert "answer: running since 2025-06-15T15:06:40.000Z" in text_report(capitals(made))


def test_an_experiment_that_has_not_run_says_so() -> None:
    stored = capitals()
    assert text_report(Result(stored.store, stored.experiment, ())).endswith(
        "5 items\n\nnote  nothing has been run yet"
    )
