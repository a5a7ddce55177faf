"""Results that several tests look at: one of each kind of case, and one in which all text is hostile."""

from __future__ import annotations

import re

from hypothesis import strategies as st

from rejudge.domain.case import Attempt, ExecutionErrorType
from rejudge.domain.run import RunState
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.usage import Usage
from rejudge.domain.verdict import Skip, Verdict
from rejudge.front.result import Result
from tests.front.recorded import Case, Fault, Made, label, number, pass_fail, recorded

CAPITALS: list[dict[str, object]] = [
    {"id": "fr", "question": "Capital of France?", "answer": "Paris"},
    {"id": "jp", "question": "Capital of Japan?", "answer": "Tokyo"},
    {"id": "pe", "question": "Capital of Peru?", "answer": "Lima"},
    {"id": "ml", "question": "Capital of Mali?"},
    {"id": "fj", "question": "Capital of Fiji?", "answer": "Suva"},
]

HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07 [red]bold[/red] \u202eevil\u202c\r\nscore correct\n  │ passed (1)\u200b </details><script>"
)


def capitals(*made: Made) -> Result:
    return recorded(CAPITALS, *made, reference=("answer",))


def without_digests(report: str) -> str:
    return re.sub(r"(dataset|trace)-[0-9a-f]{12}", r"\1-…", report)


def said(output: object, good: float, reason: str = "") -> Case:
    return Case(output=output, scores={"correct": Verdict.of(good, reason)})


def mixed(task: str = "answer") -> Made:
    """A run that was stopped, with one case of every kind."""
    cases = [
        Case(
            output="Paris",
            scores={"correct": 1.0, "topic": "europe", "length": 5},
            usage=Usage(cost=0.0012, input_tokens=10, output_tokens=3),
        ),
        Case(
            output="Kyoto",
            scores={
                "correct": Verdict.of(0.0, 'expected "Tokyo", got "Kyoto"'),
                "topic": "asia",
                "length": Fault(reason="KeyError: 'gold'"),
            },
        ),
        Case(
            error="no output after 5 s",
            error_type=ExecutionErrorType.TIMEOUT,
            attempts=(Attempt(error="ConnectionError: reset"), Attempt(error="no output after 5 s")),
        ),
        Case(
            output={"city": "Bamako"},
            scores={"correct": Verdict.skipped(Skip.MISSING_REFERENCE_KEY, "the item has no answer")},
        ),
        None,
    ]
    return Made(
        cases=cases,
        task=task,
        scorers=(pass_fail(), label(), number()),
        state=RunState.FAILED,
        reason="stopped after 1 error",
    )


def hostile(text: str) -> Result:
    """A result in which everything that may come from outside is `text`."""
    item: dict[str, object] = {"id": f"a{text}", text or "field": text, "question": text}
    name = "correct" + re.sub(r"\W", "", text)[:40]
    scorers = (pass_fail(name), label("topic"))
    messages: list[object] = [{"role": text}]
    cases = [
        Case(output=text, scores={name: Verdict.of(0.0, text), "topic": f"l{text}"}, messages=messages),
        Case(error=f"e{text}"),
        Case(output={text: text}, scores={name: Fault(reason=text)}),
    ]
    items: list[dict[str, object]] = [item, {**item, "id": f"b{text}"}, {**item, "id": f"c{text}"}]
    return recorded(
        items,
        Made(cases=cases, task=f"t{text}", scorers=scorers, state=RunState.FAILED, reason=text),
        name=f"n{text}",
        dataset=f"d{text}",
    )


texts = st.one_of(
    st.just(HOSTILE), st.text(st.characters(codec="utf-8"), max_size=300), st.text("日 👩🏽‍💻漢", max_size=200)
)


def scorers_by_digest(result: Result) -> dict[bytes, ScorerConfig]:
    return {digest: result.store.scorer(digest) for digest in result.runs[0].run.scorers}
