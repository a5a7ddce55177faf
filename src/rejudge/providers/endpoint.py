"""One server that takes JSON and gives JSON: connections, size, time and errors, for every client that speaks HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rejudge.domain.errors import ProviderError, Transient
from rejudge.providers.address import host_of
from rejudge.providers.connections import Connections, first_bytes
from rejudge.providers.faults import clipped, fault_of
from rejudge.providers.keys import hide_in_logs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from httpx2 import AsyncClient, Response

    from rejudge.providers.keys import Redactor

LARGEST_REPLY = 32 * 2**20
"""Bytes of a reply; nothing that a model says is longer."""

LARGEST_ERROR = 2**16
"""Bytes of an error's body that are read."""


class Endpoint:
    """Posts JSON to the paths below an address; nothing that it raises or returns holds a key.

    `headers` makes the headers of a request, keys included; they are sent to this address and, since no redirect is
    followed, to no other.
    """

    def __init__(
        self,
        address: str,
        *,
        who: str,
        headers: Callable[[], Mapping[str, str]],
        redactor: Redactor,
        seconds: float | None,
    ) -> None:
        self.address = address
        self._who = who
        self._headers = headers
        self._redactor = redactor
        hide_in_logs(redactor)
        self._connections = Connections(seconds=seconds)

    async def post(self, path: str, body: Mapping[str, object]) -> dict[str, object]:
        """The reply's JSON object.

        Raises Transient for what another try may cure (connections, time, 408, 425, 429, 5xx, a body that breaks off)
        and ProviderError for everything else.
        """
        try:
            content = msgspec.json.encode(body)
        except (ValueError, TypeError, RecursionError) as error:
            raise ProviderError(f"the call to {self._who} has no form in JSON: {error}") from None
        async with self._connections.client() as client:
            return await self._exchange(client, path, content)

    async def release(self) -> None:
        """Let go of the running loop's connections, as soon as nothing is in flight on them."""
        await self._connections.release()

    async def _exchange(self, client: AsyncClient, path: str, content: bytes) -> dict[str, object]:
        import httpx2

        headers = {"content-type": "application/json", "accept": "application/json", **self._headers()}
        try:
            async with client.stream("POST", self.address + path, content=content, headers=headers) as response:
                good = 200 <= response.status_code < 300
                raw = (
                    await self._read(response, LARGEST_REPLY)
                    if good
                    else await first_bytes(response.aiter_bytes(), LARGEST_ERROR)
                )
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise self._lost(error) from None
        except httpx2.InvalidURL:
            raise ProviderError(f"{self._who}: {self.address}{path} is no address") from None
        if not good:
            said = self._redactor.value(_parsed_or_text(raw))
            raise self._fault(response, said)
        return self._object(response, raw)

    async def _read(self, response: Response, largest: int) -> bytes:
        raw = await first_bytes(response.aiter_bytes(), largest)
        if len(raw) > largest:
            raise ProviderError(f"{self._who} sent more than {largest // 2**20} MiB", fix="ask for less: max_tokens")
        return raw

    def _fault(self, response: Response, said: object) -> Transient | ProviderError:
        who = self._who
        if 300 <= response.status_code < 400:
            said = f"go to {host_of(self._redactor.text(response.headers.get('location', ''))) or 'elsewhere'}"
        return fault_of(response.status_code, who=who, headers=response.headers, said=said)

    def _object(self, response: Response, raw: bytes) -> dict[str, object]:
        try:
            value = self._redactor.value(msgspec.json.decode(raw))
        except (ValueError, RecursionError):
            raise self._unreadable(response, raw) from None
        if not isinstance(value, dict):
            raise ProviderError(f"{self._who} sent JSON that is no object", fix="check the address of the server")
        if isinstance(error := value.get("error"), dict | str) and error:
            status = error.get("code") if isinstance(error, dict) else None
            raise fault_of(_status(status), who=self._who, headers=response.headers, said=value)
        return value

    def _unreadable(self, response: Response, raw: bytes) -> Transient | ProviderError:
        """JSON that breaks off may be whole at the next try; a web page will be one again."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip()
        if raw and kind and "json" not in kind:
            words = clipped(self._redactor.text(raw[:LARGEST_ERROR].decode("utf-8", "replace")))[:100]
            return ProviderError(
                f"{self._who} sent {self._redactor.text(kind)} in place of JSON: {words}",
                fix="check the address of the server; it often ends in /v1",
            )
        return Transient(f"{self._who} sent a reply that is {'no whole JSON' if raw else 'empty'}")

    def _lost(self, error: Exception) -> Transient | ProviderError:
        """What a failed transport means: nearly always worth another try."""
        import httpx2

        words = self._redactor.text(f"{type(error).__name__}: {error}".rstrip(": "))
        if "CERTIFICATE_VERIFY_FAILED" in words:
            fix = "name the authority's certificates in SSL_CERT_FILE"
            return ProviderError(f"{self._who} shows a certificate that is not trusted: {words}", fix=fix)
        if isinstance(error, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError):
            return ProviderError(f"{self._who} cannot be asked: {words}")
        return Transient(f"{self._who} was lost: {words}")


def _parsed_or_text(raw: bytes) -> object:
    try:
        return msgspec.json.decode(raw)
    except (ValueError, RecursionError):
        return raw.decode("utf-8", "replace")


def _status(code: object) -> int:
    """The status that an error inside a reply of status 200 names; 502 where it names none, since a router sent it."""
    try:
        status = int(str(code))
    except ValueError:
        return 502
    return status if 300 <= status < 600 else 502
