"""Numbers of agreement in a terminal."""

from __future__ import annotations

from rejudge.front.figures import SHORT_NAMES, caution_lines, figure_lines
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.meaning import MEANINGS, said_by

RANGE = Interval(low=0.4, high=0.8, level=0.95, method="normal")
KAPPA = Estimate(value=0.62, n=52, interval=RANGE)


def test_every_number_that_has_words_has_a_short_name() -> None:
    assert set(SHORT_NAMES) == set(MEANINGS)


def test_a_number_stands_between_its_name_and_what_it_says() -> None:
    lines = list(figure_lines({"kappa": KAPPA}, n=52))
    head = "Cohen κ        0.62 [0.40, 0.80]       "
    assert lines[0].startswith(head)
    assert [line[: len(head)].strip() for line in lines[1:]] == [""] * (len(lines) - 1)
    assert " ".join(line[len(head) :] for line in lines) == said_by("kappa", KAPPA)


def test_an_n_of_its_own_and_another_level_are_told() -> None:
    level = Interval(low=0.4, high=0.8, level=0.9, method="wilson")
    first, *_ = figure_lines({"tpr": Estimate(value=0.62, n=40, interval=level)}, n=52)
    assert first == "TPR            62 % [40, 80] at 90 % n=40"


def test_what_is_undefined_says_why_in_place_of_a_number() -> None:
    (line,) = figure_lines({"tnr": Undefined("the people failed no item")}, n=3)
    assert line.split(maxsplit=2) == ["TNR", "undefined", "because the people failed no item"]
    lines = " ".join(figure_lines({"mae": Estimate(value=1.0, n=1, interval=Undefined("one value"))}, n=1))
    assert "It has no interval, because one value." in " ".join(lines.split())


def test_what_several_numbers_do_not_say_stands_once() -> None:
    text = " ".join(" ".join(caution_lines({"pearson": KAPPA, "spearman": KAPPA, "tnr": Undefined("x")})).split())
    assert f"Pearson r, Spearman ρ: {MEANINGS['pearson'].does_not_say}" in text
    assert "TNR" not in text
    assert list(caution_lines({})) == []


def test_no_line_is_wider_than_a_terminal() -> None:
    lines = [*figure_lines(dict.fromkeys(MEANINGS, KAPPA), n=1), *caution_lines(dict.fromkeys(MEANINGS, KAPPA))]
    assert max(map(len, lines)) <= 80
