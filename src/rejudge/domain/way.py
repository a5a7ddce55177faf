"""How a task or scorer is to be called: the one thing that the engine must know about a function."""

from __future__ import annotations

from enum import Enum


class Way(Enum):
    """Where a call runs."""

    INLINE = "inline"
    """Pure and quick: run where it is called."""
    THREAD = "thread"
    """A user's synchronous function: run in a bounded pool of threads."""
    LOOP = "loop"
    """A user's async function: awaited."""
    STEPS = "steps"
    """A generator that yields calls and is sent replies."""
    RECORDED = "recorded"
    """Judged elsewhere, and looked up by item and trial: nothing is called."""
