"""`rejudge power`: before a run, from runs, as text and as JSON."""

from __future__ import annotations

from typing import cast

import pytest

from tests.cli.project import Project


def test_items_are_planned_without_a_store(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said = project.rejudge("power", "--rate", "0.6", "--difference", "0.05", "--items", "500", "--reliability", "0.7")
    assert (said.code, said.err) == (0, "")
    assert "960 items find a difference of 5 points with 80 % power" in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    assert not (project.folder / "rejudge.db").exists()
    document = project.rejudge("power", "--std", "0.3", "--difference", "0.05", "--json").document
    plan = cast("dict[str, dict[str, dict[str, int]]]", document["power"])["plan"]
    assert plan["needed"]["items"] == 285


def test_power_is_planned_from_a_run(project: Project) -> None:
    project.evaluation()
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    said = project.rejudge("power", "sums", "--difference", "-0.1")
    assert (said.code, said.err) == (0, "")
    assert "3 items, mean 1" in " ".join(said.out.split())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "neither a run, nor a pass rate"),
        (("--rate", "0.5", "--difference", "0.7"), "cannot move by 70 points"),
        (("--rate", "0.5", "--difference", "0.1", "--power", "1.5"), "is not a power"),
        (("nobody", "--difference", "0.1"), "there is no store here"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_words(project: Project, arguments: tuple[str, ...], told: str) -> None:
    said = project.rejudge("power", *arguments)
    assert (said.code, said.out) == (2, "")
    assert told in " ".join(said.err.split())
