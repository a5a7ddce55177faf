"""The page of a plan: the answer, what so many items find, how surely, and what it rests on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rejudge
from rejudge.front.power import power
from rejudge.release.power import PowerQuestion
from rejudge.scorers import create
from tests.front.pages import HOSTILE, checked


def test_what_suffices_comes_first_by_the_test_that_decides() -> None:
    found = rejudge.power(rate=0.6, difference=0.05, items=500)
    text = checked(found.to_html()).text
    plan = found.power.plan
    assert plan.power_exact is not None
    assert re.search(rf"too few items\s*{100 * plan.power_exact:.0f} % chance that 500 items show 5 points", text)
    assert f"{plan.needed_exact} items needed for 80 % power" in text
    enough = checked(rejudge.power(rate=0.6, difference=0.05, items=1000).to_html()).text
    assert re.search(r"enough items\s*\d\d % chance that 1,000 items", enough)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"std": 0.3, "difference": 0.05}, r"285 items\s*find a difference of 0.05"),
        ({"std": 0.3, "items": 200}, r"0\.0597\s*is what 200 items find"),
        ({"rate": 0.5, "items": 3}, r"nothing can be found\s*by 3 items"),
        ({"rate": 0.5, "difference": 0.0}, r"no number of items\s*for a difference of 0 points"),
        ({"std": 1.0, "difference": 1e-9}, r"no number of items\s*for a difference of 1e-09"),
        ({"rate": 0.5, "difference": 0.3, "items": 5000}, r"enough items\s*over 99 % chance"),
    ],
)
def test_whatever_is_asked_is_answered_first(asked: PowerQuestion, told: str) -> None:
    page = checked(power(**asked).to_html())
    assert re.search(told, page.text)


def test_the_numbers_of_the_curves_stand_in_tables_and_the_points_on_the_curves() -> None:
    found = rejudge.power(std=0.3, difference=0.05, items=200)
    page, plan = checked(found.to_html()), found.power.plan
    assert isinstance(plan.detectable, float)
    assert isinstance(plan.power, float)
    assert page.row("200", "smallest difference") == ["200", f"{plan.detectable:.3g}"]
    assert page.row("285", "smallest difference") == ["285", "0.05"]
    assert page.row("200", "chance to find the difference") == ["200", f"{100 * plan.power:.0f} %"]
    assert page.row("285", "chance to find the difference") == ["285", "80 %"]
    differences = [float(row[1]) for row in page.rows if len(row) == 2 and re.fullmatch(r"0\.\d+", row[1])]
    assert differences == sorted(differences, reverse=True)


def test_more_trials_have_a_curve_each_and_each_a_column() -> None:
    page = checked(rejudge.power(std=0.3, difference=0.05, reliability=0.5, trials=2).to_html())
    assert (
        "The solid curve is of 2 trials of each item, the dashed ones of 1, 4, 8: more trials lie lower." in page.text
    )
    heads = [row for row in page.rows if row[0] == "items"]
    assert heads == [["items", "1 trial", "2 trials", "4 trials", "8 trials"]] * 2
    assert len([given for tag, given in page.seen if given.get("class") == "course other"]) == 3 * 4


def test_a_row_of_the_table_has_each_number_under_its_trials() -> None:
    planned = rejudge.power(std=1, difference=0.05, items=300, reliability=0.5, trials=3)
    rows = [row for row in checked(planned.to_html()).rows if row[0] == "300"]
    assert [row[1:4] for row in rows] == [["0.199", "0.162", "0.148"], ["11 %", "14 %", "16 %"]]
    assert [f"{planned.power.plan.detectable:.3g}", f"{planned.power.plan.power:.2f}"] == ["0.148", "0.16"]


def test_it_says_what_it_rests_on_and_what_it_does_not_mean() -> None:
    text = checked(rejudge.power(rate=0.6, difference=0.05).to_html()).text
    assert "What it rests on" in text
    assert "Assumed: a pass rate of 60 %." in text
    assert "It is a plan, not a promise" in text
    assert "observed and not shown" not in text


def test_a_plan_from_runs_names_the_score_and_keeps_hostile_names_as_text(tmp_path: Path) -> None:
    def odd(n: int) -> str:
        return "yes" if n % 2 else "no"

    judge = create("contains", {"name": HOSTILE[:60], "substring": "yes"})
    rows = [{"id": f"{n}", "n": n} for n in range(40)]
    ran = rejudge.evaluate(rows, odd, [judge], store=tmp_path / "s.db", progress="silent")
    html = rejudge.power(ran, difference=-0.1).to_html(tmp_path / "deep" / "page.html")
    assert (tmp_path / "deep" / "page.html").read_text(encoding="utf-8") == html
    assert "What a comparison of </bdi></text></svg>" in checked(html).text
    assert "40 items, mean 0.5" in html


def test_a_notebook_gets_one_piece() -> None:
    piece = rejudge.power(rate=0.6, difference=0.05)._repr_html_()
    assert piece.startswith('<div class="rj"><style>')
    assert "<html" not in piece
