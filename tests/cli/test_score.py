from __future__ import annotations

import re
from typing import cast

import pytest

import rejudge
from rejudge.front.workspace import Workspace
from rejudge.providers.fake_server import FakeModelServer
from rejudge.wiring import open_store
from tests.cli.project import Project

POLITE = "{type: contains, name: polite, substring: It is}"

ASKING = """
from rejudge.domain.call import ModelCall, Reply


class Oracle:
    async def answer(self, call):
        return Reply(text="yes")


def asked(output):
    reply = yield ModelCall(model="oracle", messages=[{"role": "user", "content": output}])
    return reply.text == "yes"
"""


@pytest.fixture
def scored(project: Project) -> Project:
    """A project whose evaluation has run once."""
    project.evaluation()
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    return project


def scores_by_name(project: Project) -> dict[str, list[str]]:
    """The ids of all scores of the last run of each experiment, by their scorer."""
    found: dict[str, list[str]] = {}
    for case in cast("list[dict[str, object]]", project.rejudge("show", "sums", "--cases", "--json").document["cases"]):
        for score in cast("list[dict[str, str]]", case["scores"]):
            found.setdefault(score["scorer"], []).append(score["id"])
    return found


def test_a_second_scorer_costs_no_task_call_and_leaves_the_first_scores_alone(scored: Project) -> None:
    workspace = Workspace(open_store(scored.folder / "rejudge.db"))
    before = [case.scores for case in workspace.run(workspace.runs()[0].id).cases()]
    said = scored.rejudge("score", "sums", "--scorer", POLITE)
    assert said.code == 0
    assert "polite" in said.out
    assert len(scored.calls()) == 3
    assert len(scores_by_name(scored)["polite"]) == 3
    assert [case.scores for case in workspace.run(workspace.runs()[0].id).cases()] == before


def test_scoring_again_makes_no_second_score(scored: Project) -> None:
    first, again = ((scored.rejudge("score", "sums", "--scorer", POLITE), scores_by_name(scored)) for _ in range(2))
    assert first[1]["polite"] == again[1]["polite"]


def test_scorers_come_from_files_and_from_the_line(scored: Project) -> None:
    scored.write("more.yaml", "- {type: contains, name: has a stop, substring: .}\n")
    said = scored.rejudge(
        "score", "sums", "--file", "more.yaml", "--scorer", POLITE, "--scorer", "{type: contains, substring: x}"
    )
    assert said.code == 0
    assert all(name in said.out for name in ("has a stop", "polite", "contains"))
    assert scored.rejudge("score", "sums", "--file", "eval.yaml").code == 0


def test_a_function_scores_what_is_stored(scored: Project) -> None:
    scored.write(f"judges_{scored.module}.py", "def short(output):\n    return len(output) < 8\n")
    said = scored.rejudge("score", "sums", "--scorer", f"{{python: 'judges_{scored.module}:short'}}", "--json")
    assert said.code == 0
    (run,) = cast("list[dict[str, list[dict[str, object]]]]", said.document["runs"])
    assert run["summaries"][-1]["scorer"] == "short"


