"""`rejudge trust`: approve code that somebody else wrote, and where a file sends keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rejudge.cli.command import command
from rejudge.cli.exit_code import ExitCode
from rejudge.cli.options import Json, Traceback


@command
def trust(
    what: Annotated[
        str, typer.Argument(metavar="FILE|HASH", help="An evaluation file, or the hash that a refusal has named.")
    ],
    *,
    json: Json = False,
    traceback: Traceback = False,
) -> int:
    """Let code from an evaluation file run in its sandbox, and keys go to the servers that it names.

    Read the file first. What is approved is exactly this code with the tools and limits that it has there, and each key
    for this address, by SHA-256, for you on this machine: once it is changed, it has to be approved again.
    """
    from msgspec import to_builtins

    from rejudge.cli.output import put, put_json
    from rejudge.front.trust import approve_file, approve_hash
    from rejudge.wiring import trusted_code

    approved = approve_file(Path(what)) if Path(what).exists() or "." in what else approve_hash(what)
    kept_in = str(trusted_code().path)
    if json:
        put_json({"approved": to_builtins(approved), "kept_in": kept_in})
        return ExitCode.DONE
    for one in approved:
        code = f"  {one.scorer}, {one.lines} lines" if one.scorer else ""
        code += f", with {one.granted}" if one.granted else ""
        put(f"approved {one.hash}" + (f"  {one.key} for {one.address}" if one.key else code))
    put(f"kept in {kept_in}; delete a line there to withdraw it")
    return ExitCode.DONE
