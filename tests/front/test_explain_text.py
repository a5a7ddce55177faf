"""An explanation as people see it: nothing steers a terminal, no line is too long, nothing is cut unsaid."""

from __future__ import annotations

import json

import pytest

import rejudge
from rejudge.front.explain_text import explanation_text
from rejudge.front.lines import width
from rejudge.storage.store import Store
from rejudge.wiring import open_store

HOSTILE = "\x1b[31mred\x07\u202e\nsecond"


@pytest.fixture
def store() -> Store:
    return open_store("memory:")


def prompted(store: Store, name: str, system: str, more: int) -> rejudge.Result:
    rows = [{"id": f"{HOSTILE}{n}", "text": str(n), "note": HOSTILE * more} for n in range(8)]
    provider = rejudge.ScriptedProvider(lambda call: "yes" if more > 1 else "no")
    return rejudge.evaluate_prompt(
        rows,
        [{"role": "system", "content": system}, {"role": "user", "content": "{{ text }}"}],
        "m/1",
        [rejudge.contains(substring="yes", name=f"says yes {HOSTILE}")],
        store=store,
        name=f"experiment {HOSTILE}",
        provider=provider,
    )


@pytest.mark.parametrize("columns", [40, 72, 100, 200])
def test_hostile_text_is_shown_as_text_in_lines_of_the_given_width(store: Store, columns: int) -> None:
    lines = "\n".join(f"rule {n}: {HOSTILE} {'long ' * 60}" for n in range(80))
    first = prompted(store, "a", lines, 1)
    second = prompted(store, "b", lines.replace("rule 7", f"RULE 7 {HOSTILE}"), 3)
    found = rejudge.explain(first, second)
    text = explanation_text(found, columns=columns)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert max(map(width, text.splitlines())) <= max(columns, 64)
    assert "item.note: text changed" in text
    assert "+RULE 7" in text.replace(" ", "").replace("RULE7", "RULE 7")
    json.loads(found.to_json())


def test_what_is_clipped_is_said_to_be_and_the_document_has_it_whole(store: Store) -> None:
    first, second = (
        rejudge.evaluate(
            [{"id": "a", "text": "x"}], echo, [], store=store, name="a", depends_on={"environment_version": "v" * size}
        )
        for size in (300, 400)
    )
    found = rejudge.explain(first, second)
    assert "(402 characters)" in str(found)
    assert "v" * 400 in found.to_json()


def test_a_long_diff_says_how_much_of_it_is_left_out(store: Store) -> None:
    first, second = (
        prompted(store, "a", "\n".join(f"{word} {n}" for n in range(100)), more)
        for word, more in (("before", 1), ("after", 1))
    )
    text = str(rejudge.explain(first, second))
    assert "more lines; --json has them whole" in text


def test_the_parts_the_words_and_the_items_stand_below_each_other(store: Store) -> None:
    def task(text: str) -> str:
        return text if int(text) % 2 else "?"

    rows = [{"id": f"i{n}", "text": str(n), "gold": str(n)} for n in range(40)]
    judge = rejudge.exact_match(reference_key="gold", name="right")
    first = rejudge.evaluate(rows, task, [judge], store=store, name="before", reference=["gold"])
    second = rejudge.evaluate(rows, echo, [judge], store=store, name="after", reference=["gold"])
    text = str(rejudge.explain(first, second))
    assert text.splitlines()[0] == "task → echo"
    assert "right: THE TASK" in text
    assert "= judge      0: one judge judged both runs" in text
    assert "+ task       +50 points [+34, +66] n=40" in text
    assert "+ data       0: both runs are over the same items" in text
    assert "+ missing    0: no common item lacks a score" in text
    assert "task carried by: 20 items, the 5 furthest of them" in text
    assert "i0  +2.5 points  (0 % → 100 %)" in text
    assert "judged: nothing by another run's judge; no task was called" in text
    assert repr(rejudge.explain(first, second)) == "<Explanation of 'task' and 'echo': 1 scores>"
    with pytest.raises(rejudge.ConfigurationError, match="unknown score 'wrong'"):
        rejudge.explain(first, second).score("wrong")


def echo(text: str) -> str:
    return text
