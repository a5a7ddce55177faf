"""The program inside the bubblewrap sandbox: a warm Python that forks a guest for each call.

Started as `python inside.py CONTROL FILTER`: the number of a connected socket, and the filter of system calls in
hexadecimal. For each byte that comes over it with a socket, a guest is forked that talks to our side over that socket
alone; when the guest has ended, its wait status goes back. It runs where only the standard library is, and the code
of a call can change nothing but its own guest: a guest has its own memory, its own scratch directory, and no way to
another process.
"""

from __future__ import annotations

import asyncio
import builtins
import ctypes
import gc
import json
import os
import resource
import socket
import struct
import sys
import traceback
import types
from collections.abc import Callable
from typing import Any

# Names that code replaces in `builtins` are not replaced here.
globals()["__builtins__"] = dict(vars(builtins))

SCRATCH = "/scratch"
SCRATCH_BYTES = 16 << 20
SCRATCH_FILES = 1024
OPEN_FILES = 64
DEEPEST = 100
STORY = 2000
PRINTED = 4096
MOST_PRINTED = 1 << 20
LONGEST_ANSWER = 1 << 20
TOO_MUCH_PRINTED = f"it wrote more than {MOST_PRINTED} characters"

_Coroutine = types.CoroutineType
_text = json.encoder.encode_basestring_ascii
_libc = ctypes.CDLL(None, use_errno=True)


class Unreadable(Exception):
    """A value that has no JSON form."""


def main(control: socket.socket, refused: bytes) -> None:
    """Fork a guest for each socket that comes, until our side hangs up."""
    gc.freeze()
    control.sendall(b"r")
    while True:
        message, fds, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            return
        guest = os.fork()
        if guest == 0:
            try:
                control.close()
                serve(socket.socket(fileno=fds[0]), refused)
            finally:
                os._exit(1)
        os.close(fds[0])
        _, status = os.waitpid(guest, 0)
        control.sendall(struct.pack("!i", status))


def serve(channel: socket.socket, refused: bytes) -> None:
    """Answer the one call that comes over the channel, with all doors shut."""
    call = receive(channel)
    shut(call["megabytes"] << 20, int(call["seconds"]) + 2, refused)
    said = perform(call, channel)
    send(channel, f'{{"said":"done","nonce":{_text(call["nonce"])},{said}}}')
    os._exit(0)


def shut(memory: int, seconds: int, refused: bytes) -> None:
    """Leave the guest a scratch directory of its own and nothing else; there is no way back."""
    options = f"size={SCRATCH_BYTES},nr_inodes={SCRATCH_FILES},mode=700".encode()
    clone_newns, nosuid_nodev_noexec = 0x00020000, 2 | 4 | 8
    _checked(_libc.unshare(clone_newns), "unshare")
    _checked(_libc.mount(b"tmpfs", SCRATCH.encode(), b"tmpfs", nosuid_nodev_noexec, options), "mount")
    os.chdir(SCRATCH)
    for limit, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, SCRATCH_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        resource.setrlimit(limit, (most, most))
    nothing = os.open("/dev/null", os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)
    version_3 = 0x20080522
    header, capabilities = struct.pack("=Ii", version_3, 0), bytes(24)
    _checked(_libc.capset(header, capabilities), "capset")
    set_no_new_privs, set_seccomp, mode_filter = 38, 22, 2
    _checked(_libc.prctl(set_no_new_privs, 1, 0, 0, 0), "no_new_privs")
    program = ctypes.create_string_buffer(refused, len(refused))
    described = struct.pack("@HP", len(refused) // 8, ctypes.addressof(program))
    _checked(_libc.prctl(set_seccomp, mode_filter, described, 0, 0), "seccomp")


def _checked(result: int, what: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), what)


