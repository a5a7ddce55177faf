"""The examples of the built-in kinds: their tests, their documentation and the first rows of their previews."""

from __future__ import annotations

from rejudge.domain.code import CodeResult
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers.kind import Example

_PASS = Verdict(values={"": 1.0})


def _fail(reason: str) -> Verdict:
    return Verdict(values={"": 0.0}, reason=reason)


EXACT_MATCH = (
    Example(
        what="the output is the reference",
        parameters={"reference_key": "answer"},
        view=View(output="Paris", reference_data={"answer": "Paris"}),
        verdict=_PASS,
    ),
    Example(
        what="the last number of the output is that of a worked solution",
        parameters={
            "value_expression": "final_message | final_number",
            "reference_key": "solution",
            "reference_expression": "reference | final_number",
        },
        view=View(output="So she makes 9 * 2 = $17.00.", reference_data={"solution": "9 * 2 = 18\nA: 18"}),
        verdict=_fail('expected "18", got "17"'),
    ),
    Example(
        what="a field of a JSON output that is not there fails",
        parameters={"value_expression": "(final_message | fromjson).city", "expected_value": "Rome"},
        view=View(output='{"town": "Rome"}'),
        verdict=_fail("value_expression: no 'city' in an object with 'town', under final_message"),
    ),
    Example(
        what="an item without the reference is skipped",
        parameters={"reference_key": "answer"},
        view=View(output="Paris", reference_data={"question": "Capital?"}),
        verdict=Verdict.skipped(
            Skip.MISSING_REFERENCE_KEY,
            "reference_key 'answer': the reference data has no such key, only 'question'",
        ),
    ),
)

CONTAINS = (
    Example(
        what="the output mentions the product",
        parameters={"reference_key": "product", "case_sensitive": False},
        view=View(output="Your KETTLE is on its way.", reference_data={"product": "kettle"}),
        verdict=_PASS,
    ),
    Example(
        what="the output must not apologise",
        parameters={"substring": "sorry", "mode": "must_not_contain"},
        view=View(output="We are sorry."),
        verdict=_fail('"sorry" found in "We are sorry."'),
    ),
)

PATTERN_MATCH = (
    Example(
        what="the output names an order number",
        parameters={"pattern": r"\b[A-Z]{2}-\d{4}\b"},
        view=View(output="Order AB-1234 was sent."),
        verdict=_PASS,
    ),
    Example(
        what="the output ends without an answer line",
        parameters={"pattern": r"A: \d+"},
        view=View(output="I do not know."),
        verdict=_fail("pattern 'A: \\d+' not found in \"I do not know.\""),
    ),
)

CODE_EVAL = (
    Example(
        what="a share of the expected words, counted by code",
        parameters={
            "name": "coverage",
            "reference_keys": ["words"],
            "code": "def score(output, reference_data):\n"
            '    words = reference_data["words"]\n'
            "    return sum(word in output for word in words) / len(words)\n",
        },
        view=View(output="Tea and cake.", reference_data={"words": ["Tea", "milk"]}),
        replies=(CodeResult(value=0.5),),
        verdict=Verdict(values={"": 0.5}),
    ),
    Example(
        what="an item without the declared reference is skipped, and nothing runs",
        parameters={"reference_keys": ["words"], "code": "def score(output, reference_data):\n    return 1.0\n"},
        view=View(output="Tea and cake.", reference_data={"word": "Tea"}),
        verdict=Verdict.skipped(
            Skip.MISSING_REFERENCE_KEY, "reference_keys 'words': the reference data has only 'word'"
        ),
    ),
)
