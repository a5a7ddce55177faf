"""Two runs compared on the items that both have: what is paired, what is left out, and what is said about it."""

from __future__ import annotations

import json

import pytest

import rejudge
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.many import Corrected
from rejudge.wiring import Address
from tests.release.runs import correct, judged, rows, scorer

IDS = [f"i{number:02}" for number in range(40)]


def passing(*failed: str) -> dict[str, object]:
    return {id: id not in failed for id in IDS}


def values(of: dict[str, float]) -> dict[str, object]:
    return dict(of)


def test_the_difference_is_that_of_the_second_and_the_items_that_changed_are_named(store: Address) -> None:
    result = judged(store, rows(IDS), {"old": passing("i01", "i02", "i03", "i04"), "new": passing("i01", "i30")})
    found = rejudge.compare(result, store=store)
    one = found.score()
    assert (found.first.label, found.second.label, one.measure) == ("old", "new", "correct")
    assert one.comparison.difference == pytest.approx(2 / 40)
    assert (one.comparison.n, one.comparison.outcomes and one.comparison.outcomes.b) == (40, 3)
    assert not isinstance(one.regressions, Undefined)
    assert not isinstance(one.fixes, Undefined)
    assert not isinstance(one.both_wrong, Undefined)
    assert [change.item_id for change in one.regressions.items] == ["i30"]
    assert [change.item_id for change in one.fixes.items] == ["i02", "i03", "i04"]
    assert [change.item_id for change in one.both_wrong.items] == ["i01"]
    turned = rejudge.compare(result.run("new"), result.run("old"), store=store).score()
    assert turned.comparison.difference == -one.comparison.difference  # type: ignore[operator]
    assert turned.comparison.p == one.comparison.p


def test_items_without_a_partner_are_counted_and_named(store: Address) -> None:
    whole = passing()
    first = {id: value for id, value in whole.items() if id != "i07"}
    second = {id: value for id, value in whole.items() if id not in ("i03", "i04")}
    result = judged(store, rows(IDS), {"old": first, "new": second})
    found = rejudge.compare(result, store=store)
    one = found.score()
    assert (one.comparison.n, found.compared.shared) == (37, 40)
    assert one.comparison.unpaired == (2, 1)
    assert [alone.items for alone in one.unpaired] == [("i03", "i04"), ("i07",)]
    assert "2 items scored in old alone: i03, i04" in str(found)
    assert "1 item scored in new alone: i07" in str(found)
    assert "where scores are missing because things went wrong" in " ".join(str(found).split())


def test_versions_of_a_dataset_are_aligned_by_id_and_content(store: Address) -> None:
    old = rows(IDS)
    new: list[dict[str, object]] = [
        *reversed(old[2:]),
        {"id": "i01", "question": "changed"},
        {"id": "extra", "question": "new"},
    ]
    judged(store, old, {"a": passing("i05")}, name="before")
    judged(store, new, {"b": {**passing("i05", "i39"), "extra": False}}, name="after")
    found = rejudge.compare("before", "after", store=store)
    one = found.score()
    assert (found.compared.shared, one.comparison.n) == (38, 38)
    assert found.compared.changed_items == ("i01",)
    assert (found.compared.only_first, found.compared.only_second) == (1, 1)
    assert not isinstance(one.regressions, Undefined)
    assert [change.item_id for change in one.regressions.items] == ["i39"]
    assert [alone.items for alone in one.unpaired] == [("i00", "i01"), ("i01", "extra")]
    assert any("1 item changed" in note for note in found.notes)
    assert any("1 item is in the first dataset version alone, 1 in the second" in note for note in found.notes)


def test_runs_over_other_items_are_refused(store: Address) -> None:
    judged(store, rows(IDS), {"a": passing()}, name="one")
    judged(store, [{"id": "x", "question": "y"}], {"b": {"x": True}}, name="other")
    with pytest.raises(rejudge.ConfigurationError, match="no item in common"):
        rejudge.compare("one", "other", store=store)
    with pytest.raises(rejudge.ConfigurationError, match="no item in common"):
        rejudge.leaderboard("one", "other", store=store)