def perform(call: dict[str, Any], channel: socket.socket) -> str:
    """Run the code, and say what came of it: the rest of a message in JSON."""
    printed = Printed()
    sys.stdout = sys.stderr = printed
    sys.modules["__main__"] = types.ModuleType("__main__")
    space: dict[str, Any] = {name: _tool(name, call["nonce"], channel) for name in call["tools"]}
    space["__name__"] = "code"
    fault, story, value = "null", "", "null"
    try:
        exec(compile(call["code"], "code", "exec", dont_inherit=True), space)  # noqa: S102 - that is the purpose
        found = space[call["function"]](**call["arguments"])
        if type(found) is _Coroutine:
            found = asyncio.run(found)
        value = encoded(found, 0)
        if len(value) > LONGEST_ANSWER:
            fault, story, value = '"answer"', f"it returned more than {LONGEST_ANSWER} bytes", "null"
    except Unreadable as error:
        fault, story = '"answer"', str(error)
    except MemoryError as error:
        fault, story = '"memory"', told(error)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is told
        fault, story = '"raised"', told(error)
    if printed.length > MOST_PRINTED:
        fault, story, value = '"answer"', TOO_MUCH_PRINTED, "null"
    kept = _text("".join(printed.kept)[:PRINTED])
    return f'"fault":{fault},"story":{_text(story[:STORY])},"printed":{kept},"value":{value}'


def told(error: BaseException) -> str:
    """The error in words, with the last line of the code that it passed through."""
    try:
        words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == "code"]
        return f"{words} (line {lines[-1]})" if lines else words
    except BaseException:  # noqa: BLE001 - the code's own error may fail as well
        return "an error that cannot be told"


def encoded(value: Any, depth: int) -> str:  # noqa: ANN401 - whatever the code returned
    """The JSON of a plain value; raises Unreadable for any other, and for what is no number."""
    kind = type(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if kind is str:
        return _text(value)
    if kind is int:
        return int.__repr__(value)
    if kind is float:
        if value - value != 0.0:
            raise Unreadable(f"it returned {value}, which is no number")
        return float.__repr__(value)
    if depth > DEEPEST:
        raise Unreadable(f"it returned a value of more than {DEEPEST} levels")
    if kind is list or kind is tuple:
        return "[" + ",".join([encoded(one, depth + 1) for one in value]) + "]"
    if kind is dict:
        return "{" + ",".join([f"{_name(name)}:{encoded(one, depth + 1)}" for name, one in value.items()]) + "}"
    raise Unreadable(f"it returned a {kind.__name__}, which has no JSON form")


def _name(name: object) -> str:
    if type(name) is not str:
        raise Unreadable(f"it returned a dict with the key {name!r}, which is not text")
    return _text(name)


class Printed:
    """What the code writes: the beginning is kept, and too much of it is an error."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.kept: list[str] = []
        self.length = 0

    def write(self, text: str) -> int:
        """Take some text."""
        if self.length < PRINTED:
            self.kept.append(text[:PRINTED])
        self.length += len(text)
        if self.length > MOST_PRINTED:
            raise ValueError(TOO_MUCH_PRINTED)
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""

    def isatty(self) -> bool:
        """Nobody looks on."""
        return False


def _tool(name: str, nonce: str, channel: socket.socket) -> Callable[..., object]:
    def call(*given: object, **named: object) -> object:
        if given:
            raise TypeError(f"{name}() takes its arguments by name")
        arguments = encoded(named, 0)
        send(channel, f'{{"said":"ask","nonce":{_text(nonce)},"name":{_text(name)},"arguments":{arguments}}}')
        answer = receive(channel)
        if answer["error"] is not None:
            raise RuntimeError(answer["error"])
        return answer["value"]

    call.__name__ = call.__qualname__ = name
    return call


def send(channel: socket.socket, message: str) -> None:
    """One message: its length in four bytes, then the text."""
    body = message.encode()
    channel.sendall(struct.pack("!I", len(body)) + body)


def receive(channel: socket.socket) -> dict[str, Any]:
    """The next message."""
    (length,) = struct.unpack("!I", _exactly(channel, 4))
    message: dict[str, Any] = json.loads(_exactly(channel, length))
    return message


def _exactly(channel: socket.socket, length: int) -> bytes:
    parts = bytearray()
    while len(parts) < length:
        part = channel.recv(min(length - len(parts), 1 << 20))
        if not part:
            os._exit(2)
        parts += part
    return bytes(parts)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), bytes.fromhex(sys.argv[2]))
