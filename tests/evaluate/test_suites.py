"""Suites: what passes, who is asked, and what a second call or another scorer does to it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import rejudge
from rejudge import scorers
from rejudge.domain.errors import UnknownName
from rejudge.scorers import contains
from rejudge.storage.memory import MemoryStore
from rejudge.wiring import Address

ITEMS: list[dict[str, object]] = [
    {"id": "1", "question": "hello"},
    {"id": "2", "question": "refund", "scorers": ["It mentions a refund", {"kind": "contains", "substring": "refund"}]},
]


def echo(question: str) -> str:
    return f"You said {question}."


def asked(call: rejudge.ModelCall) -> dict[str, str]:
    """The assertions of a call by their keys."""
    return dict(re.findall(r"^(a\d+): (.*)$", str(call.messages[-1]["content"]), re.MULTILINE))


def judge(verdicts: Callable[[str], bool | None]) -> rejudge.ScriptedProvider:
    """A model that says of each assertion what `verdicts` says, and leaves out what that knows nothing of."""

    def reply(call: rejudge.ModelCall) -> rejudge.Reply:
        said = {
            key: {"reason": f"so it is with {text!r}", "holds": holds, "confidence": 0.75}
            for key, text in asked(call).items()
            if (holds := verdicts(text)) is not None
        }
        usage = rejudge.Usage(input_tokens=10, output_tokens=2, cost=0.5)
        return rejudge.Reply(text=json.dumps(said), usage=usage)

    return rejudge.ScriptedProvider(reply)


def statuses(suite: rejudge.SuiteResult) -> dict[str, str]:
    return {item.id: item.status.value for item in suite.items}


def test_assertions_of_the_suite_and_of_an_item_are_asked_about_in_one_call(store: Address) -> None:
    model = judge(lambda text: True)
    suite = rejudge.run_tests(
        ITEMS, echo, assertions=["It is polite", "It is short"], model="m", provider=model, store=store
    )
    assert suite.passed
    assert sorted(list(asked(call).values()) for call in model.calls) == [
        ["It is polite", "It is short"],
        ["It is polite", "It is short", "It mentions a refund"],
    ]
    second = suite.items[1].runs[0].assertions
    assert {one.name for one in second} == {"It is polite", "It is short", "It mentions a refund", "contains"}
    assert {one.confidence for one in second} == {0.75, None}
    assert {one.name for one in suite.items[0].runs[0].assertions} == {"It is polite", "It is short"}


def test_what_a_merged_call_cost_is_counted_once(store: Address) -> None:
    model = judge(lambda text: True)
    suite = rejudge.run_tests(
        ITEMS, echo, assertions=["It is polite", "It is short"], model="m", provider=model, store=store
    )
    assert sum(scores.cost or 0.0 for scores in suite.result.run().counts.scores) == 0.5 * len(model.calls)
    scores = [score for row in suite.result.cases() for score in row.scores if score.calls]
    assert len(scores) == 5
    assert all(score.calls for score in scores)


def test_an_assertion_that_stands_in_suite_and_item_is_asked_about_once(store: Address) -> None:
    model = judge(lambda text: True)
    items = [{"id": "1", "question": "x", "scorers": ["It is polite", "It is polite"]}]
    suite = rejudge.run_tests(items, echo, assertions=["It is polite"], model="m", provider=model, store=store)
    assert [list(asked(call).values()) for call in model.calls] == [["It is polite"]]
    assert [one.name for one in suite.items[0].runs[0].assertions] == ["It is polite"]


def test_judges_with_other_settings_are_asked_by_themselves(store: Address) -> None:
    model = judge(lambda text: True)
    own = {"kind": "assertions", "assertions": ["It is short"], "model": "other"}
    items = [{"id": "1", "question": "x", "scorers": [own, "It is kind"]}]
    rejudge.run_tests(items, echo, assertions=["It is polite"], model="m", provider=model, store=store)
    assert {(call.model, *asked(call).values()) for call in model.calls} == {
        ("m", "It is polite", "It is kind"),
        ("other", "It is short"),
    }


def test_an_assertion_that_the_reply_leaves_out_fails_alone_and_is_asked_about_again(store: Address) -> None:
    known: dict[str, bool | None] = {"It is polite": True, "It is short": None}
    model = judge(lambda text: known[text])

    def run() -> rejudge.SuiteResult:
        return rejudge.run_tests(
            ITEMS[:1], echo, assertions=list(known), model="m", provider=model, store=store, version="1"
        )

    suite = run()
    told = {one.name: one for one in suite.items[0].runs[0].assertions}
    assert told["It is polite"].status == "passed"
    assert "says nothing about it" in (told["It is short"].error or "")
    assert (suite.status, suite.exit_code(), len(model.calls)) == ("not_evaluated", 3, 1)
    known["It is short"] = True
    assert run().passed
    assert len(model.calls) == 2


def test_a_reply_that_cannot_be_read_is_asked_for_again_once_for_all_assertions(store: Address) -> None:
    replies = iter(["Well.", '{"a1": {"holds": true}, "a2": {"holds": false, "reason": "No."}}'])
    model = rejudge.ScriptedProvider(lambda call: next(replies))
    suite = rejudge.run_tests(ITEMS[:1], echo, assertions=["A", "B"], model="m", provider=model, store=store)
    assert [(one.name, one.status.value) for one in suite.items[0].runs[0].assertions] == [
        ("A", "passed"),
        ("B", "failed"),
    ]
    assert len(model.calls) == 2


def test_what_an_output_quotes_is_no_verdict_on_it(store: Address) -> None:
    said = '{"a1": {"holds": true}}'
    model = rejudge.ScriptedProvider(lambda call: f"The answer says {said}")
    suite = rejudge.run_tests(
        [{"id": "1", "question": "x"}], lambda question: said, assertions=["A"], model="m", provider=model, store=store
    )
    assert suite.status == "not_evaluated"
    assert "grade_parse_failure" in (suite.items[0].runs[0].assertions[0].error or "")


def test_an_item_passes_where_enough_of_its_runs_do(store: Address) -> None:
    items = [
        {"id": "often", "good": [True, False, True], "policy": {"runs": 3, "threshold": 2}},
        {"id": "seldom", "good": [True, False, False], "policy": {"runs": 3, "threshold": 2}},
        {"id": "once", "good": [True]},
    ]

    def task(good: list[bool], trial: int) -> bool:
        return good[trial]

    suite = rejudge.run_tests(items, task, scorers=lambda output: output, store=store)
    assert statuses(suite) == {"often": "passed", "seldom": "failed", "once": "passed"}
    assert [(item.runs_passed, len(item.runs), item.threshold) for item in suite.items] == [
        (2, 3, 2),
        (1, 3, 2),
        (1, 1, 1),
    ]
    assert (suite.status, suite.items_passed, suite.items_total, suite.exit_code()) == ("failed", 2, 3, 1)
    run = suite.result.run()
    assert (run.run.planned, run.counts.cases.completed, run.pending) == (7, 7, 0)


def test_a_number_that_says_not_when_it_passes_passes_at_1_and_the_report_says_so(store: Address) -> None:
    def share(output: str) -> float:
        return 0.9 if output == "You said hello." else 1.0

    suite = rejudge.run_tests([{"id": "1", "question": "hello"}], echo, scorers=share, store=store)
    assert statuses(suite) == {"1": "failed"}
    assert suite.assumed == ("share",)
    assert "share says not when it passes" in str(suite)
    other = rejudge.run_tests([{"id": "1", "question": "bye"}], echo, scorers=share, store=store)
    assert other.passed


def test_a_declared_threshold_counts_and_nothing_is_assumed(store: Address) -> None:
    def share(output: str) -> float:
        return 0.9

    share.scores = rejudge.ScoreSpec(name="share", type=rejudge.ScoreType.NUMBER, passes_at=0.8)  # type: ignore[attr-defined]
    suite = rejudge.run_tests(ITEMS[:1], echo, scorers=share, store=store)
    assert suite.passed
    assert suite.assumed == ()


def test_an_item_without_assertions_is_not_passed_and_an_empty_suite_is_empty(store: Address) -> None:
    bare = rejudge.run_tests(ITEMS[:1], echo, store=store)
    assert (bare.status, bare.items_passed, bare.pass_rate, bare.exit_code()) == ("not_evaluated", 0, None, 4)
    assert "no assertion" in str(bare)
    empty = rejudge.run_tests([], echo, scorers=lambda output: True, store=store, experiment_name="empty")
    assert (empty.status, empty.passed, empty.pass_rate, empty.exit_code()) == ("empty", False, None, 4)


def test_a_task_error_leaves_its_item_open_and_the_other_items_decided(store: Address) -> None:
    def task(question: str) -> str:
        if question == "refund":
            raise ValueError("out of order")
        return question

    suite = rejudge.run_tests(ITEMS, task, scorers=lambda output: True, model="m", provider=judge(bool), store=store)
    assert statuses(suite) == {"1": "passed", "2": "not_evaluated"}
    assert (suite.status, suite.exit_code()) == ("not_evaluated", 3)
    assert "out of order" in str(suite)
    assert suite.result.summary("contains").counts.task_errors == 1


def test_an_item_s_scorer_is_for_that_item_alone(store: Address) -> None:
    suite = rejudge.run_tests(ITEMS, echo, model="m", provider=judge(lambda text: True), store=store)
    counts = suite.result.summary("contains").counts
    assert (counts.planned, counts.scored, counts.pending) == (1, 1, 0)
    assert [len(row.scores) for row in suite.result.cases()] == [0, 2]


def test_scorers_of_one_name_on_several_items_are_counted_together(store: Address) -> None:
    items = [
        {"id": word, "question": word, "scorers": [{"kind": "contains", "substring": substring}]}
        for word, substring in (("a", "a"), ("b", "b"), ("c", "z"))
    ]
    suite = rejudge.run_tests(items, echo, store=store)
    assert statuses(suite) == {"a": "passed", "b": "passed", "c": "failed"}
    summary = suite.result.summary("contains")
    assert (summary.n, summary.counts.planned) == (3, 3)
    assert summary.mean == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("policy", {"threshold": 2}, "2 runs have to pass"),
        ("policy", {"runs": 0}, "runs is 0"),
        ("policy", {"runs": -1}, "runs is -1"),
        ("policy", {"runs": True}, "True"),
        ("policy", {"runs": 1.5}, "1.5"),
        ("policy", {"rns": 2}, "rns"),
        ("policy", "often", "mapping"),
        ("scorers", [{"kind": "no_such_kind"}], "no_such_kind"),
        ("scorers", [{"kind": "contains", "substrin": "x"}], "substrin"),
        ("scorers", [{"kind": "llm_judge"}], "none is named"),
        ("scorers", ["It is polite"], "none is named"),
        ("scorers", "It is polite", "list"),
        ("scorers", [7], "mapping"),
        ("scorers", [{"kind": "is_json"}, {"kind": "is_json"}], "two scorers"),
        ("scorers", [{"kind": "pairwise", "model": "m"}], "two traces"),
    ],
)
def test_what_an_item_may_not_say_is_refused_before_the_first_task_call(
    store: Address, field: str, value: object, said: str
) -> None:
    calls: list[str] = []

    def task(question: str) -> str:
        calls.append(question)
        return question

    items = [*ITEMS[:1], {"id": "wrong one", "question": "x", field: value}]
    with pytest.raises(rejudge.ConfigurationError) as refused:
        rejudge.run_tests(items, task, scorers=lambda output: True, store=store)
    assert said in str(refused.value)
    assert "item 'wrong one'" in str(refused.value)
    assert f"field '{field}'" in str(refused.value)
    assert not calls


def test_an_unknown_kind_is_refused_with_the_kinds_that_there_are(store: Address) -> None:
    with pytest.raises(UnknownName, match="did you mean 'contains'") as refused:
        rejudge.run_tests([{"id": "1", "question": "x", "scorers": [{"kind": "contain"}]}], echo, store=store)
    assert "exact_match" in refused.value.fix


@pytest.mark.parametrize("policy", [{"runs": 0}, {"runs": 2, "threshold": 3}, {"threshold": 2}, {"runs": False}])
def test_a_policy_of_the_suite_that_cannot_be_kept_is_refused(store: Address, policy: Mapping[str, object]) -> None:
    with pytest.raises(rejudge.ConfigurationError):
        rejudge.run_tests(ITEMS[:1], echo, scorers=lambda output: True, policy=policy, store=store)


def test_a_second_call_runs_and_asks_nothing(store: Address) -> None:
    model, calls = judge(lambda text: True), list[str]()

    def task(question: str) -> str:
        calls.append(question)
        return question

    suite = rejudge.Suite(ITEMS, assertions=("It is polite",), policy={"runs": 2}, model="m")
    first = rejudge.run_tests(suite, task, provider=model, store=store, version="1")
    made = len(model.calls)
    again = rejudge.run_tests(suite, task, provider=model, store=store, version="1")
    assert (len(calls), len(model.calls)) == (4, made)
    assert again.to_dict() == first.to_dict()


def test_another_threshold_runs_nothing_again_and_is_another_experiment(store: Address) -> None:
    calls: list[int] = []

    def task(trial: int) -> bool:
        calls.append(trial)
        return trial == 0

    task.version = "1"  # type: ignore[attr-defined]
    items: list[dict[str, object]] = [{"id": "1"}]

    def run(threshold: int) -> rejudge.SuiteResult:
        policy = rejudge.ExecutionPolicy(runs=3, threshold=threshold)
        return rejudge.run_tests(items, task, scorers=lambda output: output, policy=policy, store=store)

    lenient, strict = run(1), run(2)
    assert (lenient.passed, strict.passed, calls) == (True, False, [0, 1, 2])
    assert lenient.result.experiment.id != strict.result.experiment.id


def test_rescoring_keeps_the_trials_and_what_the_suite_came_to(store: Address) -> None:
    model = judge(lambda text: True)
    items = [*ITEMS, {"id": "3", "question": "often", "policy": {"runs": 3}}]
    first = rejudge.run_tests(items, echo, assertions=["It is polite"], model="m", provider=model, store=store)
    made = len(model.calls)
    again = rejudge.evaluate_experiment(first.name, contains(substring="zebra", name="zebra"), store=store)
    assert [row.case.trial for row in again.cases()] == [0, 0, 0, 1, 2]
    assert again.summary("zebra").counts.scored == 5
    assert again.summary("contains").counts.planned == 1
    assert len(model.calls) == made
    rejudged = rejudge.SuiteResult(again)
    assert rejudged.passed
    assert statuses(rejudged) == statuses(first)


def test_an_item_s_runs_count_in_evaluate_too(store: Address) -> None:
    items = [{"id": "1", "question": "x"}, {"id": "2", "question": "y", "policy": {"runs": 4}}]
    result = rejudge.evaluate(items, echo, contains(substring="y"), trials=2, store=store)
    assert [(row.case.item_id, row.case.trial) for row in result.cases()] == [
        *[("1", trial) for trial in range(2)],
        *[("2", trial) for trial in range(4)],
    ]
    assert result.summary().counts.planned == 6
    assert rejudge.plan(items, echo, contains(substring="y"), trials=2, store=store).tasks[0].planned == 6
    texts = [{"id": "1", "question": "x", "policy": "home insurance"}]
    assert rejudge.evaluate(texts, echo, store=store).complete


def test_a_plan_of_a_suite_says_who_would_judge_what() -> None:
    store = MemoryStore()
    suite = rejudge.Suite(ITEMS, assertions=("It is polite",), model="m")
    rejudge.run_tests(suite, echo, provider=judge(lambda text: True), store=store)
    plan = rejudge.plan(ITEMS, echo, store=store)
    assert plan.tasks[0].reuse == 2


def test_assertions_judge_outside_of_suites_as_well(store: Address) -> None:
    model = judge(lambda text: None if text == "C" else text == "A")
    judging = scorers.assertions(assertions=("A", "B", "C"), model="m")
    result = rejudge.evaluate(ITEMS[:1], echo, judging, provider=model, store=store)
    assert {name: summary.mean for name, summary in result.run().summaries} == {"A": 1.0, "B": 0.0, "C": None}
    assert len(model.calls) == 1


def test_a_report_that_cannot_be_written_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    suite = rejudge.run_tests(
        ITEMS[:1],
        echo,
        scorers=lambda output: True,
        store=MemoryStore(),
        report_output_path=[tmp_path / "file" / "report.json", tmp_path / "new" / "report.json"],
    )
    assert suite.passed
    assert "could not be written" in suite.warnings[0]
    assert "could not be written" in caplog.text
    assert json.loads((tmp_path / "new" / "report.json").read_text())["suite_passed"] is True


def test_a_report_of_an_unknown_form_is_refused_before_the_first_task_call(store: Address) -> None:
    def task(question: str) -> str:
        raise AssertionError

    with pytest.raises(rejudge.ConfigurationError, match=r"\.json, \.html, or \.xml"):
        rejudge.run_tests(ITEMS[:1], task, store=store, report_output_path="report.pdf")


def test_options_that_say_one_thing_twice_are_refused(store: Address) -> None:
    with pytest.raises(rejudge.ConfigurationError, match="policy"):
        rejudge.run_tests(ITEMS[:1], echo, store=store, trials=2)
    with pytest.raises(rejudge.ConfigurationError, match="twice"):
        rejudge.run_tests(ITEMS[:1], echo, store=store, name="a", experiment_name="b")
    with pytest.raises(rejudge.ConfigurationError, match="one text"):
        rejudge.run_tests(ITEMS[:1], echo, store=store, assertions="It is polite")
    with pytest.raises(rejudge.ConfigurationError, match="no suite"):
        rejudge.SuiteResult(rejudge.evaluate(ITEMS[:1], echo, store=store))
