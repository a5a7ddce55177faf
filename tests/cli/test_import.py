"""`rejudge score --import`: scores that were given elsewhere, on the traces that an experiment has."""

from __future__ import annotations

import hashlib
import json
from typing import cast

import pytest

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import Outcome, ScoreSpec, ScoreType
from rejudge.domain.score import Score, ScoreStatus
from rejudge.domain.usage import Usage
from rejudge.front.verbs import import_scores
from rejudge.front.workspace import Workspace
from rejudge.wiring import open_store
from tests.cli.project import Project, Said

RECORDS: list[dict[str, object]] = [
    {"id": "a", "value": 2.0, "meta": {"why": "as asked", "usd": 0.01}},
    {"id": "b", "value": 1.25, "meta": {"why": None}},
    {"id": "c", "value": 1.75},
]
JUDGE = "{name: judge, type: number, low: 1, high: 2, passes_at: 1.5}"


@pytest.fixture
def scored(project: Project) -> Project:
    """A project whose evaluation has run once, with three traces: a, b and c."""
    project.evaluation()
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    return project


def recorded(project: Project, records: list[dict[str, object]], name: str = "judged.jsonl") -> str:
    project.write(name, "".join(json.dumps(record) + "\n" for record in records))
    return name


def imported(project: Project, file: str, *more: str, scorer: str = JUDGE) -> Said:
    return project.rejudge("score", "sums", "--import", file, "--scorer", scorer, *more)


def scores_of(project: Project, scorer: str = "judge") -> dict[str, Score]:
    """The scores of a scorer in the newest run, by item."""
    workspace = Workspace(open_store(project.folder / "rejudge.db"))
    (run,) = workspace.result("sums").runs
    names = {digest: workspace.store.scorer(digest).name for digest in run.run.scorers}
    return {case.item.id: score for case in run.cases() for score in case.scores if names[score.scorer] == scorer}


def runs(project: Project) -> int:
    return len(Workspace(open_store(project.folder / "rejudge.db")).runs())


def test_recorded_values_become_scores_with_outcome_reason_and_cost(scored: Project) -> None:
    said = imported(scored, recorded(scored, RECORDS), "--reason", "meta.why", "--cost", "meta.usd")
    assert said.code == 0
    scores = scores_of(scored)
    assert {item: (one.values[0].number, one.values[0].outcome) for item, one in scores.items()} == {
        "a": (2.0, Outcome.PASSED),
        "b": (1.25, Outcome.FAILED),
        "c": (1.75, Outcome.PASSED),
    }
    assert [scores[item].reason for item in "abc"] == ["as asked", "", ""]
    assert [scores[item].usage for item in "abc"] == [Usage(cost=0.01), None, None]
    assert len(scored.calls()) == 3


def test_an_imported_score_says_that_it_is_one_and_where_it_came_from(scored: Project) -> None:
    file = recorded(scored, RECORDS)
    assert imported(scored, file).code == 0
    digest = hashlib.sha256((scored.folder / file).read_bytes()).hexdigest()
    origins = [score.evidence for score in scores_of(scored).values()]
    assert origins == [{"imported": {"file": file, "sha256": digest, "line": line}} for line in (1, 2, 3)]
    shown = scored.rejudge("show", "sums", "--json").document
    (run,) = cast("list[dict[str, list[dict[str, object]]]]", shown["runs"])
    types = {str(one["name"]): one["type"] for one in run["scorers"]}
    assert types == {"correct": "exact_match", "judge": "imported"}


def test_the_mean_is_told_with_its_standard_error_on_the_scale(scored: Project) -> None:
    file = recorded(scored, RECORDS)
    said = imported(scored, file)
    assert said.out.endswith("\njudge: 66.667 % ± 22.048 (mean ± standard error) on its scale from 1 to 2, n=3\n")
    again = imported(scored, file, "--json").document
    (run,) = cast("list[dict[str, list[dict[str, object]]]]", again["runs"])
    (summary,) = [one for one in run["summaries"] if one["scorer"] == "judge"]
    assert summary["standard_error"] == pytest.approx(0.2204793, abs=1e-6)


