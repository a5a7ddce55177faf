from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.datasets.rows import Entry, RowSpec, entries_of
from rejudge.datasets.samplers import random_sampler, stratified_sampler
from rejudge.datasets.selection import Selection, selection_of
from rejudge.domain.errors import ConfigurationError, UnknownName


def entries(count: int) -> Iterator[Entry]:
    rows = ({"id": f"q{number}", "n": number, "kind": "ab"[number % 4 == 0]} for number in range(count))
    return entries_of(((row, None) for row in rows), RowSpec())


def ids(selection: Selection, count: int = 20) -> list[str]:
    return [entry.item_id for entry in selection.of(entries(count))]


def test_ids_take_these_items_in_the_order_of_the_dataset() -> None:
    assert ids(selection_of(ids=["q7", "q2", "q7"])) == ["q2", "q7"]
    assert ids(selection_of(ids=[])) == []


def test_an_unknown_id_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"(?s)unknown item 'q77'.*did you mean 'q7'"):
        ids(selection_of(ids=["q1", "q77"]))


def test_the_first_ones_are_read_and_no_more() -> None:
    stream = entries(1000)
    assert len(list(selection_of(first=3).of(stream))) == 3
    assert next(iter(stream)).item_id == "q3"


def test_ids_come_before_the_filter_and_that_before_the_sample_and_the_first() -> None:
    chosen = selection_of(condition="n >= 4", sampler=random_sampler(5, seed=1), first=3)
    found = ids(chosen)
    assert len(found) == 3
    sample = ids(selection_of(condition="n >= 4", sampler=random_sampler(5, seed=1)))
    assert found == sample[:3]
    assert all(int(one[1:]) >= 4 for one in sample)
    assert ids(selection_of(ids=["q1", "q9"], condition="n > 4")) == ["q9"]


@given(st.integers(1, 30), st.integers(0, 40), st.integers(0, 5))
def test_a_sample_has_the_size_asked_for_no_item_twice_and_the_order_of_the_dataset(
    n: int, count: int, seed: int
) -> None:
    found = [int(one[1:]) for one in ids(selection_of(sampler=random_sampler(n, seed=seed)), count)]
    assert len(found) == min(n, count)
    assert found == sorted(set(found))
    assert found == [int(one[1:]) for one in ids(selection_of(sampler=random_sampler(n, seed=seed)), count)]


def test_every_item_is_equally_likely_in_a_sample() -> None:
    taken = Counter(one for seed in range(2000) for one in ids(selection_of(sampler=random_sampler(5, seed=seed)), 10))
    assert all(abs(times - 1000) < 120 for times in taken.values())  # 5 standard deviations of 22.4


@given(st.integers(1, 40), st.integers(1, 60), st.integers(0, 3))
def test_a_stratified_sample_keeps_the_shares_to_within_one_item(n: int, count: int, seed: int) -> None:
    whole = Counter(entry.fields["kind"] for entry in entries(count))
    chosen = selection_of(sampler=stratified_sampler(n, by="kind", seed=seed)).of(entries(count))
    found = Counter(entry.fields["kind"] for entry in chosen)
    assert found.total() == min(n, count)
    assert all(abs(found[kind] - min(n, count) * size / count) < 1 for kind, size in whole.items())


def test_every_item_of_a_stratum_is_equally_likely() -> None:
    sampler = [stratified_sampler(4, by="kind", seed=seed) for seed in range(2000)]
    taken = Counter(one for each in sampler for one in ids(selection_of(sampler=each), 8))
    assert set(taken) == {f"q{number}" for number in range(8)}
    assert all(abs(times - 1000) < 120 for times in taken.values())


def test_a_sample_by_a_field_that_no_item_has_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no item has the field 'knd'"):
        ids(selection_of(sampler=stratified_sampler(2, by="knd")))


def test_rows_that_are_one_item_are_taken_once() -> None:
    rows: list[tuple[dict[str, object], None]] = [({"q": 1}, None), ({"q": 1}, None), ({"q": 2}, None)]
    assert len(list(selection_of(first=2).of(entries_of(rows, RowSpec())))) == 2
    assert len(list(selection_of(sampler=random_sampler(2)).of(entries_of(rows, RowSpec())))) == 2


@pytest.mark.parametrize("n", [0, -1, True, 1.5])
def test_a_sample_of_no_items_is_refused(n: int) -> None:
    with pytest.raises(ConfigurationError):
        random_sampler(n)
    with pytest.raises(ConfigurationError):
        stratified_sampler(n, by="kind")


def test_what_selects_in_no_way_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="first 0 items are none"):
        selection_of(first=0)
    with pytest.raises(ConfigurationError, match="one text"):
        selection_of(ids="q1")
    with pytest.raises(ConfigurationError, match="a sampler is no int"):
        selection_of(sampler=3)
