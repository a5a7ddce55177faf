"""Any text can be kept in a text column."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from rejudge.storage.cells import cell, text_of

any_text = st.text(st.characters(exclude_categories=()))


@given(any_text)
@example("\x01")
@example("\x01d800")
@example("\ud800")
@example("a\0b")
def test_every_text_comes_back_as_it_was(text: str) -> None:
    stored = cell(text)
    assert b"\0" not in stored.encode()
    assert text_of(stored) == text


@given(any_text, any_text)
def test_different_texts_have_different_cells(one: str, other: str) -> None:
    assert (cell(one) == cell(other)) == (one == other)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc"))))
def test_ordinary_text_stays_itself(text: str) -> None:
    assert cell(text) == text
