from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.ids import content_id, digest, digest_of_bytes, id_of, raw_of
from tests.domain.values import any_value


@given(any_value)
def test_an_id_is_its_kind_and_64_hexadecimal_digits(value: object) -> None:
    kind, _, text = content_id("item", value).partition("-")
    assert (kind, len(text)) == ("item", 64)
    assert raw_of(content_id("item", value)) == digest("item", value) == bytes.fromhex(text)


def test_equal_content_has_one_id_and_the_kind_is_part_of_it() -> None:
    assert content_id("item", {"a": 1, "b": [2]}) == content_id("item", {"b": [2], "a": 1})
    assert digest("item", {"a": 1}) != digest("trace", {"a": 1})
    assert digest("item", {"a": 1}) != digest("item", {"a": 1.0})


def test_the_form_of_an_id_is_fixed_so_that_ids_of_yesterday_hold() -> None:
    known = sha256(b'rejudge/1/item\n{"a":1}').hexdigest()
    assert content_id("item", {"a": 1}) == f"item-{known}"
    assert digest_of_bytes("item", b'{"a":1}') == digest("item", {"a": 1})


@given(st.binary(min_size=32, max_size=32), st.sampled_from(["item", "run-config", "x"]))
def test_the_digest_is_read_back_from_an_id(raw: bytes, kind: str) -> None:
    assert raw_of(id_of(kind, raw)) == raw


@pytest.mark.parametrize(
    "text", ["", "item", "item-", "item-12", "0" * 64, "item-" + "g" * 64, "item-" + "00 " * 32, "item-" + "AB" * 32]
)
def test_other_text_is_no_id(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        raw_of(text)
