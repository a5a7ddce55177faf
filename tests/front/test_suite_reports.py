"""Reports of suites: failures first, well-formed whatever stands in outputs, and the same from the same records."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

import rejudge
from rejudge.front.lines import width
from rejudge.scorers import contains
from rejudge.storage.memory import MemoryStore

HOSTILE = [
    "<script>alert(1)</script>\"'&<!--",
    "]]></failure><testcase name='forged'/>",
    "\x00\x1b[31m\x07\x0b\ufffe\uffff",
    "\u202eforged\u2066",
    "half of a character: \ud800",
    "</pre></details><img src=http://example.com/x>",
    "line\r\nline\x85line\u2028line",
    "&#0;&#x0;<![CDATA[",
]


def hostile() -> rejudge.SuiteResult:
    """A suite whose ids, outputs, assertions and reasons are all hostile; every second item fails."""
    items = [{"id": f"{place}{text}", "text": text} for place, text in enumerate(HOSTILE)]

    def judged(output: str, item: dict[str, object]) -> tuple[bool, str]:
        return str(item["id"])[0] in "13579", f"because {output}"

    judged.name = HOSTILE[0] + "x"  # type: ignore[attr-defined]
    return rejudge.run_tests(items, lambda text: text, scorers=judged, store=MemoryStore())


class Tags(HTMLParser):
    """Collects the tags of a page, with what they refer to, and sees that they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.refers: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.refers += [f"{name}={value}" for name, value in attrs if name in ("src", "href", "onload", "onerror")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_junit_is_well_formed_whatever_stands_in_it(tmp_path: Path) -> None:
    suite = hostile()
    path = suite.write(tmp_path / "report.xml")
    root = ElementTree.parse(path).getroot()
    cases = list(root.iter("testcase"))
    assert len(cases) == len(HOSTILE)
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("8", "4", "0")
    assert len(list(root.iter("failure"))) == 4
    assert "forged" not in {case.get("name") for case in cases}
    assert cases[0].get("name") == f"0{HOSTILE[0]}"


def test_junit_tells_failures_errors_and_what_was_not_evaluated_apart() -> None:
    items = [{"id": "good"}, {"id": "bad"}, {"id": "error"}, {"id": "raises"}]

    def task(item: dict[str, str]) -> str:
        if item["id"] == "raises":
            raise ValueError("no output")
        return item["id"]

    def judged(output: str) -> bool:
        if output == "error":
            raise ValueError("no verdict")
        return output == "good"

    suite = rejudge.run_tests(items, task, scorers=judged, store=MemoryStore())
    cases = {case.get("name"): [one.tag for one in case] for case in ElementTree.fromstring(suite.to_junit())[0][1:]}
    assert cases == {
        "good": ["system-out"],
        "bad": ["failure", "system-out"],
        "error": ["error", "system-out"],
        "raises": ["error"],
    }
    bare = rejudge.run_tests(items[:1], task, store=MemoryStore())
    assert [one.tag for one in ElementTree.fromstring(bare.to_junit()).iter("skipped")] == ["skipped"]


def test_junit_tells_no_time_of_outputs_that_were_recorded_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "said.jsonl").write_text('{"id": "a", "output": "2"}\n', encoding="utf-8")
    task = rejudge.replay(tmp_path / "said.jsonl")
    recorded, measured = (
        rejudge.run_tests([{"id": "a"}], one, scorers=[contains(substring="2")], store=MemoryStore())
        for one in (task, lambda: "2")
    )
    assert ["time" in case.attrib for case in ElementTree.fromstring(recorded.to_junit()).iter("testcase")] == [False]
    assert ["time" in case.attrib for case in ElementTree.fromstring(measured.to_junit()).iter("testcase")] == [True]


def test_the_page_holds_nothing_but_its_own_markup(tmp_path: Path) -> None:
    text = hostile().write(tmp_path / "report.html").read_text(encoding="utf-8")
    page = Tags()
    page.feed(text)
    page.close()
    assert page.open == []
    assert not {"script", "img", "link", "iframe"}.intersection(page.tags)
    assert page.refers == []
    assert page.tags.count("details") == len(HOSTILE)
    assert not {mark for mark in text if not mark.isprintable()} - {"\n"}
    for wanted in ("prefers-color-scheme: dark", "width=device-width", "default-src 'none'"):
        assert wanted in text


