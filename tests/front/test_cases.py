from __future__ import annotations

from textwrap import dedent

from hypothesis import given
from rich.cells import cell_len

from rejudge.domain.call import Usage
from rejudge.domain.case import Attempt
from rejudge.domain.verdict import Verdict
from rejudge.front.report import WIDTH, case_report, cases_table
from tests.front.examples import capitals, hostile, mixed, said, scorers_by_digest, texts, without_digests
from tests.front.recorded import Case, Fault, Made, label, number, pass_fail


def test_a_case_is_reported_in_full() -> None:
    case = Case(
        output="It is\nKyoto.",
        messages=[
            {"role": "user", "content": "Capital of Japan?"},
            {"role": "assistant", "content": "It is\nKyoto.", "tool_calls": [{"name": "look_up"}]},
        ],
        scores={
            "correct": Verdict.of(0.0, 'expected "Tokyo"'),
            "topic": "asia",
            "length": Fault(reason="KeyError: 'x'"),
        },
        usage=Usage(cost=0.0012, input_tokens=10),
        attempts=(Attempt(error="ConnectionError: reset", seconds=0.3, waited=1.0),),
    )
    result = capitals(Made(cases=[None, case, None, None, None], scorers=(pass_fail(), label(), number())))
    assert without_digests(case_report(result.runs[0].case("jp"), scorers_by_digest(result))) == dedent(
        """\
        item jp, trial 0: scorer error
        trace-…, generated in this run, 500 ms at 2025-06-15T15:06:40.000Z, cost $0.0012, 10 tokens in

        item.question
          │ Capital of Japan?

        item.answer
          │ Tokyo

        output
          │ It is
          │ Kyoto.

        message of user
          │ Capital of Japan?

        message of assistant
          │ It is
          │ Kyoto.
          │ {"tool_calls":[{"name":"look_up"}]}

        score correct
          │ failed (0): expected "Tokyo"

        score topic
          │ asia

        score length
          │ error: KeyError: 'x'

        try 1, 300 ms, then waited 1.0 s
          │ ConnectionError: reset"""
    )


def test_a_case_says_whether_its_output_is_a_hit_and_why_it_was_skipped() -> None:
    cases = [said("Paris", 1.0), Case(skip="no_recording: nothing was recorded"), None, None, None]
    result = capitals(Made(cases=[cases[0], None, None, None, None]), Made(cases=cases, scorers=(pass_fail(),)))
    run, scorers = result.runs[1], {pass_fail().digest(): pass_fail()}
    assert ", reused from an earlier run (a hit)," in case_report(run.case("fr"), scorers)
    assert "trial 0: skipped\nskipped\n  │ no_recording: nothing was recorded" in case_report(run.case("jp"), scorers)


def test_cases_are_listed_failures_first() -> None:
    result = capitals(mixed())
    table = cases_table(result.runs[0].cases(), scorers_by_digest(result))
    assert table == dedent(
        """\
        item  trial  came to       output                    scores
        pe    0      task error    timeout after 2 tries: …
        jp    0      scorer error  Kyoto                     correct failed (0): expected "Tokyo", got "Kyo…
        ml    0      skipped       {"city":"Bamako"}         correct skipped (missing_reference_key): the i…
        fr    0      passed        Paris                     correct passed (1) · topic europe · length 5"""
    )


@given(texts)
def test_a_list_of_cases_is_narrow_whatever_is_in_it(text: str) -> None:
    result = hostile(text)
    table = cases_table(result.runs[0].cases(), scorers_by_digest(result))
    assert all(cell_len(line) <= WIDTH for line in table.split("\n"))
    assert len(table.split("\n")) == 4


def test_no_cases_are_said_to_be_none() -> None:
    assert cases_table([], {}) == "no cases"


def test_an_output_cannot_forge_a_score() -> None:
    forged = said("Lima\n\nscore correct\n  │ passed (1)\r\x1b[2J", 0.0)
    result = capitals(Made(cases=[None, None, forged, None, None], scorers=(pass_fail(),)))
    lines = case_report(result.runs[0].case("pe"), scorers_by_digest(result)).split("\n")
    assert lines.count("score correct") == 1
    assert "  │ score correct" in lines
    assert "  │   │ passed (1)\\r\\x1b[2J" in lines
