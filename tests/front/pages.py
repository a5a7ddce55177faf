"""Findings to show on pages, hostile ones among them, and what holds for every page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser
from itertools import combinations
from pathlib import Path
from random import Random
from typing import TypeAlias

import rejudge
from rejudge.domain.rating import Drawing
from rejudge.domain.scorer import ScorerConfig
from rejudge.front.compared import ComparisonResult
from rejudge.front.comparing import compare
from rejudge.front.correcting import CorrectionResult
from rejudge.front.described import Description
from rejudge.front.page_calibration import calibration_section
from rejudge.front.page_leaderboard import leaderboard_section
from rejudge.front.page_pairwise import pairwise_section
from rejudge.front.page_spending import percentiles_figure
from rejudge.front.page_split import Carrier, Part, SplitView, split_section
from rejudge.front.plots.axis import Ends
from rejudge.front.plots.estimate import Shown
from rejudge.front.plots.unit import Unit
from rejudge.front.result import Result
from rejudge.stats.calibration import calibrate
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.leaderboard import leaderboard as ranked
from rejudge.stats.percentiles import percentiles
from rejudge.stats.scale import FIVE_STAR, PASS_FAIL, Scale
from rejudge.storage.memory import MemoryStore
from tests.front.recorded import Case, Given, Made, pass_fail, recorded
from tests.release.runs import judged, rows, scorer

HOSTILE = (
    "</bdi></text></svg></table><script>alert(1)</script><img src=//evil.example onerror=alert(2)>\"'&amp;\u202e\x1b"
)
ENDLESS = "two\nlines\t" + "x" * 3000 + "宽" * 300
VOID = {"meta", "link", "img", "br", "hr", "input"}
HTML = {"html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section", "nav", "aside", "div"}
HTML |= {"h1", "h2", "h3", "p", "dl", "dt", "dd", "ul", "li", "a", "span", "bdi", "details", "summary", "figure"}
HTML |= {"figcaption", "table", "caption", "thead", "tbody", "tr", "th", "td"}
SVG = {"svg", "title", "desc", "g", "line", "path", "rect", "circle", "polyline", "text", "tspan"}


class Page(HTMLParser):
    """What a page is made of; fails where an element is closed that is not open."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.rows: list[list[str]] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data

    def row(self, name: str, table: str = "") -> list[str]:
        """The cells of the first row of that name, in the first table that has a column of the name `table`."""
        heads = [place for place, row in enumerate(self.rows) if not table or table in row]
        return next(row for row in self.rows[heads[0] :] if row[0] == name)

    def count(self, tag: str) -> int:
        return sum(one == tag for one, _ in self.seen)


Side: TypeAlias = list[Mapping[str, Given]]


def two_runs(
    sides: tuple[Side, Side],
    scorers: Sequence[ScorerConfig],
    *,
    tasks: tuple[str, str] = ("old", "new"),
    prefix: str = "item ",
) -> Result:
    topics = ("sums", "words", f"rare {prefix}")
    items: list[dict[str, object]] = [
        {"id": f"{prefix}{place}", "question": "?", "topic": topics[place % 3]} for place in range(len(sides[0]))
    ]
    made = [
        Made(
            cases=[Case(output=f"{task} {place}", scores=one) for place, one in enumerate(side)],
            task=task,
            scorers=scorers,
        )
        for task, side in zip(tasks, sides, strict=True)
    ]
    return recorded(items, *made, name="exam")


def passing(count: int, *, first: int, second: int) -> ComparisonResult:
    """Of `count` items the first run passes the first so many, the second run the last so many."""
    before: Side = [{"correct": float(place < first)} for place in range(count)]
    after: Side = [{"correct": float(place >= count - second)} for place in range(count)]
    return compare(two_runs((before, after), [pass_fail()]), by="topic")


