"""G-Eval: a grade weighted by how likely the model found it, read from log-probabilities (Liu et al., 2023).

The score is Σ p·value / Σ p over the likeliest tokens in the place of the grade that are values of its own type.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from rejudge.domain.scale import ScoreSpec, ScoreType
from rejudge.scorers.reply.menu import GRADES, cleaned, grades_of, stars_of

if TYPE_CHECKING:
    from rejudge.domain.call import Token

ALTERNATIVES: Final = 10
"""So many of the likeliest tokens are asked for in each place."""

UNKNOWN_LOGPROB: Final = -9999.0
"""What some providers say of the token that they chose where they do not know better; it counts as certain
unless it stands among the likeliest."""

WEIGHABLE: Final = frozenset({ScoreType.PASS_FAIL, ScoreType.PASS_FAIL_CRITICAL, ScoreType.FIVE_STAR})
"""Score types whose values are few, in order, and told apart by one token each."""


def token_value(spec: ScoreSpec, text: str) -> float | None:
    """The value that a token means for a score of this type; None where it means none.

    Case, blanks and quotes do not count, and a whole number may be written as `3.0`. A token that only begins a grade
    (`crit`) means that grade.
    """
    plain = cleaned(text)
    if spec.type is ScoreType.FIVE_STAR:
        return next((float(star) for star in stars_of(spec) if plain in (str(star), f"{star}.0")), None)
    begun = [grade for grade in grades_of(spec) if plain and grade.startswith(plain)]
    return GRADES[begun[0]] if len(begun) == 1 else None


def weighted(spec: ScoreSpec, chosen: tuple[str, float], top: Iterable[tuple[str, float]]) -> float | None:
    """The expected value of a score, from the token that was chosen and the likeliest ones with log-probabilities.

    The probability of the chosen one counts once: as `top` has it, if it does. Different tokens that are written alike
    in the place of the grade are several. None where no token is a value of the score.
    """
    text, logprob = chosen
    likely = list(top)
    if text not in [token for token, _ in likely]:
        likely.append((text, 0.0 if logprob <= UNKNOWN_LOGPROB else logprob))
    total = mass = 0.0
    for token, one in likely:
        if (value := token_value(spec, token)) is not None:
            total += value * math.exp(one)
            mass += math.exp(one)
    if mass == 0.0:
        return None
    values = [value for token, _ in likely if (value := token_value(spec, token)) is not None]
    return min(max(total / mass, min(values)), max(values))


def graded(spec: ScoreSpec, tokens: Sequence[Token], start: int) -> float | None:
    """The weighted grade at the character `start` of the tokens' text; None where no token there is a value."""
    end = 0
    for token in tokens:
        end += len(token.text)
        inside = token.text[max(0, start - (end - len(token.text))) :]
        if cleaned(inside):
            if token_value(spec, inside) is None:
                return None
            return weighted(
                spec, (inside, token.logprob), [(_own(text, token, inside), one) for text, one in token.top]
            )
    return None


def _own(text: str, token: Token, inside: str) -> str:
    """An alternative as it would stand in the place of the value, where the token began before it."""
    before = token.text.removesuffix(inside)
    return text.removeprefix(before) if before else text
