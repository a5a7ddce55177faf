"""Correcting a judge's pass rate: which traces count, how they were drawn, what is refused, and what it rests on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import rejudge
from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.rating import Drawing
from rejudge.stats.confusion import Outcomes
from rejudge.stats.correction import Corrected, corrected_counts
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval, Undefined, wilson
from rejudge.stats.judged_sample import MeanCorrection
from rejudge.storage.store import Store
from tests.review.corrections import COUNT, FIRST, TRUTH, corrected, evaluated, grades, judge, labelled, rates, shout
from tests.review.world import rate, said


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A judged run of 300 traces of which people labelled the first 100."""
    store = evaluated()
    labelled(store, tmp_path, FIRST)
    return store


def outcomes(items: list[str]) -> Outcomes:
    return Outcomes.of([judge({"n": item[1:]}) for item in items], [TRUTH[item] for item in items])


def test_labels_at_random_correct_by_the_traces_without_a_label(store: Store) -> None:
    found = corrected(store, drawn="at_random")
    rest = [f"n{number}" for number in range(100, COUNT)]
    passed = sum(judge({"n": item[1:]}) for item in rest)
    expected = corrected_counts(passed, len(rest), outcomes(FIRST), drawing="at_random")
    assert rates(found).prediction_powered == expected.prediction_powered
    assert rates(found).rogan_gladen == expected.rogan_gladen
    assert isinstance(rates(found).prediction_powered, Corrected)
    assert (found.corrected.judged, found.corrected.labelled) == (COUNT, 100)
    assert found.advice.use == "prediction_powered"


def test_the_raw_rate_is_that_of_the_whole_run_with_wilsons_interval(store: Store) -> None:
    raw = rates(corrected(store, drawn="at_random")).raw
    passed = sum(judge({"n": number}) for number in range(COUNT))
    assert raw == Estimate(value=passed / COUNT, n=COUNT, interval=wilson(passed, COUNT))
    assert raw.value == rejudge.open(store).result("shouts").summary("judge").mean


def test_labels_chosen_by_what_people_said_leave_rogan_gladen_of_the_whole_run(store: Store) -> None:
    found = corrected(store, drawn="by_human_outcome")
    passed = sum(judge({"n": number}) for number in range(COUNT))
    expected = corrected_counts(passed, COUNT, outcomes(FIRST), drawing="by_human_outcome")
    assert rates(found).rogan_gladen == expected.rogan_gladen
    assert isinstance(rates(found).prediction_powered, Undefined)
    assert found.advice.use == "rogan_gladen"
    assert "refused  people alone, PPI++, because the labelled items were chosen by what" in str(found)
    assert "chosen by what people said" in str(found)


def test_labels_chosen_by_what_the_judge_said_are_weighted_back(store: Store) -> None:
    found = corrected(store, drawn="by_judge_outcome")
    assert isinstance(rates(found).reweighted, Corrected)
    assert isinstance(rates(found).rogan_gladen, Undefined)
    assert found.advice.use == "reweighted"
    assert "use reweighted" in str(found)


def test_how_the_labels_were_drawn_is_never_guessed(store: Store) -> None:
    with pytest.raises(
        ConfigurationError, match="nothing says how the traces with a label of 'tone' were chosen"
    ) as no:
        corrected(store)
    assert "by_human_outcome (chosen by what people said)" in no.value.fix
    with pytest.raises(ConfigurationError, match="'by_chance' is no way of drawing"):
        corrected(store, drawn="by_chance")


def test_what_an_import_said_about_the_drawing_need_not_be_said_again(tmp_path: Path) -> None:
    store = evaluated()
    labelled(store, tmp_path, FIRST, drawn="at_random")
    assert rates(corrected(store)).drawing == "at_random"
    assert corrected(store).to_dict() == corrected(store, drawn="at_random").to_dict()
    with pytest.raises(ConfigurationError, match="were drawn at random, not chosen by what people said"):
        corrected(store, drawn="by_human_outcome")
    assert "the rated traces were drawn at random" in str(rejudge.open(store).ratings("tone"))


def test_a_file_that_is_imported_again_may_say_how_its_traces_were_drawn(store: Store, tmp_path: Path) -> None:
    labelled(store, tmp_path, FIRST, drawn="at_random")
    assert rates(corrected(store)).drawing == "at_random"
    words = said({item: TRUTH[item] for item in FIRST})
    assert rate(store, tmp_path, words).stored == 0
    assert rates(corrected(store)).drawing == "at_random"