def test_what_names_no_two_runs_is_refused_in_words(store: Address) -> None:
    judged(store, rows(IDS), {"a": passing(), "b": passing(), "c": passing()})
    for named, told in (
        (["exam:a"], "only one run is named"),
        (["exam"], "two runs are compared, and 3 are named"),
        (["exam:d", "exam:a"], "unknown task 'd' in experiment 'exam'"),
        (["nope", "exam:a"], "nope"),
    ):
        with pytest.raises(rejudge.RejudgeError, match=told):
            rejudge.compare(*named, store=store)
    with pytest.raises(rejudge.RejudgeError, match="unknown scorer 'correkt'"):
        rejudge.compare("exam:a", "exam:b", scorer="correkt", store=store)
    with pytest.raises(rejudge.RejudgeError, match="unknown value"):
        rejudge.compare("exam:a", "exam:b", value="corect", store=store)


def test_runs_without_a_scorer_in_common_are_refused_and_each_ones_are_named(store: Address) -> None:
    judged(store, rows(IDS), {"a": passing()}, scorer("alpha"), name="one")
    judged(store, rows(IDS), {"b": passing()}, scorer("beta"), name="two")
    with pytest.raises(rejudge.ConfigurationError, match=r"no scorer in common \(.*alpha; .*beta\)"):
        rejudge.compare("one", "two", store=store)


def test_several_scores_are_corrected_as_one_family(store: Address) -> None:
    first = {id: number / 40 for number, id in enumerate(IDS)}
    second = {
        id: value + 0.02 * (number % 5 - 1.4) for (id, value), number in zip(first.items(), range(40), strict=True)
    }
    lengths = scorer("length")
    squares = scorer("square", read=lambda output: float(output) ** 2)  # type: ignore[arg-type]
    halves = scorer("half", read=lambda output: float(output) / 2)  # type: ignore[arg-type]
    result = judged(store, rows(IDS), {"a": values(first), "b": values(second)}, lengths, squares, halves)
    found = rejudge.compare(result, store=store)
    assert [one.measure for one in found.scores] == ["length", "square", "half"]
    for one in found.scores:
        assert isinstance(one.corrected, Corrected)
        assert one.corrected.family == 3
        assert one.corrected.p >= one.comparison.p  # type: ignore[operator]
    alone = rejudge.compare(result, scorer="length", store=store).score()
    assert (alone.corrected.family, alone.corrected.p) == (1, alone.comparison.p)
    assert found.score("length").comparison == alone.comparison
    assert "as one of 3 scores (Holm)" in str(found)
    with pytest.raises(rejudge.ConfigurationError, match="3 scores were compared"):
        found.score()


def test_trials_are_averaged_within_their_item_first(store: Address) -> None:
    first: dict[str, object] = {id: [True, False, True] for id in IDS}
    second: dict[str, object] = {id: [True, True, True] if id < "i20" else [False, False, True] for id in IDS}
    result = judged(store, rows(IDS), {"a": first, "b": second}, trials=3)
    one = rejudge.compare(result, store=store).score()
    assert one.comparison.n == 40
    assert one.comparison.mean_first == pytest.approx(2 / 3)
    assert one.comparison.mean_second == pytest.approx(2 / 3)
    assert one.comparison.outcomes is None
    assert not isinstance(one.regressions, Undefined)
    assert one.regressions.count == 20
    assert "66.6667 % → 33.3333 %" in str(rejudge.compare(result, store=store))


