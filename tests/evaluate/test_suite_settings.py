"""What a suite is told, and what is refused of it before the first task call."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import rejudge
from rejudge.domain.errors import NameClash
from rejudge.storage.memory import MemoryStore

if TYPE_CHECKING:
    from rejudge.front.suite_result import SuiteResult

UNASKED = rejudge.ScriptedProvider(lambda call: AssertionError("a model was asked"))
ITEMS = [{"id": "1", "question": "hello"}]


def never(question: str) -> str:
    raise AssertionError("the task was called")


def echo(question: str) -> str:
    return question


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"assertions": 3}, "assertions= is a int"),
        ({"assertions": {"It is polite": True}}, "assertions= is a dict"),
        ({"assertions": [3]}, "an assertion is text"),
        ({"experiment_config": 3}, "experiment_config= is a int"),
        ({"experiment_config": "x"}, "experiment_config= is a str"),
        ({"report_output_path": 3}, "not to a int"),
        ({"report_output_path": b"report.json"}, "not to a bytes"),
        ({"report_output_path": ["report.json", 3]}, "the report 3 has no path"),
        ({"report_output_path": "a\0b.json"}, "NUL"),
    ],
)
def test_a_setting_of_the_wrong_kind_is_refused_before_the_first_task_call(
    settings: dict[str, object], told: str
) -> None:
    with pytest.raises(rejudge.ConfigurationError, match=re.escape(told)):
        rejudge.run_tests(ITEMS, never, scorers=lambda output: True, store=MemoryStore(), **settings)  # type: ignore[arg-type]


def test_a_path_that_the_file_system_refuses_costs_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def to_json(suite: SuiteResult) -> str:
        raise ValueError("no such form")

    monkeypatch.setattr(rejudge.SuiteResult, "to_json", to_json)
    suite = rejudge.run_tests(
        ITEMS, echo, scorers=lambda output: True, store=MemoryStore(), report_output_path=tmp_path / "r.json"
    )
    assert suite.passed
    assert suite.warnings == [f"the report {tmp_path / 'r.json'} could not be written: no such form"]


def test_assertions_that_differ_in_a_sign_alone_are_refused_wherever_they_stand() -> None:
    """A score's name has no signs: one of the two would be taken for the other."""
    for mine, own in ((["It is > 3", "It is < 3"], []), (["It is > 3"], ["It is < 3"])):
        items = [{**ITEMS[0], "scorers": own}]
        with pytest.raises(NameClash):
            rejudge.run_tests(items, never, assertions=mine, model="m", provider=UNASKED, store=MemoryStore())