def test_an_old_file_that_says_more_takes_no_correction_back(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path, said({"n0": not TRUTH["n0"]}))
    words = said({item: TRUTH[item] for item in FIRST})
    assert rate(store, tmp_path, words, drawn="at_random").stored == len(FIRST) - 1


def test_traces_chosen_in_two_ways_are_not_corrected_together(tmp_path: Path) -> None:
    ways: tuple[Drawing, ...] = ("at_random", "by_judge_outcome")
    store = evaluated()
    for place, way in enumerate(ways):
        labelled(store, tmp_path, FIRST[50 * place : 50 * place + 50], drawn=way)
    with pytest.raises(ConfigurationError, match="more than one way: some drawn at random and some chosen by what the"):
        corrected(store, drawn="at_random")


def test_a_judge_no_better_than_chance_corrects_nothing(tmp_path: Path) -> None:
    def coin(item: Mapping[str, object]) -> bool:
        return int(str(item["n"])) // 10 % 2 == 0

    store = evaluated(coin)
    labelled(store, tmp_path, FIRST)
    by_human = corrected(store, "coin", drawn="by_human_outcome")
    assert isinstance(rates(by_human).rogan_gladen, Undefined)
    assert by_human.advice.use is None
    assert "use none of them" in str(by_human)
    assert "The raw number is what the judge says" in str(by_human)
    at_random = corrected(store, "coin", drawn="at_random")
    assert isinstance(rates(at_random).rogan_gladen, Undefined)
    assert at_random.advice.use == "human"
    powered = rates(at_random).prediction_powered
    assert isinstance(powered, Corrected)
    assert (powered.power, powered.value) == (0.0, 0.7)
    human = wilson(70, 100)
    assert isinstance(human, Interval)
    assert isinstance(powered.interval, Interval)
    assert powered.interval.low == pytest.approx(human.low, abs=0.002)
    assert powered.interval.high == pytest.approx(human.high, abs=0.002)


def test_labels_of_one_class_are_refused(tmp_path: Path) -> None:
    store = evaluated()
    labelled(store, tmp_path, [item for item in FIRST if TRUTH[item]])
    found = corrected(store, drawn="by_human_outcome")
    assert "the people failed no item" in str(rates(found).rogan_gladen)
    assert found.advice.use is None


def test_everything_labelled_needs_no_judge(tmp_path: Path) -> None:
    store = evaluated(count=40)
    labelled(store, tmp_path, FIRST[:40])
    found = corrected(store, drawn="at_random")
    assert found.advice.use == "human"
    assert "adds nothing" in found.advice.why


def test_what_has_no_value_or_no_place_in_the_run_is_counted(tmp_path: Path) -> None:
    def careful(item: Mapping[str, object]) -> rejudge.Verdict:
        number = int(str(item["n"]))
        if number == 1:
            raise ValueError("no")
        return rejudge.Verdict(values={"": judge(item)}, review=number == 2)

    store = evaluated(careful)
    labelled(store, tmp_path, FIRST)
    rejudge.evaluate([{"id": "z", "n": 1}], shout, [judge], store=store, name="other", progress="silent")
    file = tmp_path / "z.jsonl"
    file.write_text(json.dumps({"id": "z", "rater": "ann", "value": 1}) + "\n", encoding="utf-8")
    rejudge.import_ratings("other", file, "tone", store=store)
    rejudge.adjudicate("tone", store=store)
    found = corrected(store, "careful", drawn="at_random")
    left = found.corrected.left
    assert (left.errors, left.deferred, left.elsewhere, found.corrected.judged) == (1, 1, 1, COUNT - 2)
    assert "1 scorer errors, 1 left to a person, 1 labelled ones of other runs" in str(found)


def test_a_mean_without_outcomes_is_corrected_by_ppi_alone(tmp_path: Path) -> None:
    def grade(item: Mapping[str, object]) -> float:
        return 1.0 + int(str(item["n"])) % 5

    store = evaluated(grade)
    scale = {"type": "number", "low": 0, "high": 10}
    values = {item: (int(item[1:]) % 5) + int(item[1:]) % 2 for item in FIRST}
    rate(store, tmp_path, said(values), score=scale)
    rejudge.adjudicate("tone", "median", store=store)
    rejudge.import_scores("shouts", grades(tmp_path), {"name": "graded"} | scale, store=store)
    found = corrected(store, "graded", drawn="at_random")
    assert isinstance(found.statistics, MeanCorrection)
    powered = found.statistics.prediction_powered
    assert isinstance(powered, Estimate)
    assert powered.value == pytest.approx(2.5, abs=0.2)
    assert (found.statistics.judged, found.statistics.labelled) == (COUNT, 100)
    assert found.advice.use == "prediction_powered"
    assert str(found).startswith("mean of graded")
    chosen = corrected(store, "graded", drawn="by_human_outcome")
    assert chosen.advice.use is None
    assert "their mean is that of the choice" in chosen.advice.why


