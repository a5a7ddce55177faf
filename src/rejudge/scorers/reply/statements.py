"""Reads a reply about several statements: for each one whether it holds, why, and how sure the judge is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from rejudge.scorers.reply.documents import Clash, documents_in
from rejudge.scorers.reply.quotation import Quotations
from rejudge.scorers.reply.reading import LONGEST_REPLY, Unreadable, without_thoughts
from rejudge.scorers.wording import kind, quoted

HOLDS, REASON, CONFIDENCE = "holds", "reason", "confidence"
"""The keys of what a judge says about one statement."""

_SPOKEN: Final[Mapping[str, bool]] = {
    "true": True,
    "yes": True,
    "pass": True,
    "false": False,
    "no": False,
    "fail": False,
}


class Stated(Struct, frozen=True, kw_only=True):
    """What a judge says about one statement; `confidence` is from 0 to 1, None where it says none."""

    holds: bool
    reason: str = ""
    confidence: float | None = None


def read_statements(
    text: str, keys: Sequence[str], *, judged: Sequence[str] = (), instructions: str = ""
) -> dict[str, Stated | str]:
    """What a reply says under each key, or in words why nothing can be taken from it.

    Raises Unreadable where the reply says nothing about any of them, or speaks twice. What it quotes of the texts
    `judged` is not its own.
    """
    if not text.strip():
        raise Unreadable("the reply is empty")
    text = without_thoughts(text[-LONGEST_REPLY:], judged)
    quotations = Quotations(text, judged, instructions)
    own: list[dict[str, object]] = []
    for document in documents_in(text):
        value = document.value
        if not isinstance(value, dict) or value.keys().isdisjoint(keys):
            continue
        if not quotations.quotes(document.start) and not quotations.repeats(document.start, document.end):
            own.append(value)
    if not own:
        raise Unreadable(f"it holds no JSON object with {', '.join(map(repr, keys[:3]))}{' …' * (len(keys) > 3)}")
    if any(one != own[-1] for one in own):
        raise Unreadable("it gives two verdicts")
    if isinstance(own[-1], Clash):
        raise Unreadable("it names one key twice, with two values")
    return {key: _stated(own[-1].get(key)) for key in keys}


def _stated(said: object) -> Stated | str:
    if said is None:
        return "the reply says nothing about it"
    if isinstance(said, Clash):
        return "the reply says two things about it"
    fields = said if isinstance(said, dict) else {HOLDS: said}
    if HOLDS not in fields:
        return f"the reply says about it {quoted(fields)}, and not whether it {HOLDS}"
    holds = fields[HOLDS]
    if isinstance(holds, str):
        holds = _SPOKEN.get(holds.strip().casefold(), holds)
    if not isinstance(holds, bool):
        return f"the reply says that it {HOLDS}: {quoted(holds)}, {kind(holds)} that is neither true nor false"
    reason, confidence = fields.get(REASON), fields.get(CONFIDENCE)
    sure = isinstance(confidence, int | float) and not isinstance(confidence, bool) and 0 <= confidence <= 1
    return Stated(
        holds=holds,
        reason=reason.strip() if isinstance(reason, str) else "",
        confidence=float(confidence) if sure and isinstance(confidence, int | float) else None,
    )
