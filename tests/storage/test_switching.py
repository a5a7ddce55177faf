"""Threads take turns quickly while a store works, and as usual otherwise."""

from __future__ import annotations

import sys
from threading import Barrier, Thread

from rejudge.storage.switching import prompt_switching


def test_the_usual_interval_is_back_when_the_last_thread_has_left() -> None:
    usual, inside, leaving = sys.getswitchinterval(), Barrier(3), Barrier(3)
    seen: list[float] = []

    def work() -> None:
        with prompt_switching():
            inside.wait()
            leaving.wait()

    threads = [Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    inside.wait()
    seen.append(sys.getswitchinterval())
    leaving.wait()
    for thread in threads:
        thread.join()
    assert seen[0] < usual
    assert sys.getswitchinterval() == usual


def test_one_that_leaves_first_does_not_slow_down_the_others() -> None:
    usual = sys.getswitchinterval()
    with prompt_switching():
        with prompt_switching():
            prompt = sys.getswitchinterval()
        assert sys.getswitchinterval() == prompt < usual
    assert sys.getswitchinterval() == usual