def test_scores_of_other_scorers_stay_and_are_taken_over(scored: Project) -> None:
    before = scores_of(scored, "correct")
    assert imported(scored, recorded(scored, RECORDS)).code == 0
    assert scores_of(scored, "correct") == before
    assert scored.rejudge("score", "sums", "--scorer", "{type: contains, substring: It}").code == 0
    assert len(scores_of(scored, "judge")) == len(scores_of(scored, "contains")) == 3


def test_importing_again_stores_nothing(scored: Project) -> None:
    file = recorded(scored, RECORDS)
    assert imported(scored, file).code == 0
    before, count = scores_of(scored), runs(scored)
    assert imported(scored, file).code == 0
    reordered = recorded(scored, RECORDS[::-1], "the same.jsonl")
    assert imported(scored, reordered).code == 0
    assert (scores_of(scored), runs(scored)) == (before, count)


def test_a_corrected_file_makes_new_scores_and_the_old_ones_stay(scored: Project) -> None:
    assert imported(scored, recorded(scored, RECORDS)).code == 0
    workspace = Workspace(open_store(scored.folder / "rejudge.db"))
    earlier = workspace.runs()[-1].id
    before = [case.scores for case in workspace.run(earlier).cases()]
    corrected = [RECORDS[0] | {"value": 1.0}, *RECORDS[1:]]
    assert imported(scored, recorded(scored, corrected)).code == 0
    assert scores_of(scored)["a"].values[0].number == 1.0
    assert [case.scores for case in workspace.run(earlier).cases()] == before


def test_records_without_a_trace_are_counted_and_traces_without_a_record_are_skips(scored: Project) -> None:
    strangers: list[dict[str, object]] = [{"id": "z", "value": 1.0}, {"id": "y", "value": 1.0}]
    said = imported(scored, recorded(scored, [*RECORDS[:1], {"id": "b", "value": None}, *strangers]))
    assert said.code == 0
    told = said.err.splitlines()
    assert told[0] == "2 records of judged.jsonl without a trace of answer, left out: 'z', 'y'"
    assert told[1] == "1 record of judged.jsonl without a value, stored as skips"
    scores = scores_of(scored)
    assert {item: (one.status, one.cause) for item, one in scores.items()} == {
        "a": (ScoreStatus.SCORED, None),
        "b": (ScoreStatus.SKIPPED, "no_recording"),
        "c": (ScoreStatus.SKIPPED, "no_recording"),
    }
    assert (scores["b"].reason, scores["c"].reason) == (
        "there is null at 'value' in its record",
        "nothing was recorded of this item",
    )
    assert "judge skipped on answer: 2 no_recording" in said.out


@pytest.mark.parametrize(
    ("values", "kind", "line"),
    [
        ([True, False, True], ScoreType.PASS_FAIL, "judge: 66.667 % ± 33.333 (mean ± standard error), n=3"),
        ([3, 4, 5.5], ScoreType.NUMBER, "judge: 4.16667 ± 0.72648 (mean ± standard error), n=3"),
        (["good", "bad", "good"], ScoreType.LABEL, None),
    ],
)
def test_a_name_is_enough_where_the_values_say_what_they_are(
    scored: Project, values: list[object], kind: ScoreType, line: str | None
) -> None:
    records = [record | {"value": value} for record, value in zip(RECORDS, values, strict=True)]
    said = imported(scored, recorded(scored, records), "--json", scorer="judge")
    (run,) = cast("list[dict[str, list[dict[str, object]]]]", said.document["runs"])
    assert [one["kind"] for one in run["summaries"] if one["scorer"] == "judge"] == [kind]
    told = imported(scored, recorded(scored, records), scorer="judge").out.splitlines()
    assert ("mean ± standard error" in told[-1], told[-1] if line else None) == (line is not None, line)


def test_a_table_writes_numbers_as_text_and_its_score_reads_them(scored: Project) -> None:
    scored.write("judged.csv", "id,value\na,2\nb,1.25\nc, 1.75\n")
    assert imported(scored, "judged.csv").code == 0
    assert [one.values[0].number for one in scores_of(scored).values()] == [2.0, 1.25, 1.75]
    scored.write("passed.csv", "id,value\na,true\nb,FALSE\nc,1\n")
    assert imported(scored, "passed.csv", scorer="{name: passed}").code == 0
    assert [one.values[0].number for one in scores_of(scored, "passed").values()] == [1.0, 0.0, 1.0]


