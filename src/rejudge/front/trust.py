"""Approving what comes from elsewhere, code and where keys go, by hash or by the evaluation file that says it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct, UnsetType

from rejudge.domain.code import Grant
from rejudge.domain.errors import ConfigurationError, Place
from rejudge.files.documents import read_document
from rejudge.sandbox.trust import Trust, key_hash, run_hash
from rejudge.tasks.http import names_in
from rejudge.wiring import distant_address, distant_origin, trusted_code


class Approved(Struct, frozen=True, kw_only=True):
    """Code that may run from now on, or a key that may be sent to an address; of a bare hash nothing else is known.

    `granted` is said of code that has tools, or other limits than the usual.
    """

    hash: str
    scorer: str | None = None
    lines: int | None = None
    granted: Grant | UnsetType = UNSET
    key: str | None = None
    address: str | None = None


def check_key_use(variable: str, url: str) -> None:
    """Refuse that a file has a key sent to a server for which nobody approved it; servers on this machine need none.

    Raises ConfigurationError, also for an address without encryption.
    """
    _check(variable, distant_address(url))


def check_header_use(variable: str, url: str) -> None:
    """The same for a header of an endpoint, of which the scheme, host and port count."""
    _check(variable, distant_origin(url))


def _check(variable: str, address: str | None) -> None:
    if address is None:
        return
    if not address.startswith("https:"):
        raise ConfigurationError(
            f"the key {variable} would be sent to {address} in clear text",
            fix="give an https:// address, or make the provider in Python",
        )
    found = key_hash(variable, address)
    if found not in trusted_code().approved():
        raise ConfigurationError(
            f"the key {variable} would be sent to {address}, which was not approved here: {found}",
            fix=f"if that server may have it: rejudge trust {found}",
        )


def approve_hash(said: str) -> list[Approved]:
    """Approve one hash; raises ConfigurationError for what is none."""
    return _approved([Approved(hash=said.strip().lower())], trusted_code())


def approve_file(path: Path) -> list[Approved]:
    """Approve all code in an evaluation file or a list of scorers as it is now, and its servers with their keys.

    Nothing of it is loaded, run or sent. Raises InputError for a file that cannot be read, ConfigurationError where
    there is nothing in it to approve.
    """
    document = read_document(path).value
    found = [*_code_in(document), *_tools_in(document), *_keys_in(document), *_headers_in(document)]
    if not found:
        raise ConfigurationError(
            "there is no code_eval scorer in it and no https:// server that is sent a key, so nothing to approve",
            where=Place(file=str(path)),
        )
    return _approved(found, trusted_code())


def _approved(found: list[Approved], trust: Trust) -> list[Approved]:
    trust.approve([one.hash for one in found])
    return found


def _code_in(document: object) -> Iterable[Approved]:
    for scorer in _scorers_in(document):
        if isinstance(scorer, dict) and isinstance(code := scorer.get("code"), str):
            name, grant = str(scorer.get("name", scorer.get("type"))), _grant_of(scorer)
            yield Approved(
                hash=run_hash(code, grant),
                scorer=name,
                lines=len(code.splitlines()),
                granted=UNSET if grant == Grant() else grant,
            )


def _scorers_in(document: object) -> Iterable[object]:
    """The scorers of a list, or of a file and of the suite in it."""
    if not isinstance(document, dict):
        return document if isinstance(document, list) else ()
    suite = document.get("suite")
    listed = [document.get("scorers"), suite.get("scorers") if isinstance(suite, dict) else None]
    return [scorer for scorers in listed if isinstance(scorers, list) for scorer in scorers]


def _grant_of(scorer: Mapping[object, object]) -> Grant:
    """What a scorer of a file grants its code, as the scorer will say it."""
    said = {"seconds": "timeout_seconds", "megabytes": "megabytes", "tools": "tools"}
    stated = {name: scorer[key] for name, key in said.items() if key in scorer}
    try:
        if isinstance(tools := stated.get("tools"), list | dict):
            stated["tools"] = sorted(msgspec.convert(list(tools), list[str]))
        return msgspec.convert(stated, Grant)
    except msgspec.ValidationError as error:
        raise ConfigurationError(
            f"what the code of {scorer.get('name')!r} is granted cannot be read: {error}"
        ) from None


def _keys_in(document: object) -> Iterable[Approved]:
    servers = document.get("providers") if isinstance(document, dict) else None
    for server in servers.values() if isinstance(servers, dict) else ():
        if not isinstance(server, dict):
            continue
        url, key = server.get("url"), server.get("key_from")
        if isinstance(url, str) and isinstance(key, str):
            address = distant_address(url)
            if address is not None and address.startswith("https:"):
                yield Approved(hash=key_hash(key, address), key=key, address=address)


def _tasks_in(document: object) -> Iterable[dict[str, object]]:
    """The tasks of a file, and the systems of its conversations."""
    if not isinstance(document, dict):
        return
    listed = document.get("tasks")
    for task in [document.get("task"), *(listed if isinstance(listed, list) else [])]:
        if isinstance(task, dict):
            yield task
            if isinstance(inner := task.get("conversation"), dict):
                yield inner


def _tools_in(document: object) -> Iterable[Approved]:
    for task in _tasks_in(document):
        tools = task.get("tools")
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and isinstance(code := tool.get("code"), str):
                yield Approved(hash=run_hash(code, Grant()), scorer=str(tool.get("name")), lines=len(code.splitlines()))


def _headers_in(document: object) -> Iterable[Approved]:
    for task in _tasks_in(document):
        url, headers = task.get("http"), task.get("headers")
        if not isinstance(url, str) or not isinstance(headers, dict):
            continue
        address = distant_origin(url)
        names = {name for text in headers.values() if isinstance(text, str) for name in names_in(text)}
        for name in sorted(names) if address is not None and address.startswith("https:") else ():
            yield Approved(hash=key_hash(name, str(address)), key=name, address=address)
