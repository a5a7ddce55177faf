"""What makes a verdict doubtful stands beside it: scores that are missing, and an interval that does not agree."""

from __future__ import annotations

import re

import rejudge
from rejudge.front.comparing import compare
from rejudge.stats.interval import Interval
from rejudge.storage.memory import MemoryStore
from tests.front.pages import Page, checked
from tests.release.runs import correct, judged, rows, scorer

IDS = [f"i{number:02}" for number in range(60)]
ODD = {id: True for place, id in enumerate(IDS) if place % 2}
TURN = ", which the missing scores could turn"


def headlines(html: str) -> list[str]:
    """What the answers at the top of the sections say."""
    answers = re.findall(r'<div class="verdict">(.*?)</div><div class="big">(.*?)</div>', html)
    return [Page(" ".join(one)).text for one in answers]


def test_the_headline_of_a_comparison_says_that_the_missing_scores_could_turn_it() -> None:
    found = rejudge.compare(judged(MemoryStore(), rows(IDS), {"a": {id: id < "i35" for id in IDS}, "b": ODD}))
    assert found.verdict().value == "better"
    (headline,) = headlines(found.to_html())
    assert headline.startswith(f"▲ better{TURN} +")
    whole = rejudge.compare(judged(MemoryStore(), rows(IDS), {"a": dict.fromkeys(IDS, False), "b": ODD}))
    assert TURN not in checked(whole.to_html()).text


def test_the_table_before_several_scores_says_which_of_them_the_missing_scores_could_turn() -> None:
    def picky(item: dict[str, object], output: object) -> bool:
        if item["id"] not in ODD:
            raise ValueError("no verdict")
        return bool(output)

    tasks = {"a": dict.fromkeys(IDS, False), "b": dict.fromkeys(IDS, True)}
    page = checked(rejudge.compare(judged(MemoryStore(), rows(IDS), tasks, correct, picky)).to_html())
    assert page.row("correct", "verdict")[1] == "▲ better"
    assert page.row("picky", "verdict")[1] == f"▲ better{TURN}"


def test_the_headline_of_a_leaderboard_says_that_the_missing_scores_could_turn_it() -> None:
    tasks = {"best": ODD, "middle": {id: id < "i30" for id in IDS}, "worst": dict.fromkeys(IDS, False)}
    found = rejudge.leaderboard(judged(MemoryStore(), rows(IDS), tasks))
    html = found.to_html()
    assert headlines(html) == [f"▲ best is ahead of every other{TURN}"]
    page = checked(html)
    assert "higher is better · the missing scores could turn the order of 1 pair" in page.text
    assert page.row("best → middle")[2] == f"worse{TURN}"
    assert page.row("best → worst")[2] == "worse"


def test_an_order_behind_the_leader_that_the_missing_scores_could_turn_is_no_doubt_about_the_leader() -> None:
    """The second run lacks the scores of just those items by which the third would be ahead of it."""
    best, some = dict.fromkeys(IDS, True), {id: id < "i20" for id in ODD}
    tasks = {"best": best, "some": some, "last": {id: id not in ODD and id < "i30" for id in IDS}}
    html = rejudge.leaderboard(judged(MemoryStore(), rows(IDS), tasks)).to_html()
    assert headlines(html) == ["▲ best is ahead of every other"]
    assert "the missing scores could turn the order of 1 pair" in html


def test_a_slice_whose_interval_and_verdict_do_not_agree_says_why_in_text_and_on_the_page() -> None:
    """Of three slices one alone would show a difference: six items of twenty, all the same way."""
    topic = {id: "abc"[place // 20] for place, id in enumerate(IDS)}
    tasks = {"old": {id: id >= "i06" for id in IDS}, "new": {id: id not in ("i20", "i40") for id in IDS}}
    found = compare(judged(MemoryStore(), rows(IDS, topic=topic), tasks), by="topic")
    a, b, _ = found.score().slices
    assert isinstance(a.comparison.interval, Interval)
    assert (a.comparison.verdict, a.verdict, a.comparison.interval.low > 0) == ("better", "not_enough_data", True)
    assert b.verdict == "not_enough_data"
    why = "Alone it would show a difference; corrected because it is one of several, it does not."
    text = " ".join(str(found).split())
    assert f"not enough data, p = 0.094, n=20. {why} b " in text
    assert text.count(why) == 1
    page = checked(found.to_html())
    assert page.row("a", "slice")[-1] == f"not enough data, p = 0.094. {why}"
    assert page.row("b", "slice")[-1].startswith("not enough data, p = ")
    assert f"intervals lie clearly apart. a: {why}" in page.text


def test_the_share_of_a_label_whose_interval_and_verdict_do_not_agree_says_why_too() -> None:
    """Six items of sixty change from one label to another, which alone would show a difference of both."""
    before = {id: "abc"[place % 3] for place, id in enumerate(IDS)}
    after = before | dict.fromkeys([id for id in IDS if before[id] == "a"][:6], "b")
    found = compare(judged(MemoryStore(), rows(IDS), {"old": before, "new": after}, scorer("mood")))
    verdicts = {one.label: (one.comparison.verdict, one.corrected.verdict) for one in found.scores}
    assert verdicts["a"] == ("different", "no_difference_shown")
    text = " ".join(str(found).split())
    assert text.count("Alone it would show a difference; corrected because it is one of several, it does not.") == 2
