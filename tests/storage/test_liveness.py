"""Whether a process still runs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from msgspec.structs import replace

from rejudge.storage.liveness import known_dead, this_process

LATER = 100.0


def test_this_process_is_alive_however_old_its_lease() -> None:
    assert not known_dead(this_process(), lease_until=0.0, now=LATER)


def test_two_owners_in_one_process_are_told_apart() -> None:
    assert this_process() != this_process()


def test_a_process_that_has_ended_is_dead_before_anybody_waits_for_it() -> None:
    with subprocess.Popen([sys.executable, "-c", "pass"], stdout=subprocess.PIPE) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        owner = replace(this_process(), pid=process.pid, started="")
        assert known_dead(owner, lease_until=LATER, now=0.0)


@pytest.mark.parametrize("changes", [{"started": "1"}, {"boot": "an earlier boot"}])
def test_a_number_that_was_given_out_again_is_another_process(changes: dict[str, str]) -> None:
    assert known_dead(replace(this_process(), **changes), lease_until=LATER, now=0.0)


def test_another_host_is_known_by_its_lease() -> None:
    owner = replace(this_process(), host="another host", boot="another boot")
    assert not known_dead(owner, lease_until=LATER, now=LATER - 1)
    assert known_dead(owner, lease_until=LATER, now=LATER)
