"""Any text can be kept in a text column."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rejudge.domain.errors import NotFound
from rejudge.domain.score import ScoreValue
from rejudge.storage.cells import cell, text_of
from rejudge.storage.promises.scene import Scene, new_item, write
from rejudge.storage.records import Batch
from rejudge.storage.sqlite import open_sqlite

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


@pytest.mark.parametrize("text", ["\ud83d", "a\0b", "\x01", "zwei\nZeilen"])
def test_a_store_keeps_any_text_wherever_people_or_models_write_it(tmp_path: Path, text: str) -> None:
    with closing(open_sqlite(tmp_path / "store.db")) as store:
        scene = Scene(store)
        version = write(store, text, [new_item(text, answer=text)])
        scene.items = store.items(version.id, start=0, count=1)
        run = scene.run("r")
        (trace,) = scene.generate(run, scene.trace(run, (0, 0), output=text))
        score = scene.score(run, trace, ScoreValue(name=text, label=text), reason=text, cause=text)
        scene.commit(Batch(scores=[score]))
        row = store.case("r", text)
        assert store.version(text).dataset == row.item.id == row.item.fields["answer"] == text
        assert row.trace is not None
        assert row.trace.produced.output == row.scores[0].reason == row.scores[0].cause == text
        assert [(label.name, label.label) for label in store.counts("r").labels] == [(text, text)]
        for nowhere in (lambda: store.run(text), lambda: store.experiment(text), lambda: store.find_version(text)):
            with pytest.raises(NotFound):
                nowhere()
