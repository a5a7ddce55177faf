"""Going on with an experiment from its store alone, and what is refused when it would be another one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import rejudge
from rejudge.storage.memory import MemoryStore
from rejudge.wiring import Address
from tests.evaluate.conftest import QUESTIONS, Counting, length, right


class Flaky(Counting):
    """Fails on one item until it is mended."""

    def __init__(self, failing: str = "q2") -> None:
        super().__init__()
        self.failing: str | None = failing

    def __call__(self, item: dict[str, str]) -> str:
        output = super().__call__(item)
        if item["id"] == self.failing:
            raise ValueError("broken")
        return output


@pytest.fixture
def begun() -> tuple[MemoryStore, Flaky]:
    """A store with an experiment `sums` of which one item failed, and its task, mended."""
    store, task = MemoryStore(), Flaky()
    rejudge.evaluate(QUESTIONS, task, [right], store=store, name="sums", trials=2, reference=["answer"])
    task.failing = None
    task.calls.clear()
    return store, task


Begun = tuple[MemoryStore, Flaky]


def test_what_failed_is_run_with_all_its_trials(begun: Begun) -> None:
    store, task = begun
    result = rejudge.evaluate_resume("sums", task, [right], store=store)
    assert task.calls == ["q2", "q2"]
    assert [(row.case.item_id, row.case.trial) for row in result.cases()][2:4] == [("q2", 0), ("q2", 1)]
    assert (result.summary("right").counts.scored, result.complete) == (12, True)
    assert rejudge.evaluate_resume(result.experiment.id, task, [right], store=store).run().id == result.run().id
    assert len(task.calls) == 2


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("task", "its task changed ('Flaky': task changed: its code or a value it uses)"),
        ("scorers", "its scorers changed ('right' is missing, 'length' is new)"),
        ("mapping", "its mapping changed ('right' read no mapping, now answer from question)"),
        ("dataset", "its dataset changed (items: 1 added, 1 modified)"),
    ],
)
def test_a_difference_is_refused_by_name_unless_it_is_accepted(begun: Begun, kind: str, told: str) -> None:
    store, task = begun

    def resumed(accept: list[str]) -> rejudge.Result:
        if kind == "task":
            task.version = "2"
        rows = [{**row, "answer": "0"} if row["id"] == "q1" else row for row in QUESTIONS]
        return rejudge.evaluate_resume(
            "sums",
            task,
            [length] if kind == "scorers" else [right],
            store=store,
            dataset=[*rows, {"id": "q7", "question": "1+1", "answer": "2"}] if kind == "dataset" else None,
            accept_changes=accept,
            scoring_key_mapping={"answer": "question"} if kind == "mapping" else None,
        )

    for accepted in ([], [other for other in ("task", "scorers", "mapping", "dataset") if other != kind]):
        with pytest.raises(rejudge.ConfigurationError) as error:
            resumed(accepted)
        assert told in str(error.value)
        assert f'accept_changes=["{kind}"]' in str(error.value)
    assert task.calls == []
    result = resumed([kind])
    calls = {"task": 12, "scorers": 2, "mapping": 2, "dataset": 4}
    assert len(task.calls) == calls[kind]
    assert result.complete
    accepted_changes = result.experiment.protocol["accepted_changes"]
    assert isinstance(accepted_changes, dict)
    assert list(accepted_changes) == [kind]
    assert "gone on with although" in str(result)
    assert result.experiment.successor_of is not None
    resumed([kind])
    assert len(task.calls) == calls[kind]


def test_a_changed_function_is_told_from_a_changed_mapping(begun: Begun) -> None:
    store, task = begun

    def changed(output: str, answer: str) -> bool:
        return output != answer

    changed.__name__ = "right"
    with pytest.raises(rejudge.ConfigurationError, match=r"its scorers changed \('right': its code\)"):
        rejudge.evaluate_resume("sums", task, [changed], store=store)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"trials": 3}, "trials= was said when the experiment was begun"),
        ({"accept_changes": "task"}, "one text"),
        ({"accept_changes": ["tasks"]}, "did you mean 'task'"),
        ({"concurency": 3}, "did you mean 'concurrency'"),
    ],
)
def test_what_cannot_be_said_of_a_resumption_is_refused(begun: Begun, options: dict[str, object], told: str) -> None:
    store, task = begun
    with pytest.raises(rejudge.ConfigurationError, match=told):
        rejudge.evaluate_resume("sums", task, [right], store=store, **options)  # type: ignore[arg-type]
    with pytest.raises(rejudge.StoreError, match="nothing"):
        rejudge.evaluate_resume("nothing", task, [right], store=store)


def test_a_selection_is_repeated_and_not_made_again(store: Address) -> None:
    task, rows = Flaky("q4"), list(QUESTIONS)
    opened = rejudge.open(store).store
    sampler = rejudge.random_sampler(4, seed=2)
    first = rejudge.evaluate(rows, task, [right], store=opened, name="part", dataset_sampler=sampler)
    ids = [row.case.item_id for row in first.cases()]
    assert "q4" in ids
    task.calls.clear()
    task.failing = None
    result = rejudge.evaluate_resume("part", task, [right], store=opened)
    assert (task.calls, [row.case.item_id for row in result.cases()]) == (["q4"], ids)
    assert result.experiment.id == first.experiment.id
    with pytest.raises(rejudge.ConfigurationError, match="about a selection"):
        rejudge.evaluate_resume("part", task, [right], store=opened, dataset=rows)


TASK = """
import os
import pathlib

