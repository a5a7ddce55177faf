"""Whether the process behind an owner still runs, so that a dead one's claims are free at once."""

from __future__ import annotations

import os
import socket
from functools import cache
from pathlib import Path
from uuid import uuid4

from rejudge.storage.records import Owner

_STARTED = 19
"""Place of a process's start time behind its name in `/proc/<pid>/stat` (field 22 of `man proc`)."""


def this_process() -> Owner:
    """A new owner in this process; each call names another one."""
    return Owner(this_host(), _boot(), os.getpid(), _started(os.getpid()) or "", uuid4().hex)


_ended: set[str] = set()
"""The nonces of owners of this process that have ended and could not say so in their store."""


def has_ended(owner: Owner) -> None:
    """Know an owner of this process for dead, though its process lives on."""
    _ended.add(owner.nonce)


def known_dead(owner: Owner, *, lease_until: float, now: float) -> bool:
    """Whether the owner cannot be at work any more.

    A process of this host is looked at; what other hosts do is known by their lease alone.
    """
    if owner.nonce in _ended:
        return True
    if owner.host != this_host():
        return now >= lease_until
    return owner.boot != _boot() or not _runs(owner.pid, started=owner.started)


@cache
def this_host() -> str:
    """This host, with its process number space: two containers under one name cannot see each other's processes."""
    try:
        return f"{socket.gethostname()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()


def _runs(pid: int, *, started: str) -> bool:
    now_running = _started(pid)
    if now_running is not None:
        return not started or now_running == started
    if _proc_is_there():
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _started(pid: int) -> str | None:
    """When a process began, in ticks since boot; None where it is gone or the system does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in {"Z", "X"} else fields[_STARTED]


@cache
def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _proc_is_there() -> bool:
    return _started(os.getpid()) is not None
