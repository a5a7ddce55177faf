"""`rejudge scorers`: the kinds of scorer there are, and all about one of them."""

from __future__ import annotations

from typing import Annotated

import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import Json, Traceback

KindName = Annotated[str, typer.Argument(metavar="NAME", help="A kind of scorer, as `rejudge scorers list` names it.")]


@command
def list_scorers(*, json: Json = False, traceback: Traceback = False) -> int:
    """List the kinds of scorer that are installed, with what each judges."""
    from rejudge.cli.output import columns, put, put_json
    from rejudge.front.kinds import kind_dict, kinds_table
    from rejudge.scorers.catalog import all_kinds

    kinds = all_kinds()
    if json:
        put_json({"scorers": [kind_dict(kinds[name]) for name in sorted(kinds)]})
    else:
        put(kinds_table(kinds, columns=columns()))
    return ExitCode.DONE


@command
def show_scorer(name: KindName, *, json: Json = False, traceback: Traceback = False) -> int:
    """Show one kind of scorer: what it needs, its scores, its parameters, and the prompt of a judge."""
    from rejudge.cli.output import columns, put, put_json
    from rejudge.front.kinds import kind_dict, kind_report
    from rejudge.scorers.catalog import kind_named

    kind = kind_named(name)
    if json:
        put_json(kind_dict(kind))
    else:
        put(kind_report(kind, columns=columns()))
    return ExitCode.DONE
