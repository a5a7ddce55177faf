"""What a verb of Python can be asked a command can be asked too, with the same default, or there is a reason."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import pytest
import typer

import rejudge
from rejudge.cli.app import COMMANDS
from rejudge.cli.keywords import OTHERWISE
from rejudge.datasets.samplers import random_sampler
from rejudge.front.calibrating import LEAST_OF_EACH, LEAST_PAIRS
from rejudge.front.evaluation_schema import FileContent, SuiteContent, Table
from rejudge.front.options import Options
from rejudge.front.recorded_scores import Fields
from rejudge.release.comparison import CompareQuestion
from rejudge.release.describe import DescribeQuestion
from rejudge.release.leaderboard import RankQuestion
from rejudge.release.power import PowerQuestion
from rejudge.release.score_explanations import ExplainQuestion
from rejudge.runner.settings import Settings
from rejudge.stats.planning import CORRELATION
from rejudge.stats.power import Aim
from tests.cli.project import Project

VERBS: dict[str, tuple[list[Callable[..., object]], type | None]] = {
    "run": ([rejudge.evaluate], Options),
    "plan": ([rejudge.plan], Options),
    "test": ([rejudge.run_tests], Options),
    "score": ([rejudge.evaluate_experiment, rejudge.import_scores], None),
    "resume": ([rejudge.evaluate_resume], Options),
    "describe": ([rejudge.describe], DescribeQuestion),
    "compare": ([rejudge.compare], CompareQuestion),
    "explain": ([rejudge.explain], ExplainQuestion),
    "leaderboard": ([rejudge.leaderboard], RankQuestion),
    "power": ([rejudge.power], PowerQuestion),
    "calibrate": ([rejudge.calibrate, rejudge.CalibrationResult.make_default], None),
    "correct": ([rejudge.correct], None),
    "ratings import": ([rejudge.import_ratings], None),
    "ratings adjudicate": ([rejudge.adjudicate], None),
}
"""The functions behind each command, and the keywords that they take as `**options` or `**question`."""

FILED = {*FileContent.model_fields, *Table.model_fields, *SuiteContent.model_fields}
"""What an evaluation file says."""

CALLED = {
    "experiment": ("run", "name", "experiment"),
    "first": ("runs",),
    "second": ("runs",),
    "file": ("--import",),
    "test_suite": ("file",),
    "rating_set": ("--set", "name"),
    "report_output_path": ("--report",),
    "worker_threads": ("--concurrency",),
    "progress": ("--quiet",),
    "judging": ("--no-judging",),
    "outputs": ("--output",),
}
"""What keywords are called on the command line, where the name is another one: options, and arguments as they are."""

NOT_THERE = {
    "experiment_scorers": "functions of a whole result, which no file names",
    "version": "said of a task in an evaluation file",
    "depends_on": "said of a task in an evaluation file",
    "scenario": "said of a task in an evaluation file",
    "experiment_name": "`name` in an evaluation file",
    "experiment_config": "the file itself is on record",
    "prices": "`prices` in an evaluation file",
    "scoring_key_mapping": "`scoring_key_mapping` in an evaluation file",
    "plan progress": "a plan is made at once",
    "resume accept_changes": "a file that wishes something else begins a new experiment",
    "resume dataset_filter_string": "what was selected is stored",
    "resume dataset_item_ids": "what was selected is stored",
    "resume dataset_sampler": "what was selected is stored",
    "resume nb_samples": "what was selected is stored",
}
"""Keywords that no command, or one, has a word for, and why."""


def parameters(command: str) -> dict[str, object]:
    """What a command takes: its options by their flags and arguments by their names, each with its default."""
    alone = typer.Typer()
    alone.command()(COMMANDS[command])
    return {flag: one.default for one in typer.main.get_command(alone).params for flag in one.opts}


def keywords(command: str) -> dict[str, object]:
    """What the functions behind a command may be asked, with the default where there is one."""
    functions, shape = VERBS[command]
    said: dict[str, object] = dict.fromkeys(shape.__annotations__ if shape else (), inspect.Parameter.empty)
    for function in functions:
        told = inspect.signature(function).parameters.values()
        said |= {one.name: one.default for one in told if one.kind is not one.VAR_KEYWORD}
    said.pop("self", None)
    return said


def words(keyword: str) -> tuple[str, ...]:
    """What a keyword may be called on the command line."""
    return (f"--{keyword.replace('_', '-')}", keyword, *CALLED.get(keyword, ()), *OTHERWISE.get(keyword, ()))


@pytest.mark.parametrize("command", VERBS)
def test_every_keyword_is_an_option_or_has_a_reason_why_not(command: str) -> None:
    known = parameters(command).keys()
    reasons = {name.removeprefix(f"{command} ") for name in NOT_THERE}
    filed = FILED if {"file", "--file"} & known else set[str]()
    without = [name for name in keywords(command) if not known & {*words(name)} and name not in filed | reasons]
    assert without == []


@pytest.mark.parametrize("command", VERBS)
def test_what_nobody_says_is_the_same_by_both_doors(command: str) -> None:
    # Of `blind` Python says None what the command line calls unknown.
    options = parameters(command)
    for name, default in keywords(command).items():
        flag = next((word for word in words(name) if word in options and word.startswith("--")), None)
        if (
            name != "blind"
            and flag is not None
            and options[flag] not in (None, False)
            and default is not inspect.Parameter.empty
        ):
            assert options[flag] == default, (name, flag)


@pytest.mark.parametrize(
    ("command", "option", "default"),
    [
        ("run", "--concurrency", f"what the file says, or {Settings().concurrency}"),
        ("score", "--concurrency", f"{Settings().concurrency}"),
        ("explain", "--concurrency", f"{Settings().concurrency}"),
        ("score", "--id", Fields().id),
        ("score", "--value", Fields().value),
        ("calibrate", "--minimum", f"{LEAST_PAIRS}"),
        ("calibrate", "--each-outcome", f"{LEAST_OF_EACH}"),
        ("power", "--correlation", f"{CORRELATION}, between the items' true means"),
        ("power", "--design-effect", f"{Aim().design_effect:g}"),
        ("run", "--seed", f"{random_sampler(1).seed}"),
    ],
)
def test_the_help_tells_the_default_that_holds(project: Project, command: str, option: str, default: str) -> None:
    said = " ".join(project.rejudge(command, "--help").out.split())
    assert re.findall(r"\[default: ([^\];]+)", said.partition(f" {option} ")[2])[0] == default
