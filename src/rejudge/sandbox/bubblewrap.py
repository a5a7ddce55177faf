"""The hardened sandbox: the real CPython inside bubblewrap, with its standard library and nothing else."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rejudge.domain.errors import ConfigurationError
from rejudge.sandbox.box import Box, BoxGone
from rejudge.sandbox.syscalls import call_filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.code import CodeCall, CodeResult
    from rejudge.sandbox.sandbox import Ask

INSTALL: Final = (
    "install bubblewrap 0.8 or later (Debian and Ubuntu: apt-get install bubblewrap), or use sandbox: monty"
)
NEEDED: Final = (
    "it needs bubblewrap 0.8 or later, and a kernel that lets this user make user namespaces (in a container: without "
    "its seccomp profile; on Ubuntu 24.04: sysctl kernel.apparmor_restrict_unprivileged_userns=0); or use sandbox: "
    "monty"
)
_PROGRAM: Final = Path(__file__).with_name("inside.py")
_INSIDE: Final = "/inside.py"


class Bubblewrap:
    """Up to two warm sandboxes for each processor; each serves one call at a time and is thrown away if it is hurt.

    Around all of them stands bubblewrap: no network, no environment, none of our files but Python's own, read only.
    Within, each call has a process with a memory and a scratch directory of its own, which can make no other process.
    """

    def __init__(self) -> None:
        self._free: list[Box] = []
        self._slots = asyncio.Semaphore(2 * (os.cpu_count() or 1))

    async def check(self, code: str) -> None:
        """Raise ConfigurationError where bubblewrap is missing or does not work here; it has a form for all Python."""
        async with self._slots:
            self._free.append(await self._taken())

    async def run(self, call: CodeCall, ask: Ask) -> CodeResult:
        """What the function returned, or the fault that it ended in."""
        async with self._slots:
            while True:
                box = await self._taken()
                try:
                    return await box.run(call, ask)
                except BoxGone:
                    continue  # somebody ended it while it was idle
                finally:
                    if box.alive:
                        self._free.append(box)

    async def close(self) -> None:
        """End all sandboxes."""
        while self._free:
            await self._free.pop().close()

    async def _taken(self) -> Box:
        if self._free:
            return self._free.pop()
        program = shutil.which("bwrap")
        if program is None:
            raise ConfigurationError("the sandbox bubblewrap is not installed here", fix=INSTALL)
        refused = call_filter(platform.machine())
        try:
            return await Box.opened(partial(_command, program, refused))
        except ConfigurationError as error:
            raise ConfigurationError(f"the sandbox bubblewrap cannot work here: {error.what}", fix=NEEDED) from None


def _command(program: str, refused: bytes, control: int) -> Sequence[str]:
    python = Path(getattr(sys, "_base_executable", sys.executable)).resolve()  # not the one of a virtual environment
    home = Path(sys.base_prefix).resolve()
    command = [program, "--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net", "--unshare-ipc"]
    command += ["--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox", "--uid", "65534", "--gid", "65534"]
    command += ["--die-with-parent", "--as-pid-1", "--new-session", "--clearenv", "--setenv", "HOME", "/scratch"]
    command += ["--setenv", "PYTHONHASHSEED", "0", "--setenv", "LANG", "C.UTF-8"]
    command += ["--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN"]  # for the scratch directories; a guest has none
    for folder in ("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache"):
        command += ["--ro-bind-try", folder, folder]
    for path in (home / "lib", home / "lib64", python):
        command += ["--ro-bind-try", str(path), str(path)]
    command += ["--setenv", "PYTHONHOME", str(home), "--setenv", "LD_LIBRARY_PATH", str(home / "lib")]
    command += ["--dev-bind", "/dev/null", "/dev/null", "--ro-bind", str(_PROGRAM), _INSIDE]
    command += ["--dir", "/scratch", "--chdir", "/", "--remount-ro", "/"]
    return [*command, str(python), "-S", "-s", "-P", "-B", _INSIDE, str(control), refused.hex()]
