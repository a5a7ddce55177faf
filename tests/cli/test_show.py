from __future__ import annotations

import json
import re
from typing import cast

import pytest

from tests.cli.project import Project

STEERING = {"\x1b", "\x07", "\x7f", "\x85", "\x9b", "\u202e"}
WRONG = "\x1b[2J\x1b]0;owned\x07 \x9b2J\x7f\x85 3\u202e\nexperiment  forged"


@pytest.fixture
def replayed(project: Project) -> Project:
    """Two tasks over three items: one is right, wrong, and silent; the other says something hostile."""
    project.evaluation()
    project.write("good.jsonl", '{"id": "a", "output": "2"}\n{"id": "b", "output": "5"}\n')
    project.write("bad.jsonl", "".join(json.dumps({"id": id, "output": WRONG}) + "\n" for id in "abc"))
    tasks = "tasks: [{name: good, replay: good.jsonl}, {name: bad, replay: bad.jsonl}]\n"
    text = (project.folder / "eval.yaml").read_text().splitlines(keepends=True)
    project.write("eval.yaml", "".join(tasks if line.startswith("task:") else line for line in text))
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    return project


def cases(project: Project, *arguments: str) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", project.rejudge("show", "sums", *arguments, "--json").document["cases"])


def test_an_experiment_is_shown_as_it_was_reported(replayed: Project) -> None:
    assert replayed.rejudge("show", "sums").out == replayed.rejudge("run", "eval.yaml").out


def test_the_time_of_reading_a_recorded_output_is_not_told_as_its_own(replayed: Project) -> None:
    head = replayed.rejudge("show", "sums", "--item", "b").out
    assert "recorded elsewhere, read at" in head
    assert "generated in this run" not in head


def test_an_item_is_shown_with_its_input_output_scores_and_reasons(replayed: Project) -> None:
    said = replayed.rejudge("show", "sums", "--item", "b")
    assert said.code == 0
    for part in (
        "item.question\n  │ 2 + 2",
        "output\n  │ 5",
        "score correct",
        'expected 4, got "5"',
        "task good",
        "task bad",
    ):
        assert part in said.out


def test_an_item_that_was_skipped_says_why(replayed: Project) -> None:
    assert "no recorded output" in replayed.rejudge("show", "sums", "--item", "c").out


def test_what_an_output_holds_cannot_steer_the_terminal_or_forge_the_report(replayed: Project) -> None:
    for arguments in ((), ("--item", "a"), ("--cases",), ("--failures",)):
        for form in ((), ("--json",)):
            said = replayed.rejudge("show", "sums", *arguments, *form)
            assert not STEERING & set(said.out)
            assert "\nexperiment  forged" not in said.out


def test_cases_are_listed_in_order_and_failures_alone(replayed: Project) -> None:
    listed = [(case["task"], cast("dict[str, str]", case["item"])["id"]) for case in cases(replayed, "--cases")]
    assert listed == [("good", "a"), ("good", "b"), ("good", "c"), ("bad", "a"), ("bad", "b"), ("bad", "c")]
    came_to = [(case["task"], case["came_to"]) for case in cases(replayed, "--failures")]
    assert came_to == [("good", "failed"), ("good", "skipped"), *[("bad", "failed")] * 3]
    assert len(cases(replayed, "--cases", "--limit", "1")) == 2


def test_cases_are_printed_in_the_order_of_the_dataset(replayed: Project) -> None:
    lines = replayed.rejudge("show", "sums", "--cases").out.splitlines()
    assert [line.split()[:2] for line in lines[2:5]] == [["a", "passed"], ["b", "failed"], ["c", "skipped"]]


def test_a_list_that_was_cut_says_of_how_many(replayed: Project) -> None:
    assert ", 2 of 3 (more with --limit)\n" in replayed.rejudge("show", "sums", "--cases", "--limit", "2").out
    failures = replayed.rejudge("show", "sums", "--failures", "--limit", "1").out
    assert ", 1 of 2 (more with --limit)\n" in failures
    assert ", 1 of 3 (more with --limit)\n" in failures
    assert "--limit" not in replayed.rejudge("show", "sums", "--cases").out


