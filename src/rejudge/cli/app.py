"""The commands of `rejudge`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from rejudge.cli.exit_code import MEANINGS
from rejudge.cli.list import list_experiments
from rejudge.cli.plan import plan
from rejudge.cli.resume import resume
from rejudge.cli.run import run
from rejudge.cli.schema import schema
from rejudge.cli.score import score
from rejudge.cli.show import show
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
    "plan": plan,
    "score": score,
    "resume": resume,
    "list": list_experiments,
    "show": show,
    "schema": schema,
    "trust": trust,
}
for name, function in COMMANDS.items():
    app.command(name, epilog=CODES)(function)
