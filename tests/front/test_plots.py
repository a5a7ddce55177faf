"""Plots, read as XML: numbers lie where they belong, words and shapes tell what colours do, and nothing breaks them."""

from __future__ import annotations

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

from rejudge.front.plots.axis import Ends
from rejudge.front.plots.changes import Changes, changes
from rejudge.front.plots.confusion_matrix import ConfusionMatrix, confusion_matrix
from rejudge.front.plots.estimate import Mark, Shown
from rejudge.front.plots.intervals import Band, Intervals, Line, intervals
from rejudge.front.plots.paired_differences import PairedDifferences, paired_differences
from rejudge.front.plots.percentiles import Percentiles, percentiles
from rejudge.front.plots.ranks import Ranked, Ranks, ranks
from rejudge.front.plots.reliability_curve import Bin, ReliabilityCurve, reliability_curve
from rejudge.front.plots.slices import Slices, slices
from rejudge.front.plots.split import Split, split
from rejudge.front.plots.svg import NARROW, WIDE
from rejudge.front.plots.unit import Unit
from rejudge.stats.interval import Interval, Undefined

HOSTILE = "</text></svg><script>alert(1)</script><img src=//evil.example onerror=alert(2)>\"'&amp;\u202e\x1b[2J\ud800"
ELEMENTS = {"svg", "title", "desc", "g", "line", "path", "rect", "circle", "polyline", "text", "tspan"}
POINTS = Unit(name="difference in pass rate, points", share=True, signed=True)
SCORE = Unit(name="score")
NOTHING = Undefined("nothing was scored")


def within(low: float, high: float) -> Interval:
    return Interval(low=low, high=high, level=0.95, method="t")


def shown(value: float, *, name: str = "all items", reach: float = 1.0, mark: Mark = "plain") -> Shown:
    return Shown(name=name, value=value, interval=within(value - reach, value + reach), n=40, mark=mark)


def unknown(name: str = "none") -> Shown:
    return Shown(name=name, value=NOTHING, interval=NOTHING, n=0)


def tree(svg: str) -> Element:
    return ElementTree.fromstring(svg)


def texts(svg: str) -> list[str]:
    return ["".join(one.itertext()) for one in tree(svg).iter("text")]


def styled(svg: str, style: str, tag: str = "*") -> list[Element]:
    return [one for one in tree(svg).iter() if tag in ("*", one.tag) and style in one.get("class", "").split()]


def at(element: Element, *names: str) -> list[float]:
    return [float(element.attrib[name]) for name in names]


def spots(svg: str) -> list[float]:
    """Where the round marks lie, from top to bottom."""
    return [float(one.attrib["cx"]) for one in tree(svg).iter("circle")]


def text_at(svg: str, text: str) -> float:
    (found,) = [float(one.attrib["x"]) for one in tree(svg).iter("text") if "".join(one.itertext()) == text]
    return found


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_estimates_and_the_ends_of_their_intervals_lie_at_their_values(width: float) -> None:
    rows = (shown(0.0, reach=2), shown(5.0, reach=3), shown(10.0, reach=0.5))
    svg = intervals(Intervals(title="three", unit=SCORE, rows=rows), width=width)
    first, second, third = spots(svg)
    pixel = (third - first) / 10
    assert pixel > 0
    assert second == pytest.approx((first + third) / 2, abs=0.02)
    ends = [at(one, "x1", "x2") for one in styled(svg, "reach")]
    expected = [(-2.0, 2.0), (2.0, 8.0), (9.5, 10.5)]
    for drawn, pair in zip(ends, expected, strict=True):
        assert drawn == pytest.approx([first + pixel * value for value in pair], abs=0.05)
    assert text_at(svg, "5") == pytest.approx(second, abs=0.05)


def test_each_estimate_stands_with_its_number_its_interval_and_its_n() -> None:
    row = Shown(name="all", value=0.172, interval=within(0.145, 0.2), n=1319, mark="better", note="better")
    for width in (NARROW, WIDE):
        told = texts(intervals(Intervals(title="t", unit=POINTS, rows=(row,)), width=width))
        assert "+17.2 points [14.5, 20.0]" in told
        assert "n=1,319 · better" in told


