"""The only place that names concrete back ends."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from rejudge.domain.errors import ConfigurationError, NotFound, Place, UnknownName
from rejudge.files.documents import read_document
from rejudge.providers.prices import Prices, PriceTable, price_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rejudge.providers.http_endpoints import HttpEndpoints
    from rejudge.providers.provider import Limits, Provider
    from rejudge.sandbox.sandbox import Sandbox
    from rejudge.sandbox.trust import Trust
    from rejudge.storage.records import Owner
    from rejudge.storage.store import Store

Address: TypeAlias = "str | Path | Store"

ProviderLike: TypeAlias = "Provider | Mapping[str, Provider] | None"
"""Who answers everything, or providers by the names that models have before the slash; None for those that are known.
"""

PricesLike: TypeAlias = "PriceTable | Mapping[str, object] | str | Path | None"
"""A price table of one's own, as it is, as a mapping, or as the path of a YAML or JSON file."""

DEFAULT_STORE = "rejudge.db"
"""Where records live when nobody says otherwise: a file in the working directory."""

MEMORY = "memory:"

SANDBOXES = ("monty", "bubblewrap")


def open_store(address: Address) -> Store:
    """The store at a path or address; a store object is itself. `memory:` keeps nothing after the process ends."""
    if not isinstance(address, str | Path):
        if not hasattr(address, "commit"):
            raise ConfigurationError(f"a store is a path, an address or an open store, not a {type(address).__name__}")
        return address
    text = str(address)
    if text == MEMORY:
        from rejudge.storage.memory import MemoryStore

        return MemoryStore()
    scheme, separator, _ = text.partition("://")
    if separator and scheme != "sqlite":
        raise ConfigurationError(
            f"no store answers to the address {scheme}://…", fix="give the path of an SQLite file, or memory:"
        )
    from rejudge.storage.sqlite import open_sqlite

    return open_sqlite(_path(text))


def is_missing(address: Address) -> bool:
    """Whether there is no store at a path or address, so that opening it would make one."""
    try:
        return isinstance(address, str | Path) and address != MEMORY and not _path(str(address)).exists()
    except OSError:
        return False  # who opens it says what stands in the way


def existing(address: Address) -> Address:
    """The address, for whoever looks for something that is stored; raises NotFound where there is no store."""
    if is_missing(address):
        raise NotFound("there is no store here", where=Place(file=str(address)), fix="name the right one: store=")
    return address


def _path(address: str) -> Path:
    return Path(address.removeprefix("sqlite://"))


def sandbox_named(name: str) -> Sandbox:
    """The sandbox of that name, which starts when it is used. A missing one is never replaced by another."""
    if name == "monty":
        from rejudge.sandbox.monty import Monty

        return Monty()
    if name == "bubblewrap":
        from rejudge.sandbox.bubblewrap import Bubblewrap

        return Bubblewrap()
    raise UnknownName.among("sandbox", name, SANDBOXES)


def trusted_code() -> Trust:
    """The user's list of code from elsewhere that may run: `rejudge/trusted-code` where settings are kept."""
    from rejudge.sandbox.trust import Trust

    stated = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(stated) if stated.startswith("/") else Path.home() / ".config"
    return Trust(folder / "rejudge" / "trusted-code")


def this_owner() -> Owner:
    """A new owner of claims in this process."""
    from rejudge.storage.liveness import this_process

    return this_process()


def provider_for(said: ProviderLike) -> Provider:
    """Who answers model calls: the provider itself, or a router over those that were named and those that are known."""
    if said is None or isinstance(said, dict):
        from rejudge.providers.keys import in_environment
        from rejudge.providers.known import KEYS
        from rejudge.providers.router import Router

        for name, provider in (said or {}).items():
            _check_provider(provider, called=f" under {name!r}")
        return Router(said or {}, make=provider_named, reachable=lambda: in_environment(KEYS))
    _check_provider(said)
    return cast("Provider", said)


def _check_provider(provider: object, *, called: str = "") -> None:
    if not callable(getattr(provider, "answer", None)):
        raise ConfigurationError(
            f"the provider{called} is a {type(provider).__name__}, which does not answer model calls",
            fix="give an object with `async def answer(self, call)`, such as rejudge.openai_compatible(…)",
        )


def provider_named(name: str) -> Provider:
    """The provider that models name before the slash; raises ConfigurationError where there is none, or no key."""
    from rejudge.providers.known import KNOWN, OWN

    if name == "openai":
        from rejudge.providers.openai_compatible import openai_compatible

        return openai_compatible()
    if name == "anthropic":
        from rejudge.providers.anthropic import anthropic

        return anthropic()
    if name == "llama":
        from rejudge.providers.llama import LlamaFiles

        return LlamaFiles()
    if name in KNOWN:
        from rejudge.providers.openai_compatible import openai_compatible

        return openai_compatible(KNOWN[name].address, key_from=KNOWN[name].key_from)
    from rejudge.providers.others import EXTRA, OtherProvider, is_known_elsewhere

    if is_known_elsewhere(name):
        return OtherProvider(name)
    error = UnknownName.among("provider", name, [*KNOWN, *OWN])
    raise UnknownName(error.what, fix=f"{error.fix}; many more with `{EXTRA}`; or name your own with provider=")


def server_at(url: str, *, api: str, key_from: str | None, account: str, limits: Limits) -> Provider:
    """A server with the interface of OpenAI or of Anthropic."""
    if api == "anthropic":
        from rejudge.providers.anthropic import anthropic

        return anthropic(url, key_from=key_from, account=account, limits=limits)
    from rejudge.providers.openai_compatible import openai_compatible

    return openai_compatible(url, key_from=key_from, account=account, limits=limits)


def endpoints() -> HttpEndpoints:
    """Who asks the HTTP endpoints that are evaluated."""
    from rejudge.providers.http_endpoints import HttpEndpoints

    return HttpEndpoints()


def distant_origin(url: str) -> str | None:
    """The scheme, host and port of an endpoint on another machine, checked; None for one on this machine."""
    from rejudge.providers.address import checked_origin, is_this_machine

    origin = checked_origin(url)
    return None if is_this_machine(origin) else origin


def distant_address(url: str) -> str | None:
    """The address of a server on another machine, checked; None for one on this machine."""
    from rejudge.providers.address import checked_address, is_this_machine

    address = checked_address(url)
    return None if is_this_machine(address) else address


async def release(*holders: object) -> None:
    """Let go of the connections that providers and endpoints hold in the running loop."""
    from rejudge.providers.router import release_all

    await release_all(holders)


def prices_for(said: PricesLike) -> Prices:
    """What calls cost: the price table of one's own, where there is one, before the list that is installed."""
    if said is None or isinstance(said, PriceTable):
        return Prices(said)
    if isinstance(said, str | Path):
        return Prices(price_table_in(Path(said)))
    return Prices(price_table(said))


def price_table_in(path: Path) -> PriceTable:
    """The price table in a YAML or JSON file, called by the file's name where it names no source."""
    document = read_document(path)
    if not isinstance(document.value, dict):
        raise ConfigurationError(f"{path} is no price table", fix="it is a mapping of models to prices")
    return price_table(document.value, source=path.name)
