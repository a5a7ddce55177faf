"""Calibrating: pairs on the same traces, what is left out, and what holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter

import pytest

import rejudge
from rejudge.domain.calibration import HumanSet, OtherScorer
from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.front.calibrating import CalibrationResult
from rejudge.front.workspace import Workspace
from rejudge.stats.confusion import Outcomes
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Undefined
from rejudge.storage.memory import MemoryStore
from rejudge.storage.store import Store
from tests.review.world import ITEMS, PASSED, evaluated, judge, rate, said, shout, stars, write

WRONG = {"q0", "q4"}
"""Where the people say something else than the judge: it failed q0, and passed q4."""


@pytest.fixture
def store() -> Store:
    return evaluated()


@pytest.fixture
def rated(store: Store, tmp_path: Path) -> Store:
    """A store with gold labels of ten of the twelve items."""
    truth = {item: PASSED[item] is not (item in WRONG) for item in ITEMS[:10]}
    rate(store, tmp_path, said(truth))
    rejudge.adjudicate("tone", store=store)
    return store


def calibrated(store: Store, scorer: str = "judge", against: str = "tone", **more: object) -> CalibrationResult:
    return rejudge.calibrate("shouts", scorer, against=against, store=store, **more)  # type: ignore[arg-type]


def number(found: CalibrationResult, name: str) -> float:
    statistic = found.statistics.statistics[name]
    assert isinstance(statistic, Estimate)
    return statistic.value


def test_the_judge_is_compared_with_the_gold_labels_on_the_same_traces(rated: Store) -> None:
    found = calibrated(rated)
    assert found.statistics.outcomes == Outcomes(
        true_positives=5, false_negatives=1, false_positives=1, true_negatives=3
    )
    assert [number(found, name) for name in ("tpr", "tnr")] == pytest.approx([5 / 6, 3 / 4])
    assert found.record.pairs.n == 10
    assert (found.record.pairs.passed, found.record.pairs.failed) == (6, 4)


def test_disagreements_come_worst_first_with_the_judges_reason(rated: Store) -> None:
    assert [(one.item_id, one.judge, one.other, one.reason) for one in calibrated(rated).disagreements] == [
        ("q4", 1.0, 0.0, "because of the number"),
        ("q0", 0.0, 1.0, "because of the number"),
    ]


def test_the_record_names_everything_that_it_rests_on(rated: Store) -> None:
    record = calibrated(rated, seed=7).record
    (run,) = Workspace(rated).result("shouts").runs
    config = next(config for config in run.scorers.values() if config.name == "judge")
    gold = rated.gold_versions(rated.rating_set("tone").digest())[-1]
    assert (record.judged.scorer, record.judged.settings) == (config.digest(), config.settings)
    assert isinstance(record.against, HumanSet)
    assert (record.against.gold, record.against.gold_number) == (gold.digest(), 1)
    assert (record.dataset_version, record.experiment) == (run.reaches.version.id, rated.experiment("shouts").id)
    assert (record.runs, record.seed, record.blinding) == ((run.id,), 7, {"blind": 10})
    assert rated.calibrations() == [record]


def test_calibrating_again_is_the_same_record_and_stores_nothing_else(rated: Store) -> None:
    before = str(Workspace(rated).result("shouts"))
    runs = len(rated.runs())
    assert calibrated(rated).record == calibrated(rated).record
    assert (len(rated.calibrations()), len(rated.runs())) == (1, runs)
    assert str(Workspace(rated).result("shouts")) == before


def test_every_labelled_trace_is_a_pair_or_is_counted_as_left_out(tmp_path: Path) -> None:
    def careful(item: Mapping[str, object]) -> bool:
        if item["id"] == "q1":
            raise ValueError("no")
        return True

    store = evaluated()
    rows = [{"id": item, "question": f"what is {item}?"} for item in ITEMS]
    rejudge.evaluate(rows, shout, [judge, stars, careful], store=store, name="shouts", progress="silent")
    rejudge.evaluate([{"id": "z", "question": "z"}], shout, [judge], store=store, name="other", progress="silent")
    rate(store, tmp_path, said(dict.fromkeys(ITEMS[:4], 1)))
    file = write(tmp_path / "other.jsonl", [{"id": "z", "rater": "ann", "value": 1}])
    rejudge.import_ratings("other", file, "tone", store=store)
    rejudge.adjudicate("tone", store=store)
    pairs = calibrated(store, "careful").record.pairs
    assert (pairs.n, pairs.errors, pairs.skipped, pairs.unjudged, pairs.elsewhere) == (3, 1, 0, 0, 1)


def test_traces_that_raters_differ_on_are_told_beside_n_and_kept_in_the_record(rated: Store, tmp_path: Path) -> None:
    rate(rated, tmp_path, said({item: PASSED[item] for item in WRONG}, "bob"))
    rejudge.adjudicate("tone", store=rated)
    found = calibrated(rated)
    assert (found.record.pairs.n, found.record.pairs.open) == (8, 2)
    assert number(found, "accuracy") == 1.0
    text = " ".join(str(found).split())
    assert "n=8 of 10 rated traces; left out: 2 open" in text
    assert "2 of 10 rated traces are open, because their raters differ, and left out: the hard ones" in text
    assert "the other 8 are no random sample; adjudicate the open ones first" in text
    assert "accuracy from 80 to 100 %, TPR from 83 to 100 %, TNR from 75 to 100 %" in text
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["pairs"]["open"] == 2
    assert any("2 of 10 rated traces are open" in remark for remark in document["remarks"])
    assert "2 of 10 rated traces are open" in found.to_html()
    assert rated.calibrations()[-1].pairs.open == 2


def test_ratings_that_came_after_the_labels_are_told_by_a_calibration(rated: Store, tmp_path: Path) -> None:
    assert calibrated(rated).found.remarks == ()
    rate(rated, tmp_path, said({"q1": not PASSED["q1"], "q10": 1}))
    text = " ".join(str(calibrated(rated)).split())
    assert "ratings that came after gold version 1 change the labels of 2 traces" in text
    assert "take them in: rejudge ratings adjudicate tone --rule majority" in text


def test_what_the_judge_leaves_to_a_person_is_no_pair(rated: Store) -> None:
    def unsure(item: Mapping[str, object]) -> rejudge.Verdict:
        return rejudge.Verdict(values={"": PASSED[str(item["id"])]}, review=item["id"] in WRONG)

    rejudge.evaluate_experiment("shouts", [unsure], store=rated)
    found = calibrated(rated, "unsure")
    assert (found.record.pairs.n, found.record.pairs.deferred) == (8, 2)
    assert "n=8 of 10 labelled traces; left out: 2 left to a person" in str(found)


def test_a_scorer_is_compared_with_another_scorer(store: Store) -> None:
    def again(item: Mapping[str, object]) -> bool:
        return item["id"] != "q1" and PASSED[str(item["id"])]

    rejudge.evaluate_experiment("shouts", [again], store=store)
    found = calibrated(store, against="again")
    assert isinstance(found.record.against, OtherScorer)
    assert (found.record.pairs.n, [one.item_id for one in found.disagreements]) == (12, ["q1"])
    with pytest.raises(ConfigurationError, match="not with people"):
        found.make_default(minimum=1)
    with pytest.raises(ConfigurationError, match="always agrees with itself"):
        calibrated(store, against="judge")


def test_stars_are_compared_with_stars_and_their_outcomes(store: Store, tmp_path: Path) -> None:
    given = {item: 1 + (place + (place == 3)) % 5 for place, item in enumerate(ITEMS)}
    score = {"type": "five_star", "passes_at": 4}
    rate(store, tmp_path, said(given), score=score)
    rejudge.adjudicate("tone", "median", store=store)
    declared = rejudge.ScoreSpec(name="graded", type=rejudge.ScoreType.FIVE_STAR)
    file = tmp_path / "graded.jsonl"
    file.write_text(
        "".join(json.dumps({"id": item, "value": 1 + place % 5}) + "\n" for place, item in enumerate(ITEMS))
    )
    rejudge.import_scores("shouts", file, declared, store=store)
    found = calibrated(store, "graded")
    assert number(found, "mae") == pytest.approx(1 / 12)
    assert [one.item_id for one in found.disagreements] == ["q3"]
    assert found.statistics.passes == 4.0
    assert isinstance(found.statistics.outcomes, Outcomes)


def test_a_probability_is_calibrated_against_passes(store: Store, tmp_path: Path) -> None:
    file = write(tmp_path / "sure.jsonl", [{"id": item, "value": place / 11} for place, item in enumerate(ITEMS)])
    sure = {"name": "sure", "type": "number", "low": 0, "high": 1, "passes_at": 0.5}
    rejudge.import_scores("shouts", file, sure, store=store)
    rate(store, tmp_path, said({item: place > 5 for place, item in enumerate(ITEMS)}))
    rejudge.adjudicate("tone", store=store)
    found = calibrated(store, "sure")
    assert number(found, "tpr") == number(found, "tnr") == 1.0
    assert "ece" in found.statistics.statistics
    assert not isinstance(found.statistics.reliability, Undefined)
    assert "reliability" in str(found)


def test_sides_on_different_scales_are_refused_or_compared_by_outcome(rated: Store, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="are not on one scale"):
        calibrated(rated, "stars")
    file = write(tmp_path / "graded.jsonl", [{"id": item, "value": 5 if PASSED[item] else 1} for item in ITEMS])
    rejudge.import_scores("shouts", file, {"name": "graded", "type": "five_star", "passes_at": 4}, store=rated)
    found = calibrated(rated, "graded")
    assert found.record.compared == "outcomes"
    assert number(found, "tpr") == pytest.approx(5 / 6)
    assert "only whether they pass is compared" in str(found)


def test_sides_that_are_not_there_are_told_with_what_is(rated: Store) -> None:
    with pytest.raises(UnknownName, match="did you mean 'judge'"):
        calibrated(rated, "judg")
    with pytest.raises(UnknownName, match="did you mean 'tone'"):
        calibrated(rated, against="tones")
    with pytest.raises(UnknownName, match="value"):
        calibrated(rated, value="care")


def test_a_set_without_gold_labels_says_how_to_make_them(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path, said({"q1": 1}))
    with pytest.raises(ConfigurationError, match="rejudge ratings adjudicate tone"):
        calibrated(store)


def test_a_name_of_both_a_set_and_a_scorer_has_to_say_which(store: Store, tmp_path: Path) -> None:
    file = write(tmp_path / "ratings.jsonl", said(dict.fromkeys(ITEMS, 1)))
    rejudge.import_ratings("shouts", file, "stars", score={"type": "number"}, store=store)
    rejudge.adjudicate("stars", "mean", store=store)
    with pytest.raises(ConfigurationError, match="write ratings:stars or scorer:stars"):
        calibrated(store, against="stars")
    assert isinstance(calibrated(store, "stars", against="ratings:stars").record.against, HumanSet)


def test_a_calibration_holds_until_something_it_names_changes(rated: Store, tmp_path: Path) -> None:
    found = calibrated(rated)
    assert found.lapses == []
    rate(rated, tmp_path, said({"q0": 0, "q10": 1}))
    assert found.lapses == []
    rejudge.adjudicate("tone", store=rated)
    assert found.lapses == ["the human labels changed: gold version 1 was followed by 2"]
    later = calibrated(rated)
    assert later.lapses == []
    assert [(record.id, bool(why)) for record, why in later.earlier] == [(found.record.id, True)]
    assert "the human labels changed" in str(later)


def test_a_calibration_lapses_when_an_earlier_rubric_is_asked_again(store: Store, tmp_path: Path) -> None:
    found = {}
    for rubric in ("Is it polite?", "Is it kind?"):
        rate(store, tmp_path, said(PASSED, rubric), rubric=rubric)
        rejudge.adjudicate("tone", store=store)
        found[rubric] = calibrated(store)
    assert found["Is it kind?"].lapses == []
    rate(store, tmp_path, said(PASSED, "eva"), rubric="Is it polite?")
    assert found["Is it kind?"].lapses == ["the raters' rubric changed"]
    assert found["Is it polite?"].lapses == []


def test_another_version_of_the_judge_or_the_dataset_ends_a_calibration(rated: Store) -> None:
    found = calibrated(rated)

    def stricter(item: Mapping[str, object]) -> bool:
        return False

    stricter.__name__ = "judge"
    rejudge.evaluate_experiment("shouts", [stricter], store=rated)
    assert found.lapses == ["the scorer 'judge' is another one now: what changed is digest"]
    rows = [{"id": item, "question": f"who is {item}?"} for item in ITEMS]
    rejudge.evaluate(rows, shout, [judge], store=rated, name="shouts", progress="silent")
    assert found.lapses == ["the dataset has another version"]


def test_several_trials_of_one_item_are_told_beside_the_numbers(tmp_path: Path) -> None:
    store = evaluated(trials=2)
    records = [one | {"trial": trial} for one in said(dict.fromkeys(ITEMS[:3], 1)) for trial in (0, 1)]
    rate(store, tmp_path, records, trial="trial")
    rejudge.adjudicate("tone", store=store)
    found = calibrated(store)
    assert (found.record.pairs.n, found.record.pairs.items) == (6, 3)
    assert (found.statistics.n, found.statistics.items) == (6, 3)
    assert "its 6 pairs are of 3 items, fewer than 50" in found.shortfalls()
    assert "the 6 traces are of 3 items; every interval takes an item for one case" in " ".join(str(found).split())
    document = found.to_dict()["statistics"]
    assert isinstance(document, dict)
    assert (document["n"], document["items"]) == (6, 3)
    assert document["statistics"]["accuracy"]["interval"]["method"] == "cluster-wilson"


def test_a_run_and_a_result_can_be_calibrated_too(rated: Store) -> None:
    result = Workspace(rated).result("shouts")
    record = calibrated(rated).record
    assert rejudge.calibrate(result, "judge", against="tone").record == record
    assert rejudge.calibrate(result.runs[0].id, "judge", against="tone", store=rated).record == record


def test_the_document_is_json_with_the_words_of_every_number(rated: Store) -> None:
    document = json.loads(json.dumps(calibrated(rated).to_dict(), allow_nan=False))
    assert document["words"].keys() == document["statistics"]["statistics"].keys()
    assert [one["item_id"] for one in document["disagreements"]] == ["q4", "q0"]
    assert document["against"]["gold_number"] == 1


def test_the_report_fits_a_terminal_and_lets_nothing_steer_it(store: Store, tmp_path: Path) -> None:
    hostile = "\x1b[2Jann\u202e" + "x" * 200
    rate(store, tmp_path, said(dict.fromkeys(ITEMS, 1), rater=hostile), rubric="\x1b]0;title\x07" + "y" * 300)
    rate(store, tmp_path, said(dict.fromkeys(ITEMS, 0), rater="<b>bob</b>"))
    rejudge.adjudicate("tone", "adjudicator", adjudicator="<b>bob</b>", store=store)
    for text in (str(Workspace(store).ratings("tone")), str(calibrated(store))):
        assert max(map(len, text.splitlines())) <= 80
        assert not set(text) & set("\x1b\x07\u202e")


@pytest.mark.scale
def test_many_traces_take_time_in_proportion(tmp_path: Path) -> None:
    rows = [{"id": f"n{number}", "n": number} for number in range(3_000)]
    store = MemoryStore()

    def even(n: int) -> bool:
        return n % 2 == 0

    rejudge.evaluate(rows, even, [lambda output: output], store=store, name="shouts", progress="silent")
    rate(store, tmp_path, [{"id": row["id"], "rater": "ann", "value": 1} for row in rows])
    rejudge.adjudicate("tone", store=store)
    rejudge.calibrate("shouts", "lambda", against="tone", store=store)
    begun = perf_counter()
    found = rejudge.calibrate("shouts", "lambda", against="tone", store=store)
    assert found.record.pairs.n == 3_000
    assert perf_counter() - begun < 2


@pytest.mark.parametrize(
    ("score", "values", "words"),
    [
        ("pass_fail", (1, 0), ("pass", "fail")),
        ("pass_fail_critical", (-1, 1), ("critical fail", "pass")),
        ("five_star", (1, 3), (1, 3)),
        ("label", ("1", "0"), ("1", "0")),
    ],
)
def test_what_raters_said_is_told_in_the_words_of_the_scale(
    store: Store, tmp_path: Path, score: str, values: tuple[object, object], words: tuple[object, object]
) -> None:
    records = [{"id": "q1", "rater": rater, "value": value} for rater, value in zip("ab", values, strict=True)]
    rate(store, tmp_path, records, score=score)
    rejudge.adjudicate("tone", store=store)
    report = Workspace(store).ratings("tone")
    (undecided,) = json.loads(json.dumps(report.to_dict()))["open"]
    assert undecided["said"] == dict(zip("ab", words, strict=True))
    assert f"a {words[0]}, b {words[1]}" in str(report)
