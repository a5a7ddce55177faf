"""Which errors are worth another try, and how long to wait before it."""

from __future__ import annotations

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
    asked = _retry_after(error)
    if asked is not None:
        return min(max(asked, 0.0), LONGEST_WAIT)
    return random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)))


def _status(error: BaseException) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "status", "code"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and not isinstance(value, bool) and 100 <= value < 600:
                return value
    return None


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or getattr(error, "headers", None)
    get = getattr(headers, "get", None)
    value = get("retry-after") or get("Retry-After") if callable(get) else getattr(error, "retry_after", None)
    if not isinstance(value, str | int | float):
        return None
    try:
        return float(value)
    except ValueError:
        return None
