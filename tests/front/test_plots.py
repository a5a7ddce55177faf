"""Plots, read as XML: numbers lie where they belong, words and shapes tell what colours do, and nothing breaks them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import pairwise
from typing import get_args
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.front.plots.axis import Axis, Ends, LogAxis, axis_over
from rejudge.front.plots.changes import Changes, changes
from rejudge.front.plots.confusion_matrix import ConfusionMatrix, confusion_matrix
from rejudge.front.plots.estimate import SIGNS, Mark, Shown, marked
from rejudge.front.plots.intervals import Band, Intervals, Line, intervals
from rejudge.front.plots.paired_differences import PairedDifferences, paired_differences
from rejudge.front.plots.percentiles import Percentiles, percentiles
from rejudge.front.plots.ranks import Ranked, Ranks, ranks
from rejudge.front.plots.reliability_curve import Bin, ReliabilityCurve, reliability_curve
from rejudge.front.plots.slices import Slices, slices
from rejudge.front.plots.split import Split, split
from rejudge.front.plots.svg import NARROW, WIDE, fitted, name_lines, pixels
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


PLOTS: dict[str, Callable[[Shown, str, float], str]] = {
    "intervals": lambda row, name, width: intervals(Intervals(title=name, unit=SCORE, rows=(row,)), width=width),
    "no rows": lambda row, name, width: intervals(Intervals(title=name, unit=SCORE, rows=()), width=width),
    "slices": lambda row, name, width: slices(
        Slices(title=name, unit=POINTS, rows=(row, row), whole=row.value, ends=Ends(left=name, right=name)), width=width
    ),
    "changes": lambda row, name, width: changes(
        Changes(title=name, first=name, second=name, both=0, only_first=0, only_second=row.n, neither=0), width=width
    ),
    "no items": lambda row, name, width: changes(
        Changes(title=name, first=name, second=name, both=0, only_first=0, only_second=0, neither=0), width=width
    ),
    "paired differences": lambda row, name, width: paired_differences(
        PairedDifferences(
            title=name,
            unit=Unit(name=name),
            differences=() if isinstance(row.value, Undefined) else (row.value,) * 3,
            n=row.n,
        ),
        width=width,
    ),
    "confusion matrix": lambda row, name, width: confusion_matrix(
        ConfusionMatrix(title=name, rows=name, columns=name, categories=(name,), counts=((row.n,),)), width=width
    ),
    "no categories": lambda row, name, width: confusion_matrix(
        ConfusionMatrix(title=name, rows=name, columns=name, categories=(), counts=()), width=width
    ),
    "reliability curve": lambda row, name, width: reliability_curve(
        ReliabilityCurve(
            title=name,
            said=name,
            bins=(Bin(low=0.0, high=1.0, n=row.n, predicted=0.5, observed=0.5, interval=row.interval),),
        ),
        width=width,
    ),
    "ranks": lambda row, name, width: ranks(
        Ranks(title=name, unit=SCORE, rows=(Ranked(shown=row, best=1, worst=1, letters=name),)), width=width
    ),
    "split": lambda row, name, width: split(
        Split(title=name, unit=POINTS, parts=(row, row), whole=row, ends=Ends(left=name, right=name)), width=width
    ),
    "percentiles": lambda row, name, width: percentiles(
        Percentiles(title=name, unit=SCORE, rows=(row,), n=row.n, missing=0, minimum=row.value, maximum=row.value),
        width=width,
    ),
}

ROWS = {
    "one value": Shown(name="a", value=3.0, interval=Undefined("one value shows no spread"), n=1),
    "nothing": unknown(),
    "all zero": Shown(name="a", value=0.0, interval=within(0.0, 0.0), n=5),
    "all equal": Shown(name="a", value=1e9, interval=within(1e9, 1e9), n=5),
    "huge": Shown(name="a", value=1e308, interval=within(-1e308, 1.7e308), n=5),
    "tiny": Shown(name="a", value=1e-310, interval=within(0.0, 2e-310), n=5),
    "negative": Shown(name="a", value=-0.3, interval=within(-0.5, -0.1), n=1_000_000),
    "hostile": Shown(name=HOSTILE, value=0.5, interval=within(0.4, 0.6), n=9, note=HOSTILE, more=HOSTILE),
    "long": Shown(name="日本語 W" * 5_000, value=0.5, interval=within(0.4, 0.6), n=9, note="W" * 5_000),
}


@pytest.mark.parametrize("width", [NARROW, WIDE])
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("plot", PLOTS)
def test_every_plot_stands_whatever_it_is_given(plot: str, row: str, width: float) -> None:
    svg = PLOTS[plot](ROWS[row], HOSTILE if row == "hostile" else "a name " * 300, width)
    root = tree(svg)
    assert {one.tag for one in root.iter()} <= ELEMENTS
    assert root.attrib["role"] == "img"
    assert [one.tag for one in list(root)[:2]] == ["title", "desc"]
    assert all(one.text for one in list(root)[:2])
    assert not {
        name for one in root.iter() for name in one.attrib if name.startswith("on") or name in ("style", "href")
    }
    numbers = [
        float(number)
        for one in root.iter()
        for name, text in one.attrib.items()
        if name not in ("class", "role", "text-anchor")
        for number in re.findall(r"-?(?:\d+\.?\d*|nan|inf)(?:e[-+]?\d+)?", text)
    ]
    assert all(math.isfinite(number) and abs(number) < 5_000 for number in numbers)
    assert all(pixels([text]) <= 2 * width for text in texts(svg))
    assert "\x1b" not in svg
    assert "\u202e" not in svg


def test_marks_differ_in_shape_and_in_the_sign_that_stands_for_them_in_text() -> None:
    verdicts: tuple[Mark, ...] = ("better", "worse", "different", "same", "unsure")
    assert len({marked(mark, 10.0, 10.0) for mark in verdicts}) == len(verdicts)
    assert len({SIGNS[mark] for mark in verdicts}) == len(verdicts)
    assert set(SIGNS) == set(get_args(Mark))


ENDS = st.floats(min_value=-1e300, max_value=1e300)


@given(ENDS, ENDS, st.integers(min_value=1, max_value=12))
def test_marks_of_an_axis_lie_on_it_in_order_and_are_not_too_many(one: float, other: float, most: int) -> None:
    axis = axis_over([one, other], start=20.0, end=420.0)
    values = [value for value, _ in axis.ticks(most)]
    assert len(values) <= most + 1
    assert values == sorted(set(values))
    places = [axis.at(value) for value in [axis.low, *values, axis.high]]
    assert all(20.0 <= place <= 420.0 for place in places)
    assert all(left <= right + 1e-6 for left, right in pairwise(places))
    assert 20.0 <= axis.at(one) <= 420.0


@given(st.floats(min_value=1e-12, max_value=1e12), st.floats(min_value=1.001, max_value=1e9))
def test_an_axis_of_ratios_keeps_order_and_has_its_marks_inside(low: float, ratio: float) -> None:
    axis = LogAxis(low=low, high=low * ratio, start=0.0, end=100.0)
    values = [value for value, _ in axis.ticks(5)]
    assert len(values) <= 6
    assert values == sorted(values)
    assert all(low <= value <= low * ratio for value in values)
    assert axis.at(low * math.sqrt(ratio)) == pytest.approx(50.0, abs=0.01)


def test_an_axis_stays_within_what_is_possible_but_shows_a_value_beyond_it() -> None:
    assert axis_over([0.0, 1.0], start=0, end=1, low=0.0, high=1.0) == Axis(low=0.0, high=1.0, start=0, end=1)
    beyond = axis_over([0.2, 1.1], start=0, end=1, low=0.0, high=1.0)
    assert beyond.high == 1.1


@given(st.text(max_size=300), st.floats(min_value=30, max_value=400))
def test_text_that_is_cut_fits_and_says_that_it_was_cut(text: str, room: float) -> None:
    cut = fitted(text, room)
    assert pixels([cut]) <= room + 14
    assert cut.isprintable() or any(mark in cut for mark in "\u200c\u200d\u3000\ufe0f")
    assert len(name_lines(text, room)) <= 2


@pytest.mark.parametrize(
    ("unit", "value", "interval", "told"),
    [
        (Unit(name="", share=True), 0.563, within(0.536, 0.589), "56.3 % [53.6, 58.9]"),
        (POINTS, 0.041, within(0.012, 0.071), "+4.1 points [1.2, 7.1]"),
        (POINTS, -0.041, within(-0.071, -0.012), "-4.1 points [-7.1, -1.2]"),
        (Unit(name="", suffix=" s"), 1.234, within(1.1, 1.4), "1.23 s [1.10, 1.40]"),
        (SCORE, 0.0, within(-1.0, 1.0), "0.0 [-1.0, 1.0]"),
        (SCORE, 3.0, Undefined("one value shows no spread"), "3 [no interval]"),
        (SCORE, Undefined("nothing was scored"), Undefined("nothing was scored"), "undefined"),
        (SCORE, 2.0, Interval(low=1.0, high=3.0, level=0.9, method="t"), "2.0 [1.0, 3.0] at 90 %"),
    ],
)
def test_numbers_are_written_with_the_digits_that_their_interval_supports(
    unit: Unit, value: float | Undefined, interval: Interval | Undefined, told: str
) -> None:
    assert unit.estimate(value, interval) == told


@pytest.mark.parametrize(
    ("unit", "value", "step", "told"),
    [
        (Unit(name="", share=True), 0.2, 0.1, "20 %"),
        (Unit(name="", share=True), 0.005, 0.005, "0.5 %"),
        (POINTS, 0.1, 0.1, "+10"),
        (POINTS, -1e-18, 0.1, "0"),
        (SCORE, 2000.0, 500.0, "2,000"),
        (SCORE, 1e300, 1e300, "1e+300"),
        (SCORE, 0.30000000000000004, 0.1, "0.3"),
    ],
)
def test_marks_of_an_axis_are_written_with_as_many_digits_as_tell_them_apart(
    unit: Unit, value: float, step: float, told: str
) -> None:
    assert unit.tick(value, step) == told
