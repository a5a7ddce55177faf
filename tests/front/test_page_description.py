"""The page of a run in depth: each number with its n and interval, slices, what is missing, repeats, what it took."""

from __future__ import annotations

import re
from collections.abc import Generator
from random import Random

import pytest

import rejudge
from rejudge.front.described import Description
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval
from rejudge.stats.percentiles import Percentiles
from rejudge.storage.memory import MemoryStore
from tests.front.pages import HOSTILE, IDS, Page, checked, in_depth
from tests.release.runs import judged, rows, scorer


@pytest.fixture(scope="module")
def repeated() -> Description:
    return in_depth()


@pytest.fixture(scope="module")
def once() -> Description:
    """One trial of each item, asked of a model whose tokens and prices are known."""
    store = MemoryStore()
    random = Random(2)

    def reply(call: rejudge.ModelCall) -> rejudge.Reply:
        usage = rejudge.Usage(input_tokens=random.randint(10, 900), output_tokens=random.randint(1, 9), cost=0.002)
        return rejudge.Reply(text=random.choice(["yes", "no"]), usage=usage)

    def task(question: str) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
        answer = yield rejudge.ModelCall(model="m", messages=[{"role": "user", "content": question}])
        return answer.text

    result = rejudge.evaluate(
        rows(IDS),
        task,
        [scorer("correct", read=lambda output: output == "yes")],
        store=store,
        name="exam",
        provider=rejudge.ScriptedProvider(reply),
        progress="silent",
    )
    return rejudge.describe(result, store=store)


@pytest.fixture(scope="module")
def page(repeated: Description) -> Page:
    return checked(repeated.to_html())


def test_every_score_is_told_first_with_its_interval_and_n_and_leads_to_its_section(
    page: Page, repeated: Description
) -> None:
    names = [one.measure for one in repeated.described.scores]
    assert len(names) == 3
    anchors = [given["href"] for tag, given in page.seen if tag == "a"]
    assert anchors == ["#score-1", "#score-2", "#score-3"]
    assert {given.get("id") for tag, given in page.seen if tag == "section"} >= {"score-1", "score-2", "score-3"}
    _, value, n = page.row("correct")
    assert re.fullmatch(r"\d+ % \[\d+, \d+\]", value)
    assert n == "47"


def test_the_mean_has_the_interval_over_clusters_and_beside_it_the_other_methods(
    page: Page, repeated: Description
) -> None:
    score = repeated.score("correct")
    assert score.clustered is not None
    assert isinstance(score.clustered.interval, Interval)
    _, value, interval, n, _ = page.row("all items", "method")
    assert float(value.removesuffix(" %")) == pytest.approx(100 * float(str(score.mean)), abs=0.6)
    assert "t over clusters" in interval
    assert f"{100 * score.clustered.interval.low:.0f} %" in interval
    assert n == "47"
    assert page.row("as if independent")[4] == "no clusters"
    assert page.row("BCa bootstrap over clusters")[4] == "seed 7"


def test_slices_stand_against_the_rest_with_n_interval_corrected_p_and_bounds(page: Page) -> None:
    name, mean, n, against, verdict, bounds = page.row("sums", "slice − rest")
    assert (mean[:3], n) == ("0 %", "16 of 16")
    assert re.match(r"-\d+ points \[-\d+, -\d+\]", against), name
    assert re.fullmatch(r"worse, p [=<] [\d.]+", verdict)
    assert bounds == "nothing is missing"
    lacking = page.row(HOSTILE.replace("\u202e", r"\u202e").replace("\x1b", r"\x1b"), "slice − rest")
    assert lacking[2] == "15 of 16"
    assert re.fullmatch(r"[\d.]+ % to [\d.]+ %", lacking[5])


def test_what_is_missing_is_counted_and_bounded(page: Page) -> None:
    assert "192 planned: 188 scored, 4 task errors." in page.text
    assert re.search(r"[\d.]+ to [\d.]+ % whatever the 4 missing would score", page.text)
    assert "is where the mean could be with the scores that are missing" in page.text


def test_repeats_tell_reliability_agreement_variance_and_both_kinds_of_attempts(
    page: Page, repeated: Description
) -> None:
    found = repeated.score("correct").repeats
    assert found is not None
    for name, one in (("two trials are equal", found.agreement), ("reliability of a trial", found.reliability)):
        assert isinstance(one, Estimate)
        _, value, interval, n, _ = page.row(name, "share")
        assert float(value.removesuffix(" %")) == pytest.approx(100 * float(str(one.value)), abs=0.6)
        assert "95 % interval" in interval
        assert n == "47"
    assert page.row("variance within an item")[3] == "47 items, 188 trials"
    for k in (2, 4):
        assert page.row(f"pass@{k}: one of {k} passes")[3] == "47"
        assert page.row(f"pass^{k}: all {k} pass")[3] == "47"


def test_items_and_labels_that_flip_are_listed(page: Page, repeated: Description) -> None:
    flips = repeated.score("correct").flips
    assert flips is not None
    assert f"Flips: {flips.count} items whose trials are not all equal, the 20 that agree least" in page.text
    first = flips.items[0]
    _, mean, lowest, highest, trials, equal = page.row(first.item_id, "lowest")
    assert (lowest, highest, trials) == ("0 %", "100 %", "4")
    assert float(mean.removesuffix(" %")) == pytest.approx(100 * first.mean, abs=0.1)
    assert float(equal.removesuffix(" %")) == pytest.approx(100 * first.agreement, abs=0.1)
    assert re.search(r"tone: \d+ items whose trials got different labels", page.text)
    assert re.search(r"kind × \d", page.row(repeated.described.label_flips[0].items[0].item_id, "labels")[1])


def test_it_says_in_words_what_the_numbers_mean_and_what_they_do_not(page: Page) -> None:
    assert page.text.index("What it means") < page.text.index("What it does not mean")
    assert re.search(r"Of the 47 scored items \d+ % pass\.", page.text)
    assert "It does not say how the run would do on items of another kind." in page.text
    assert "How common a label is does not say that it is right." in page.text


def test_what_a_trace_took_is_drawn_in_percentiles_with_its_sum(once: Description) -> None:
    page = checked(once.to_html())
    tokens = once.described.amounts["input_tokens"]
    assert isinstance(tokens, Percentiles)
    _, value, interval, n, _ = page.row("50 % take at most", "percentile")
    assert value.endswith(" ms")
    assert "between two of the values" in interval
    assert n == "48"
    assert f"{tokens.total:,.0f} tokens in (n=48)" in page.text
    assert "$0.096 (n=48)" in page.text
    assert "Flips" not in page.text
    assert "Slices" not in page.text


def test_a_run_of_which_nothing_is_known_says_so() -> None:
    store = MemoryStore()
    result = judged(store, rows(IDS[:3]), {"t": {}})
    text = checked(rejudge.describe(result, store=store).to_html()).text
    assert "NaN" not in text
    assert "None" not in text


def test_a_notebook_gets_one_piece_and_a_path_a_file(
    repeated: Description, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("pages") / "deep" / "run.html"
    assert repeated.to_html(path) == path.read_text(encoding="utf-8")
    piece = repeated._repr_html_()
    assert piece.startswith('<div class="rj"><style>')
    checked(piece)