def test_labels_are_compared_by_their_shares_and_one_that_a_side_never_gave_is_none_there(store: Address) -> None:
    first: dict[str, object] = {id: "calm" if id < "i30" else "rude" for id in IDS}
    second: dict[str, object] = {id: "calm" if id < "i10" else "curt" for id in IDS}
    found = rejudge.compare(judged(store, rows(IDS), {"a": first, "b": second}, scorer("tone")), store=store)
    told = {one.label: (one.comparison.mean_first, one.comparison.mean_second) for one in found.scores}
    assert told == {"calm": (0.75, 0.25), "rude": (0.25, 0.0), "curt": (0.0, 0.75)}
    assert found.score("tone = curt").corrected.verdict == "different"
    assert isinstance(found.score("tone = calm").regressions, Undefined)
    assert found.score("tone = curt").corrected.family == 3


def test_a_label_that_fails_is_better_where_there_is_less_of_it(store: Address) -> None:
    spec = rejudge.ScoreSpec(
        name="tone", type=rejudge.ScoreType.LABEL, labels=("calm", "rude"), passing_labels=("calm",)
    )
    first: dict[str, object] = {id: "calm" if id < "i10" else "rude" for id in IDS}
    second: dict[str, object] = {id: "calm" if id < "i30" else "rude" for id in IDS}
    found = rejudge.compare(judged(store, rows(IDS), {"a": first, "b": second}, scorer("tone", spec)), store=store)
    assert [one.corrected.verdict for one in found.scores] == ["better", "better"]
    rude = found.score("tone = rude")
    assert not isinstance(rude.both_wrong, Undefined)
    assert not isinstance(rude.fixes, Undefined)
    assert (rude.both_wrong.count, rude.fixes.count) == (10, 20)
    assert "rude → another" in str(found)


def test_less_is_better_where_the_score_says_so_and_neither_end_of_an_informational_one(store: Address) -> None:
    number = rejudge.ScoreType.NUMBER
    wrong = rejudge.ScoreSpec(name="mistakes", type=number, low=0, high=9, direction=rejudge.Direction.LOWER)
    length = rejudge.ScoreSpec(name="words", type=number, direction=rejudge.Direction.INFORMATIONAL)
    both = scorer("marks", wrong, length, read=lambda output: {"mistakes": output, "words": output})
    first = {id: float(number % 3 + 1) for number, id in enumerate(IDS)}
    second = {id: value - (1 if number % 4 else 0) for number, (id, value) in enumerate(first.items())}
    found = rejudge.compare(judged(store, rows(IDS), {"a": values(first), "b": values(second)}, both), store=store)
    mistakes, words = found.score("marks.mistakes"), found.score("marks.words")
    assert (mistakes.corrected.verdict, words.corrected.verdict) == ("better", "different")
    assert not isinstance(mistakes.fixes, Undefined)
    assert mistakes.fixes.count == 30
    assert words.regressions == Undefined("an informational score has no better end")
    only = rejudge.compare("exam:a", "exam:b", scorer="marks", value="words", store=store)
    assert [one.measure for one in only.scores] == ["marks.words"]


