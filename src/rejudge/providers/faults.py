"""What a server's refusal means: worth another try, or not."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from rejudge.domain.errors import ProviderError, Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

CLIPPED = 500
"""Characters of a server's own words that an error repeats."""

NO_MONEY = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "credit_balance_too_low"}
)
"""Codes under which a 429 is no matter of waiting."""

_WORTH_ANOTHER_TRY = frozenset({408, 425, 429})
_FIXES = {
    401: "check the key; it is read from the environment variable, or from the keyring, that the provider names",
    403: "the key may not use this model or address",
    404: "check the model's name and the address of the server",
    413: "ask for less at once",
}


class Busy(Transient):
    """A server that could not answer now. `status_code` is the HTTP status, `retry_after` the seconds it asked for."""

    status_code: int | None = None
    retry_after: float | None = None


class Refused(ProviderError):
    """A server that found something wrong with the request; `parameter` is what, where the server says so."""

    parameter: str = ""
    said: str = ""


def fault_of(status: int, *, who: str, headers: Mapping[str, str], said: object) -> Transient | ProviderError:
    """The error for an HTTP status beyond 2xx. `said` is the body, as JSON or text, without any key in it."""
    message, code, parameter = _told(said)
    what = f"{who} answered {status}" + (f": {message}" if message else "")
    if (status in _WORTH_ANOTHER_TRY or 500 <= status < 600) and code not in NO_MONEY:
        busy = Busy(what)
        busy.status_code = status
        busy.retry_after = retry_after(headers, now=time.time())
        return busy
    if 300 <= status < 400:
        return ProviderError(f"{what}, a redirect, which is not followed", fix="give the address that it leads to")
    if code in NO_MONEY:
        return ProviderError(what, fix="the account has no credit left; waiting will not help")
    refused = Refused(what, fix=_FIXES.get(status, ""))
    refused.parameter = parameter
    refused.said = message
    return refused


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """The seconds after which a server asks to be tried again: a number, or a date against its own clock or `now`."""
    try:
        if text := headers.get("retry-after-ms"):
            return max(0.0, float(text) / 1000)
        if not (text := headers.get("retry-after")):
            return None
        if text.strip().replace(".", "", 1).isdigit():
            return float(text)
        if date := headers.get("date"):
            now = parsedate_to_datetime(date).timestamp()
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None  # a header in a form of its own asks for nothing


def clipped(text: str) -> str:
    """A server's words on one line, and not too many."""
    line = " ".join(text.split())
    return line if len(line) <= CLIPPED else line[: CLIPPED - 1] + "…"


def _told(said: object) -> tuple[str, str, str]:
    """The message, code and parameter of an error body, whichever of the usual forms it has."""
    if not isinstance(said, dict):
        return clipped(said if isinstance(said, str) else ""), "", ""
    error = said.get("error", said)
    if not isinstance(error, dict):
        return clipped(str(error)), "", ""
    message = error.get("message") or error.get("detail") or error.get("type") or ""
    code = error.get("code") or error.get("type") or ""
    return clipped(str(message)), str(code), str(error.get("param") or "")
