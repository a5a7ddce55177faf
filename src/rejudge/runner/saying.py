"""An exception in words, whatever its class does when it is asked for them."""

from __future__ import annotations

import traceback
from pathlib import Path

from rejudge.domain.errors import RejudgeError

OWN = str(Path(__file__).parents[1])
"""Where this package's own frames are, which a user does not want to see."""


def said(error: BaseException) -> str:
    """Its type and message; ours say all they have to say in their message."""
    try:
        message = str(error)
    except Exception as broken:  # noqa: BLE001 - a class of the user's that cannot even say what happened
        message = f"(its message raised {type(broken).__name__})"
    return message if isinstance(error, RejudgeError) else f"{type(error).__name__}: {message}"


def located(error: BaseException) -> str:
    """`said`, with the place in the user's code where it was raised."""
    if isinstance(error, RejudgeError):
        return said(error)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(OWN)]
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno} in {frames[-1].name})" if frames else ""
    return said(error) + where
