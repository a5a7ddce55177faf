"""The page of a correction: the number to use first, raw beside corrected, the judge's errors, refusals."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rejudge.front.correcting import CorrectionResult
from rejudge.stats.correction import Corrected, Correction
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval
from tests.front.pages import HOSTILE, checked, half_labelled


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("corrections")


@pytest.fixture(scope="module")
def at_random(folder: Path) -> CorrectionResult:
    return half_labelled(folder)


def rates(found: CorrectionResult) -> Correction:
    assert isinstance(found.statistics, Correction)
    return found.statistics


def percent(cell: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?[\d.]+(?= %)", cell)]


def test_the_number_to_use_comes_first_with_its_interval_its_labels_and_why(at_random: CorrectionResult) -> None:
    text = checked(at_random.to_html()).text
    head = text[text.index("Pass rate by judge, corrected by") : text.index("What it means")]
    assert re.search(r"use PPI\+\+\s*\d+ % \[\d+, \d+\]", head)
    assert "n=100 labelled of 300" in head
    assert "the labels were drawn at random" in head


def test_raw_stands_beside_each_corrected_number_with_interval_and_n(at_random: CorrectionResult) -> None:
    page, found = checked(at_random.to_html()), rates(at_random)
    for name, one in {
        "judge, raw": found.raw,
        "people alone": found.human,
        "Rogan–Gladen": found.rogan_gladen,
        "PPI++": found.prediction_powered,
    }.items():
        assert isinstance(one, Estimate | Corrected)
        assert isinstance(one.interval, Interval)
        _, value, interval, n, note = page.row(name, "number")
        assert percent(value) == pytest.approx([100 * one.value], abs=0.6)
        assert percent(interval)[:2] == pytest.approx([100 * one.interval.low, 100 * one.interval.high], abs=0.6)
        assert "95 % interval" in interval
        assert (n, note) == (f"{one.n}", "to use" if name == "PPI++" else "")


def test_the_judges_errors_are_counted_and_told_as_shares_with_intervals(at_random: CorrectionResult) -> None:
    page, found = checked(at_random.to_html()), rates(at_random).labelled
    assert page.row("fail", "people ↓, judge →") == ["fail", f"{found.true_negatives}", f"{found.false_positives}"]
    assert page.row("pass", "people ↓, judge →") == ["pass", f"{found.false_negatives}", f"{found.true_positives}"]
    _, value, interval, n, _ = page.row("TPR", "share")
    assert percent(value) == pytest.approx([100 * found.true_positives / found.positives], abs=0.6)
    assert "Wilson's" in interval
    assert n == f"{found.positives}"
    assert page.row("TNR", "share")[3] == f"{found.negatives}"


def test_what_was_refused_is_there_with_its_reason(folder: Path) -> None:
    found = half_labelled(folder, drawn="by_human_outcome")
    page = checked(found.to_html())
    assert re.search(r"use Rogan–Gladen\s*\d+ %", page.text)
    assert page.row("PPI++", "number")[4] == "refused"
    reason = "the labelled items were chosen by what people said of them"
    assert f"people alone, PPI++: {reason}" in page.text
    assert reason in page.row("PPI++", "number")[1]


def test_labels_chosen_by_the_judge_are_counted_by_what_the_judge_said(folder: Path) -> None:
    found = half_labelled(folder, drawn="by_judge_outcome")
    page, counts = checked(found.to_html()), rates(found).labelled
    assert page.row("fail", "judge ↓, people →") == ["fail", f"{counts.true_negatives}", f"{counts.false_negatives}"]
    assert "How often the judge is right" not in page.text
    assert "TPR, TNR, Rogan–Gladen: the labelled items were chosen by what the judge said" in page.text


def test_a_judge_no_better_than_chance_corrects_nothing_and_the_page_says_so(folder: Path) -> None:
    found = half_labelled(folder, drawn="by_human_outcome", judge="no")
    assert found.advice.use is None
    text = checked(found.to_html()).text
    assert re.search(r"use none of them\s*pass rate not corrected", text)
    assert "The raw number is what the judge says, and not what people would say." in text
    assert str(found.advice.why) in text


def test_a_mean_is_corrected_too_and_has_no_table_of_passes(folder: Path) -> None:
    found = half_labelled(folder, judge="stars")
    page = checked(found.to_html())
    assert "Mean by stars, corrected by" in page.text
    assert page.row("judge, raw", "number")[3] == "300"
    assert "Who said what" not in page.text


def test_it_says_what_the_numbers_do_not_mean_and_on_what_they_rest(at_random: CorrectionResult) -> None:
    text = checked(at_random.to_html()).text
    assert "It holds for traces of the kind that people labelled, and cannot see other kinds." in text
    assert "the raters saw no scores (blind)" in text
    assert "This judge has no calibration by these people" in text
    assert "drawn at random" in text
    assert HOSTILE.replace("\u202e", r"\u202e").replace("\x1b", r"\x1b")[:40] in text


def test_a_notebook_gets_one_piece_and_a_path_a_file(at_random: CorrectionResult, tmp_path: Path) -> None:
    html = at_random.to_html(tmp_path / "deep" / "page.html")
    assert (tmp_path / "deep" / "page.html").read_text(encoding="utf-8") == html
    piece = at_random._repr_html_()
    assert piece.startswith('<div class="rj"><style>')
    checked(piece)
