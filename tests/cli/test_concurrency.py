from __future__ import annotations

from tests.cli.project import Project

WAITING = """
import os
import time


def answer(question):
    os.write(2, b"called\\n")
    while not os.path.exists("go"):
        time.sleep(0.01)
    return str(eval(question))
"""


def test_a_command_says_that_it_waits_for_another_process(project: Project) -> None:
    project.evaluation(task=WAITING)
    first = project.process("run", "eval.yaml", "--quiet")
    assert first.stderr is not None
    assert first.stderr.readline() == b"called\n"
    second = project.process("run", "eval.yaml")
    assert second.stderr is not None
    told = ""
    while "waiting" not in told:
        told = second.stderr.readline().decode()
        assert told
    project.write("go", "")
    assert f"waiting for 3 cases that another evaluation is generating (process {first.pid})" in told
    _, err = second.communicate(timeout=60)
    first.communicate(timeout=60)
    assert (first.returncode, second.returncode) == (0, 0)
    assert "waiting" not in err.decode().splitlines()[-2]
