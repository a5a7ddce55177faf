"""One warm bubblewrap sandbox: a process that forks a guest for each call, one call at a time."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
from contextlib import suppress
from secrets import token_hex
from signal import SIGXCPU, Signals
from struct import Struct as Layout
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Final, Literal

import msgspec
from msgspec import Struct

from rejudge.domain.code import CodeResult, Fault
from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.domain.payload import encode
from rejudge.sandbox.sandbox import (
    LONGEST_ANSWER,
    AskedTooOften,
    ToolFailed,
    failed,
    out_of_time,
    returned,
    without_form,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rejudge.domain.code import CodeCall
    from rejudge.sandbox.sandbox import Ask

START_SECONDS: Final = 20.0
GRACE_SECONDS: Final = 1.0
"""How long a guest may take to end once it has answered, and a killed sandbox to be gone."""

_LENGTH: Final = Layout("!I")
_STATUS: Final = Layout("!i")
_LARGEST_MESSAGE: Final = 2 * LONGEST_ANSWER
"""An answer of the allowed length with all that stands around it."""


class _Asked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="said", tag="ask"):
    nonce: str
    name: str
    arguments: dict[str, object]


class _Done(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="said", tag="done"):
    nonce: str
    fault: Literal["raised", "memory", "answer"] | None
    story: str
    printed: str
    value: msgspec.Raw


_messages: Final = msgspec.json.Decoder(_Asked | _Done)


class BoxGone(Exception):
    """The sandbox had ended before the call reached it."""


class _Forged(Exception):
    """What came is no message of ours."""


class Box:
    """A sandbox that is running. After a call that did not end as it should it is gone, and `alive` is False."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket) -> None:
        self.alive = True
        self._process = process
        self._control = control

    @staticmethod
    async def opened(command: Callable[[int], Sequence[str]]) -> Box:
        """Start the command for a socket of this number; raises ConfigurationError where it does not start."""
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with theirs, TemporaryFile() as complaints:
            process = subprocess.Popen(  # noqa: ASYNC220 - some ms, once; the sandbox dies with the thread that starts it
                command(theirs.fileno()),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=complaints,
                env={},
                cwd="/",
                start_new_session=True,  # Ctrl-C is for us
            )
            theirs.close()
            box = Box(process, ours)
            try:
                async with asyncio.timeout(START_SECONDS):
                    ready = await asyncio.get_running_loop().sock_recv(ours, 1)
            except TimeoutError:
                ready = b""
            except BaseException:
                await box.close()
                raise
            if ready:
                return box
            await box.close()
            complaints.seek(0)
            raise ConfigurationError(f"it does not start: {complaints.read().decode(errors='replace').strip()[-500:]}")

    async def run(self, call: CodeCall, ask: Ask) -> CodeResult:
        """The result of one call; whatever the code does, it comes within the call's seconds and a little.

        Raises BoxGone where the call was never begun.
        """
        nonce = token_hex(16)
        try:
            request = encode(
                {
                    "nonce": nonce,
                    "code": call.code,
                    "function": call.function,
                    "arguments": call.arguments,
                    "tools": call.tools,
                    "seconds": call.seconds,
                    "megabytes": call.megabytes,
                }
            )
        except RecordError as error:
            return without_form(error)
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with ours:
            with theirs:
                try:
                    socket.send_fds(self._control, [b"c"], [theirs.fileno()])
                except OSError as error:
                    await self.close()
                    raise BoxGone from error
            conversation = _Conversation(ours, nonce, call, ask)
            try:
                result = await conversation.held(request)
            except BaseException:
                await self.close()
                raise
        return await self._ended(result, call)

    async def _ended(self, result: CodeResult | None, call: CodeCall) -> CodeResult:
        """The result, once the guest is gone; what has no answer is told by how the guest ended."""
        if result is not None and result.fault in (Fault.TIME, Fault.CRASHED, Fault.TOOLS):
            await self.close()
            return result
        try:
            async with asyncio.timeout(GRACE_SECONDS):
                said = await asyncio.get_running_loop().sock_recv(self._control, _STATUS.size)
        except (TimeoutError, OSError):
            said = b""
        except BaseException:
            await self.close()
            raise
        if len(said) < _STATUS.size:
            await self.close()
            return failed(Fault.CRASHED, "it hung up without an answer") if result is None else result
        (status,) = _STATUS.unpack(said)
        return _without_answer(status, call) if result is None else result

    async def close(self) -> None:
        """End the sandbox with everything in it, and come back when it is gone."""
        if not self.alive:
            return
        self.alive = False
        self._process.kill()
        try:
            with suppress(TimeoutError, OSError):
                async with asyncio.timeout(GRACE_SECONDS):
                    while await asyncio.get_running_loop().sock_recv(self._control, 64):
                        continue  # until the last process inside has let go of it
        finally:
            self._control.close()
            self._process.wait()


