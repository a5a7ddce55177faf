from __future__ import annotations

import pytest

from tests.cli.project import Project

MENDABLE = """
import os


def answer(question):
    with open(__file__ + ".log", "a") as log:
        log.write(question + "\\n")
    if question == "2 + 2" and not os.path.exists("mended"):
        raise ValueError("no idea")
    return eval(question)
"""


@pytest.fixture
def failed(project: Project) -> Project:
    """A project whose evaluation stopped at its first error."""
    project.evaluation("stop: first error", "concurrency: 1", task=MENDABLE)
    assert project.rejudge("run", "eval.yaml").code == 3
    assert project.calls() == ["1 + 1", "2 + 2"]
    return project


def test_resuming_runs_what_is_pending_or_failed_and_nothing_else(failed: Project) -> None:
    failed.write("mended", "")
    said = failed.rejudge("resume", "sums")
    assert said.code == 0
    assert "3 completed" in said.out
    assert failed.calls() == ["1 + 1", "2 + 2", "2 + 2", "3 + 3"]


def test_a_run_is_resumed_by_the_beginning_of_its_id(failed: Project) -> None:
    run = failed.rejudge("list").out.splitlines()[2].split()[0]
    failed.write("mended", "")
    assert failed.rejudge("resume", run[:18]).code == 0


def test_what_fails_again_is_tried_again(failed: Project) -> None:
    assert failed.rejudge("resume", "sums").code == 3
    assert failed.calls().count("2 + 2") == 2
    assert failed.calls().count("1 + 1") == 1


def test_a_finished_experiment_has_nothing_to_resume_whatever_its_file_says_by_now(project: Project) -> None:
    project.evaluation()
    project.rejudge("run", "eval.yaml")
    project.write("eval.yaml", "dataset: others.jsonl\n")
    said = project.rejudge("resume", "sums")
    assert said.code == 0
    assert "there is nothing to resume: sums is complete" in said.err
    assert said.out.startswith("experiment  sums\n")
    assert len(project.calls()) == 3


def test_an_experiment_that_was_scored_later_has_nothing_to_resume(project: Project) -> None:
    project.evaluation()
    project.rejudge("run", "eval.yaml")
    project.rejudge("score", "sums", "--scorer", "{type: contains, substring: is}")
    assert "there is nothing to resume" in project.rejudge("resume", "sums").err


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("eval.yaml", "name: sums", "name: other", "its name is 'other', not 'sums'"),
        ("eval.yaml", "stop: first error", "trials: 2", "it wishes 2 trials, not 1"),
        ("items.jsonl", "3 + 3", "3 + 4", "the dataset"),
        ("eval.yaml", ":answer'", ":answer', version: '2'", "experiment 'sums' knows no such task as answer is now"),
    ],
)
def test_a_file_that_wishes_something_else_by_now_is_refused(
    failed: Project, name: str, old: str, new: str, told: str
) -> None:
    failed.write(name, (failed.folder / name).read_text().replace(old, new))
    calls = failed.calls()
    said = failed.rejudge("resume", "sums")
    assert (said.code, said.out) == (2, "")
    assert "the file wishes something else by now" in said.err
    assert told in said.err
    assert "rejudge run" in said.err
    assert failed.calls() == calls


def test_a_scorer_that_the_file_has_changed_judges_what_is_stored(failed: Project) -> None:
    failed.write("mended", "")
    text = (failed.folder / "eval.yaml").read_text()
    failed.write("eval.yaml", text.replace("name: correct", "name: still correct"))
    said = failed.rejudge("resume", "sums")
    assert (said.code, "still correct" in said.out) == (0, True)
    assert failed.calls().count("1 + 1") == 1


def test_the_file_may_have_moved(failed: Project) -> None:
    failed.write("mended", "")
    (failed.folder / "eval.yaml").rename(failed.folder / "moved.yaml")
    said = failed.rejudge("resume", "sums")
    assert said.code == 2
    assert "eval.yaml: there is no such file" in said.err
    assert failed.rejudge("resume", "sums", "--file", "moved.yaml").code == 0


SUITE = """suite:
  assertions: [It is a number]
  model: m
  policy: {runs: 2, threshold: 2}
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "threshold: 2",
            "threshold: 1",
            "the policy of the suite is 2 runs with threshold 1, not",
        ),
        (
            "It is a number",
            "It is polite",
            'the assertion "It is polite" is new; the assertion "It is a',
        ),
        ("model: m", "model: n", "the suite is judged by n, not m"),
        ("  model", "  scorers: [{type: is_json}]\n  model", "the scorers of the suite changed"),
    ],
)
def test_what_a_suite_says_otherwise_by_now_is_named(project: Project, old: str, new: str, told: str) -> None:
    project.write("judge.py", "import rejudge\n\nprovider = rejudge.ScriptedProvider(lambda call: rejudge.Reply())\n")
    project.evaluation("stop: first error", "provider: 'judge:provider'", SUITE, task=MENDABLE, scorers="")
    assert project.rejudge("run", "eval.yaml").code == 3
    calls = project.calls()
    project.write("eval.yaml", (project.folder / "eval.yaml").read_text().replace(old, new))
    said = project.rejudge("resume", "sums")
    assert (said.code, said.out) == (2, "")
    assert told in said.err
    assert project.calls() == calls
