"""What a store promises about experiments, configs and finding any of them again."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rejudge.domain.errors import NotFound
from rejudge.domain.run_config import RunConfig
from rejudge.domain.run_score import RunScore
from rejudge.domain.scale import Direction, ScoreSpec, ScoreType
from rejudge.domain.score import ScoreStatus, ScoreValue
from rejudge.domain.scorer import ScorerConfig
from rejudge.storage.promises.datasets import STRANGE
from rejudge.storage.promises.scene import Scene, StoreTests
from rejudge.storage.store import Store


class ArchivePromises(StoreTests):
    """What is saved is found by name, id or the beginning of an id, and is as it was."""

    def test_the_same_wish_is_the_experiment_that_is_stored(self, scene: Scene) -> None:
        again = scene.store.save_experiment(scene.wish("experiment", scorers=(b"\1" * 32,)))
        assert again == scene.experiment
        assert scene.store.experiments() == [scene.experiment]

    def test_another_wish_under_a_known_name_is_its_successor(self, scene: Scene) -> None:
        second = scene.store.save_experiment(scene.wish("experiment", trials=3))
        third = scene.store.save_experiment(scene.wish("experiment", trials=4))
        other = scene.store.save_experiment(scene.wish("another"))
        assert scene.experiment.successor_of is other.successor_of is None
        assert (second.successor_of, third.successor_of) == (scene.experiment.id, second.id)
        assert scene.store.experiments() == [scene.experiment, second, third, other]
        assert scene.store.save_experiment(scene.wish("experiment", trials=3)) == second

    def test_an_experiment_is_read_back_whole(self, scene: Scene) -> None:
        wish = scene.wish(
            "whole",
            protocol={"concurrency": 2, "temperature": 1.0, "text": STRANGE},
            scorers=tuple(config.digest() for config in scene.scorers.values()),
        )
        assert scene.store.save_experiment(wish) == wish == scene.store.experiment("whole")

    def test_an_experiment_is_found_by_name_by_id_and_by_a_unique_beginning(self, scene: Scene) -> None:
        second = scene.store.save_experiment(scene.wish("experiment", trials=3))
        assert scene.store.experiment("experiment") == second
        for experiment in (scene.experiment, second):
            assert scene.store.experiment(experiment.id) == experiment
            assert scene.store.experiment(experiment.id[:30]) == experiment

    def test_an_unknown_experiment_is_answered_with_a_near_name(self, scene: Scene) -> None:
        scene.store.save_experiment(scene.wish("refund policy"))
        with pytest.raises(NotFound, match="refund policy"):
            scene.store.experiment("refnd policy")
        for beginning in ("experiment-", scene.experiment.id + "0", "%", ""):
            with pytest.raises(NotFound):
                scene.store.experiment(beginning)

    def test_a_run_config_is_stored_once_and_read_back_whole(self, scene: Scene) -> None:
        config = RunConfig(
            name="first label",
            kind="prompt",
            settings={"prompt": STRANGE, "temperature": 0.0, "stop": None},
            depends_on={"tool_schema_version": "v4", "environment_version": "not_applicable"},
            scenario="tool",
            given=("question", "context"),
            unpinned="uses `client`, line 4",
            experiment=scene.experiment.id,
        )
        ref = scene.store.save_run_config(config)
        assert scene.store.save_run_config(config) == ref != scene.config_ref
        stored = scene.store.run_config(config.digest())
        assert stored == config
        assert stored.digest() == config.digest()

    def test_a_scorer_is_stored_once_and_read_back_whole(self, scene: Scene) -> None:
        config = ScorerConfig(
            name="judge",
            type="llm_judge",
            settings={"prompt": STRANGE, "draws": 3},
            scores=(
                ScoreSpec(name="Tone", type=ScoreType.LABEL, labels=("warm", "cold"), passing_labels=("warm",)),
                ScoreSpec(name="risk", type=ScoreType.NUMBER, low=0, passes_at=2, direction=Direction.LOWER),
            ),
            sees=("gold",),
        )
        (ref,) = scene.store.save_scorers([config])
        assert scene.store.save_scorers([config]) == [ref]
        assert ref not in scene.scorer_refs.values()
        stored = scene.store.scorer(config.digest())
        assert stored == config
        assert stored.digest() == config.digest()

    def test_many_scorers_are_stored_at_once_in_their_order_and_each_once(self, scene: Scene) -> None:
        known = scene.scorers["match"]
        new = [ScorerConfig(name=f"assertion {place}", type="assertions") for place in range(1_500)]
        refs = scene.store.save_scorers([new[0], known, *new])
        assert refs[0] == refs[2]
        assert refs[1] == scene.scorer_refs["match"]
        assert len(set(refs)) == 1_501
        assert scene.store.save_scorers([*reversed(new)]) == refs[:1:-1]
        assert scene.store.scorer(new[-1].digest()) == new[-1]
        assert scene.store.save_scorers([]) == []

    def test_a_config_that_is_not_stored_is_not_found(self, store: Store) -> None:
        with pytest.raises(NotFound):
            store.run_config(b"\0" * 32)
        with pytest.raises(NotFound):
            store.scorer(b"\0" * 32)

    def test_what_a_caller_changes_afterwards_changes_nothing_that_is_stored(self, scene: Scene) -> None:
        settings: dict[str, object] = {"list": [1]}
        config = RunConfig(name="t", kind="function", settings=settings)
        digest = config.digest()
        scene.store.save_run_config(config)
        wish = scene.store.save_experiment(scene.wish("e", protocol={"list": [1]}))
        settings["list"] = [1, 2]
        scene.store.run_config(digest).settings["list"] = [3]
        wish.protocol["list"] = [4]
        assert scene.store.run_config(digest).settings == {"list": [1]}
        assert scene.store.experiment("e").protocol == {"list": [1]}

    def test_runs_are_listed_oldest_first_of_one_experiment_or_of_all(self, scene: Scene) -> None:
        other = scene.store.save_experiment(scene.wish("another"))
        for run_id, experiment in (("b", scene.experiment), ("c", other), ("a", scene.experiment)):
            scene.run(run_id, experiment=experiment.id)
        assert [run.id for run in scene.store.runs()] == ["b", "c", "a"]
        assert [run.id for run in scene.store.runs(scene.experiment.id)] == ["b", "a"]
        assert scene.store.runs("experiment-unknown") == []

    def test_a_run_is_found_by_its_id_or_a_unique_beginning(self, scene: Scene) -> None:
        for run_id in ("0193-aa", "0193-ab", "0193-abc", "0200"):
            scene.run(run_id)
        for beginning, run_id in (
            ("0193-aa", "0193-aa"),
            ("0193-ab", "0193-ab"),
            ("02", "0200"),
            ("0193-abc", "0193-abc"),
        ):
            assert scene.store.run(beginning).id == run_id
        for beginning in ("0193", "0193-a", "", "_193-aa", "%", "0200x"):
            with pytest.raises(NotFound):
                scene.store.run(beginning)

    def test_an_unknown_run_is_answered_with_a_near_id(self, scene: Scene) -> None:
        scene.run("nightly-2026-07-01")
        with pytest.raises(NotFound, match="nightly-2026-07-01"):
            scene.store.run("nightly-2026-7-01")

    def test_the_newest_score_of_a_run_by_each_scorer_counts(self, scene: Scene) -> None:
        scene.run("scored")
        match, tone = (scene.scorers[name].digest() for name in ("match", "tone"))
        failed = RunScore(scorer=match, status=ScoreStatus.ERROR, reason="broken", cause="ValueError", at=1.0)
        number = ScoreValue(name="spread", number=0.25)
        again = RunScore(scorer=match, status=ScoreStatus.SCORED, values=(number,), cases=3, planned=4, at=2.0)
        labelled = RunScore(scorer=tone, status=ScoreStatus.SCORED, values=(ScoreValue(name="tone", label="warm"),))
        assert scene.store.run_scores("scored") == []
        scene.store.save_run_scores("scored", [failed, labelled])
        assert scene.store.run_scores("scored") == [failed, labelled]
        scene.store.save_run_scores("scored", [again])
        assert scene.store.run_scores("scored") == [again, labelled]

    def test_scores_of_an_unknown_run_or_by_an_unknown_scorer_are_refused(self, scene: Scene) -> None:
        scene.run("scored")
        score = RunScore(scorer=scene.scorers["match"].digest(), status=ScoreStatus.SCORED)
        with pytest.raises(NotFound):
            scene.store.save_run_scores("nowhere", [score])
        with pytest.raises(NotFound):
            scene.store.save_run_scores("scored", [replace(score, scorer=b"\7" * 32)])
        assert scene.store.run_scores("scored") == []
