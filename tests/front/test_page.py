"""Pages of findings: they load nothing, say in words and tables what they draw, and hold whatever is in the data."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from html import escape
from pathlib import Path
from typing import get_args

import pytest

import rejudge
from rejudge.domain.rating import Drawing
from rejudge.domain.scale import Direction, ScoreSpec
from rejudge.domain.scorer import ScorerConfig
from rejudge.front.compared import ComparisonResult
from rejudge.front.comparing import compare, leaderboard
from rejudge.front.page import document
from rejudge.front.page_leaderboard import leaderboard_section
from rejudge.front.page_parts import METHODS
from rejudge.front.page_style import STYLE
from rejudge.front.power import power
from rejudge.front.ranking import RankingResult
from rejudge.release.power import PowerQuestion
from rejudge.stats.interval import Method
from rejudge.stats.leaderboard import leaderboard as ranked
from rejudge.stats.scale import PASS_FAIL
from tests.front.pages import (
    ENDLESS,
    HOSTILE,
    Page,
    Side,
    checked,
    half_labelled,
    in_depth,
    paired_systems,
    passing,
    sections,
    two_runs,
    why,
)
from tests.front.recorded import Case, Made, label, number, pass_fail, recorded
from tests.review.world import ITEMS, PASSED, evaluated, rate, said

PLANS: dict[str, PowerQuestion] = {
    "passes planned": {"rate": 0.6, "difference": 0.05, "items": 500, "reliability": 0.7},
    "scores planned": {"std": 1e9, "difference": 1e3},
    "nothing found": {"rate": 0.5, "items": 3},
}

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def better() -> ComparisonResult:
    return passing(120, first=30, second=90)


@pytest.fixture(scope="module")
def hostile() -> ComparisonResult:
    before: Side = [{"correct": float(place % 2), "topic": HOSTILE} for place in range(40)]
    after: Side = [{"correct": float(place % 3 > 0), "topic": HOSTILE} for place in range(40)]
    tasks = f"1{HOSTILE}", f"2{HOSTILE}"
    return compare(two_runs((before, after), [pass_fail(), label()], tasks=tasks, prefix=HOSTILE), by="topic")


@pytest.fixture(scope="module")
def board() -> RankingResult:
    items: list[dict[str, object]] = [{"id": f"{place}", "question": "?"} for place in range(90)]
    made = [
        Made(
            cases=[Case(output=f"{run} {place}", scores={"correct": float(place % 6 < run)}) for place in range(90)],
            task=f"t{run}",
            scorers=[pass_fail()],
        )
        for run in (1, 2, 5)
    ]
    return leaderboard(recorded(items, *made, name="exam"))


@pytest.fixture(scope="module")
def every_page(
    better: ComparisonResult, hostile: ComparisonResult, board: RankingResult, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    sides: tuple[Side, Side] = [{"correct": 1.0}] * 9, [{"correct": float(place % 2)} for place in range(9)]
    endless = two_runs(sides, [pass_fail()], tasks=(f"1{ENDLESS}", f"2{ENDLESS}"), prefix=ENDLESS)
    labels = tmp_path_factory.mktemp("labels")
    drawings: tuple[Drawing, ...] = ("at_random", "by_judge_outcome")
    return (
        {"better": better.to_html(), "hostile": hostile.to_html()}
        | {
            "endless": compare(endless, by="topic").to_html(),
            "endless pairs": paired_systems(9, shortest=ENDLESS).to_html(),
        }
        | {"board": board.to_html(), "in depth": in_depth().to_html(), "why": why().to_html()}
        | {name: power(**asked).to_html() for name, asked in PLANS.items()}
        | {drawn: half_labelled(labels, drawn=drawn).to_html() for drawn in drawings}
        | {name: document(name, body) for name, body in sections().items()}
    )


def test_every_page_loads_nothing_runs_nothing_and_keeps_what_it_is_given_as_text(every_page: dict[str, str]) -> None:
    for name, html in every_page.items():
        page = checked(html)
        assert page.text.count("alert(1)") == html.count("alert(1)"), name
        assert "\x1b" not in html
        assert "\u202e" not in html


def test_the_policy_allows_the_pages_own_style_and_nothing_else(better: ComparisonResult) -> None:
    html = better.to_html()
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = [
        given["content"] for tag, given in Page(html).seen if given.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_the_answer_comes_first_with_its_interval_its_p_and_its_n(better: ComparisonResult) -> None:
    text = checked(better.to_html()).text
    head = text[text.index("old → new") : text.index("What it means")]
    assert "better" in head
    assert "+50 points [" in head
    assert "95 % interval, Tango's · p < 0.0001 · n=120 items" in head


def test_numbers_of_every_picture_stand_in_a_table_too(better: ComparisonResult) -> None:
    comparison = better.score().comparison
    text = checked(better.to_html()).text
    assert comparison.outcomes is not None
    assert f"only new passes{comparison.outcomes.only_second}" in text
    assert f"only old passes{comparison.outcomes.only_first}" in text
    assert re.search(r"old25 %[\d. %]+ to [\d. %]+\(95 % interval, Wilson's\)120", text)
    for one in better.score().slices:
        assert f"n={one.comparison.n} · " in text


def test_slices_say_their_verdict_and_their_p_corrected_for_all_of_them(better: ComparisonResult) -> None:
    html = better.to_html()
    assert len(better.score().slices) == 3
    assert "Verdicts are corrected for all 3 slices" in html
    assert re.search(r"better, p = 0\.\d+", Page(html).text)


def test_items_that_changed_are_listed_with_what_either_side_made_of_them() -> None:
    text = checked(passing(60, first=30, second=40).to_html()).text
    assert "Regressions: 20 items" in text
    assert "Fixes: 30 items, the first 20, worst first" in text
    assert re.search(r"item \d+✓ passes✗ fails", text)
    assert re.search(r"item \d+✗ fails✓ passes", text)


def test_what_is_undefined_is_said_in_words() -> None:
    html = passing(1, first=1, second=1).to_html()
    assert "not enough data" in html
    assert "NaN" not in html
    assert "None" not in Page(html).text.replace("None.", "")


def test_a_verdict_that_correction_takes_back_is_not_in_the_words_either() -> None:
    names = [f"score{place}" for place in range(40)]
    first: Side = [dict.fromkeys(names, float(place >= 6)) for place in range(40)]
    second: Side = [{name: float(place >= 6 or name == names[0]) for name in names} for place in range(40)]
    result = compare(two_runs((first, second), [pass_fail(name) for name in names]))
    assert result.score("score0").comparison.verdict.value == "better"
    assert result.verdict("score0").value == "no_difference_shown"
    assert "new is better than old" not in Page(result.to_html()).text
    assert "corrected as one of 40 scores (Holm)" in result.to_html()


def test_numbers_are_drawn_item_by_item_and_lower_may_be_better() -> None:
    spec = ScoreSpec(name="seconds", type=number("seconds").scores[0].type, direction=Direction.LOWER)
    scorer = ScorerConfig(name="seconds", type="function", scores=(spec,))
    first: Side = [{"seconds": 5.0 + place % 7} for place in range(50)]
    second: Side = [{"seconds": 4.0 + place % 7 + place / 1000} for place in range(50)]
    text = checked(compare(two_runs((first, second), [scorer])).to_html()).text
    assert "▲ better: 100.0 % of items lower" in text
    assert "50 items: 100.0 % lower, 0.0 % the same, 0.0 % higher" in text
    assert "◂ new better" in text


def test_labels_are_compared_by_their_share() -> None:
    first: Side = [{"topic": "ab"[place % 2]} for place in range(40)]
    second: Side = [{"topic": "ab"[place % 4 == 0]} for place in range(40)]
    text = checked(compare(two_runs((first, second), [label(labels=("a", "b"))])).to_html()).text
    assert "share with topic = b" in text
    assert "pass rate" not in text


def test_a_leaderboard_shows_means_ranks_and_pairs(board: RankingResult) -> None:
    text = checked(board.to_html()).text
    assert re.search(r"t5\s*is ahead of every other", text)
    assert "3 runs on the same n=90 items · higher is better" in text
    assert "t1 → t5" in text
    assert re.search(r"t5[\d. ]+%[\d. %]+ to [\d. %]+901a", text)


def test_a_leader_that_cannot_be_told_from_another_is_not_called_ahead() -> None:
    columns = {"one": [1.0] * 20 + [0.0], "two": [1.0] * 19 + [0.0] * 2}
    found = ranked(columns, name="correct", kind="pass_fail", scale=PASS_FAIL, seed=0)
    html = "".join(leaderboard_section(found, left_out={}))
    assert "but cannot be told from two" in Page(html).text
    assert "is ahead" not in html


def test_a_calibration_shows_its_matrix_its_numbers_and_the_disagreements(tmp_path: Path) -> None:
    store = evaluated()
    rate(store, tmp_path, said({item: PASSED[item] is not (item == "q4") for item in ITEMS[:10]}))
    rejudge.adjudicate("tone", store=store)
    result = rejudge.calibrate("shouts", "judge", against="tone", store=store)
    text = checked(result.to_html(tmp_path / "new" / "page.html")).text
    assert (tmp_path / "new" / "page.html").read_text(encoding="utf-8") == result.to_html()
    assert "judge against people" in text
    assert "9 of 10 the same (90.0 %), outlined" in text
    assert "Disagreements: 1 trace" in text
    assert "q4passfailbecause of the number" in text
    assert "True positive rate" in text
    assert 'class="rj"' in result._repr_html_()


def test_a_reliability_curve_says_what_its_error_would_be_by_chance() -> None:
    text = Page("".join(sections()["chances"])).text
    assert "A judge whose probabilities are all true would on as many items still be off by" in text
    assert "500 resamples, seed 0" in text


def test_an_explanation_says_what_it_means_apart_from_what_it_does_not_and_lists_what_differs() -> None:
    page = checked(why().to_html())
    means, limits, parts = (
        page.text.index(heading) for heading in ("What it means", "What it does not mean", "What each part is")
    )
    assert means < page.text.index("in place of those of") < limits
    assert limits < page.text.index("it does not say that the change was for the good") < parts
    assert re.search(r"from [\d.]+ % \(n=40\) to [\d.]+ % \(n=40\)", page.text)
    assert "nothing by another run's judge; no task was called" in page.text
    differs = page.text[page.text.index("Everything that differs") :]
    assert "task.name: " in differs
    assert "equal: scorers, experiment, dataset" in differs


def test_a_split_shows_its_parts_what_they_mean_and_the_items_that_carry_them() -> None:
    text = checked("".join(sections()["split"])).text
    assert "judge: The new judge is kinder." in text
    assert "judge: 9 items carry it, the 1 that move it most" in text
    means, limits = text.index("What it means"), text.index("What it does not mean")
    assert means < text.index("The judge moved it.") < limits < text.index("It says nothing of other items.")
    assert "undefined because no item changed" in text


def test_a_page_is_written_where_it_is_wanted_and_a_notebook_gets_one_piece(
    better: ComparisonResult, board: RankingResult, tmp_path: Path
) -> None:
    html = better.to_html(str(tmp_path / "deep" / "page.html"))
    assert (tmp_path / "deep" / "page.html").read_text(encoding="utf-8") == html
    for piece in (better._repr_html_(), board._repr_html_()):
        assert piece.startswith('<div class="rj"><style>')
        assert "<html" not in piece
        assert "http-equiv" not in piece
        checked(piece)


def test_the_style_of_a_piece_reaches_nothing_outside_of_it() -> None:
    rules = re.sub(r"@(container|media)[^{]*\{((?:[^{}]*\{[^{}]*\})*)[^{}]*\}", r"\2", STYLE)
    selectors = [one.strip() for head in re.findall(r"([^{}]+)\{", rules) for one in re.split(r",(?![^(]*\))", head)]
    assert len(selectors) > 60
    assert [one for one in selectors if not re.match(r"\.rj\b", one)] == []


def test_every_method_of_an_interval_is_named_in_words() -> None:
    assert set(METHODS) == set(get_args(Method))
    assert all(words.strip() for words in METHODS.values())


def test_pages_of_one_finding_are_equal_to_the_byte(better: ComparisonResult) -> None:
    assert better.to_html() == better.to_html()


MEASURE = """
document.querySelectorAll("details").forEach(one => one.open = true);
const out = [document.documentElement.scrollWidth > document.documentElement.clientWidth ? "page" : ""];
document.querySelectorAll("svg").forEach(svg => {
  const box = svg.getBoundingClientRect();
  if (!box.width) return;
  svg.querySelectorAll("text").forEach(text => {
    const inner = text.getBoundingClientRect();
    if (inner.left < box.left - 4 || inner.right > box.right + 4 || inner.bottom > box.bottom + 4) {
      out.push(svg.querySelector("title").textContent.slice(0, 20) + "/" + text.textContent.slice(0, 20));
    }
  });
});
const seen = [...document.querySelectorAll("figure")].map(
  one => [...one.querySelectorAll("svg")].filter(svg => svg.getBoundingClientRect().width).length);
