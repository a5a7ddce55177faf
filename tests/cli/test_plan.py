from __future__ import annotations

from typing import cast

from tests.cli.project import TASK, Project


def counts(project: Project) -> dict[str, object]:
    """What is planned for the one task."""
    (task,) = cast("list[dict[str, object]]", project.rejudge("plan", "eval.yaml", "--json").document["tasks"])
    return task


def test_a_plan_spends_nothing_and_makes_no_store(project: Project) -> None:
    project.evaluation()
    said = project.rejudge("plan", "eval.yaml")
    assert said.code == 0
    assert "answer: run 3 (of 3)" in said.out
    assert "3 × no trace yet" in said.out
    assert project.calls() == []
    assert not (project.folder / "rejudge.db").exists()


def test_a_plan_says_what_is_reused_and_what_is_run_again_and_why(project: Project) -> None:
    project.evaluation()
    project.rejudge("run", "eval.yaml")
    assert (counts(project)["reuse"], counts(project)["run"]) == (3, 0)
    items = (project.folder / "items.jsonl").read_text()
    project.write("items.jsonl", items.replace("2 + 2", "2 + 3") + '{"id": "d", "question": "4 + 4", "sum": 8}\n')
    said = project.rejudge("plan", "eval.yaml")
    assert "answer: reuse 2, run 1, run again 1 (of 4)" in said.out
    assert "1 × item changed: question" in said.out
    assert "1 × new item" in said.out
    assert len(project.calls()) == 3


def test_a_changed_task_is_planned_to_run_again(project: Project) -> None:
    project.evaluation()
    project.rejudge("run", "eval.yaml")
    project.evaluation(task=TASK.replace("It is", "That is"))
    planned = project.ended("plan", "eval.yaml")
    assert "answer: run again 3 (of 3)" in planned.out
    assert "task changed: its code or a value it uses" in planned.out


def test_a_new_scorer_is_planned_over_what_is_stored(project: Project) -> None:
    project.evaluation()
    project.rejudge("run", "eval.yaml")
    project.evaluation(scorers="{type: contains, name: said, substring: is}")
    assert "scorer said: reuse 0, score 3" in project.rejudge("plan", "eval.yaml").out


def test_a_plan_of_a_broken_file_ends_with_2(project: Project) -> None:
    project.evaluation("trails: 3")
    said = project.rejudge("plan", "eval.yaml")
    assert (said.code, said.out) == (2, "")
    assert "eval.yaml:5:1: unknown key 'trails'\n  next: did you mean 'trials'?" in said.err
