"""The text of JSON that results are written as."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from rejudge.domain.errors import RecordError
from rejudge.front.export import json_text


def test_json_is_indented_and_keeps_every_script() -> None:
    assert json_text({"city": "東京", "list": [1, 1.0]}) == dedent(
        """\
        {
          "city": "東京",
          "list": [
            1,
            1.0
          ]
        }"""
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object()])
def test_what_json_cannot_say_is_refused(value: object) -> None:
    with pytest.raises(RecordError, match="no JSON form"):
        json_text({"mean": value})


def test_half_a_character_can_be_written_and_read_back() -> None:
    text = json_text({"half \ud83d": "\ude00 tail"})
    assert text.encode()
    assert json.loads(text) == {"half \ud83d": "\ude00 tail"}
