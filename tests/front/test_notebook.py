from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.run import RunState
from rejudge.domain.verdict import Verdict
from rejudge.front.notebook import html_report
from rejudge.front.result import Result
from tests.front.recorded import Case, Fault, Made, label, number, pass_fail, recorded

HOSTILE = "</div></details><script>alert(1)</script><img src=//evil.example/x onerror=alert(2)>\"'&amp;\u202e\x1b[2J"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def report_on(text: str) -> Result:
    items: list[dict[str, object]] = [{"id": f"{place} {text}", "question": text} for place in range(4)]
    scorers = (pass_fail(), label(), number())
    cases = [
        Case(output=text, scores={"correct": Verdict.of(0.0, text), "topic": f"a{text}", "length": 3}),
        Case(error=text or "boom"),
        Case(output=[text], scores={"correct": Fault(reason=text), "topic": "geography", "length": 5}),
        None,
    ]
    return recorded(
        items,
        Made(cases=cases, task=f"t{text}", scorers=scorers, state=RunState.FAILED, reason=text),
        Made(cases=cases, task="baseline", scorers=scorers),
        name=f"n{text}",
    )


class Elements(HTMLParser):
    """The elements and texts of a document; fails where one is closed that is not open."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.one_of(st.just(HOSTILE), st.text(st.characters(codec="utf-8"), max_size=80)))
def test_nothing_from_outside_becomes_markup(text: str) -> None:
    elements = Elements(html_report(report_on(text)))
    assert not elements.open
    assert elements.seen <= set("div style strong table thead tbody tr th td details summary dl dt dd bdi i".split())
    assert elements.attributes <= {"class", "colspan", "style", "title"}


def test_the_report_loads_nothing_and_runs_nothing() -> None:
    html = html_report(report_on("x"))
    assert not re.search(r"script|javascript|src=|href=|http|url\(|@import|//", html)


def test_what_cannot_be_seen_is_written_out_and_direction_cannot_leak() -> None:
    html = html_report(report_on(HOSTILE))
    assert "\\u202e\\x1b[2J" in html
    assert not set(html) & {"\u202e", "\x1b"}
    assert "<bdi>&lt;/div&gt;&lt;/details&gt;&lt;script&gt;" in html


def test_a_notebook_shows_figures_with_n_and_interval_and_failures_to_unfold() -> None:
    cases = [Case(output="Kyoto", scores={"correct": float(place < 3)}) for place in range(4)]
    items: list[dict[str, object]] = [{"id": f"q{place}", "question": "Capital of Japan?"} for place in range(4)]
    result = recorded(items, Made(cases=cases, scorers=(pass_fail(),)))
    html = html_report(result)
    assert html == result._repr_html_() == html_report(result)
    assert (
        '<tr><td class="name"><bdi>correct</bdi></td><td colspan="2"><bdi>75 % [30, 95] wilson n=4</bdi></td>' in html
    )
    assert "<details><summary><bdi>answer: 1 failed case</bdi></summary>" in html
    text = re.sub(r"\s+", " ", Elements(html).text.split("}")[-1])
    assert "capitals/answer capitals, version dataset-" in text
    assert "answer completed in 2.0 s" in text
    assert "q3inputCapital of Japan?outputKyotocorrectfailed" in text


def test_labels_stand_one_below_the_other_with_their_shares() -> None:
    items: list[dict[str, object]] = [{"id": f"q{place}"} for place in range(4)]
    cases = [Case(output="x", scores={"topic": "rare" if place == 0 else "common"}) for place in range(4)]
    html = html_report(recorded(items, Made(cases=cases, scorers=(label(),))))
    assert html.index("<bdi>common</bdi></td><td><bdi>75 %") < html.index("<bdi>rare</bdi></td><td><bdi>25 %")


def test_an_empty_dataset_says_so() -> None:
    html = html_report(recorded([], Made(cases=[], scorers=(pass_fail(),))))
    assert "the dataset is empty: nothing was run" in html
    assert "<table>" not in html


@pytest.mark.web
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
@pytest.mark.parametrize("columns", [420, 1200])
def test_wide_outputs_do_not_widen_the_page(tmp_path: Path, columns: int) -> None:
    html = html_report(report_on("W" * 5_000 + " 日本語" * 200)).replace("<details>", "<details open>")
    page = tmp_path / "page.html"
    measure = "document.title = document.documentElement.scrollWidth - innerWidth"
    page.write_text(f"<!doctype html><meta charset=utf-8>{html}<script>{measure}</script>", encoding="utf-8")
    assert CHROMIUM is not None
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--dump-dom"]
    done = subprocess.run(
        [CHROMIUM, *flags, f"--window-size={columns},800", page.as_uri()], capture_output=True, text=True, check=True
    )
    assert "<title>0</title>" in done.stdout