def checked(html: str) -> Page:
    """The page, after what holds for every page has been checked."""
    page = Page(html)
    assert {tag for tag, _ in page.seen} <= HTML | SVG
    names = {name for _, attributes in page.seen for name in attributes}
    assert not {name for name in names if name.startswith("on") or name in ("style", "src", "srcset", "xlink:href")}
    assert all((given.get("href") or "#").startswith("#") for _, given in page.seen)
    assert "url(" not in html
    assert "@import" not in html
    assert page.count("svg") == 2 * page.count("figure")
    assert all(given.get("role") == "img" for tag, given in page.seen if tag == "svg")
    assert page.count("table") >= page.count("figure")
    return page


def sections() -> dict[str, list[str]]:
    judge, people = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0] * 8, [1.0, 0.0, 0.0, 1.0, 0.0, 1.0] * 8
    stars = [float(1 + place % 5) for place in range(48)]
    topics, others = [HOSTILE, "b"] * 9, ["b", HOSTILE, "c"] * 6
    unit = Scale(low=0, high=1)
    calibrations = {
        "passes": calibrate(judge, people, kind="pass_fail", scale=PASS_FAIL, seed=0),
        "chances": calibrate(
            [place / 48 for place in range(48)], people, kind="number", scale=unit, seed=0, passes=0.5
        ),
        "stars": calibrate(stars, stars[::-1], kind="five_star", scale=FIVE_STAR, seed=0),
        "labels": calibrate(topics, others, kind="label", scale=Scale(), seed=0),
        "one pair": calibrate([3.0], [4.0], kind="number", scale=Scale(), seed=0),
    }
    columns = {f"{HOSTILE} {name}": [float(name + place > 12) for place in range(24)] for name in range(12)}
    ranks = ranked(columns, name=HOSTILE, kind="pass_fail", scale=PASS_FAIL, seed=0)
    pairs = paired_systems(10, shortest=HOSTILE).pairwise
    assert pairs is not None
    return {
        **{name: [*calibration_section(one, HOSTILE, "people")] for name, one in calibrations.items()},
        "ranks": [*leaderboard_section(ranks, left_out={HOSTILE: 3})],
        "pairs": [*pairwise_section(pairs)],
        "split": [*split_section(moved())],
        "latency": [percentiles_figure("Latency", Unit(name="latency", suffix=" s"), percentiles([0.1, 0.5, 40.0]))],
        "no latency": [percentiles_figure("Latency", Unit(name="latency"), percentiles([], missing=4))],
    }


def paired_systems(count: int = 60, *, shortest: str = "short answers") -> rejudge.RankingResult:
    """Three systems side by side before a judge that likes long answers and what is first."""
    store = MemoryStore()
    ids = [f"i{number}" for number in range(count)]
    lengths = {shortest: 1, "middling": 2, "long answers": 3}
    outputs = {name: {item: f"{item} {'x' * long}" for item in ids} for name, long in lengths.items()}
    result = judged(store, rows(ids), outputs, lambda output: True)
    judge = rejudge.scorers.pairwise(model="m", reasoning=False)
    for one, other in combinations(result.runs, 2):
        rejudge.compare_pairwise(one, other, judge, store=store, provider=rejudge.ScriptedProvider(_longer))
    return rejudge.leaderboard("exam", scorer="pairwise", store=store)


def _longer(call: rejudge.ModelCall) -> str:
    """Prefers the longer answer but for a fifth of the items against the shortest, and in one what is first."""
    shown = re.findall(r"<(?:first|second)-\w{12}>\ni(\d+) (x+)\n</", str(call.messages[-1]["content"]))
    (item, first), (_, second) = shown
    place = int(item) % 5
    if place == 0:
        return "first"
    odd = place == 1 and "x" in (first, second)
    return "first" if (len(first) > len(second)) is not odd else "second"


IDS = [f"i{number:02}" for number in range(48)]


