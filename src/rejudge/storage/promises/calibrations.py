"""What a store promises about gold labels, calibrations and the judges that become the default."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rejudge.domain.calibration import (
    CalibrationRecord,
    DefaultJudge,
    HumanSet,
    Judged,
    Minimum,
    OtherScorer,
    Pairs,
)
from rejudge.domain.errors import NotFound
from rejudge.domain.gold import GoldLabel, GoldRule, GoldVersion, OpenTrace
from rejudge.storage.promises.ratings import TONE, said
from rejudge.storage.promises.scene import Scene, StoreTests
from rejudge.storage.records import TraceRef


def gold(trace: TraceRef, value: object = 1, **more: object) -> GoldVersion:
    """A gold version that is not stored yet, with one label."""
    label = GoldLabel(trace=trace.digest, value=TONE.value(value), raters=2)
    return replace(GoldVersion(rating_set=TONE.digest(), rule=GoldRule.MAJORITY, labels=(label,)), **more)


def record_of(scene: Scene, version: GoldVersion, **more: object) -> CalibrationRecord:
    """A calibration against a gold version that is not stored yet."""
    match = scene.scorers["match"]
    people = HumanSet(
        rating_set=TONE.digest(),
        name=TONE.name,
        rubric=TONE.rubric,
        gold=version.digest(),
        gold_number=version.number,
    )
    record = CalibrationRecord(
        judged=Judged(scorer=match.digest(), name=match.name, type=match.type, settings={"a": 1.0}, value="match"),
        against=people,
        experiment=scene.experiment.id,
        runs=("r",),
        dataset_version=scene.version.id,
        compared="values",
        pairs=Pairs(n=1, items=1, passed=1, failed=0),
        blinding={"blind": 2},
        statistics={"kappa": {"undefined": "one pair"}, "mae": 0.0},
        seed=0,
        level=0.95,
        at=4.5,
    )
    return replace(record, **more)


def calibrated(scene: Scene, trace: TraceRef) -> CalibrationRecord:
    """A stored calibration of a rating of this trace."""
    store = scene.store
    store.save_rating_set(TONE)
    store.save_ratings(TONE.digest(), [said(trace, "ann", 1), said(trace, "bob", 1)])
    return store.save_calibration(record_of(scene, store.save_gold(gold(trace))))


class CalibrationPromises(StoreTests):
    """Gold versions are numbered; calibrations and decisions stay for ever."""

    def test_gold_versions_are_numbered_and_read_back_whole(self, scene: Scene) -> None:
        store, trace = scene.store, scene.made("r", (0, 0))
        store.save_rating_set(TONE)
        undecided = OpenTrace(trace=trace.digest, why="a tie", said=(("ann", TONE.value(1)), ("bob", TONE.value(0))))
        wanted = [
            gold(trace, 1, at=1.0),
            gold(trace, 0, rule=GoldRule.ADJUDICATOR, adjudicator="eva", at=2.0),
            gold(trace, labels=(), open=(undecided,), at=3.0),
        ]
        saved = [store.save_gold(one) for one in wanted]
        assert saved == [replace(one, number=number) for number, one in enumerate(wanted, 1)]
        assert store.gold_versions(TONE.digest()) == saved

    def test_an_equal_newest_gold_version_is_returned_instead_of_a_copy(self, scene: Scene) -> None:
        store, trace = scene.store, scene.made("r", (0, 0))
        store.save_rating_set(TONE)
        first = store.save_gold(gold(trace, 1, at=1.0))
        assert store.save_gold(gold(trace, 1, at=2.0)) == first
        store.save_gold(gold(trace, 0))
        assert store.save_gold(gold(trace, 1, at=3.0)).number == 3

    def test_gold_labels_of_an_unknown_set_are_refused(self, scene: Scene) -> None:
        trace = scene.made("r", (0, 0))
        with pytest.raises(NotFound):
            scene.store.save_gold(gold(trace))
        with pytest.raises(NotFound):
            scene.store.gold_versions(TONE.digest())

    def test_a_calibration_is_stored_once_and_read_back_whole(self, scene: Scene) -> None:
        store, trace = scene.store, scene.made("r", (0, 0))
        first = calibrated(scene, trace)
        assert store.save_calibration(replace(first, at=9.0)) == first
        tone = scene.scorers["tone"]
        other = replace(first, against=OtherScorer(scorer=tone.digest(), name="tone", value="tone"))
        assert store.save_calibration(other) == other
        assert store.calibrations() == [first, other]

    def test_a_calibration_names_only_what_is_stored(self, scene: Scene) -> None:
        store, trace = scene.store, scene.made("r", (0, 0))
        first = calibrated(scene, trace)
        people = first.against
        assert isinstance(people, HumanSet)
        strangers = [
            replace(first, judged=replace(first.judged, scorer=b"\7" * 32)),
            replace(first, against=OtherScorer(scorer=b"\7" * 32, name="x", value="x")),
            replace(first, against=replace(people, rating_set=b"\7" * 32)),
            replace(first, against=replace(people, gold_number=2)),
            replace(first, against=replace(people, gold=b"\7" * 32)),
        ]
        for stranger in strangers:
            with pytest.raises(NotFound):
                store.save_calibration(stranger)
        assert store.calibrations() == [first]

    def test_every_decision_for_a_judge_stays(self, scene: Scene) -> None:
        store, trace = scene.store, scene.made("r", (0, 0))
        record = calibrated(scene, trace)
        first = DefaultJudge(
            question="tone",
            scorer=record.judged.scorer,
            calibration=record.digest(),
            minimum=Minimum(pairs=1, each_outcome=0),
            at=1.0,
        )
        for at in (1.0, 2.0):
            store.save_default_judge(replace(first, at=at))
        assert store.default_judges() == [first, replace(first, at=2.0)]
        for stranger in (replace(first, calibration=b"\7" * 32), replace(first, scorer=b"\7" * 32)):
            with pytest.raises(NotFound):
                store.save_default_judge(stranger)
        assert len(store.default_judges()) == 2
