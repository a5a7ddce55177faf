"""Lines of a body that comes in parts, wherever the parts are cut."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from rejudge.providers.streams import lines_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

TEXTS = st.text(alphabet="a\r\n\u2028é", max_size=20)


def lines(body: bytes, cuts: list[int]) -> list[str]:
    async def parts() -> AsyncIterator[bytes]:
        places = [0, *sorted(cut % (len(body) + 1) for cut in cuts), len(body)]
        for start, end in pairwise(places):
            yield body[start:end]

    async def read() -> list[str]:
        return [line async for line in lines_of(parts(), most=1_000)]

    return asyncio.run(read())


@example("\r\n\n", [1, 2])
@given(TEXTS, st.lists(st.integers(0, 40), max_size=8))
def test_where_a_body_is_cut_into_parts_changes_no_line(text: str, cuts: list[int]) -> None:
    *ended, last = re.split("\r\n|\r|\n", text)
    assert lines(text.encode(), cuts) == [*ended, *filter(None, [last])]