def test_two_equal_records_of_an_item_are_one(scored: Project) -> None:
    assert imported(scored, recorded(scored, [*RECORDS, RECORDS[0]])).code == 0
    assert len(scores_of(scored)) == 3


@pytest.mark.parametrize(
    ("records", "told"),
    [
        (
            [RECORDS[0], {"id": "b", "value": 3}],
            "judged.jsonl:2, item 'b', field 'value': score 'judge': 3 lies outside",
        ),
        (
            [{"id": "a", "value": "much"}],
            "judged.jsonl:1, item 'a', field 'value': score 'judge': 'much' is not a number",
        ),
        ([{"id": "a", "value": [1]}], "judged.jsonl:1, item 'a', field 'value': [1] is neither a number"),
        ([{"value": 1}], "judged.jsonl:1: the row has no id at 'id'"),
        ([{"id": True, "value": 1}], "judged.jsonl:1: an item id is text or a whole number, not True"),
        (
            [{"id": "a", "value": 1}, {"id": "a", "value": 2}],
            "judged.jsonl:2: item 'a' has two records for trial 0, which differ; one in line 1",
        ),
        ([{"id": "a", "score": 1}], "judged.jsonl: no record has a value at 'value'\n  next: name the field"),
        ([], "judged.jsonl: there is no record"),
        ([{"id": "x", "value": 1}], "judged.jsonl: no id at 'id' is that of an item which answer has a trace of"),
        ([RECORDS[0] | {"usd": -1}], "judged.jsonl:1, item 'a', field 'usd': the cost is -1, not an amount"),
        ([RECORDS[0] | {"usd": 1e300}], "judged.jsonl:1, item 'a', field 'usd': the cost is 1e+300, not an amount"),
        ([RECORDS[0] | {"value": "1_000"}], "judged.jsonl:1, item 'a', field 'value': score 'judge': '1_000' is not"),
        ([RECORDS[0] | {"value": "\u0661"}], "judged.jsonl:1, item 'a', field 'value': score 'judge'"),
    ],
)
def test_a_file_that_cannot_be_imported_is_refused_with_line_and_field_and_nothing_is_stored(
    scored: Project, records: list[dict[str, object]], told: str
) -> None:
    said = imported(scored, recorded(scored, records), "--cost", "usd")
    assert (said.code, said.out) == (2, "")
    assert told in said.err
    assert runs(scored) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "nothing says whose scores these are, and --import takes over those of one scorer"),
        (("--scorer", "a", "--scorer", "b"), "--scorer is given 2 times"),
        (("--scorer", "{name: judge, hight: 2}"), "unknown setting of a score 'hight'\n  next: did you mean 'high'?"),
        (("--scorer", "{type: number}"), "the score to import: object missing required field `name`"),
        (("--scorer", "{name: judge, type: stars}"), "the score to import: type: invalid enum value 'stars'"),
        (("--scorer", "{name: judge, low: 1, high: 2}"), "a pass_fail lies between 0 and 1"),
        (("--scorer", "!!"), "the score name '!!' has no letter or digit"),
        (("--scorer", "judge", "--provider", "a:b"), "--provider says nothing about scores that are imported"),
        (("--scorer", "judge", "--task", "asnwer"), "unknown task 'asnwer'\n  next: did you mean 'answer'?"),
    ],
)
def test_what_makes_no_import_is_refused(scored: Project, arguments: tuple[str, ...], told: str) -> None:
    said = scored.rejudge("score", "sums", "--import", recorded(scored, RECORDS), *arguments)
    assert (said.code, said.out) == (2, "")
    assert told in said.err


def test_numbers_in_a_table_are_not_taken_for_labels_unasked(scored: Project) -> None:
    scored.write("judged.csv", "id,value\na,2\nb,1.25\n")
    said = imported(scored, "judged.csv", scorer="judge")
    assert said.code == 2
    assert "every value at 'value' is text that reads as a number\n  next: say what it is" in said.err
    assert imported(scored, "judged.csv", scorer="{name: judge, type: label}").code == 0


