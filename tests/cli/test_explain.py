"""`rejudge explain` as people use it: what is said before and after, exit codes, and a document for programs."""

from __future__ import annotations

from typing import cast

import pytest

from tests.cli.project import Project

ITEMS = "".join(f'{{"id": "q{n}", "n": {n}, "answer": "{n * n}"}}\n' for n in range(24))
TASK = """
def before(n):
    with open("calls", "a") as log:
        log.write("x")
    return str(n * n) if n % 2 else f"about {n * n}"


def after(n):
    with open("calls", "a") as log:
        log.write("x")
    return str(n * n) if n % 6 else f"about {n * n}"


def judge(output, answer):
    return output == answer


def kinder(output, answer):
    return answer in output


def shaky(output, answer):
    if output == "about 4":
        raise ValueError("four is too much")
    return output == answer


kinder.__name__ = shaky.__name__ = "judge"
"""
STRICT = "{type: exact_match, name: right, reference_key: answer}"
LENIENT = "{type: contains, name: right, reference_key: answer}"


def evaluated(project: Project, name: str, task: str, scorer: str) -> None:
    project.write(
        f"{name}.yaml",
        f"name: {name}\ndataset: {{path: items.jsonl, reference: [answer]}}\n"
        f"task: {{python: '{project.module}:{task}'}}\nscorers: [{scorer}]\n",
    )
    assert project.rejudge("run", f"{name}.yaml", "--quiet").code == 0


@pytest.fixture
def both(project: Project) -> Project:
    """A project with two runs: another task, and another judge."""
    project.write("items.jsonl", ITEMS)
    project.write(f"{project.module}.py", TASK)
    evaluated(project, "march", "before", STRICT)
    evaluated(project, "april", "after", LENIENT)
    return project


def calls(project: Project) -> int:
    return len((project.folder / "calls").read_text())


def test_it_says_beforehand_what_it_judges_and_afterwards_what_that_was(both: Project) -> None:
    before = calls(both)
    said = both.rejudge("explain", "march", "april", "--quiet")
    assert said.code == 0, said.err
    assert "the first run's judge right has to judge 24 traces of the second run" in said.err
    assert "the second run's judge right has to judge 24 traces of the first run" in said.err
    assert "right: THE JUDGE AND THE TASK" in said.out
    assert "judged: 48 judgements made now, 0 were stored; no task was called" in said.out
    assert calls(both) == before
    again = both.rejudge("explain", "march", "april", "--quiet")
    assert again.err == ""
    assert "judged: 0 judgements made now, 48 were stored" in again.out


def test_without_judging_only_what_is_stored_counts(both: Project) -> None:
    said = both.rejudge("explain", "march", "april", "--no-judging")
    assert said.code == 0
    assert "THE JUDGE OR THE TASK" not in said.err
    assert "because nothing was to be judged" in said.out.replace("\n", " ").replace("               ", "")
    assert "explain/" not in both.rejudge("list").out


def test_the_document_has_every_part_and_every_difference(both: Project) -> None:
    document = both.rejudge("explain", "march", "april", "--json", "--quiet").document
    assert document["schema_version"] == 1
    explained = cast("dict[str, dict[str, object]]", document["explained"])
    (score,) = cast("list[dict[str, object]]", explained["scores"])
    split = cast("dict[str, object]", score["split"])
    assert score["measure"] == "right"
    assert set(split) >= {"difference", "judge", "task", "data", "missing", "interaction", "order"}
    assert split["order"] == "both"
    paths = [one["path"] for one in cast("list[dict[str, str]]", explained["differences"]["scorers"])]
    assert "scorers.right.type" in paths
    assert explained["spent"]["made"] == 48


def test_functions_are_handed_in_with_a_file(both: Project) -> None:
    for name, task, scorer in (("may", "before", "judge"), ("june", "after", "kinder")):
        evaluated(both, name, task, f"{{python: '{both.module}:{scorer}'}}")
    said = both.rejudge("explain", "may", "june", "--quiet")
    assert said.code == 0
    assert "THE JUDGE OR THE TASK, WHICH CANNOT BE TOLD APART" in said.out
    assert "hand it in with scorers=, or --file on the command line" in " ".join(said.out.split())
    said = both.rejudge("explain", "may", "june", "--quiet", "--file", "may.yaml", "--file", "june.yaml")
    assert said.code == 0, said.err
    assert "judge: THE JUDGE AND THE TASK" in said.out


def test_what_cannot_be_explained_is_refused_before_anything_is_judged(both: Project) -> None:
    for words, told in (
        (("march",), "two runs are explained, and 1 are named"),
        (("march", "april", "march"), "3 runs are named"),
        (("march", "nowhere"), "nowhere"),
        (("march", "april", "--scorer", "wrong"), "wrong"),
        (("march", "april", "--scorer", "a", "--scorer", "b", "--scorer", "c"), "3 scorers are named"),
        (("march", "april", "--clusters", "colour"), "colour"),
        (("march", "april", "--level", "2"), "2.0 is not a confidence level"),
    ):
        said = both.rejudge("explain", *words)
        assert said.code == 2, (words, said)
        assert told in said.err
    assert "explain/" not in both.rejudge("list").out


def test_judges_that_fail_leave_it_incomplete_unless_that_is_allowed(both: Project) -> None:
    for name, task, scorer in (("july", "before", "judge"), ("august", "after", "shaky")):
        evaluated(both, name, task, f"{{python: '{both.module}:{scorer}'}}")
    words = ("explain", "july", "august", "--quiet", "--file", "july.yaml", "--file", "august.yaml")
    said = both.rejudge(*words)
    assert said.code == 3
    assert "1 failed" in said.out
    assert "four is too much" in said.out
    assert both.rejudge(*words, "--max-errors", "1").code == 0


def test_what_was_judged_for_an_explanation_is_marked_and_is_no_run_of_what_it_explains(both: Project) -> None:
    ranked = both.rejudge("leaderboard", "march", "april").out
    assert both.rejudge("explain", "march", "april", "--quiet").code == 0
    assert both.rejudge("leaderboard", "march", "april").out == ranked
    listed = both.rejudge("list").out
    made = [part.splitlines() for part in listed.split("\n\n") if part.startswith("explain/")]
    assert len(made) == 2
    assert listed.count("made for an explanation") == 2
    assert all("made for an explanation: stored traces, judged as in another run" in part[2] for part in made)
    for verb in ("compare", "leaderboard", "explain"):
        said = both.rejudge(verb, "april", made[0][0].split()[0])
        assert said.code == 2
        assert "was made for an explanation and measures nothing itself" in said.err
