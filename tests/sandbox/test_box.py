"""A sandbox that does not behave: what it said counts, and it is thrown away."""

from __future__ import annotations

import asyncio
import sys

from rejudge.domain.code import CodeResult
from rejudge.sandbox.box import Box, _without_answer
from tests.sandbox.conftest import honest_call, no_tools

ANSWERS_AND_STAYS = """
import json, socket, struct, sys, time
control = socket.socket(fileno=int(sys.argv[1]))
control.sendall(b"r")
channel = socket.socket(fileno=socket.recv_fds(control, 1, 1)[1][0])
read = channel.makefile("rb").read
nonce = json.loads(read(*struct.unpack("!I", read(4))))["nonce"]
said = {"said": "done", "nonce": nonce, "fault": None, "story": "", "printed": "", "value": 1.0}
body = json.dumps(said).encode()
channel.sendall(struct.pack("!I", len(body)) + body)
time.sleep(600)
"""


def test_an_answer_counts_also_where_its_process_is_slow_to_end() -> None:
    async def asked() -> tuple[CodeResult, bool]:
        box = await Box.opened(lambda control: [sys.executable, "-I", "-c", ANSWERS_AND_STAYS, str(control)])
        try:
            return await box.run(honest_call(), no_tools), box.alive
        finally:
            await box.close()

    assert asyncio.run(asked()) == (CodeResult(value=1.0), False)


def test_a_process_that_ended_by_a_real_time_signal_is_a_crash_with_its_number() -> None:
    assert _without_answer(40, honest_call()).story == "its process was ended by signal 40"
