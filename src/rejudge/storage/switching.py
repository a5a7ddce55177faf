"""Short waits for the interpreter's lock while the store works.

A database call lets go of the lock and must take it again; while another thread computes, each taking
waits a switch interval (5 ms), longer than a whole commit. A tenth of a millisecond costs the other
thread little and makes a commit under load twice as fast, a look-up ten times.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROMPT_SECONDS = 0.0001

_lock = Lock()
_usual: list[float] = []
"""The interval to go back to, once for every thread that is inside."""


@contextmanager
def prompt_switching() -> Iterator[None]:
    """Let threads take turns quickly until the last caller has left."""
    with _lock:
        _usual.append(_usual[0] if _usual else sys.getswitchinterval())
        sys.setswitchinterval(min(_PROMPT_SECONDS, _usual[0]))
    try:
        yield
    finally:
        with _lock:
            before = _usual.pop()
            if not _usual:
                sys.setswitchinterval(before)