def test_paths_without_an_import_are_refused(scored: Project) -> None:
    said = scored.rejudge("score", "sums", "--scorer", "{type: contains, substring: x}", "--value", "v")
    assert said.code == 2
    assert "--value is of use with --import only" in said.err


def test_of_several_tasks_the_one_that_was_judged_is_named_and_no_other_is_scored(project: Project) -> None:
    project.evaluation(task="def answer(question):\n    return 1\n\n\ndef other(question):\n    return 2\n")
    text = (project.folder / "eval.yaml").read_text(encoding="utf-8")
    task = f"task: {{python: '{project.module}:answer'}}"
    tasks = f"tasks: [{{python: '{project.module}:answer'}}, {{python: '{project.module}:other'}}]"
    project.write("eval.yaml", text.replace(task, tasks))
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    file = recorded(project, RECORDS)
    said = imported(project, file)
    assert (said.code, "the experiment has 2 tasks" in said.err) == (2, True)
    assert imported(project, file, "--task", "other").code == 0
    answer, other = Workspace(open_store(project.folder / "rejudge.db")).result("sums").runs
    assert [len(run.run.scorers) for run in (answer, other)] == [1, 2]


def test_trials_are_told_apart_by_order_or_by_a_field(project: Project) -> None:
    project.evaluation("trials: 2")
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    ordered = [record | {"value": value} for record in RECORDS for value in (1.0, 2.0)]
    assert imported(project, recorded(project, ordered)).code == 0
    numbered = [record | {"trial": trial} for record, trial in zip(ordered, (1, 0) * 3, strict=True)]
    assert (
        imported(project, recorded(project, numbered), "--trial", "trial", scorer=JUDGE.replace("judge", "late")).code
        == 0
    )
    workspace = Workspace(open_store(project.folder / "rejudge.db"))
    (run,) = workspace.result("sums").runs
    names = {digest: workspace.store.scorer(digest).name for digest in run.run.scorers}
    found = {
        (names[score.scorer], case.case.trial, score.values[0].number) for case in run.cases() for score in case.scores
    }
    assert {one for one in found if one[0] != "correct"} == {
        ("judge", 0, 1.0),
        ("judge", 1, 2.0),
        ("late", 0, 2.0),
        ("late", 1, 1.0),
    }


def test_the_verb_does_the_same_from_python(scored: Project) -> None:
    file = recorded(scored, RECORDS)
    spec = ScoreSpec(name="judge", type=ScoreType.NUMBER, low=1, high=2)
    result = import_scores("sums", file, spec, reason="meta.why")
    assert result.summary("judge").mean == pytest.approx(5 / 3)
    assert result.summary("judge").standard_error == pytest.approx(0.2204793, abs=1e-6)
    with pytest.raises(ConfigurationError, match="no record has a value at 'grade'"):
        import_scores("sums", file, spec, value="grade")


def test_an_experiment_that_is_not_there_or_has_no_run_is_told(project: Project, scored: Project) -> None:
    said = project.rejudge("score", "sum", "--import", recorded(project, RECORDS), "--scorer", JUDGE)
    assert said.code == 2
    assert "'sums'" in said.err


def test_a_pass_fail_may_be_written_as_pass_and_fail(scored: Project) -> None:
    records: list[dict[str, object]] = [
        {"id": "a", "value": "pass"},
        {"id": "b", "value": "FAILED "},
        {"id": "c", "value": True},
    ]
    said = imported(scored, recorded(scored, records), scorer="{name: person, type: pass_fail}")
    assert said.code == 0
    assert {item: score.values[0].number for item, score in scores_of(scored, "person").items()} == {
        "a": 1.0,
        "b": 0.0,
        "c": 1.0,
    }
    wrong = imported(scored, recorded(scored, [{"id": "a", "value": "passable"}]), scorer="{name: other, low: 0}")
    assert wrong.code == 2
    assert "'passable' is not a number\n  next: write pass or fail" in wrong.err
    labels = imported(scored, recorded(scored, records[:2], "labels.jsonl"), scorer="grade")
    assert "grade" in labels.out
    assert scores_of(scored, "grade")["a"].values[0].label == "pass"
