from __future__ import annotations

import pytest

from tests.cli.project import Project
from tests.cli.reference import FOLDER, pages


@pytest.mark.parametrize("name", pages())
def test_a_page_of_the_reference_is_current(name: str) -> None:
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == pages()[name], "write it again: python -m tests.cli.reference"


def test_the_reference_holds_nothing_else() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(pages())


def test_the_published_schema_is_what_the_command_prints(project: Project) -> None:
    assert project.rejudge("schema").out == (FOLDER / "evaluation.schema.json").read_text(encoding="utf-8")
