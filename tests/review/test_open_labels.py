"""Labels that are missing or late: traces that raters differ on, ratings after the labels, and everything labelled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import rejudge
from rejudge.stats.estimate import Estimate
from rejudge.stats.open_labels import Bounds
from rejudge.storage.store import Store
from tests.review.corrections import FIRST, TRUTH, corrected, evaluated, grades, judge, labelled, rates
from tests.review.world import rate, said


def differing(store: Store, folder: Path, items: list[str]) -> None:
    """Two raters of these items, who differ where the judge errs: the second says there what the judge says."""
    rate(store, folder, said({item: TRUTH[item] for item in items}), drawn="at_random")
    seconded = {item: judge({"n": item[1:]}) for item in items}
    rate(store, folder, said(seconded, "bob"), drawn="at_random")
    rejudge.adjudicate("tone", store=store)


def test_traces_that_raters_differ_on_are_counted_and_the_rest_is_no_random_sample(tmp_path: Path) -> None:
    store = evaluated()
    differing(store, tmp_path, FIRST)
    found = corrected(store)
    errors = sum(judge({"n": item[1:]}) is not TRUTH[item] for item in FIRST)
    assert found.corrected.open is not None
    assert (found.corrected.open.traces, found.corrected.labelled) == (errors, 100 - errors)
    for number in ("human", "true_positive_rate", "rogan_gladen", "prediction_powered"):
        assert "are open, because their raters differ, and left out: the hard" in str(getattr(rates(found), number))
    assert found.advice.use is None
    assert "adjudicate the open ones first" in found.advice.why
    text = " ".join(str(found).split())
    assert f"n={100 - errors} labelled, {errors} open, of 300 judged traces, drawn at random" in text
    assert "rejudge ratings adjudicate tone --rule adjudicator --adjudicator NAME" in text
    assert "right whatever errors" not in text


def test_open_traces_leave_bounds_that_hold_whatever_they_will_be_decided_as(tmp_path: Path) -> None:
    store = evaluated()
    differing(store, tmp_path, FIRST)
    opened = corrected(store).corrected.open
    assert opened is not None
    for adjudicator in ("ann", "bob"):
        rejudge.adjudicate("tone", "adjudicator", adjudicator=adjudicator, store=store)
        decided = corrected(store)
        assert decided.corrected.open is None
        for name in ("human", "true_positive_rate", "true_negative_rate", "rogan_gladen", "prediction_powered"):
            number, bounds = getattr(rates(decided), name), opened.bounds[name]
            assert isinstance(bounds, Bounds)
            assert bounds.low <= number.interval.low <= number.interval.high <= bounds.high
    assert isinstance(opened.bounds["prediction_powered"], Bounds)
    assert opened.bounds["prediction_powered"].low < 0.7 < opened.bounds["prediction_powered"].high


def test_open_traces_stand_in_the_document_and_on_the_page(tmp_path: Path) -> None:
    store = evaluated()
    differing(store, tmp_path, FIRST)
    found = corrected(store)
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["open"]["traces"] == 10
    assert document["open"]["bounds"]["prediction_powered"].keys() == {"low", "high"}
    assert any("10 of 100 rated traces are open" in remark for remark in document["remarks"])
    assert "10 of 100 rated traces are open" in found.to_html()
    assert "However the 10 open traces will be decided" in found.to_html()
    assert max(map(len, str(found).splitlines())) <= 80


def test_open_numbers_are_bounded_by_what_the_raters_said(tmp_path: Path) -> None:
    store = evaluated()
    scale = {"type": "number", "low": 0, "high": 10}
    rejudge.import_scores("shouts", grades(tmp_path), {"name": "graded"} | scale, store=store)
    values = {item: int(item[1:]) % 5 + int(item[1:]) % 2 for item in FIRST}
    rate(store, tmp_path, said(values), score=scale, drawn="at_random")
    rate(store, tmp_path, said(dict.fromkeys(FIRST[:7], 9), "bob"), score=scale, drawn="at_random")
    rejudge.adjudicate("tone", store=store)
    found = corrected(store, "graded")
    assert found.corrected.open is not None
    bounds = found.corrected.open.bounds["human"]
    assert isinstance(bounds, Bounds)
    assert found.advice.use is None
    assert "lowest or highest as a rater said" in " ".join(str(found).split())
    for rule in ("ann", "bob"):
        rejudge.adjudicate("tone", "adjudicator", adjudicator=rule, store=store)
        human = corrected(store, "graded").statistics.human
        assert isinstance(human, Estimate)
        assert bounds.low < human.value < bounds.high


def test_ratings_that_came_after_the_labels_are_told_with_the_next_step(tmp_path: Path) -> None:
    store = evaluated()
    labelled(store, tmp_path, FIRST)
    assert corrected(store, drawn="at_random").corrected.remarks == ()
    rate(store, tmp_path, said({"n0": not TRUTH["n0"]}))
    text = " ".join(str(corrected(store, drawn="at_random")).split())
    assert "ratings that came after gold version 1 change the labels of 1 trace, and are not in these numbers" in text
    assert "rejudge ratings adjudicate tone --rule majority" in text
    rejudge.adjudicate("tone", store=store)
    assert corrected(store, drawn="at_random").corrected.remarks == ()


def test_everything_labelled_is_not_called_nothing_scored(tmp_path: Path) -> None:
    store = evaluated(count=100)
    labelled(store, tmp_path, FIRST)
    found = corrected(store, drawn="at_random")
    assert "labelled everything that the judge scored" in str(rates(found).rogan_gladen)
    assert "nothing was scored" not in str(found)


def test_a_judge_worse_than_chance_of_which_all_is_labelled_is_refused_as_that(tmp_path: Path) -> None:
    def contrary(item: Mapping[str, object]) -> bool:
        return not judge(item)

    store = evaluated(contrary, count=100)
    labelled(store, tmp_path, FIRST)
    assert "no better than chance" in str(rates(corrected(store, "contrary", drawn="at_random")).rogan_gladen)