def in_depth() -> Description:
    """A run of four trials, of which `i47` has none; items of `sums` always fail, others pass six of ten times."""
    random, trials = Random(1), 4
    topics = {id: ("sums", "words", HOSTILE)[number % 3] for number, id in enumerate(IDS)}
    outputs = {id: [random.random() < 0.6 and topics[id] != "sums" for _ in range(trials)] for id in IDS[:-1]}
    tone = scorer(
        "tone",
        rejudge.ScoreSpec(name="tone", type=rejudge.ScoreType.LABEL),
        read=lambda output: "kind" if output else HOSTILE,
    )
    store = MemoryStore()
    items = rows(IDS, topic=topics, doc={id: number // 6 for number, id in enumerate(IDS)})
    result = judged(store, items, {"t": outputs}, scorer("correct"), tone, trials=trials)
    return rejudge.describe(result, store=store, by="topic", clusters="doc", seed=7)


def half_labelled(folder: Path, *, drawn: Drawing = "at_random", judge: str = "judge") -> CorrectionResult:
    """A run of 300 traces of which people labelled 100; its judge is wrong about one in eleven, another says no."""
    truth = {f"n{number}": number % 10 < 7 for number in range(300)}

    def right(item: Mapping[str, object]) -> bool:
        return truth[str(item["id"])] is (int(str(item["id"])[1:]) % 11 != 0)

    def never(item: Mapping[str, object]) -> bool:
        return int(str(item["id"])[1:]) % 300 == 250

    def stars(item: Mapping[str, object]) -> float:
        return 1.0 + 3 * truth[str(item["id"])] + int(str(item["id"])[1:]) % 2

    right.__name__, never.__name__ = "judge", "no"
    stars.scores = [rejudge.ScoreSpec(name="stars", type=rejudge.ScoreType.FIVE_STAR)]  # type: ignore[attr-defined]
    scorers = {"judge": right, "no": never, "stars": stars}
    store = MemoryStore()
    rejudge.evaluate(
        [{"id": item, "question": HOSTILE} for item in truth],
        lambda question: question,
        list(scorers.values()),
        store=store,
        name=f"exam {HOSTILE}",
        progress="silent",
    )
    said = {item: 1 + 4 * passed if judge == "stars" else passed for item, passed in [*truth.items()][:100]}
    records = [{"id": item, "rater": HOSTILE, "value": value} for item, value in said.items()]
    file = folder / f"{judge} {drawn}.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    score = "five_star" if judge == "stars" else "pass_fail"
    rejudge.import_ratings(f"exam {HOSTILE}", file, "people", store=store, score=score, blind=True)
    rejudge.adjudicate("people", store=store)
    return rejudge.correct(f"exam {HOSTILE}", judge, against="people", drawn=drawn, store=store)


def why() -> rejudge.Explanation:
    """Why one of two runs of hostile names did better."""
    before: Side = [{"correct": float(place % 2)} for place in range(40)]
    after: Side = [{"correct": float(place % 3 > 0)} for place in range(40)]
    runs = two_runs((before, after), [pass_fail()], tasks=(f"1{HOSTILE}", f"2{HOSTILE}"), prefix=HOSTILE).runs
    return rejudge.explain(*runs)


def moved() -> SplitView:
    interval = Interval(low=-0.02, high=0.1, level=0.95, method="t")
    judge = Shown(name="judge", value=0.04, interval=interval, n=50)
    data = Shown(name="data", value=Undefined("no item changed"), interval=Undefined("no item changed"), n=0)
    return SplitView(
        title="Why the mean moved",
        headline="the judge",
        unit=Unit(name="difference in pass rate, points", share=True, signed=True),
        parts=(
            Part(
                shown=judge,
                says="The new judge is kinder.",
                carriers=(Carrier(item_id=HOSTILE, moved=0.01),),
                carried=9,
            ),
            Part(shown=data, says="Items that changed."),
        ),
        whole=Shown(name="whole difference", value=0.04, interval=interval, n=50),
        ends=Ends(left="old", right="new", word="better"),
        means=("The judge moved it.",),
        limits=("It says nothing of other items.",),
    )
