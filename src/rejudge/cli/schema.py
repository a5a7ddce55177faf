"""`rejudge schema`: the JSON Schema of evaluation files."""

from __future__ import annotations

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import Json, Traceback


@command
def schema(*, json: Json = False, traceback: Traceback = False) -> int:
    """Print the JSON Schema of evaluation files.

    It knows the scorers that are installed here.
    """
    from rejudge.cli.output import put_json
    from rejudge.front.published_schema import evaluation_schema
    from rejudge.scorers.catalog import all_kinds

    put_json(evaluation_schema(all_kinds()))
    return ExitCode.DONE