def test_the_text_shows_failures_first_and_nothing_that_steers_a_terminal() -> None:
    suite = hostile()
    text = str(suite)
    assert text.startswith("FAILED: 4 of 8 items passed")
    assert not {mark for mark in text if not mark.isprintable()} - {"\n"}
    assert all(width(line) <= 100 for line in text.splitlines())
    assert [item.status.value for item in suite.failures_first] == ["failed"] * 4 + ["passed"] * 4


def test_json_holds_every_run_and_assertion(tmp_path: Path) -> None:
    items = [{"id": "1", "text": "a", "policy": {"runs": 2}}]
    suite = rejudge.run_tests(items, lambda text: text, scorers=contains(substring="b"), store=MemoryStore())
    document = json.loads(suite.write(tmp_path / "deep" / "report.json").read_text(encoding="utf-8"))
    assert document["suite_passed"] is False
    assert (document["items_passed"], document["items_total"], document["pass_rate"]) == (0, 1, 0.0)
    (item,) = document["items"]
    assert [(run["trial"], run["status"], run["output"]) for run in item["runs"]] == [
        (0, "failed", "a"),
        (1, "failed", "a"),
    ]
    (assertion,) = item["runs"][0]["assertions"]
    assert (assertion["name"], assertion["value"]) == ("contains", 0.0)
    assert item["runs"][0]["trace"].startswith("trace-")


@pytest.mark.parametrize("name", ["to_json", "to_html", "to_junit", "__str__"])
def test_the_same_records_give_the_same_report(name: str) -> None:
    suite = hostile()
    again = rejudge.SuiteResult(suite.result)
    assert getattr(suite, name)() == getattr(again, name)()


def test_every_report_says_what_the_task_was_asked_of_an_item_that_did_not_pass() -> None:
    items = [{"id": "1", "question": "Who wrote <Faust>?", "scorers": [{"kind": "contains", "substring": "Goethe"}]}]
    suite = rejudge.run_tests(items, lambda question: "Marlowe", store=MemoryStore())
    assert json.loads(suite.to_json())["items"][0]["input"] == "Who wrote <Faust>?"
    assert "input: Who wrote <Faust>?" in str(suite)
    assert '<pre dir="auto">Who wrote &lt;Faust&gt;?</pre>' in suite.to_html()
    failure = next(ElementTree.fromstring(suite.to_junit()).iter("failure"))
    assert "input: Who wrote <Faust>?" in str(failure.text)


def test_the_page_opens_everything_that_did_not_pass() -> None:
    items = [{"id": "good"}, {"id": "bad"}, {"id": "raises"}]

    def task(item: dict[str, str]) -> str:
        if item["id"] == "raises":
            raise ValueError("no output")
        return item["id"]

    page = rejudge.run_tests(items, task, scorers=contains(substring="good"), store=MemoryStore()).to_html()
    assert (page.count("<details>"), page.count("<details open>")) == (1, 2)


def test_why_an_item_failed_is_told_whole_in_lines_that_fit() -> None:
    reason = " ".join(f"word{number}" for number in range(40))

    def judged(output: str) -> tuple[bool, str]:
        return False, reason

    suite = rejudge.run_tests([{"id": "1", "text": "a"}], lambda text: text, scorers=judged, store=MemoryStore())
    assert reason in " ".join(str(suite).split())
    assert all(width(line) <= 100 for line in str(suite).splitlines())


def test_items_that_could_not_be_evaluated_are_noted_beside_the_pass_rate() -> None:
    def judged(output: str) -> bool:
        raise ValueError("no verdict")

    suite = rejudge.run_tests([{"id": "1", "text": "a"}], lambda text: text, scorers=judged, store=MemoryStore())
    assert "1 of 1 items could not be evaluated: the pass rate counts them as not passed" in str(suite)
