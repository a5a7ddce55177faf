"""What a comparison leaves out is said: scorers and values of one side, rare labels, items in no slice."""

from __future__ import annotations

import json

import pytest

import rejudge
from rejudge.wiring import Address
from tests.release.runs import correct, judged, rows, scorer

IDS = [f"i{number:03}" for number in range(120)]


def told(found: object) -> str:
    return " ".join(str(found).split())


def digits(factor: int) -> dict[str, object]:
    return {id: place * factor % 97 for place, id in enumerate(IDS)}


def test_a_scorer_that_one_run_alone_has_is_named(store: Address) -> None:
    one, other = scorer("one", read=lambda output: output != 3), scorer("other", read=lambda output: output != 4)
    first = judged(store, rows(IDS), {"a": digits(7)}, correct, one, name="first")
    second = judged(store, rows(IDS), {"b": digits(3)}, correct, other, name="second")
    found = rejudge.compare(first, second, store=store)
    assert [score.measure for score in found.scores] == ["correct"]
    assert "one is a scorer of the first run alone" in found.notes
    assert "other is a scorer of the second run alone" in found.notes
    assert "one is a scorer of the first run alone" in told(found)
    assert "one is a scorer of the first run alone" in found.to_html()
    assert rejudge.compare(first, second, scorer="correct", store=store).notes == ()
    ranked = rejudge.leaderboard(first, second, judged(store, rows(IDS), {"c": digits(5)}, correct), store=store)
    assert "one is a scorer of 1 of the 3 runs" in ranked.notes


def test_one_rule_tells_which_labels_are_told_apart_and_how_many_are_not(store: Address) -> None:
    """Thirty labels, of which the two runs do not have the same commonest ones."""
    label = scorer("label", read=lambda output: f"L{int(str(output)) % 30:02}")
    result = judged(store, rows(IDS), {"a": digits(7), "b": digits(3)}, label)
    compared, ranked = rejudge.compare(result, store=store), rejudge.leaderboard(result, store=store)
    described = rejudge.describe(result.run("a"), store=store)
    measures = [score.measure for score in compared.scores]
    assert len(measures) == 12
    assert [one.leaderboard.name for one in ranked.rankings] == measures
    assert len(described.described.scores) == 12
    sentence = "label: the 12 commonest of 30 labels are told apart; the 18 others, "
    for found in (compared, ranked, described):
        assert sentence in told(found)
        assert any(note.startswith(sentence) for note in found.notes)
    rare = sum(f" {count} of 240 values" in " ".join(compared.notes) for count in range(240))
    assert rare == 1


def test_labels_that_were_declared_are_all_told_apart(store: Address) -> None:
    labels = tuple(f"L{number}" for number in range(20))
    spec = rejudge.ScoreSpec(name="label", type=rejudge.ScoreType.LABEL, labels=labels)
    label = scorer("label", spec, read=lambda output: f"L{int(str(output)) % 20}")
    found = rejudge.compare(judged(store, rows(IDS), {"a": digits(7), "b": digits(3)}, label), store=store)
    assert (len(found.scores), found.notes) == (20, ())


def test_scorers_of_many_labels_are_compared_by_the_commonest_of_both(store: Address) -> None:
    one = scorer("one", read=lambda output: f"L{int(str(output)) % 30:02}")
    other = scorer("other", read=lambda output: f"L{int(str(output)) % 15:02}")
    result = judged(store, rows(IDS), {"a": digits(7)}, one, other)
    found = rejudge.compare(result, scorers=["one", "other"], store=store)
    assert len(found.scores) == 12
    assert "one and other: the 12 commonest of 30 labels are told apart" in told(found)


def test_items_without_a_value_of_the_field_are_counted(store: Address) -> None:
    topics = {id: "xy"[place % 2] for place, id in enumerate(IDS) if place % 5}
    result = judged(store, rows(IDS, topic=topics), {"a": digits(7), "b": digits(3)})
    compared = rejudge.compare(result, by="topic", store=store)
    assert sum(one.comparison.n for one in compared.score().slices) == 96
    assert compared.compared.sliceless == 24
    described = rejudge.describe(result.run("a"), by="topic", store=store)
    assert described.described.sliceless == 24
    for found in (compared, described):
        assert "24 items without a value of 'topic': in no slice" in told(found)
    assert "in no slice" not in told(rejudge.compare(result, store=store))


def test_slices_tell_what_they_could_not_pair(store: Address) -> None:
    """In slice x one item lacks its score in the first run, two in the second, and one in both."""
    topics = {id: "xy"[place % 2] for place, id in enumerate(IDS)}
    first = {id: value for id, value in digits(7).items() if id not in ("i000", "i002")}
    second = {id: value for id, value in digits(3).items() if id not in ("i002", "i004", "i006")}
    found = rejudge.compare(judged(store, rows(IDS, topic=topics), {"a": first, "b": second}), by="topic", store=store)
    parts = {one.name: one for one in found.score().slices}
    assert (parts["x"].items, parts["x"].comparison.n, parts["x"].unscored) == (60, 56, 1)
    assert parts["x"].comparison.unpaired == (2, 1)
    assert (parts["y"].items, parts["y"].comparison.n, parts["y"].comparison.unpaired) == (60, 60, (0, 0))
    assert "n=56 of 60" in told(found)
    assert json.loads(found.to_json())["compared"]["scores"][0]["slices"][0]["items"] == 60


def test_slices_hold_the_items_that_both_dataset_versions_have(store: Address) -> None:
    topics = {id: "xy"[place % 2] for place, id in enumerate(IDS)}
    old = rows(IDS, topic=topics)
    judged(store, old, {"a": digits(7)}, name="before")
    judged(store, [*reversed(old[10:]), {"id": "new", "question": "?"}], {"b": {**digits(3), "new": 1}}, name="after")
    found = rejudge.compare("before", "after", by="topic", store=store)
    assert [(one.items, one.comparison.n) for one in found.score().slices] == [(55, 55), (55, 55)]
    assert found.compared.sliceless == 0
    with pytest.raises(rejudge.ConfigurationError, match="no item has a field"):
        rejudge.compare("before", "after", by="nothing", store=store)
