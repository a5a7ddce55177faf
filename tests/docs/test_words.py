"""The glossary and the decision records are complete and in order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = (ROOT / "GLOSSARY.md").read_text(encoding="utf-8")
RECORDS = sorted((ROOT / "docs/adr").glob("[0-9]*.md"))
SECTIONS = ["Context", "Decision", "Consequences", "Alternatives rejected"]


def test_the_glossary_names_each_word_once_in_alphabetical_order() -> None:
    words = [word.casefold() for word in re.findall(r"^\*\*(.+?)\*\*: ", GLOSSARY, re.MULTILINE)]
    assert words == sorted(set(words))
    assert len(words) == len(re.findall(r"^\*\*", GLOSSARY, re.MULTILINE))


@pytest.mark.parametrize("number", range(1, len(RECORDS) + 1))
def test_a_decision_record_has_its_number_sections_and_line_in_the_index(number: int) -> None:
    record = RECORDS[number - 1]
    text = record.read_text(encoding="utf-8")
    assert record.name.startswith(f"{number:04d}-")
    assert text.startswith(f"# {number}. ")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS
    assert f"({record.name})" in (ROOT / "docs/adr/README.md").read_text(encoding="utf-8")
