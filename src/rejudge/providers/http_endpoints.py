"""Asks the HTTP endpoints that are evaluated; nothing that it raises or returns holds a value of the environment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from rejudge.domain.call import HttpReply
from rejudge.domain.errors import ConfigurationError, ProviderError, Transient
from rejudge.providers.address import checked_origin, host_of
from rejudge.providers.connections import Connections, first_bytes
from rejudge.providers.faults import fault_of
from rejudge.providers.keys import Redactor, Secret, hide_in_logs, key_named
from rejudge.providers.provider import Limits
from rejudge.providers.streams import TooLong, events_of, lines_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from httpx2 import AsyncClient, Response

    from rejudge.domain.call import HttpCall
    from rejudge.domain.demands import Address

LARGEST_REPLY: Final = 32 * 2**20
LARGEST_ERROR: Final = 2**16
"""Bytes of a reply, and of an error's body that are read."""

DEFAULT_LIMITS: Final = Limits(attempt_seconds=120.0, total_seconds=600.0)
"""For an endpoint about which nothing was said."""

REFERENCE: Final = re.compile(r"\$\{([A-Za-z_]\w*)\}")
"""How a header names a value of the environment."""

_ACCEPT: Final = "application/json, text/event-stream, */*"
_LINES: Final = ("application/x-ndjson", "application/jsonl", "application/x-jsonlines", "application/ndjson")


class HttpEndpoints:
    """Sends requests to the addresses that a task names; follows no redirect, and sends keys nowhere else."""

    def __init__(self) -> None:
        self._connections = Connections(seconds=None)  # the engine bounds every try
        self._limits: dict[str, Limits] = {}
        self._redactors: dict[tuple[str, ...], Redactor] = {}

    def learn(self, address: Address) -> None:
        """Note an endpoint's limits; raises ConfigurationError for what is no address, and for a missing key."""
        checked_origin(address.url)
        self._secrets(address.names)
        self._limits[host_of(address.url)] = Limits(
            concurrency=address.concurrency,
            requests_per_minute=address.requests_per_minute,
            attempt_seconds=address.attempt_seconds,
            total_seconds=address.total_seconds,
        )

    def account(self, url: str) -> tuple[str, Limits]:
        """The host, whose limits requests share."""
        host = host_of(url)
        return f"{host}/endpoint", self._limits.get(host, DEFAULT_LIMITS)

    async def ask(self, call: HttpCall) -> HttpReply:
        """The reply to one request.

        Raises Transient for what another try may cure (connections, 408, 425, 429, 5xx) and ProviderError for every
        other status beyond 2xx, with the beginning of the body.
        """
        checked_origin(call.url)
        names = tuple(sorted({name for text in call.headers.values() for name in REFERENCE.findall(text)}))
        secrets = self._secrets(names)
        redactor = self._redactor(names, secrets)
        headers = {
            name: REFERENCE.sub(lambda found: secrets[found[1]].reveal(), text) for name, text in call.headers.items()
        }
        async with self._connections.client() as client:
            return await _exchange(client, call, headers, redactor)

    async def release(self) -> None:
        """Let go of the running loop's connections."""
        await self._connections.release()

    def _secrets(self, names: Iterable[str]) -> dict[str, Secret]:
        found = {}
        for name in names:
            key = key_named(name)
            if key is None:
                raise ConfigurationError(
                    f"there is no value {name}, which a header of the endpoint needs",
                    fix=f"set the environment variable {name}, or `keyring set rejudge {name}`",
                )
            found[name] = key
        return found

    def _redactor(self, names: tuple[str, ...], secrets: dict[str, Secret]) -> Redactor:
        known = (*names, *(secret.reveal() for secret in secrets.values()))
        if known not in self._redactors:
            self._redactors[known] = Redactor(secrets.values())
            hide_in_logs(self._redactors[known])
        return self._redactors[known]


async def _exchange(client: AsyncClient, call: HttpCall, headers: dict[str, str], redactor: Redactor) -> HttpReply:
    import httpx2

    who = host_of(call.url)
    content = None
    sent = {
        "accept": "application/json, text/event-stream, */*",
        **{name.lower(): text for name, text in headers.items()},
    }
    if call.text is not None:
        content = call.text.encode()
    elif call.body is not None:
        content = msgspec.json.encode(call.body)
        sent.setdefault("content-type", "application/json")
    try:
        async with client.stream(call.method, call.url, content=content, headers=sent) as response:
            if 200 <= response.status_code < 300:
                return await _reply(response, call, redactor, who)
            raw = await first_bytes(response.aiter_bytes(), LARGEST_ERROR)
    except (httpx2.TransportError, httpx2.DecodingError) as error:
        raise _lost(error, who, redactor) from None
    except httpx2.InvalidURL:
        raise ProviderError(f"{who}: the address is none once it is filled in") from None
    said = redactor.value(_parsed(raw.decode("utf-8", "replace")))
    if 300 <= response.status_code < 400:
        said = f"go to {host_of(redactor.text(response.headers.get('location', ''))) or 'elsewhere'}"
    raise fault_of(response.status_code, who=who, headers=response.headers, said=said)


async def _reply(response: Response, call: HttpCall, redactor: Redactor, who: str) -> HttpReply:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "text/event-stream":
        events = [_parsed(event) async for event in events_of(_bounded(response, who))]
    elif call.lines or kind in _LINES:
        events = [_parsed(line) async for line in _bounded(response, who) if line.strip()]
    else:
        raw = await first_bytes(response.aiter_bytes(), LARGEST_REPLY)
        if len(raw) > LARGEST_REPLY:
            raise _too_much(who)
        return HttpReply(status=response.status_code, body=redactor.value(_parsed(_text(raw, response))))
    return HttpReply(status=response.status_code, events=[redactor.value(event) for event in events])


async def _bounded(response: Response, who: str) -> AsyncIterator[str]:
    """The lines of a stream, without their ends."""
    try:
        async for line in lines_of(response.aiter_bytes(), most=LARGEST_REPLY):
            yield line
    except TooLong:
        raise _too_much(who) from None


def _text(raw: bytes, response: Response) -> str:
    """The body as text: UTF-8 where it is that, whatever its header says."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode(response.encoding or "utf-8", "replace")


def _too_much(who: str) -> ProviderError:
    return ProviderError(f"{who} sent more than {LARGEST_REPLY // 2**20} MiB", fix="ask for less")


def _parsed(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return text


def _lost(error: Exception, who: str, redactor: Redactor) -> Transient | ProviderError:
    import httpx2

    words = redactor.text(f"{type(error).__name__}: {error}".rstrip(": "))
    if isinstance(error, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError):
        return ProviderError(f"{who} cannot be asked: {words}")
    return Transient(f"{who} was lost: {words}")
