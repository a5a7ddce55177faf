"""The commands of `rejudge`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from rejudge.cli.calibrate import calibrate
from rejudge.cli.compare import compare, describe, leaderboard
from rejudge.cli.correct import correct
from rejudge.cli.exit_code import MEANINGS
from rejudge.cli.explain import explain
from rejudge.cli.list import list_experiments
from rejudge.cli.plan import plan
from rejudge.cli.power import power
from rejudge.cli.ratings import adjudicate, import_ratings, show_ratings
from rejudge.cli.resume import resume
from rejudge.cli.run import run
from rejudge.cli.schema import schema
from rejudge.cli.score import score
from rejudge.cli.scorers import list_scorers, show_scorer
from rejudge.cli.show import show
from rejudge.cli.test import run_suite
from rejudge.cli.trust import trust

CODES = "\b\nExit codes:\n" + "\n".join(f"{code:5}  {meaning}" for code, meaning in MEANINGS.items())

app = typer.Typer(
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"rejudge {version('rejudge')}")
        raise typer.Exit


@app.callback()
def rejudge(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Evaluate LLM applications, and judge again without generating again."""


COMMANDS: dict[str, Callable[..., None]] = {
    "run": run,
    "test": run_suite,
    "plan": plan,
    "score": score,
    "resume": resume,
    "list": list_experiments,
    "show": show,
    "describe": describe,
    "compare": compare,
    "explain": explain,
    "leaderboard": leaderboard,
    "calibrate": calibrate,
    "power": power,
    "correct": correct,
    "schema": schema,
    "ratings import": import_ratings,
    "ratings show": show_ratings,
    "ratings adjudicate": adjudicate,
    "scorers list": list_scorers,
    "scorers show": show_scorer,
    "trust": trust,
}
"""The commands by their words; the first of two words is a group, whose name has a line in GROUPS."""

GROUPS: dict[str, str] = {
    "ratings": "What people said of traces, and what it comes to.",
    "scorers": "The kinds of scorer that are installed.",
}

_groups = {name: typer.Typer(help=said, no_args_is_help=True) for name, said in GROUPS.items()}
for name, group in _groups.items():
    app.add_typer(group, name=name)
for name, function in COMMANDS.items():
    first, _, second = name.partition(" ")
    (_groups[first] if second else app).command(second or first, epilog=CODES)(function)