if (seen.some(count => count !== 1)) out.push("pictures " + seen);
parent.document.title += " " + (out.filter(Boolean).join("; ") || "ok");
"""


def opened(html: str, path: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    assert CHROMIUM is not None
    path.write_text(html, encoding="utf-8")
    basic = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--dump-dom"]
    return subprocess.run([CHROMIUM, *basic, *flags, path.as_uri()], capture_output=True, text=True, check=True)


@pytest.mark.web
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
@pytest.mark.parametrize("columns", [390, 800, 1400])
def test_nothing_in_a_picture_or_on_a_page_leaves_its_place(
    every_page: dict[str, str], tmp_path: Path, columns: int
) -> None:
    frames = []
    for html in every_page.values():
        # A window has a least width, so what is narrower is measured in a frame.
        inner = re.sub(r"<meta http-equiv[^>]*>", "", html).replace("</body>", f"<script>{MEASURE}</script></body>")
        frames.append(f'<iframe style="border:0;width:{columns}px;height:900px" srcdoc="{escape(inner)}"></iframe>')
    page = "<!doctype html><title>measured:</title>" + "".join(frames)
    (told,) = re.findall(r"<title>(.*?)</title>", opened(page, tmp_path / "page.html", "--window-size=1500,900").stdout)
    assert told == "measured:" + " ok" * len(every_page)


@pytest.mark.web
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_a_browser_finds_nothing_to_refuse_on_a_page(hostile: ComparisonResult, tmp_path: Path) -> None:
    log = ("--enable-logging=stderr", "--v=0")
    html = hostile.to_html()
    assert "Content Security Policy" not in opened(html, tmp_path / "page.html", *log).stderr
    spoilt = html.replace("<style>", "<style>/* another */")
    assert "Content Security Policy" in opened(spoilt, tmp_path / "page.html", *log).stderr
