"""Errors on the command line name its options, and the keys of its files, where those of Python name keywords."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import typer

from rejudge.cli.app import COMMANDS
from rejudge.cli.keywords import Door
from tests.cli.project import Project

EVALUATION = """
name: sums
dataset: {path: questions.jsonl, reference: [expected]}
tasks:
  - {name: rough, replay: rough.jsonl}
  - {name: fine, replay: fine.jsonl}
scorers:
  - {type: exact_match, name: right, reference_key: expected}
  - {type: contains, name: two, substring: "2"}
"""
SUITE = """
name: suite
dataset: {path: questions.jsonl, reference: [expected]}
task: {name: rough, replay: rough.jsonl}
suite: {scorers: [{type: exact_match, name: right, reference_key: expected}]}
"""
LABELLED = "id,rater,value\na,ann,pass\nb,ann,fail\n"

CALLED = {
    "run": "eval.yaml",
    "test": "suite.yaml",
    "plan": "eval.yaml",
    "score": "sums",
    "resume": "sums",
    "list": "",
    "show": "sums",
    "describe": "sums:rough",
    "compare": "sums:rough sums:fine",
    "explain": "sums:rough sums:fine",
    "leaderboard": "sums",
    "calibrate": "sums:rough right",
    "power": "sums:rough --difference 0.1",
    "correct": "sums:rough right",
    "ratings import": "said.csv --task rough -e sums --set tone",
    "ratings show": "tone",
    "ratings adjudicate": "tone",
}
"""How each command is called that has options with values."""

WRONG = {
    "--adjudicator": "nobody",
    "--against": "nobody",
    "--blind": "perhaps",
    "--by": "colour",
    "--clusters": "colour",
    "--concurrency": "0",
    "--correlation": "7",
    "--cost": "nothing",
    "--design-effect": "0",
    "--difference": "nan",
    "--drawn": "by_lot",
    "--each-outcome": "-1",
    "--experiment": "nobody",
    "--file": "none.yaml",
    "--filter": "level >",
    "--html": "taken/page.html",
    "--id": "nothing",
    "--ids": "nobody",
    "--import": "none.jsonl",
    "--item": "nobody",
    "--items": "0",
    "--level": "2",
    "--limit": "-1",
    "--margin": "-1",
    "--max-errors": "-1",
    "--minimum": "0",
    "--power": "7",
    "--provider": "nobody",
    "--rate": "7",
    "--rater": "nothing",
    "--reason": "nothing",
    "--reliability": "7",
    "--report": "report.txt",
    "--rubric": "none.txt",
    "--rule": "dice",
    "--sample": "0",
    "--score": "odd",
    "--scorer": "nobody",
    "--seed": "many",
    "--set": "another",
    "--smallest": "-1",
    "--std": "-1",
    "--store": "no/where.db",
    "--stratify": "colour",
    "--task": "nobody",
    "--trace": "nothing",
    "--trial": "many",
    "--trials": "0",
    "--type": "odd",
    "--value": "nothing",
}
"""A value that each option refuses."""

NEVER_WRONG = {
    ("list", "--optimization"): "none has that id, and none is listed",
    ("plan", "--store"): "where there is no store nothing would be reused",
    ("ratings import", "--by"): "whoever it names rated everything",
    ("ratings import", "--reason"): "a record need not have a reason",
    ("resume", "--file"): "what is complete is shown, whatever its file says",
    ("score", "--output"): "a key that the task may return",
}
"""Options that take whatever they are given here, and why."""

MENTIONED = re.compile(r"(?<!\w)[a-z_]+=")
"""A keyword of Python as messages mention it."""


def options() -> Iterator[tuple[str, str]]:
    """Every command with each of its options that takes a value."""
    for name in COMMANDS:
        alone = typer.Typer()
        alone.command()(COMMANDS[name])
        for one in typer.main.get_command(alone).params:
            (flag, *_) = one.opts
            if flag.startswith("--") and not getattr(one, "is_flag", False):
                yield name, flag


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A store with two runs of which people labelled one."""
    with pytest.MonkeyPatch.context() as patch:
        project = Project(tmp_path_factory.mktemp("keywords"), "task_of_keywords")
        patch.chdir(project.folder)
        project.write("rough.jsonl", '{"id": "a", "output": "2"}\n{"id": "b", "output": "5"}\n')
        project.write("fine.jsonl", '{"id": "a", "output": "2"}\n{"id": "b", "output": "4"}\n')
        project.write("questions.jsonl", '{"id": "a", "expected": "2"}\n{"id": "b", "expected": "4"}\n')
        project.write("eval.yaml", EVALUATION)
        project.write("suite.yaml", SUITE)
        project.write("said.csv", LABELLED)
        project.write("taken", "")
        for command in (
            "run eval.yaml --quiet",
            "ratings import said.csv -e sums --set tone --task rough --score pass_fail",
            "ratings adjudicate tone",
        ):
            done = project.rejudge(*command.split())
            assert done.code == 0, done.err
    return project


