"""What was approved of files that may be anybody's, code and uses of keys: hashes, kept in a file of the user's."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from stat import S_IMODE, S_IWGRP, S_IWOTH
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Final

from rejudge.domain.code import Grant
from rejudge.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable

HASH_LENGTH: Final = 64
_USUAL: Final = Grant()
_HEADER: Final = (
    "# Hashes (SHA-256) of code from elsewhere that rejudge may run in its sandbox, and of servers to which\n"
)
_HEADER_2: Final = "# a file may have a key sent. One is withdrawn by deleting its line. `rejudge trust` adds one.\n"


def code_hash(code: str) -> str:
    """The SHA-256 of the code's UTF-8 bytes in 64 hexadecimal digits: what `sha256sum` says of a file of it."""
    return sha256(code.encode()).hexdigest()


def run_hash(code: str, grant: Grant) -> str:
    """The SHA-256 that stands for running this code with what it is granted; `code_hash` where that is the usual."""
    if grant == _USUAL:
        return code_hash(code)
    tools = sorted(set(grant.tools))
    granted = json.dumps([float(grant.seconds), grant.megabytes, tools], separators=(",", ":"))
    return sha256(b"\xfe" + f"{granted}\n{code}".encode()).hexdigest()  # no text in UTF-8 has this byte


def key_hash(variable: str, address: str) -> str:
    """The SHA-256 that stands for sending the key of that name to that address; no code has it."""
    return sha256(b"\xff" + f"{variable} {address}".encode()).hexdigest()  # no text in UTF-8 has this byte


class Trust:
    """The approved hashes in a file that only its owner may write; without the file nothing is approved."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def approves(self, code: str, grant: Grant = _USUAL) -> bool:
        """Whether this code was approved with exactly this grant.

        Raises ConfigurationError for a file that others could have written.
        """
        return run_hash(code, grant) in self.approved()

    def approved(self) -> set[str]:
        """All approved hashes."""
        try:
            with self.path.open(encoding="utf-8") as file:
                self._check_owner(os.fstat(file.fileno()))
                lines = file.read().splitlines()
        except FileNotFoundError:
            return set()
        except OSError as error:
            raise ConfigurationError(f"{self.path} cannot be read: {error.strerror}") from None
        words = (line.split("#")[0].strip() for line in lines)
        return {word for word in words if _is_hash(word)}

    def approve(self, hashes: Iterable[str]) -> None:
        """Add hashes to the file, whole or not at all; raises ConfigurationError for what is no hash."""
        from fcntl import LOCK_EX, flock  # not on every system, and needed here alone

        wanted = [one.strip().lower() for one in hashes]
        for one in wanted:
            if not _is_hash(one):
                raise ConfigurationError(f"{one!r} is no hash", fix="give the 64 hexadecimal digits of its SHA-256")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self.path.with_suffix(".lock").open("a") as lock:
                flock(lock, LOCK_EX)
                self._write(sorted(self.approved().union(wanted)))
        except OSError as error:
            raise ConfigurationError(f"{self.path} cannot be written: {error.strerror}") from None

    def _write(self, hashes: list[str]) -> None:
        """Replace the file at once; a new file belongs to its owner alone."""
        with NamedTemporaryFile("w", encoding="utf-8", dir=self.path.parent, delete=False) as file:
            try:
                file.write(_HEADER + _HEADER_2 + "".join(f"{one}\n" for one in hashes))
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).replace(self.path)
            except BaseException:
                with suppress(FileNotFoundError):
                    Path(file.name).unlink()
                raise

    def _check_owner(self, found: os.stat_result) -> None:
        if found.st_uid != os.geteuid() or S_IMODE(found.st_mode) & (S_IWGRP | S_IWOTH):
            raise ConfigurationError(
                f"{self.path} could have been written by somebody else, so nothing that it says is believed",
                fix=f"look through it, then: chmod 600 {self.path}",
            )


def _is_hash(word: str) -> bool:
    return len(word) == HASH_LENGTH and set(word) <= set("0123456789abcdef")
