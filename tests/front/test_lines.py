from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from rejudge.front.lines import block, clipped, one_line, padded, width, wrapped

anything = st.text(st.characters(codec=None), max_size=300)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\r\nthree", "two⏎lines⏎three"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("over\rwritten\t", "over\\rwritten\\t"),
        ("user\u202etxt.exe", "user\\u202etxt.exe"),
        ("pa\u200bss\ufeff", "pa\\u200bss\\ufeff"),
        ("a\u00a0b", "a\\xa0b"),
        ("half \ud83d", "half \\ud83d"),
        ("pa\u200dss", "pa\\u200dss"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("👩\u200d💻 ❤\ufe0f\u200d🔥", "👩\u200d💻 ❤\ufe0f\u200d🔥"),
        ("日本\u3000語", "日本\u3000語"),
    ],
)
def test_what_cannot_be_seen_is_written_out_and_writing_that_needs_it_is_kept(text: str, shown: str) -> None:
    assert one_line(text) == shown


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("e\u0301" * 9, 9, "e\u0301" * 9),
        ("a\nb", 2, "a…"),
        ("", 3, ""),
    ],
)
def test_a_text_is_clipped_by_the_columns_that_it_takes(text: str, limit: int, shown: str) -> None:
    assert clipped(text, limit) == shown


@given(anything, st.integers(min_value=1, max_value=40))
def test_a_clipped_text_fits_and_holds_nothing_that_acts(text: str, limit: int) -> None:
    shown = clipped(text, limit)
    assert width(shown) <= limit
    assert cell_len(shown) <= limit
    assert not set(shown) & {"\x1b", "\r", "\n", "\x07", "\u202e", "\u2066", "\u200b", "\u2028"}
    assert shown.encode().decode() == shown


def test_endless_marks_without_a_width_do_not_get_through() -> None:
    assert len(clipped("a" + "\u0301" * 100_000, 10)) <= 41


@given(st.text(max_size=200), st.integers(min_value=1, max_value=40))
def test_wrapped_lines_fit(text: str, limit: int) -> None:
    assert all(width(line) <= limit for line in wrapped(one_line(text), limit))


@given(st.lists(st.text("ab日", min_size=1, max_size=5)))
def test_wrapping_loses_no_word_that_fits(words: list[str]) -> None:
    text = " ".join(words)
    assert " ".join(wrapped(text, 10)) == text


def test_a_block_keeps_its_lines_and_loses_its_teeth() -> None:
    assert block("one\n\x1b[2Jtwo\u2028three\n") == ["one", "\\x1b[2Jtwo", "three", ""]


def test_columns_are_filled_up_with_blanks() -> None:
    assert padded("日本", 6) == "日本  "