def test_columns_say_how_wide_a_report_is(replayed: Project) -> None:
    for arguments in ((), ("--cases",)):
        narrow, wide = (replayed.ended("show", "sums", *arguments, COLUMNS=columns).out for columns in ("45", "160"))
        assert all(len(line) <= 45 for line in narrow.splitlines() if ", run " not in line)
        assert any(45 < len(line) <= 160 for line in wide.splitlines() if ", run " not in line)


def test_a_derived_id_is_found_by_its_beginning(project: Project) -> None:
    project.write("items.jsonl", '{"question": "1 + 1"}\n{"question": "2 + 2"}\n')
    project.write(f"{project.module}.py", "def answer(question):\n    raise ValueError(question)\n")
    project.write("eval.yaml", f"name: sums\ndataset: items.jsonl\ntask: {{python: '{project.module}:answer'}}\n")
    next_line = project.rejudge("run", "eval.yaml").err.splitlines()[-1]
    assert re.fullmatch(r"stored in rejudge\.db · next: rejudge show sums --item item-[0-9a-f]{8}", next_line)
    said = project.rejudge(*next_line.rpartition("rejudge ")[2].split())
    assert (said.code, "ValueError: 1 + 1" in said.out) == (0, True)


def test_ids_that_begin_alike_are_all_told(replayed: Project) -> None:
    runs = cast("list[dict[str, str]]", replayed.rejudge("show", "sums", "--json").document["runs"])
    said = replayed.rejudge("show", runs[0]["id"][:2])
    assert said.code == 2
    assert "type more of it" in said.err
    assert all(said.err.count(run["id"]) == 1 for run in runs)


def test_json_holds_an_output_as_it_was(replayed: Project) -> None:
    (_, case) = cases(replayed, "--item", "a")
    trace = cast("dict[str, object]", case["trace"])
    (score,) = cast("list[dict[str, object]]", case["scores"])
    assert trace["output"] == WRONG
    assert (score["scorer"], score["status"]) == ("correct", "scored")
    assert case["item"] == {"id": "a", "fields": {"id": "a", "question": "1 + 1", "sum": 2}}


def test_one_run_is_shown_by_the_beginning_of_its_id(replayed: Project) -> None:
    runs = cast("list[dict[str, str]]", replayed.rejudge("show", "sums", "--json").document["runs"])
    shown = replayed.rejudge("show", runs[1]["id"], "--json").document
    assert shown["runs"] == runs[1:]
    assert replayed.rejudge("show", runs[1]["id"][:-1]).code == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("sumz",), "did you mean 'sums'?"),
        (("sums", "--item", "aa"), "unknown item 'aa'\n  next: did you mean 'a'? known: a, b, c"),
        (("sums", "--trial", "0"), "name it with --item"),
        (("sums", "--item", "a", "--trial", "7"), "trial 7"),
    ],
)
def test_what_is_not_there_is_told_with_what_is_near(replayed: Project, arguments: tuple[str, ...], told: str) -> None:
    said = replayed.rejudge("show", *arguments)
    assert (said.code, said.out) == (2, "")
    assert told in said.err


def test_json_holds_all_cases_unless_a_limit_is_said_and_then_how_many_there_are(project: Project) -> None:
    rows = [{"id": str(number), "output": "no"} for number in range(30)]
    project.write("items.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    project.write(
        "eval.yaml",
        "name: many\ndataset: items.jsonl\ntask: {replay: items.jsonl}\n"
        "scorers: [{type: contains, substring: 'yes'}]\n",
    )
    project.rejudge("run", "eval.yaml")
    for which in ("--cases", "--failures"):
        whole = project.rejudge("show", "many", which, "--json").document
        assert (len(cast("list[object]", whole["cases"])), whole["cases_total"]) == (30, 30)
        part = project.rejudge("show", "many", which, "--json", "--limit", "4").document
        assert (len(cast("list[object]", part["cases"])), part["cases_total"]) == (4, 30)
        assert "20 of 30 (more with --limit)" in " ".join(project.rejudge("show", "many", which).out.split())
