"""What plots are made of, and that every plot stands whatever it is given: one value, equal, huge and hostile ones."""

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
from rejudge.front.plots.curves import Curve, Curves, Meant, curves
from rejudge.front.plots.estimate import SIGNS, Mark, Shown, marked
from rejudge.front.plots.intervals import Intervals, intervals
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
    "curves": lambda row, name, width: curves(
        Curves(
            title=name,
            across=Unit(name=name),
            up=Unit(name=name),
            low=2.0,
            high=1e9,
            curves=(Curve(name=name, points=() if isinstance(row.value, Undefined) else ((5.0, row.value),)),),
            meant=() if isinstance(row.value, Undefined) else (Meant(at=(1e12, row.value), told=name),),
        ),
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
        (POINTS, 0.001, within(-0.1, 0.1), "0 points [-10, 10]"),
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
