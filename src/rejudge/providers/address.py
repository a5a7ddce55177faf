"""The address of a server: which ones are accepted."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from rejudge.domain.errors import ConfigurationError


def checked_address(address: str) -> str:
    """The address without a slash at its end.

    Raises ConfigurationError for another scheme than http and https, for credentials or a query inside it, which would
    be written wherever the address is, and for one that names no host. What is refused is not repeated.
    """
    try:
        parts = urlsplit(address.strip())
        host = parts.hostname
        _ = parts.port
    except ValueError:
        parts, host = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not host:
        raise ConfigurationError(
            "an address of a server is http://HOST… or https://HOST…", fix="such as http://127.0.0.1:8000/v1"
        )
    if "@" in parts.netloc:
        raise ConfigurationError("the address of the server holds credentials", fix="give the key by key_from=")
    if parts.query or parts.fragment:
        raise ConfigurationError("the address of the server has a query or fragment", fix="leave it out")
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


def host_of(address: str) -> str:
    """The host and port that an address names; empty where it names none."""
    try:
        parts = urlsplit(address)
        return parts.netloc.rpartition("@")[2]
    except ValueError:
        return ""


def is_this_machine(address: str) -> bool:
    """Whether a checked address is one of this machine, by `localhost` or a loopback number."""
    host = urlsplit(address).hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def checked_origin(address: str) -> str:
    """The scheme, host and port of an address that may go on with a path and a query.

    Raises ConfigurationError as `checked_address` does; what is refused is not repeated.
    """
    origin = "/".join(address.strip().split("?")[0].split("#")[0].split("/")[:3])
    return checked_address(origin)
