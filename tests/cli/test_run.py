from __future__ import annotations

import pytest

from tests.cli.project import TASK, Project

FAILING = TASK.replace("    return", '    if question == "2 + 2":\n        raise ValueError("no idea")\n    return')

ASKING = """
import os

from rejudge.domain.call import ModelCall, Reply


class Oracle:
    async def answer(self, call):
        if not os.path.exists("mended"):
            raise ValueError("out of order")
        return Reply(text=str(eval(call.messages[0]["content"])))


def answer(question):
    reply = yield ModelCall(model="oracle", messages=[{"role": "user", "content": question}])
    return reply.text
"""


def test_a_file_is_evaluated_and_reported(project: Project) -> None:
    project.evaluation()
    said = project.rejudge("run", "eval.yaml")
    assert said.code == 0
    assert "correct" in said.out
    assert "100 %" in said.out
    assert "wilson n=3" in said.out
    assert project.calls() == ["1 + 1", "2 + 2", "3 + 3"]


def test_data_goes_to_stdout_and_progress_to_stderr(project: Project) -> None:
    project.evaluation()
    said = project.rejudge("run", "eval.yaml")
    assert said.out.startswith("experiment  sums\n")
    assert "3/3" in said.err
    assert project.rejudge("run", "eval.yaml", "--quiet").err == ""


def test_running_again_generates_nothing(project: Project) -> None:
    project.evaluation()
    first, again = (project.rejudge("run", "eval.yaml", "--json").document for _ in range(2))
    assert first["runs"] == again["runs"]
    assert len(project.calls()) == 3


def test_a_failing_task_ends_with_3_unless_so_many_errors_are_allowed(project: Project) -> None:
    project.evaluation(task=FAILING)
    assert project.rejudge("run", "eval.yaml").code == 3
    allowed = project.rejudge("run", "eval.yaml", "--max-errors", "1")
    assert allowed.code == 0
    assert "ValueError: no idea" in allowed.out


def test_a_skip_alone_is_no_error(project: Project) -> None:
    project.evaluation()
    project.write("outputs.jsonl", '{"id": "a", "output": "2"}\n')
    project.write("replay.yaml", "dataset: items.jsonl\ntask: {replay: outputs.jsonl}\n")
    said = project.rejudge("run", "replay.yaml")
    assert (said.code, "2 skipped" in said.out) == (0, True)


def test_paths_in_a_file_start_from_its_folder(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.evaluation("store: kept.db")
    elsewhere = project.write("elsewhere/nothing", "").parent
    monkeypatch.chdir(elsewhere)
    assert project.rejudge("run", "../eval.yaml").code == 0
    assert (project.folder / "kept.db").exists()
    assert project.rejudge("run", "../eval.yaml", "--store", "mine.db").code == 0
    assert (elsewhere / "mine.db").exists()


def test_a_function_may_import_beside_itself_while_it_runs(project: Project) -> None:
    late = f"late_{project.module}"
    project.write(f"{late}.py", "def add(question):\n    return eval(question)\n")
    project.evaluation(task=f"def answer(question):\n    import {late}\n    return {late}.add(question)\n")
    assert project.rejudge("run", "eval.yaml").code == 0


def test_a_scorer_that_asks_for_a_field_that_no_item_has_costs_no_task_call(project: Project) -> None:
    project.evaluation(scorers="{type: exact_match, reference_key: summ}")
    said = project.rejudge("run", "eval.yaml")
    assert said.code == 2
    assert "asks for 'summ', which no item has" in said.err
    assert "did you mean 'sum'?" in said.err
    assert project.calls() == []


def test_a_malformed_row_is_named_and_nothing_is_lost(project: Project) -> None:
    project.evaluation()
    before = project.rejudge("run", "eval.yaml", "--json").document
    with (project.folder / "items.jsonl").open("a") as items:
        items.write('{"id": "d", "question": \n')
    said = project.rejudge("run", "eval.yaml")
    assert (said.code, said.out) == (2, "")
    assert "items.jsonl:4" in said.err
    assert project.rejudge("show", "sums", "--json").document == before
    assert len(project.calls()) == 3


def test_a_dataset_that_is_not_there_is_told_with_the_nearest_file(project: Project) -> None:
    project.evaluation()
    (project.folder / "items.jsonl").rename(project.folder / "item.jsonl")
    said = project.rejudge("run", "eval.yaml")
    assert (said.code, said.out) == (2, "")
    assert "eval.yaml:2:11: items.jsonl: there is no such file\n  next: did you mean item.jsonl?" in said.err


def test_a_run_says_where_it_is_kept_and_what_to_look_at(project: Project) -> None:
    project.evaluation()
    assert project.rejudge("run", "eval.yaml").err.endswith("stored in rejudge.db · next: rejudge show sums\n")
    assert "stored in" not in project.rejudge("run", "eval.yaml", "--store", "memory:").err


def test_a_run_with_failures_names_the_first_one(project: Project) -> None:
    project.evaluation(task=FAILING)
    assert project.rejudge("run", "eval.yaml", "--store", "my own.db").err.endswith(
        "stored in my own.db · next: rejudge show sums --item b --store 'my own.db'\n"
    )


def test_a_provider_of_the_file_answers_the_model_calls_of_its_task(project: Project) -> None:
    project.evaluation(f"provider: '{project.module}:Oracle'", "stop: first error", task=ASKING)
    assert project.rejudge("run", "eval.yaml").code == 3
    project.write("mended", "")
    said = project.rejudge("resume", "sums")
    assert (said.code, "3 completed" in said.out, "100 %" in said.out) == (0, True, True)


def test_a_store_that_cannot_be_opened_is_told_without_a_traceback(project: Project) -> None:
    project.evaluation()
    project.write("no.db", "this is text, and long enough to be no database at all\n" * 100)
    said = project.rejudge("run", "eval.yaml", "--store", "no.db")
    assert said.code in (2, 3)
    assert "Traceback" not in said.err
    assert "no.db" in said.err
    assert project.calls() == []


def test_what_a_module_raises_is_told_in_words_and_traced_on_request(project: Project) -> None:
    project.evaluation(task="def answer(question):\n    return 1\n\nraise RuntimeError('not today')\n")
    said = project.rejudge("run", "eval.yaml")
    assert said.code == 2
    assert f"{project.module}.py:4: RuntimeError: not today" in said.err
    assert "Traceback" not in said.err
    assert "Traceback" in project.rejudge("run", "eval.yaml", "--traceback").err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "eval.yaml: there is no such file"),
        ("", "eval.yaml: the file is empty"),
        ("dataset: [", "eval.yaml:2:1: this is not YAML"),
        ("- dataset: items.jsonl", "eval.yaml:1:1: the file should be a mapping, not a list"),
    ],
    ids=["missing", "empty", "no YAML", "a list"],
)
def test_a_file_that_is_no_evaluation_ends_with_2(project: Project, text: str | None, told: str) -> None:
    if text is not None:
        project.write("eval.yaml", text)
    said = project.rejudge("run", "eval.yaml")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"error: {told}")
