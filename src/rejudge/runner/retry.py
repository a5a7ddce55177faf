"""Which errors are worth another try, and how long to wait before it."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING

from rejudge.domain.errors import TaskTimeout, Transient

if TYPE_CHECKING:
    from random import Random

FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
_STATUSES = frozenset({408, 425, 429})
_TRANSPORT = frozenset(
    {"ConnectError", "ConnectTimeout", "ReadTimeout", "WriteTimeout", "PoolTimeout", "ReadError", "WriteError",
     "RemoteProtocolError", "APIConnectionError", "APITimeoutError", "ServerDisconnectedError",
     "ClientConnectionError"}
)  # fmt: skip


def is_transient(error: BaseException) -> bool:
    """Whether another try may cure it: connection errors, transport timeouts, HTTP 408, 425, 429 and 5xx, Transient.

    Client libraries are recognised by attribute and class name, so none is imported for it.
    """
    if isinstance(error, TaskTimeout):
        return False
    if isinstance(error, Transient | ConnectionError | TimeoutError):
        return True
    status = _status(error)
    if status is not None:
        return status in _STATUSES or 500 <= status < 600
    return any(kind.__name__ in _TRANSPORT for kind in type(error).__mro__)


def wait_before(attempt: int, error: BaseException, *, random: Random) -> float:
    """Seconds before try number `attempt` (1 is the first retry): full jitter under a doubling bound.

    A Retry-After header is honoured up to the longest wait.
    """
    asked = asked_to_wait(error)
    if asked is not None:
        return min(asked, LONGEST_WAIT)
    return random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)))


def is_throttled(error: BaseException) -> bool:
    """Whether it says that there were too many calls (HTTP 429)."""
    return _status(error) == 429


def asked_to_wait(error: BaseException) -> float | None:
    """The seconds that its Retry-After asks for, as its number or header says; None where it asks for nothing."""
    asked = _retry_after(error)
    return max(asked, 0.0) if asked is not None and math.isfinite(asked) else None


def tried_again(error: Exception) -> None:
    """Note on an error that further tries have been spent on it, so that nobody further up spends them again."""
    with suppress(AttributeError, TypeError):
        error._rejudge_tried_again = True  # type: ignore[attr-defined]


def was_tried_again(error: BaseException) -> bool:
    """Whether `tried_again` was noted on it."""
    return _read(error, "_rejudge_tried_again") is True


def _read(holder: object, name: str) -> object:
    """An attribute of an object that may do anything when it is read."""
    try:
        return getattr(holder, name, None)
    except Exception:  # noqa: BLE001 - a property of the user's class
        return None


def _status(error: BaseException) -> int | None:
    for holder in (error, _read(error, "response")):
        for name in ("status_code", "status", "code"):
            value = _read(holder, name)
            if isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600:
                return value
    return None


def _retry_after(error: BaseException) -> float | None:
    headers = _read(_read(error, "response"), "headers") or _read(error, "headers")
    get = _read(headers, "get")
    try:
        value = get("retry-after") or get("Retry-After") if callable(get) else _read(error, "retry_after")
        return float(value) if isinstance(value, str | int | float) else None
    except Exception:  # noqa: BLE001 - a header in a form of its own asks for nothing
        return None
