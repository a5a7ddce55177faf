"""The store that a command looks into: none is made by looking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import NotFound, Place
from rejudge.wiring import MEMORY, is_missing, open_store

if TYPE_CHECKING:
    from rejudge.front.result import Result
    from rejudge.front.workspace import Workspace
    from rejudge.storage.store import Store

LISTED = 10
"""So many ids that begin alike are listed."""


def opened(address: str) -> Workspace:
    """The store at an address; raises NotFound where there is none."""
    from rejudge.front.workspace import Workspace

    if is_missing(address):
        raise NotFound("there is no store here", where=Place(file=address), fix="name one with --store")
    return Workspace(open_store(address))


def store_or_empty(address: str) -> Store:
    """The store at an address, or an empty one in memory where there is none yet."""
    return open_store(MEMORY if is_missing(address) else address)


def result_named(workspace: Workspace, name: str) -> Result:
    """The newest result of an experiment, or one run; raises NotFound where the name is that of neither."""
    try:
        return workspace.result(name)
    except NotFound as no_experiment:
        try:
            return workspace.run(name)
        except NotFound as no_run:
            ids = [run.id for run in workspace.runs()] + [one.id for one in workspace.experiments()]
            several = [one for one in ids if one.startswith(name)]
            if len(several) > 1:
                listed = "".join(f"\n    {one}" for one in several[:LISTED])
                more = f"\n    … and {len(several) - LISTED} more" if len(several) > LISTED else ""
                raise NotFound(
                    f"{len(several)} ids begin with {name!r}", fix=f"type more of it:{listed}{more}"
                ) from None
            what = f"{no_experiment.what}, and {no_run.what}"
            raise NotFound(what, fix=no_experiment.fix or no_run.fix) from None
