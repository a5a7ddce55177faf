"""What a model server can do wrong, as data for the fake one."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct, field

AN_HOUR = 3600.0


class Raw(Struct, frozen=True, kw_only=True):
    """A reply as it goes over the wire, after `delay` seconds; with `cut_after` the connection breaks off there."""

    status: int = 200
    body: bytes = b""
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut_after: int | None = None

    @staticmethod
    def of(value: object, *, status: int = 200, delay: float = 0.0, **headers: str) -> Raw:
        """A reply with this value as JSON; in a header's name `_` stands for `-`."""
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        return Raw(status=status, body=json.dumps(value).encode(), headers=named, delay=delay)


def status(number: int, message: str = "it went wrong", **error: object) -> Raw:
    """An error of this HTTP status, in the form that OpenAI gives it."""
    return Raw.of({"error": {"message": message, **error}}, status=number)


def throttled(retry_after: float | str | None = None) -> Raw:
    """429: too many requests, with or without a Retry-After."""
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    body = json.dumps({"error": {"message": "too many requests", "code": "rate_limit_exceeded"}})
    return Raw(status=429, body=body.encode(), headers=headers)


def hanging() -> Raw:
    """A reply that does not come."""
    return Raw(delay=AN_HOUR)


def cut() -> Raw:
    """A body that breaks off halfway."""
    body = json.dumps({"choices": [{"message": {"content": "half of what was to be said"}}]}).encode()
    return Raw(body=body, cut_after=len(body) // 2)


def not_json() -> Raw:
    """A body that says it is JSON and is none."""
    return Raw(body=b'{"choices": [{"message": {"content": "unfinished')


def nothing() -> Raw:
    """An empty body."""
    return Raw()


def wrong_shape(value: Any = None) -> Raw:  # noqa: ANN401 - any JSON
    """JSON that is no reply of a model."""
    return Raw.of({"choices": "none"} if value is None else value)


def huge(size: int) -> Raw:
    """A reply of so many bytes."""
    return Raw(body=json.dumps({"choices": [{"message": {"content": "x" * size}}]}).encode())


def web_page() -> Raw:
    """A page for people in place of JSON, with status 200."""
    return Raw(body=b"<html><body>Please log in.</body></html>", kind="text/html")


def redirect(to: str, code: int = 307) -> Raw:
    """A redirect to another address."""
    return Raw(status=code, headers={"location": to})
