"""How the traces that people labelled were chosen: which correction is right depends on it, so nobody guesses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.rating import Drawing, Rating

WAYS: dict[Drawing, str] = {
    "at_random": "drawn at random",
    "by_human_outcome": "chosen by what people said",
    "by_judge_outcome": "chosen by what the judge said",
}
"""How labelled traces were chosen, in words."""


def drawing_of(ratings: Sequence[Rating], *, said: Drawing | None, name: str) -> Drawing:
    """How the traces of these ratings of a set were chosen, as is `said` now or was when they were imported.

    Raises ConfigurationError where neither says it, where both do and differ, and where there are several ways.
    """
    recorded = {rating.drawn for rating in ratings if rating.drawn is not None}
    if said is not None and said not in WAYS:
        raise ConfigurationError(f"{said!r} is no way of drawing", fix=f"say one of {', '.join(WAYS)}")
    if len(recorded) > 1:
        ways = " and some ".join(WAYS[one] for one in sorted(recorded))
        raise ConfigurationError(
            f"the labelled traces of {name!r} were chosen in more than one way: some {ways}",
            fix="import those of each way into a rating set of its own",
        )
    if said is not None and recorded - {said}:
        raise ConfigurationError(
            f"the ratings of {name!r} say that their traces were {WAYS[recorded.pop()]}, not {WAYS[said]}",
            fix="leave drawn= out, or import the file again with what is right",
        )
    known = said or (recorded.pop() if recorded and all(rating.drawn for rating in ratings) else None)
    if known is None:
        raise ConfigurationError(
            f"nothing says how the traces with a label of {name!r} were chosen, and which correction is right "
            "depends on that",
            fix=f"say it with drawn=: {'; '.join(f'{way} ({words})' for way, words in WAYS.items())}",
        )
    return known
