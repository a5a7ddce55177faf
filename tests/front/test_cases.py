from __future__ import annotations

from textwrap import dedent

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from rejudge.domain.case import Attempt
from rejudge.domain.usage import Usage
from rejudge.domain.verdict import Verdict
from rejudge.front.report import case_report, cases_table
from tests.front.examples import CAPITALS, capitals, hostile, mixed, said, scorers_by_digest, texts, without_digests
from tests.front.recorded import Case, Fault, Made, label, number, pass_fail, recorded


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
    shown = case_report(result.runs[0].case("jp"), scorers_by_digest(result), columns=120)
    assert without_digests(shown) == dedent(
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
          │ failed: expected "Tokyo"

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


def test_cases_are_listed_as_they_are_handed_in_with_errors_in_full() -> None:
    result = capitals(mixed())
    table = cases_table(result.runs[0].cases(), scorers_by_digest(result))
    assert table == dedent(
        """\
        item  result        output             scores
        fr    passed        Paris              correct passed · topic europe · length 5
        jp    scorer error  Kyoto              correct failed: expected "Tokyo", got "Kyoto" · topic asia ·…
        pe    task error    timeout after 2 tries: no output after 5 s
        ml    skipped       {"city":"Bamako"}  correct skipped (missing_reference_key): the item has no ans…"""
    )


def test_a_skipped_case_is_listed_with_its_reason() -> None:
    result = capitals(Made(cases=[Case(skip="no_recording: nothing was recorded"), *[None] * 4]))
    table = cases_table(result.runs[0].cases(), {})
    assert table == "item  result   output\nfr    skipped  no_recording: nothing was recorded"


def test_trials_have_a_column_where_there_are_several() -> None:
    made = Made(cases=[said("x", 1.0)] * 10, scorers=(pass_fail(),))
    table = cases_table(recorded(CAPITALS, made, trials=2).runs[0].cases(), {})
    assert [line.split()[:2] for line in table.splitlines()[:3]] == [["item", "trial"], ["fr", "0"], ["fr", "1"]]


def test_an_id_that_was_derived_is_shown_by_its_beginning() -> None:
    (item,) = {row.case.item_id for row in recorded([{"q": 1}], Made(cases=[Case(output="x")])).runs[0].cases()}
    result = recorded([{"q": 1}], Made(cases=[Case(output="x")]))
    assert item[:13] + "…  completed" in cases_table(result.runs[0].cases(), {})
    assert f"item {item[:13]}…, trial 0" in case_report(result.runs[0].case(item), {})


@given(texts, st.integers(40, 200))
def test_a_list_of_cases_is_narrow_whatever_is_in_it(text: str, columns: int) -> None:
    result = hostile(text)
    table = cases_table(result.runs[0].cases(), scorers_by_digest(result), columns=columns)
    assert all(cell_len(line) <= columns for line in table.split("\n"))
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