def test_clusters_widen_the_interval_and_every_item_needs_one(store: Address) -> None:
    cluster = {id: f"doc {number // 8}" for number, id in enumerate(IDS)}
    first = dict.fromkeys(IDS, 0.5)
    second = {id: 0.5 + 0.1 * (number // 8) + 0.01 * (number % 3) for number, id in enumerate(IDS)}
    result = judged(store, rows(IDS, doc=cluster), {"a": values(first), "b": values(second)}, scorer("score"))
    alone = rejudge.compare(result, store=store).score().comparison
    clustered = rejudge.compare(result, clusters="doc", store=store).score().comparison
    assert (clustered.units, clustered.clustered, alone.units) == (5, True, 40)
    assert isinstance(alone.interval, Interval)
    assert isinstance(clustered.interval, Interval)
    assert clustered.interval.high - clustered.interval.low > alone.interval.high - alone.interval.low
    assert clustered.interval.method == "cluster-t"
    with pytest.raises(rejudge.ConfigurationError, match="no item has a field 'dok'"):
        rejudge.compare(result, clusters="dok", store=store)
    part = {id: name for id, name in cluster.items() if id != "i11"}
    judged(store, rows(IDS, doc=part), {"a": values(first), "b": values(second)}, scorer("score"), name="holes")
    with pytest.raises(rejudge.ConfigurationError, match="item 'i11' has no field 'doc'"):
        rejudge.compare("holes", clusters="doc", store=store)


def test_slices_by_a_field_or_by_tags_are_corrected_for_each_other(store: Address) -> None:
    topic = {id: "hard" if number < 16 else "easy" for number, id in enumerate(IDS)}
    tags = {id: ["long", "new"] if number % 2 else ["new"] for number, id in enumerate(IDS)}
    result = judged(
        store,
        rows(IDS, topic=topic, tags=tags),
        {"a": passing(*IDS[:16]), "b": passing(*IDS[14:18])},
    )
    found = rejudge.compare(result, by="topic", store=store).score()
    slices = {one.name: one for one in found.slices}
    assert {name: one.comparison.n for name, one in slices.items()} == {"hard": 16, "easy": 24}
    assert slices["hard"].comparison.difference == pytest.approx(14 / 16)
    assert (slices["hard"].verdict, slices["easy"].verdict) == ("better", "not_enough_data")
    ps = sorted(one.comparison.p for one in found.slices if isinstance(one.comparison.p, float))
    assert slices["hard"].p == pytest.approx(min(2 * ps[0], ps[1]))
    tagged = rejudge.compare(result, by="tags", store=store)
    assert {one.name: one.comparison.n for one in tagged.score().slices} == {"new": 40, "long": 20}
    assert "2 slices, p corrected for all of them (BH)" in str(tagged)


def test_a_margin_asks_whether_the_second_is_acceptably_worse(store: Address) -> None:
    first = {id: 0.5 + 0.001 * (number % 7) for number, id in enumerate(IDS)}
    second = {id: value - 0.01 + 0.001 * (number % 5) for number, (id, value) in enumerate(first.items())}
    result = judged(store, rows(IDS), {"a": values(first), "b": values(second)}, scorer("score"))
    for margin, told in ((0.1, "pass"), (0.005, "fail"), (0.008, "inconclusive")):
        found = rejudge.compare(result, margin=margin, store=store).score().comparison.non_inferiority
        assert found is not None
        assert not isinstance(found, Undefined)
        assert found.result == told
    assert "b is not worse by 0.1" in str(rejudge.compare(result, margin=0.1, store=store))
    with pytest.raises(rejudge.ConfigurationError, match="not a margin"):
        rejudge.compare(result, margin=-1, store=store)


def test_a_smallest_difference_of_interest_tells_nothing_shown_from_too_little_data(store: Address) -> None:
    result = judged(store, rows(IDS), {"a": passing("i01", "i02"), "b": passing("i03", "i04")})
    assert rejudge.compare(result, smallest=0.5, store=store).verdict() == "no_difference_shown"
    few = rejudge.compare(result, smallest=0.01, store=store)
    assert few.verdict() == "not_enough_data"
    assert few.score().comparison.items_to_decide > 40  # type: ignore[operator]
    assert "more than the smallest of interest, 0.01" in few.score().corrected.because


def test_the_seed_of_the_bootstrap_is_recorded_and_gives_the_same_ends_again(store: Address) -> None:
    first = {id: number / 40 for number, id in enumerate(IDS)}
    second = {id: (number * 7 % 40) / 40 for number, id in enumerate(IDS)}
    result = judged(store, rows(IDS), {"a": values(first), "b": values(second)}, scorer("score"))
    one, again, other = (rejudge.compare(result, seed=seed, store=store).score().comparison for seed in (7, 7, 8))
    assert (one.seed, one.bootstrap) == (7, again.bootstrap)
    assert one.bootstrap != other.bootstrap
    assert "seed 7" in str(rejudge.compare(result, seed=7, store=store))


def test_a_run_that_is_not_complete_is_said(store: Address) -> None:
    whole = judged(store, rows(IDS), {"a": passing()}, name="done")

    def stops(item: dict[str, object]) -> bool:
        if item["id"] == "i30":
            raise ValueError("broken")
        return True

    stops.version = "1"  # type: ignore[attr-defined]
    part = rejudge.evaluate(
        rows(IDS), stops, [correct], store=store, name="part", stop="first error", concurrency=1, progress="silent"
    )
    found = rejudge.compare(whole, part, store=store)
    assert any("failed with" in note and " pending" in note for note in found.notes)
    assert found.second.pending == part.runs[0].pending > 0


def test_a_run_in_which_nothing_was_scored_leaves_every_item_unpaired(store: Address) -> None:
    result = judged(store, rows(IDS), {"a": passing(), "b": {}})
    one = rejudge.compare(result, store=store).score()
    assert (one.comparison.kind, one.comparison.n, one.comparison.unpaired) == ("pass_fail", 0, (40, 0))
    assert one.corrected.verdict == "not_enough_data"
    assert "no item for which both a and b have a score" in " ".join(str(rejudge.compare(result, store=store)).split())


def test_other_scorers_of_the_same_name_are_said(store: Address) -> None:
    def strict(output: object) -> bool:
        return output is True

    strict.__name__ = "correct"
    judged(store, rows(IDS), {"a": passing("i01")}, name="one")
    judged(store, rows(IDS), {"b": passing("i01")}, strict, name="two")
    found = rejudge.compare("one", "two", store=store)
    assert not found.score().same_scorer
    assert any("different scorers of that name" in note for note in found.notes)
    ranked = rejudge.leaderboard("one", "two", store=store)
    assert any("different scorers of that name" in note for note in ranked.notes)


def test_a_measure_whose_unit_differs_is_left_out_and_said(store: Address) -> None:
    number = rejudge.ScoreType.NUMBER
    grades = [rejudge.ScoreSpec(name="grade", type=number, low=0, high=high) for high in (1, 5)]
    for place, spec in enumerate(grades):
        judged(store, rows(IDS), {"t": passing()}, scorer("grade", spec, read=float), correct, name=f"e{place}")  # type: ignore[arg-type]
    found = rejudge.compare("e0", "e1", store=store)
    assert [one.measure for one in found.scores] == ["correct"]
    told = "grade is not in one unit: 0 to 1, higher is better; 0 to 5, higher is better"
    assert told in found.notes
    with pytest.raises(rejudge.ConfigurationError, match="not in one unit"):
        rejudge.compare("e0", "e1", scorer="grade", store=store)


def test_ids_and_labels_that_steer_a_terminal_are_shown_as_escapes_and_kept_in_the_data(store: Address) -> None:
    evil = "\x1b[31mred\x1b[0m\nnext " + "x" * 300
    ids = [evil, *IDS[1:]]
    first: dict[str, object] = dict.fromkeys(ids, "ok\x1b[2J")
    second: dict[str, object] = dict.fromkeys(ids, "bad")
    by_label = rejudge.compare(judged(store, rows(ids), {"a": first, "b": second}, scorer("tone")), store=store)
    passed: dict[str, object] = {id: id != evil for id in ids}
    by_item = rejudge.compare(
        judged(store, rows(ids), {"a": dict.fromkeys(ids, True), "b": passed}, name="other"), store=store
    )
    for text in (str(by_label), str(by_item)):
        assert "\x1b" not in text
        assert max(map(len, text.splitlines())) <= 100
    regressions = by_item.score().regressions
    assert not isinstance(regressions, Undefined)
    assert regressions.items[0].item_id == evil
    json.loads(by_item.to_json())


def test_only_so_many_changed_items_are_read_and_all_are_counted(store: Address) -> None:
    result = judged(store, rows(IDS), {"a": passing(), "b": passing(*IDS)})
    found = rejudge.compare(result, listed=3, store=store)
    regressions = found.score().regressions
    assert not isinstance(regressions, Undefined)
    assert (regressions.count, len(regressions.items)) == (40, 3)
    assert "regressions: 40 items, the first 3 of them" in str(found)
