"""How many judgements a second the built-in checks make, on one core."""

from __future__ import annotations

from time import perf_counter

import pytest

from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View
from rejudge.scorers import Recorder, Scorer, exact_match

SOLUTION = (
    "Janet eats 3 duck eggs for breakfast and bakes 4 into muffins so 3 + 4 = <<3+4=7>>7 duck eggs are used\n"
    "Each day Janet's ducks lay 16 eggs and she uses 7, 16 - 7 = <<16-7=9>>9 duck eggs are for sale\n"
    "She sells her eggs for $2 per egg and has 9 available for sale so 2 * 9 = $<<2*9=18>>18 per day\nA: 18"
)


def rate(scorer: Scorer, view: View, *, times: int = 20_000) -> float:
    def once() -> float:
        begun = perf_counter()
        for _ in range(times):
            scorer.judge(view)
        return times / (perf_counter() - begun)

    return max(once() for _ in range(5))


@pytest.mark.scale
def test_exact_match_judges_half_a_million_views_a_second() -> None:
    scorer = exact_match(expected_value="18")
    assert rate(scorer, View(output="18")) > 500_000
    assert rate(scorer, View(output="17")) > 500_000


@pytest.mark.scale
def test_the_last_number_of_a_solution_is_judged_sixty_thousand_times_a_second() -> None:
    scorer = exact_match(value_expression="final_message | final_number", expected_value="18")
    assert rate(scorer, View(output=SOLUTION)) > 60_000


@pytest.mark.scale
def test_a_million_pass_fail_verdicts_are_checked_in_a_second() -> None:
    scorer = exact_match(expected_value="18")
    recorder, verdict = Recorder(scorer.config), scorer.judge(View(output="18"))
    assert isinstance(verdict, Verdict)
    begun = perf_counter()
    for _ in range(1_000_000):
        recorder.values(verdict)
    assert perf_counter() - begun < 1