def test_trials_of_an_item_are_no_cases_of_their_own(tmp_path: Path) -> None:
    store = evaluated(count=100, trials=3)
    words = [
        {"id": item, "rater": "ann", "value": TRUTH[item], "trial": trial} for item in FIRST[:40] for trial in range(3)
    ]
    rate(store, tmp_path, words, trial="trial")
    rejudge.adjudicate("tone", store=store)
    found = corrected(store, drawn="at_random")
    assert (found.corrected.judged, found.corrected.items, found.corrected.labelled) == (300, 100, 120)
    raw = rates(found).raw
    assert isinstance(raw, Estimate)
    assert not isinstance(raw.interval, Undefined)
    alone = wilson(round(raw.value * 100), 100)
    assert not isinstance(alone, Undefined)
    assert raw.interval.high - raw.interval.low == pytest.approx(alone.high - alone.low, rel=0.05)
    assert "the 300 traces are of 100 items" in str(found)


def test_the_calibration_that_stands_beside_it_says_when_it_lapsed(store: Store, tmp_path: Path) -> None:
    assert "this judge has no calibration by these people" in str(corrected(store, drawn="at_random"))
    record = rejudge.calibrate("shouts", "judge", against="tone", store=store).record
    found = corrected(store, drawn="at_random")
    assert (found.corrected.calibration, found.lapses) == (record, [])
    assert "holds until the scorer" in str(found)
    rate(store, tmp_path, said({"n0": not TRUTH["n0"]}))
    rejudge.adjudicate("tone", store=store)
    later = corrected(store, drawn="at_random")
    assert later.lapses == ["the human labels changed: gold version 1 was followed by 2"]
    assert "holds no more: the human labels changed" in str(later)


def test_a_calibration_of_another_version_of_the_judge_is_no_calibration_of_this_one(store: Store) -> None:
    rejudge.calibrate("shouts", "judge", against="tone", store=store)

    def other(item: Mapping[str, object]) -> bool:
        return judge(item) and item["n"] != 5

    other.__name__ = "judge"
    rows = [{"id": f"n{number}", "n": number} for number in range(COUNT)]
    rejudge.evaluate(rows, shout, [other], store=store, name="shouts", progress="silent")
    found = corrected(store, drawn="at_random")
    assert found.lapses[0] == "it is of another scorer that was called 'judge'"


def test_what_is_not_there_is_refused_with_what_is(store: Store, tmp_path: Path) -> None:
    for more, told in (
        ({"against": "tune"}, "tone"),
        ({"scorer": "jugde"}, "judge"),
        ({"value": "valu"}, "judge"),
        ({"task": "shot"}, "shout"),
    ):
        with pytest.raises(UnknownName, match=told):
            corrected(store, drawn="at_random", **more)
    rate(store, tmp_path, said({"n1": "good"}), score="label")
    with pytest.raises(ConfigurationError, match="has no gold labels yet"):
        corrected(store, drawn="at_random")
    rejudge.adjudicate("tone", store=store)
    with pytest.raises(ConfigurationError, match="a label has no rate and no mean"):
        corrected(store, drawn="at_random")


def test_labels_of_other_runs_alone_are_refused(store: Store) -> None:
    rows = [{"id": "y", "n": 1}]
    rejudge.evaluate(rows, shout, [judge], store=store, name="later", progress="silent")
    with pytest.raises(ConfigurationError, match="no judged trace of the run has a label of 'tone'"):
        rejudge.correct("later", "judge", against="tone", drawn="at_random", store=store)


def test_correcting_stores_nothing(store: Store) -> None:
    before = (len(store.runs()), store.calibrations(), str(rejudge.open(store).result("shouts")))
    corrected(store, drawn="at_random")
    assert (len(store.runs()), store.calibrations(), str(rejudge.open(store).result("shouts"))) == before


@pytest.mark.parametrize("way", ["at_random", "by_human_outcome", "by_judge_outcome"])
def test_the_report_fits_a_terminal_and_the_document_is_json(store: Store, way: str) -> None:
    found = corrected(store, drawn=way)
    assert max(map(len, str(found).splitlines())) <= 80
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (document["drawn"], document["use"]) == (way, found.advice.use)
    assert document["statistics"]["raw"]["n"] == COUNT
    assert any(line.startswith("Use ") for line in document["words"])