def test_what_is_undefined_is_said_in_words_and_is_no_mark_at_0() -> None:
    rows = (shown(4.0), unknown())
    svg = intervals(Intervals(title="t", unit=SCORE, rows=rows), width=WIDE)
    assert len(spots(svg)) == 1
    assert "undefined because nothing was scored" in texts(svg)
    alone = Shown(name="one", value=3.0, interval=Undefined("one value shows no spread"), n=1)
    svg = intervals(Intervals(title="t", unit=SCORE, rows=(alone,)), width=WIDE)
    assert "3 [no interval]" in texts(svg)
    assert not styled(svg, "reach")


def test_lines_bands_and_ends_lie_at_their_values() -> None:
    view = Intervals(
        title="t",
        unit=SCORE,
        rows=(shown(2.0),),
        lines=(Line(at=0.0, name="no difference"), Line(at=2.0, name="all items")),
        bands=(Band(low=-1.0, high=0.0, name="worse, but acceptable"),),
        ends=Ends(left="old", right="new", word="better"),
    )
    svg = intervals(view, width=WIDE)
    (zero,), (whole,), (band,) = styled(svg, "zero"), styled(svg, "whole"), styled(svg, "band")
    (spot,) = spots(svg)
    assert at(whole, "x1") == [pytest.approx(spot, abs=0.05)]
    assert float(band.attrib["x"]) + float(band.attrib["width"]) == pytest.approx(float(zero.attrib["x1"]), abs=0.05)
    assert [text for text in texts(svg) if "better" in text] == ["◂ old better", "new better ▸"]


def test_200_slices_are_cut_to_those_that_differ_most_and_the_rest_is_counted() -> None:
    rows = tuple(shown(place / 100, name=f"slice {place}", reach=0.1) for place in range(200))
    svg = slices(Slices(title="s", unit=SCORE, rows=rows, whole=1.0), width=WIDE)
    assert len(spots(svg)) == 30
    assert "and 170 slices that lie nearer to all items, in the table" in texts(svg)
    named = [text for text in texts(svg) if text.startswith("slice ")]
    assert named[0] == "slice 199"
    assert named[-1] == "slice 0"
    assert spots(svg) == sorted(spots(svg), reverse=True)


def test_two_slices_are_both_drawn_and_one_without_a_value_comes_last() -> None:
    rows = (unknown("without"), shown(0.2, name="with"))
    svg = slices(Slices(title="s", unit=SCORE, rows=rows, whole=0.1), width=WIDE)
    assert [text for text in texts(svg) if text in ("with", "without")] == ["with", "without"]
    assert not any("slices that lie" in text for text in texts(svg))


def test_parts_of_the_bar_of_changes_are_as_wide_as_their_counts() -> None:
    view = Changes(title="c", first="old", second="new", both=50, only_first=10, only_second=30, neither=10)
    svg = changes(view, width=WIDE)
    bars = {(one.attrib["class"], one.attrib["y"]): at(one, "x", "width") for one in tree(svg).iter("rect")}
    top = {style: span for (style, y), span in bars.items() if y == "0"}
    assert top["part both"] == pytest.approx([0.0, 0.5 * WIDE - 1])
    assert top["part better"] == pytest.approx([0.5 * WIDE, 0.3 * WIDE - 1])
    assert top["part neither"][0] + top["part neither"][1] == pytest.approx(WIDE - 1)
    below = {style: span for (style, y), span in bars.items() if y != "0"}
    assert below["part better"] == pytest.approx([WIDE / 2, WIDE / 2])
    assert sum(below["part worse"]) == pytest.approx(WIDE / 2)
    assert below["part worse"][1] == pytest.approx(WIDE / 2 / 3, abs=0.01)
    assert "net +20 of 100 items, +20 points" in texts(svg)
    assert any(text.startswith("30 (30.0 %)") and "only new passes" in text for text in texts(svg))


