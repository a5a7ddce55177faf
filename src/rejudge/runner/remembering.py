"""An answer that is given once: whoever asks the same again gets the same reply, which costs nothing any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rejudge.domain.call import Embeddings, Reply
from rejudge.domain.payload import encode
from rejudge.domain.usage import Usage

if TYPE_CHECKING:
    from rejudge.domain.call import Answered, Call
    from rejudge.runner.drive import Answer

NOTHING_SPENT: Final = Usage(input_tokens=0, output_tokens=0, cost=0.0)


class Remembering:
    """Answers each call once, an error too; for askers that come one after the other."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._known: dict[bytes, Answered | Exception] = {}

    async def __call__(self, call: Call, failures: list[str]) -> Answered:
        """The reply; one that was given before says that nothing was spent on it."""
        key = encode(call)
        known = self._known.get(key)
        if isinstance(known, Exception):
            raise known
        if known is not None:
            spent = isinstance(known, Reply | Embeddings) and known.usage is not None
            return msgspec.structs.replace(known, usage=NOTHING_SPENT) if spent else known
        try:
            reply = self._known[key] = await self._answer(call, failures)
        except Exception as error:
            self._known[key] = error
            raise
        return reply
