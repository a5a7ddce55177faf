"""Approving code from elsewhere, by its hash or by the evaluation file that holds it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from rejudge.domain.errors import ConfigurationError, Place
from rejudge.files.documents import read_document
from rejudge.sandbox.trust import Trust, code_hash
from rejudge.wiring import trusted_code


class Approved(Struct, frozen=True, kw_only=True):
    """Code that may run from now on; of a bare hash nothing else is known."""

    hash: str
    scorer: str | None = None
    lines: int | None = None


def approve_hash(said: str) -> list[Approved]:
    """Approve one hash; raises ConfigurationError for what is none."""
    return _approved([Approved(hash=said.strip().lower())], trusted_code())


def approve_file(path: Path) -> list[Approved]:
    """Approve all code in an evaluation file or a list of scorers as it is now; nothing of it is loaded or run.

    Raises InputError for a file that cannot be read, ConfigurationError where there is no code in it.
    """
    found = list(_code_in(read_document(path).value))
    if not found:
        raise ConfigurationError(
            "there is no code_eval scorer in it, so nothing to approve", where=Place(file=str(path))
        )
    return _approved(found, trusted_code())


def _approved(found: list[Approved], trust: Trust) -> list[Approved]:
    trust.approve([one.hash for one in found])
    return found


def _code_in(document: object) -> Iterable[Approved]:
    scorers = document.get("scorers") if isinstance(document, dict) else document
    for scorer in scorers if isinstance(scorers, list) else ():
        if isinstance(scorer, dict) and isinstance(code := scorer.get("code"), str):
            name = scorer.get("name", scorer.get("type"))
            yield Approved(hash=code_hash(code), scorer=str(name), lines=len(code.splitlines()))