def test_changes_without_any_say_so_and_a_rare_one_is_not_rounded_to_none() -> None:
    none = changes(
        Changes(title="c", first="a", second="b", both=9, only_first=0, only_second=0, neither=0), width=WIDE
    )
    assert "no item is passed by one side only" in texts(none)
    rare = Changes(title="c", first="a", second="b", both=99_999, only_first=1, only_second=0, neither=0)
    assert any(text.startswith("1 (under 0.1 %)") for text in texts(changes(rare, width=WIDE)))


def test_few_sizes_of_moves_have_a_bar_each_as_high_as_their_count() -> None:
    moves = (-1.0,) * 10 + (0.0,) * 40 + (1.0,) * 20
    svg = paired_differences(PairedDifferences(title="p", unit=SCORE, differences=moves, n=70), width=WIDE)
    worse, same, better = (float(one.attrib["height"]) for one in tree(svg).iter("rect"))
    assert [worse / same, better / same] == [pytest.approx(0.25, abs=0.01), pytest.approx(0.5, abs=0.01)]
    assert "▼ worse: 14.3 % of items lower" in texts(svg)
    assert "▲ better: 28.6 % of items higher" in texts(svg)
    turned = PairedDifferences(title="p", unit=SCORE, differences=moves, n=70, better="lower")
    assert "▲ better: 14.3 % of items lower" in texts(paired_differences(turned, width=WIDE))


def test_many_sizes_of_moves_are_a_curve_of_all_items_and_a_sample_says_that_it_is_one() -> None:
    moves = tuple(place / 100 - 5 for place in range(1001))
    view = PairedDifferences(title="p", unit=SCORE, differences=moves, n=20_000)
    svg = paired_differences(view, width=WIDE)
    lower, higher = (one.attrib["d"] for one in tree(svg).iter("path"))
    assert lower.endswith("Z")
    assert higher.endswith("Z")
    heights = [float(text) for text in re.findall(r"L[\d.]+ ([\d.]+)H", higher)]
    assert heights == sorted(heights, reverse=True)
    assert "(from an even sample of 1,001)" in (tree(svg).findtext("desc") or "")


def test_cells_of_a_confusion_matrix_hold_their_counts_and_darken_with_their_share_of_the_row() -> None:
    view = ConfusionMatrix(
        title="m", rows="people", columns="judge", categories=("fail", "pass"), counts=((30, 10), (5, 55))
    )
    svg = confusion_matrix(view, width=WIDE)
    shades = [float(one.attrib["fill-opacity"]) for one in styled(svg, "cell")]
    assert shades == [pytest.approx(0.04 + 0.5 * share, abs=0.01) for share in (0.75, 0.25, 1 / 12, 11 / 12)]
    assert len(styled(svg, "agreed")) == 2
    assert [text for text in texts(svg) if text in ("30", "10", "5", "55")] == ["30", "10", "5", "55"]
    assert "85 of 100 the same (85.0 %), outlined" in texts(svg)


@pytest.mark.parametrize(("width", "drawn"), [(WIDE, 10), (NARROW, 6)])
def test_of_many_categories_the_rarest_are_one_and_no_item_is_lost(width: float, drawn: int) -> None:
    size = 24
    counts = tuple(tuple(1 + (row == column) * (row + 1) for column in range(size)) for row in range(size))
    names = tuple(f"c{place}" for place in range(size))
    view = ConfusionMatrix(title="m", rows="people", columns="judge", categories=names, counts=counts)
    svg = confusion_matrix(view, width=width)
    cells = styled(svg, "cell")
    assert len(cells) == drawn * drawn
    told = [re.search(r": ([\d,]+) of", cell.findtext("title") or "") for cell in cells]
    assert sum(int(one.group(1).replace(",", "")) for one in told if one) == view.n
    assert f"{size - drawn + 1} rarer values are one; the table has all" in texts(svg)