def test_a_function_is_found_beside_the_evaluation_file_from_elsewhere(
    scored: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    judges = f"beside_{scored.module}"
    scored.write(f"{judges}.py", "def short(output):\n    return len(output) < 8\n")
    monkeypatch.chdir(scored.write("elsewhere/nothing", "").parent)
    said = scored.rejudge("score", "sums", "--scorer", f"{{python: '{judges}:short'}}", "--store", "../rejudge.db")
    assert said.code == 0
    assert "short" in said.out


def test_a_provider_answers_the_model_calls_of_scorers(scored: Project) -> None:
    judges = f"asking_{scored.module}"
    scored.write(f"{judges}.py", ASKING)
    arguments = ("score", "sums", "--scorer", f"{{python: '{judges}:asked'}}")
    said = scored.rejudge(*arguments, "--provider", f"{judges}:Oracle")
    assert (said.code, said.err.count("error")) == (0, 0)
    assert re.search(r"asked +100 % \[44, 100\] wilson n=3", said.out)
    refused = scored.rejudge(*arguments, "--provider", "oracle")
    assert (refused.code, "--provider: 'oracle' should be module:object" in refused.err) == (2, True)


def test_the_file_of_the_scorers_may_name_the_servers_that_answer_and_their_prices(scored: Project) -> None:
    judges = f"serving_{scored.module}"
    scored.write(f"{judges}.py", ASKING.replace('"oracle"', '"near/oracle"'))
    said = rejudge.Reply(text="yes", usage=rejudge.Usage(input_tokens=10, output_tokens=1))
    with FakeModelServer(lambda asked: said) as server:
        scored.write("prices.yaml", "near/oracle: {input: 1, output: 1}")
        answering = f"providers: {{near: {{url: '{server.url}'}}}}\nprices: prices.yaml\n"
        scored.write("judges.yaml", f"scorers: [{{python: '{judges}:asked'}}]\n{answering}")
        assert scored.rejudge("score", "sums", "--file", "judges.yaml").code == 0
        assert [asked.body["model"] for asked in server.asked] == ["oracle"] * 3


def test_scorer_errors_end_with_3_and_are_tried_again_alone(scored: Project) -> None:
    judges = f"judges_{scored.module}"
    scored.write(f"{judges}.py", "def odd(output):\n    return len(output) / 0\n")
    scorer = f"{{python: '{judges}:odd', version: '1'}}"
    assert scored.rejudge("score", "sums", "--scorer", scorer).code == 3
    assert scored.rejudge("score", "sums", "--scorer", scorer, "--max-errors", "3").code == 0
    scored.write(f"{judges}.py", "def odd(output):\n    return 1.0\n")
    assert scored.ended("score", "sums", "--scorer", scorer).code == 0
    assert len(scored.calls()) == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "there is no scorer to judge with\n  next: name one with --scorer"),
        (
            ("--scorer", "{type: contain, substring: x}"),
            "--scorer:1:2: unknown scorer type 'contain'\n  next: did you mean 'contains'?",
        ),
        (("--scorer", "{type: contains, substrin: x}"), "--scorer:1:18: unknown parameter of contains 'substrin'"),
        (("--scorer", "{type: exact_match, reference_key: summ}"), "asks for 'summ', which no item has"),
        (
            ("--scorer", "contains"),
            "--scorer 'contains' is no scorer\n  next: a scorer is written '{type: contains, …}'",
        ),
        (("--file", "none.yaml"), "none.yaml: there is no such file"),
    ],
)
def test_a_scorer_that_is_none_is_refused_before_anything_is_judged(
    scored: Project, arguments: tuple[str, ...], told: str
) -> None:
    said = scored.rejudge("score", "sums", *arguments)
    assert (said.code, said.out) == (2, "")
    assert told in said.err


def test_an_experiment_that_is_not_there_is_told_with_the_nearest_name(scored: Project) -> None:
    said = scored.rejudge("score", "sum", "--scorer", POLITE)
    assert said.code == 2
    assert "'sums'" in said.err


def test_nothing_is_made_by_scoring_where_there_is_no_store(project: Project) -> None:
    said = project.rejudge("score", "sums", "--scorer", POLITE)
    assert said.code == 2
    assert "rejudge.db: there is no store here\n  next: name one with --store" in said.err
    assert not (project.folder / "rejudge.db").exists()


def test_evaluating_again_says_that_a_later_run_has_more_scores(project: Project) -> None:
    project.evaluation()
    assert "a later run" not in project.rejudge("run", "eval.yaml").out
    added = project.rejudge("score", "sums", "--scorer", "{type: contains, name: says it, substring: It}")
    assert "a later run" not in added.out
    again = project.rejudge("run", "eval.yaml").out
    assert "says it" not in again.partition("note")[0]
    noted = re.search(r"a later run of answer also has scores of says it: rejudge show (\S+)", " ".join(again.split()))
    assert noted is not None
    assert "says it  100 %" in project.rejudge("show", noted.group(1)).out
