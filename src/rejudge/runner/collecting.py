"""Rarer garbage collection while traces are judged by scorers of our own.

That makes many small records which live for a moment and form no circles. With the usual thresholds the
collector looks through all of them, and now and then through everything that is loaded, which takes a sixth of the
time of a run whose task is quick.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

THRESHOLDS = (20_000, 20, 50)

_lock = Lock()
_usual: list[tuple[int, int, int]] = []
"""The thresholds to go back to, once for every evaluation that is at work."""


@contextmanager
def rare_collection() -> Iterator[None]:
    """Collect rarely until the last caller has left; a program that collects rarely anyway, or never, is left alone."""
    with _lock:
        _usual.append(_usual[0] if _usual else gc.get_threshold())
        if 0 < _usual[0][0] < THRESHOLDS[0]:
            gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        with _lock:
            before = _usual.pop()
            if not _usual:
                gc.set_threshold(*before)
