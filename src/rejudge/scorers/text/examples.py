"""The examples of the text kinds: their tests, their documentation and the first rows of their previews."""

from __future__ import annotations

from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers.kind import Example

_SAT = View(output="the cat sat on the mat", reference_data={"gold": "the cat is on the mat"})
_GOLD = {"reference_key": "gold"}


def _number(value: float, reason: str = "") -> Verdict:
    return Verdict(values={"": value}, reason=reason)


LEVENSHTEIN_RATIO = (
    Example(
        what="five of thirteen letters are edits",
        parameters=_GOLD,
        view=View(output="kitten", reference_data={"gold": "sitting"}),
        verdict=_number(1 - 5 / 13),
    ),
    Example(
        what="a likeness under the threshold fails and says so",
        parameters={"expected_value": "sitting", "passes_at": 0.8},
        view=View(output="kitten"),
        verdict=_number(1 - 5 / 13, '0.6154 is under 0.8: expected "sitting", got "kitten"'),
    ),
    Example(
        what="an output that cannot be read is the worst there is",
        parameters={"value_expression": "(final_message | fromjson).city", "expected_value": "Rome"},
        view=View(output='{"town": "Rome"}'),
        verdict=_number(0, "value_expression: no 'city' in an object with 'town', under final_message"),
    ),
    Example(
        what="an item without the reference is skipped",
        parameters=_GOLD,
        view=View(output="kitten", reference_data={"silver": "sitting"}),
        verdict=Verdict.skipped(
            Skip.MISSING_REFERENCE_KEY, "reference_key 'gold': the reference data has no such key, only 'silver'"
        ),
    ),
)

BLEU = (
    Example(
        what="equal but for white space",
        parameters=_GOLD,
        view=View(output="So  be it.", reference_data={"gold": "So be it."}),
        verdict=_number(1),
    ),
    Example(
        what="half of the words and no pair of them, counted up to pairs: the root of 2/4 · 0.1/3",
        parameters={"expected_value": "a b c d", "max_order": 2},
        view=View(output="d x y a"),
        verdict=_number(0.12909944487358058),
    ),
)

GLEU = (
    Example(what="9 of 18 n-grams in common, up to four words long", parameters=_GOLD, view=_SAT, verdict=_number(0.5)),
)

CHRF = (
    Example(
        what="Japanese needs no spaces, and white space does not count",
        parameters={"expected_value": "猫がいる。"},
        view=View(output="猫が いる。"),
        verdict=_number(1),
    ),
    Example(
        what="the output has no character of the reference",
        parameters={"expected_value": "abc", "passes_at": 0.3},
        view=View(output="xyz"),
        verdict=_number(0, '0 is under 0.3: expected "abc", got "xyz"'),
    ),
)

ROUGE = (
    Example(
        what="five of six words in common, in their order",
        parameters=_GOLD,
        view=_SAT,
        verdict=_number(5 / 6),
    ),
    Example(
        what="the best of several references counts",
        parameters={"expected_value": ["nothing like it", "Three of five pairs in all"], "variant": 2},
        view=View(output="Three of five pairs: not all"),
        verdict=_number(3 / 5),
    ),
)

TOKEN_F1 = (
    Example(
        what="an article and a full stop do not count, a word too many does",
        parameters=_GOLD,
        view=View(output="The Eiffel Tower, Paris.", reference_data={"gold": "Eiffel tower"}),
        verdict=_number(4 / 5),
    ),
)

EMBEDDING_SIMILARITY = (
    Example(
        what="an empty output is like no reference, and no model is asked",
        parameters={"model": "text-embedding-3-small", "passes_at": 0.8} | _GOLD,
        view=View(output=" ", reference_data={"gold": "Paris"}),
        verdict=_number(0, '0 is under 0.8: expected "Paris", got " "'),
    ),
)
