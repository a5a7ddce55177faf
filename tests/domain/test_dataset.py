from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.dataset import VersionDigest
from tests.domain.values import any_text

items = st.lists(st.tuples(any_text, st.binary(min_size=32, max_size=32)), max_size=4)


def version(rows: list[tuple[str, bytes]], reference: list[str]) -> str:
    made = VersionDigest(reference)
    for item_id, content in rows:
        made.add(item_id, content)
    return made.id()


@given(items, items)
def test_versions_share_an_id_exactly_when_items_and_their_order_are_the_same(
    left: list[tuple[str, bytes]], right: list[tuple[str, bytes]]
) -> None:
    assert (version(left, []) == version(right, [])) == (left == right)


def test_what_is_declared_as_reference_is_part_of_the_version_and_its_order_is_not() -> None:
    assert version([], ["a", "b"]) == version([], ["b", "a"]) != version([], ["a"])


def test_the_id_can_be_asked_for_on_the_way() -> None:
    made = VersionDigest(())
    empty = made.id()
    made.add("a", b"\0" * 32)
    assert made.id() != empty == version([], [])