class _Conversation:
    """What is said between us and the guest of one call."""

    def __init__(self, channel: socket.socket, nonce: str, call: CodeCall, ask: Ask) -> None:
        self._channel = channel
        self._nonce = nonce
        self._call = call
        self._ask = ask
        self._loop = asyncio.get_running_loop()
        self._left = call.seconds

    async def held(self, request: bytes) -> CodeResult | None:
        """The answer to the request; None where the guest ended without one."""
        message = request
        while True:
            begun = self._loop.time()
            try:
                async with asyncio.timeout(self._left):
                    await self._loop.sock_sendall(self._channel, _LENGTH.pack(len(message)) + message)
                    said = await self._next()
            except TimeoutError:
                return out_of_time(self._call.seconds)
            except OSError:
                return None
            except _Forged as error:
                return failed(Fault.CRASHED, str(error))
            if said is None:
                return None
            if isinstance(said, _Done):
                return _result(said)
            self._left -= self._loop.time() - begun
            try:
                message = await self._asked(said)
            except AskedTooOften as error:
                return failed(Fault.TOOLS, str(error))

    async def _asked(self, said: _Asked) -> bytes:
        try:
            value = await self._ask(said.name, said.arguments)
        except ToolFailed as error:
            return encode({"error": str(error)})
        return encode({"error": None, "value": value})

    async def _next(self) -> _Asked | _Done | None:
        head = await self._exactly(_LENGTH.size)
        if head is None:
            return None
        (length,) = _LENGTH.unpack(head)
        if length > _LARGEST_MESSAGE:
            raise _Forged("it wrote what is no message where its answer goes")
        body = await self._exactly(length)
        if body is None:
            return None
        try:
            said = _messages.decode(body)
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            raise _Forged("it wrote what is no message where its answer goes") from None
        if said.nonce != self._nonce:
            raise _Forged("it forged an answer")
        if isinstance(said, _Asked) and said.name not in self._call.tools:
            raise _Forged("it asked for a tool that it was not given")
        return said

    async def _exactly(self, length: int) -> bytes | None:
        parts = bytearray()
        while len(parts) < length:
            part = await self._loop.sock_recv(self._channel, min(length - len(parts), 1 << 20))
            if not part:
                return None
            parts += part
        return bytes(parts)


def _result(said: _Done) -> CodeResult:
    if said.fault is not None:
        return failed(Fault(said.fault), said.story, printed=said.printed)
    return returned(bytes(said.value), printed=said.printed)


def _without_answer(status: int, call: CodeCall) -> CodeResult:
    if os.WIFSIGNALED(status):
        ended_by = os.WTERMSIG(status)
        if ended_by == SIGXCPU:
            return out_of_time(call.seconds)
        return failed(Fault.CRASHED, f"its process was ended by {_signal_name(ended_by)}")
    return failed(Fault.CRASHED, f"its process ended without an answer, with code {os.WEXITSTATUS(status)}")


def _signal_name(number: int) -> str:
    try:
        return Signals(number).name
    except ValueError:  # most real-time signals have none
        return f"signal {number}"