def test_points_of_a_reliability_curve_lie_at_what_was_said_and_what_came_true() -> None:
    bins = (
        Bin(low=0.0, high=0.5, n=40, predicted=0.25, observed=0.5, interval=within(0.35, 0.65)),
        Bin(low=0.5, high=0.75, n=0, predicted=NOTHING, observed=NOTHING, interval=NOTHING),
        Bin(low=0.75, high=1.0, n=20, predicted=1.0, observed=1.0, interval=within(0.8, 1.0)),
    )
    svg = reliability_curve(ReliabilityCurve(title="r", bins=bins), width=WIDE)
    (ideal,) = styled(svg, "ideal")
    left, bottom, right, top = at(ideal, "x1", "y1", "x2", "y2")
    points = [at(one, "cx", "cy") for one in tree(svg).iter("circle")]
    assert points == [
        [pytest.approx(left + 0.25 * (right - left)), pytest.approx((bottom + top) / 2)],
        [pytest.approx(right), pytest.approx(top)],
    ]
    heights = [float(one.attrib["height"]) for one in styled(svg, "neither")]
    assert heights[0] == pytest.approx(2 * heights[1])
    assert "n=40" in (tree(svg).findtext("desc") or "")


def test_bars_of_ranks_reach_from_the_best_to_the_worst_possible_rank() -> None:
    rows = (
        Ranked(shown=shown(3.0, name="one"), best=1, worst=2, letters="a"),
        Ranked(shown=shown(2.0, name="two"), best=1, worst=3, letters="ab"),
        Ranked(shown=shown(1.0, name="three"), best=3, worst=3, letters="b"),
    )
    for width in (WIDE, NARROW):
        svg = ranks(Ranks(title="r", unit=SCORE, rows=rows), width=width)
        spans = [at(one, "x", "width") for one in styled(svg, "rank")]
        rank = spans[2][1] / 0.9
        assert [size for _, size in spans] == [pytest.approx(rank * wide, abs=0.05) for wide in (1.9, 2.9, 0.9)]
        assert spans[0][0] == spans[1][0]
        assert spans[2][0] == pytest.approx(spans[0][0] + 2 * rank, abs=0.05)
        assert {"1–2 a", "1–3 ab", "3 b"} <= set(texts(svg))


def test_each_part_of_a_split_starts_where_the_one_before_ended() -> None:
    parts = (shown(3.0, name="judge"), shown(-5.0, name="task"), unknown("data"), shown(1.0, name="gaps"))
    view = Split(title="s", unit=SCORE, parts=parts, whole=shown(-1.0, name="whole"))
    svg = split(view, width=WIDE)
    (zero,) = styled(svg, "zero")
    origin = float(zero.attrib["x1"])
    bars = [(x, x + size) for x, size in (at(one, "x", "width") for one in styled(svg, "bar"))]
    pixel = (bars[0][1] - origin) / 3
    expected = [(0, 3), (-2, 3), (-2, -1), (-1, 0)]
    for (left, right), (low, high) in zip(bars, expected, strict=True):
        assert [left, right] == pytest.approx([origin + low * pixel, origin + high * pixel], abs=0.1)
    assert "undefined because nothing was scored" in texts(svg)


def test_percentiles_of_many_sizes_are_equally_far_apart_for_equal_ratios() -> None:
    rows = tuple(
        Shown(name=f"{share} %", value=value, interval=within(value * 0.9, value * 1.1), n=900)
        for share, value in ((50, 1.0), (90, 10.0), (99, 100.0))
    )
    view = Percentiles(
        title="p", unit=Unit(name="latency", suffix=" s"), rows=rows, n=900, missing=3, minimum=0.5, maximum=120.0
    )
    svg = percentiles(view, width=WIDE)
    first, second, third = spots(svg)
    assert second - first == pytest.approx(third - second, abs=0.05)
    assert {"1 s", "10 s", "100 s", "n=900, 3 more have none"} <= set(texts(svg))
