"""How the progress of an evaluation is shown to someone who called it from Python."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rejudge.domain.errors import UnknownName
from rejudge.front.progress import PlainProgress, Silent, progress_for

if TYPE_CHECKING:
    from rejudge.front.progress import Display

KINDS = ("auto", "plain", "silent")


def shown(progress: str) -> Display:
    """The display of that name: `auto` is a bar where stderr is a terminal, and nothing elsewhere."""
    match progress:
        case "auto":
            return progress_for(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else Silent()
        case "plain":
            return PlainProgress(sys.stderr)
        case "silent":
            return Silent()
    raise UnknownName.among("progress", progress, KINDS)
