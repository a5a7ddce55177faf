"""`rejudge test`: a suite in a file, its exit codes and its reports."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tests.cli.project import TASK, Project

SUITE = "suite: {scorers: [%s]}"
RIGHT = "{type: exact_match, name: right, reference_key: sum, value_expression: final_message | final_number}"
WRONG = "{type: contains, name: wrong, substring: eleven}"


def suite(project: Project, scorer: str = RIGHT, *more: str, task: str = TASK) -> None:
    project.evaluation(SUITE % scorer, *more, task=task, scorers="")


def test_a_suite_that_passes_ends_with_0(project: Project) -> None:
    suite(project)
    said = project.rejudge("test", "eval.yaml")
    assert (said.code, len(project.calls())) == (0, 3)
    assert said.out.startswith("PASSED: 3 of 3 items passed")


def test_a_suite_that_fails_ends_with_1_and_shows_why(project: Project) -> None:
    suite(project, WRONG)
    said = project.rejudge("test", "eval.yaml", "--quiet")
    assert said.code == 1
    assert said.out.startswith("FAILED: 0 of 3 items passed")
    assert "failed: wrong" in said.out


def test_errors_make_a_suite_incomplete_and_a_failure_makes_it_failed_all_the_same(project: Project) -> None:
    broken = TASK.replace("    return", '    if question == "2 + 2":\n        raise ValueError("no idea")\n    return')
    suite(project, task=broken)
    assert project.rejudge("test", "eval.yaml").code == 3
    suite(project, WRONG, task=broken)
    assert project.rejudge("test", "eval.yaml").code == 1


def test_the_mapping_of_the_file_is_that_of_its_suite(project: Project) -> None:
    project.write("equal.py", "def equal(output, expected):\n    return str(expected) in output\n")
    suite(project, "{python: 'equal:equal'}", "scoring_key_mapping: {expected: sum}")
    said = project.rejudge("test", "eval.yaml", "--quiet")
    assert (said.code, said.err) == (0, "")


def test_a_suite_that_is_run_resumed_or_scored_ends_as_it_did(project: Project) -> None:
    broken = TASK.replace(
        "    return", '    if not __import__("os").path.exists("mended"):\n        raise ValueError\n    return'
    )
    suite(project, WRONG, task=broken)
    assert project.rejudge("run", "eval.yaml").code == 3
    project.write("mended", "")
    resumed = project.rejudge("resume", "sums")
    assert resumed.code == 1
    assert resumed.out.startswith("FAILED: 0 of 3 items passed")
    assert project.rejudge("run", "eval.yaml").code == 1
    assert project.rejudge("resume", "sums").code == 1
    later = project.rejudge("score", "sums", "--scorer", "{type: contains, substring: It}")
    assert later.code == 1


def test_what_a_person_has_to_decide_ends_with_4(project: Project) -> None:
    project.write(
        "unsure.py",
        "from rejudge import Verdict\n\n\ndef unsure(output):\n    return Verdict(values={'': True}, review=True)\n",
    )
    suite(project, "{python: 'unsure:unsure'}")
    said = project.rejudge("test", "eval.yaml")
    assert said.code == 4
    assert said.out.startswith("NEEDS HUMAN REVIEW")


def test_reports_are_written_where_they_are_asked_for(project: Project) -> None:
    suite(project, WRONG)
    reports = [word for name in ("r.xml", "r.html", "r.json") for word in ("--report", f"out/{name}")]
    assert project.rejudge("test", "eval.yaml", *reports).code == 1
    root = ElementTree.parse(project.folder / "out/r.xml").getroot()
    assert root.get("failures") == "3"
    assert (project.folder / "out/r.html").read_text().startswith("<!DOCTYPE html>")
    assert '"suite_passed": false' in (project.folder / "out/r.json").read_text()


def test_a_report_of_an_unknown_form_is_refused_before_anything_is_run(project: Project) -> None:
    suite(project)
    said = project.rejudge("test", "eval.yaml", "--report", "report.pdf")
    assert (said.code, project.calls()) == (2, [])


def test_a_policy_runs_every_item_so_often(project: Project) -> None:
    project.evaluation(f"suite: {{scorers: [{RIGHT}], policy: {{runs: 2, threshold: 2}}}}", scorers="")
    said = project.rejudge("test", "eval.yaml", "--json")
    assert said.code == 0
    assert said.document["policy"] == {"runs": 2, "threshold": 2}
    assert len(project.calls()) == 6


def test_a_suite_is_resumed_and_shown_like_any_experiment(project: Project) -> None:
    suite(project)
    assert project.rejudge("test", "eval.yaml").code == 0
    assert project.rejudge("test", "eval.yaml").code == 0
    assert project.rejudge("show", "sums").code == 0
    assert project.rejudge("resume", "sums").code == 0
    assert len(project.calls()) == 3


def test_what_is_shown_of_a_suite_says_what_it_came_to_and_then_its_figures(project: Project) -> None:
    suite(project, WRONG)
    tested = project.rejudge("test", "eval.yaml", "--quiet")
    shown = project.rejudge("show", "sums")
    verdict, _, figures = shown.out.partition("\n\nexperiment  sums")
    assert verdict == tested.out.rstrip()
    assert "wrong  0 %" in figures
    assert "failed case" not in figures
    document = project.rejudge("show", "sums", "--json").document
    assert document["suite"] == project.rejudge("test", "eval.yaml", "--quiet", "--json").document


def test_a_suite_that_is_resumed_ends_as_it_did(project: Project) -> None:
    broken = TASK.replace("    return", '    if question == "2 + 2":\n        raise ValueError("no idea")\n    return')
    suite(project, WRONG, task=broken)
    assert project.rejudge("test", "eval.yaml").code == 1
    said = project.rejudge("resume", "sums")
    assert said.code == 1
    assert said.out.startswith("FAILED: 0 of 3 items passed")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", "describes no suite"),
        ("suite: {asertions: [x]}", "asertions"),
        ("suite: {policy: {runs: 0}}", "runs"),
        ("suite: {policy: {runs: 1, threshold: 2}}", "threshold"),
        ("suite: {scorers: [{type: no_such_kind}]}", "no_such_kind"),
        ("trials: 2\nsuite: {}", "exclude each other"),
    ],
)
def test_what_a_suite_may_not_say_is_told_with_its_place(project: Project, lines: str, said: str) -> None:
    project.evaluation(lines, scorers="")
    ended = project.rejudge("test", "eval.yaml")
    assert (ended.code, project.calls()) == (2, [])
    assert said in ended.err
    assert "eval.yaml" in ended.err


def test_a_suite_that_is_only_run_says_what_it_came_to(project: Project) -> None:
    suite(project)
    assert "the suite sums is passed: 3 of 3 items passed" in project.rejudge("run", "eval.yaml").err
    project.evaluation()
    assert "suite" not in project.rejudge("run", "eval.yaml").err


def test_a_part_of_a_suite_is_tested_and_said_to_be_one(project: Project) -> None:
    suite(project)
    said = project.rejudge("test", "eval.yaml", "--ids", "b")
    assert (said.code, project.calls()) == (0, ["2 + 2"])
    assert said.out.startswith("PASSED: 1 of 1 item passed")
    assert "note: selected: by id: b; nothing is said of the rest" in said.out
    whole = project.rejudge("test", "eval.yaml")
    assert whole.out.startswith("PASSED: 3 of 3 items passed")
    assert "selected" not in whole.out
    assert len(project.calls()) == 3
    wrong = project.rejudge("test", "eval.yaml", "--filter", "summ > 2")
    assert (wrong.code, "did you mean 'sum'?" in wrong.err) == (2, True)