import rejudge


def task(item):
    with open(os.environ["CALLS"], "a") as log:
        log.write(item["id"] + "\\n")
    if item["id"] == os.environ["FAILING"]:
        raise ValueError("broken")
    return item["id"]


task.version = "1"


def right(output, answer):
    return output == answer
"""

BEGIN = """
from work import *

path = pathlib.Path("items.jsonl")
path.write_text("".join('{"id": "i%d", "answer": "i%d", "level": %d}\\n' % (n, n, n) for n in range(20)))
rejudge.evaluate(
    path, task, [right], name="moved", dataset_filter_string="level >= 5",
    dataset_sampler=rejudge.stratified_sampler(6, by="level", seed=3), dataset_item_ids=["i%d" % n for n in range(15)],
)
"""

GO_ON = """
from work import *

result = rejudge.evaluate_resume("moved", task, [right])
print([row.case.item_id for row in result.cases()], result.complete)
"""


def test_a_copied_store_is_gone_on_with_elsewhere_without_any_file(tmp_path: Path) -> None:
    def python(folder: str, code: str, failing: str) -> tuple[str, list[str]]:
        place, home = tmp_path / folder, tmp_path / f"home of {folder}"
        place.mkdir(exist_ok=True)
        home.mkdir(exist_ok=True)
        (place / "work.py").write_text(TASK)
        log = place / "calls"
        log.write_text("")
        variables = {"HOME": str(home), "CALLS": str(log), "FAILING": failing}
        ran = subprocess.run(
            [sys.executable, "-c", code], cwd=place, env=os.environ | variables, capture_output=True, check=True
        )
        return ran.stdout.decode(), log.read_text().split()

    _, first = python("here", BEGIN, failing="")
    assert len(first) == 6
    shutil.rmtree(tmp_path / "here")
    _, again = python("here", BEGIN, failing=first[0])
    assert sorted(again) == sorted(first)
    (tmp_path / "there").mkdir()
    for file in (tmp_path / "here").glob("rejudge.db*"):
        shutil.copy(file, tmp_path / "there")
    shutil.rmtree(tmp_path / "here")
    said, calls = python("there", GO_ON, failing="")
    assert calls == [first[0]]
    assert said.strip() == f"{sorted(first, key=lambda one: int(one[1:]))} True"
    _, calls = python("there", GO_ON, failing="")
    assert calls == []


def test_a_task_that_fails_again_is_tried_again(failing_on: Callable[[str], Callable[[dict[str, str]], str]]) -> None:
    store = MemoryStore()
    rejudge.evaluate(QUESTIONS, failing_on("q1"), [length], store=store, name="sums")
    assert rejudge.evaluate_resume("sums", failing_on("q1"), [length], store=store).exit_code() == 3