@pytest.mark.parametrize(("command", "option"), [one for one in options() if one not in NEVER_WRONG])
def test_a_wrong_value_is_refused_in_the_words_of_the_command_line(
    rated: Project, monkeypatch: pytest.MonkeyPatch, command: str, option: str
) -> None:
    monkeypatch.chdir(rated.folder)
    said = rated.rejudge(*command.split(), *CALLED[command].split(), option, WRONG[option])
    assert (said.code, said.out) == (2, "")
    assert MENTIONED.findall(said.err) == []


@pytest.mark.parametrize(
    ("words", "next_step"),
    [
        ("power sums:rough --difference 0.1", "name one with --scorer"),
        ("power --items 20", "say --rate for passes and failures, or --std for other scores"),
        ("power --rate 0.5 --difference 0.1 --clusters topic", "name a run, or say --design-effect"),
        ("power --rate 0.5 --difference 0.1 --scorer right", "name a run, or leave --scorer out"),
        ("power sums:rough --rate 0.5", "leave out the run, or --rate and --std"),
        ("power sums:rough sums:fine --scorer right --correlation 0.5", "leave --correlation and --reliability out"),
        ("calibrate sums:rough right", "name it as --against:"),
        ("correct sums:rough right", "name a rating set with --against:"),
        ("correct sums:rough right --against tone", "say it with --drawn:"),
        ("ratings adjudicate tone --rule adjudicator", "say whose word counts with --adjudicator"),
        ("ratings import said.csv -e sums --set other --task rough", "say it with --score:"),
        ("ratings import said.csv -e sums --set tone --task rough --id nothing", "id with --id (a dotted path)"),
        ("ratings import said.csv -e sums --set tone --task rough --value nothing", "value with --value (a dotted"),
        ("ratings import said.csv -e sums --set tone --task rough --rater nothing", "rater with --rater, or the one"),
        ("score sums --scorer {type:␣llm_judge,␣model:␣oracle}", "or give --provider"),
        ("score sums --task rough --import given.jsonl --scorer x --id nothing", "item's id with --id (a dotted path)"),
        (
            "score sums --task rough --import given.jsonl --scorer x --value nothing",
            "the value with --value (a dotted path)",
        ),
        ("plan twice.yaml", "recorded outputs by `name:`, functions by a default or `version:`"),
    ],
)
def test_the_next_step_is_said_as_it_is_taken_here(
    rated: Project, monkeypatch: pytest.MonkeyPatch, words: str, next_step: str
) -> None:
    monkeypatch.chdir(rated.folder)
    rated.write("given.jsonl", '{"id": "a", "value": 1}\n')
    rated.write("twice.yaml", EVALUATION.replace("fine", "rough"))
    said = rated.rejudge(*(word.replace("␣", " ") for word in words.split()))
    assert said.code in {2, 3}
    assert next_step in " ".join(said.err.split())
    assert MENTIONED.findall(said.err) == []


def test_a_keyword_is_an_option_or_a_key_or_stays_what_it_is() -> None:
    judging, reading = Door({"--limit", "--design-effect"}, reads_file=False), Door({"--limit"}, reads_file=True)
    assert (
        judging.words("give listed= as 0 or more, or design_effect=") == "give --limit as 0 or more, or --design-effect"
    )
    assert judging.words("name it with by=: a, b") == "name it with by=: a, b"
    assert reading.words("allow_tools=['mail'], or outputs=, or name=…") == (
        "`allow_tools: ['mail']`, or `outputs:`, or `name: …`"
    )
    assert reading.words("simulate it: tool(…, limit=…)") == "simulate it: tool(…, limit=…)"
    assert reading.words("known: 'limit=3', a.limit=3, --limit=3") == "known: 'limit=3', a.limit=3, --limit=3"


def test_what_people_named_stays_as_it_is() -> None:
    """A folder, a task and a field may look like a keyword with its value."""
    door = Door({"--limit", "--seed", "--file"}, reads_file=True)
    for said in (
        "if you trust it: --file runs/seed=3/eval.yaml",
        "known: fine/seed=4, rough",
        "its fields are expected, id, limit=3",
        "call f(g(x), limit=…)",
        "ask https://host/a?limit=3&seed=4",
    ):
        assert door.words(said) == said
