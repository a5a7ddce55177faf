"""What a store promises about the numbers of a run: computed when asked, by hand and by machine the same."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rejudge.domain.case import ExecutionErrorType, ExecutionStatus
from rejudge.domain.errors import NotFound
from rejudge.domain.scale import Outcome
from rejudge.domain.score import ScoreValue
from rejudge.storage.promises.scene import Scene, StoreTests, failed, new_item, passed, write
from rejudge.storage.records import (
    Batch,
    CaseCounts,
    LabelCount,
    RunCounts,
    RunUsage,
    ScoreCounts,
    ScoreHit,
    TrialCount,
    ValueMoments,
)

OTHERWISE = b"\7" * 32


def tone(label: str, length: float) -> tuple[ScoreValue, ...]:
    """A labelled and a numeric value of one judgement."""
    return (ScoreValue(name="tone", label=label), ScoreValue(name="length", number=length))


def worked_example(scene: Scene) -> None:
    """Run `b`, as the numbers below were computed by hand: 4 items × 2 trials, and another run before and after it.

    | case  | trace       | spent        | match                         | tone, length  |
    |-------|-------------|--------------|-------------------------------|---------------|
    | q0, 0 | reused of a | (by a)       | hit of a: 1                   | warm, 3       |
    | q0, 1 | generated   | 10, 5, 0.50  | 0                             | cold, 5       |
    | q1, 0 | generated   | 10, ?, ?     | error, then 1                 | warm, 10      |
    | q1, 1 | generated   | ?            | 1                             | error         |
    | q2, 0 | generated   | 20, 7, 0.25  | skip: missing reference       | skip: no text |
    | q2, 1 | task error  |              |                               |               |
    | q3, 0 | skipped     |              |                               |               |
    | q3, 1 | pending     |              |                               |               |
    By `match`, the failed one spent 3, 1, 0.25, the error 4, ?, 0.5 and what followed it ?, 2, ?.
    """
    a, b, c = (scene.run(name) for name in "abc")
    (reused,) = scene.generate(a, scene.trace(a, (0, 0), usage=(1_000, 1_000, 4.0), seconds=100.0))
    scene.commit(
        Batch(
            scores=[
                scene.score(a, reused, passed()),
                scene.score(a, reused, *tone("cold", 99.0), scorer="tone", seen=OTHERWISE),
            ]
        )
    )
    (match_of_a,) = scene.store.find_scores([reused.ref], [scene.scorer_refs["match"]])
    second, third, fourth, fifth = scene.generate(
        b,
        scene.trace(b, (0, 1), usage=(10, 5, 0.5), seconds=1.0),
        scene.trace(b, (1, 0), usage=(10, None, None), seconds=2.0),
        scene.trace(b, (1, 1), seconds=4.0),
        scene.trace(b, (2, 0), usage=(20, 7, 0.25), seconds=8.0),
    )
    scene.commit(
        Batch(
            cases=[
                scene.case(b, (0, 0), trace=reused),
                scene.case(b, (2, 1), status=ExecutionStatus.ERROR, error_type=ExecutionErrorType.TIMEOUT),
                scene.case(b, (3, 0), status=ExecutionStatus.SKIPPED, message="no recording"),
            ],
            hits=[ScoreHit(b, match_of_a.ref, 1.0)],
            scores=[
                scene.score(b, second, failed(), usage=(3, 1, 0.25)),
                replace(scene.error(b, third), usage=(4, None, 0.5)),
                scene.score(b, fourth, passed()),
                scene.skip(b, fifth, cause="missing_reference_key"),
                scene.score(b, reused, *tone("warm", 3.0), scorer="tone"),
                scene.score(b, second, *tone("cold", 5.0), scorer="tone"),
                scene.score(b, third, *tone("warm", 10.0), scorer="tone"),
                scene.error(b, fourth, scorer="tone"),
                scene.skip(b, fifth, cause="extraction_failed", scorer="tone"),
            ],
        )
    )
    scene.commit(Batch(scores=[scene.score(b, third, passed(), attempt=1, usage=(None, 2, None))]))
    other = [
        scene.score(c, fourth, failed(), attempt=1),
        scene.score(c, fourth, *tone("cold", 1.0), scorer="tone", attempt=1),
    ]
    scene.commit(Batch(cases=[scene.case(c, (1, 1), trace=fourth)], scores=other))


class ColumnPromises(StoreTests):
    """Values and spending come as columns in the order of positions and trials, and only what counts is in them."""

    def test_the_worked_example_gives_these_columns(self, scene: Scene) -> None:
        worked_example(scene)
        match, tone = (scene.scorers[name].digest() for name in ("match", "tone"))
        found = scene.store.values("b", scorers=[match], name="match")
        assert list(zip(found.positions, found.numbers, found.outcomes, strict=True)) == [
            (0, 1.0, Outcome.PASSED),
            (0, 0.0, Outcome.FAILED),
            (1, 1.0, Outcome.PASSED),
            (1, 1.0, Outcome.PASSED),
        ]
        assert list(found.labels) == [None] * 4
        labels = scene.store.values("b", scorers=[match, tone], name="tone")
        assert list(labels.labels) == ["warm", "cold", "warm"]
        nothing = scene.store.values("b", scorers=[tone], name="match")
        assert not list(nothing.positions)
        assert not list(nothing.numbers)

    def test_the_same_values_come_with_the_trial_and_the_trace_of_each(self, scene: Scene) -> None:
        worked_example(scene)
        match, tone = (scene.scorers[name].digest() for name in ("match", "tone"))
        found = scene.store.trace_values("b", scorers=[match], name="match")
        assert list(zip(found.positions, found.trials, found.numbers, found.labels, strict=True)) == [
            (0, 0, 1.0, None),
            (0, 1, 0.0, None),
            (1, 0, 1.0, None),
            (1, 1, 1.0, None),
        ]
        labels = scene.store.trace_values("b", scorers=[match, tone], name="tone")
        assert list(labels.labels) == ["warm", "cold", "warm"]
        assert list(labels.traces) == list(found.traces)[:3]
        assert not list(scene.store.trace_values("b", scorers=[tone], name="match").positions)

    def test_spending_tells_reused_traces_too_and_what_is_not_known(self, scene: Scene) -> None:
        worked_example(scene)
        found = scene.store.spending("b")
        assert list(zip(found.positions, found.trials, strict=True)) == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]
        assert list(found.seconds) == [100.0, 1.0, 2.0, 4.0, 8.0]
        assert list(found.input_tokens) == [1_000, 10, 10, None, 20]
        assert list(found.output_tokens) == [1_000, 5, None, None, 7]
        assert list(found.cost) == [4.0, 0.5, None, None, 0.25]

    def test_a_run_that_nobody_made_has_no_columns(self, scene: Scene) -> None:
        with pytest.raises(NotFound):
            scene.store.values("nowhere", scorers=[], name="match")
        with pytest.raises(NotFound):
            scene.store.trace_values("nowhere", scorers=[], name="match")
        with pytest.raises(NotFound):
            scene.store.spending("nowhere")
        with pytest.raises(NotFound):
            scene.store.usage("nowhere")


class CountPromises(StoreTests):
    """Trials are averaged within their item first, re-attempts count once, and only the run's own judgements do."""

    def test_the_worked_example_counts_as_by_hand(self, scene: Scene) -> None:
        worked_example(scene)
        match, tone = (scene.scorers[name].digest() for name in ("match", "tone"))
        assert scene.store.counts("b") == RunCounts(
            cases=CaseCounts(completed=5, skipped=1, errors=1),
            scores=(
                ScoreCounts(
                    scorer=match,
                    scored=4,
                    skipped=1,
                    errors=0,
                    causes={"missing_reference_key": 1},
                    made=5,
                    cost=0.75,
                    known_costs=2,
                    input_tokens=7,
                    output_tokens=3,
                ),
                ScoreCounts(scorer=tone, scored=3, skipped=1, errors=1, causes={"extraction_failed": 1}, made=5),
            ),
            moments=(
                ValueMoments(
                    scorer=match,
                    name="match",
                    items=2,
                    values=4,
                    mean=0.75,
                    squares=0.125,
                    minimum=0.5,
                    maximum=1.0,
                    binary=False,
                    total=3.0,
                    judged=4,
                    trials=(TrialCount(scored=2, passed=1, items=1), TrialCount(scored=2, passed=2, items=1)),
                ),
                ValueMoments(
                    scorer=tone,
                    name="length",
                    items=2,
                    values=3,
                    mean=7.0,
                    squares=18.0,
                    minimum=4.0,
                    maximum=10.0,
                    binary=False,
                    total=18.0,
                    judged=0,
                ),
            ),
            labels=(
                LabelCount(scorer=tone, name="tone", label="cold", count=1),
                LabelCount(scorer=tone, name="tone", label="warm", count=2),
            ),
        )
        assert scene.store.usage("b") == RunUsage(
            reused=1, cost=0.75, known_costs=2, input_tokens=40, output_tokens=12, seconds=15.0
        )

    def test_every_run_counts_what_is_its_own(self, scene: Scene) -> None:
        worked_example(scene)
        of_a, of_c = scene.store.counts("a"), scene.store.counts("c")
        took_a, took_c = scene.store.usage("a"), scene.store.usage("c")
        assert of_a.cases == CaseCounts(completed=1)
        assert [(row.name, row.label, row.count) for row in of_a.labels] == [("tone", "cold", 1)]
        assert (took_a.cost, took_a.known_costs, took_a.seconds) == (4.0, 1, 100.0)
        assert [(row.made, row.cost, row.input_tokens) for row in of_a.scores] == [(1, None, None), (1, None, None)]
        assert of_c.cases == CaseCounts(completed=1)
        assert [(row.name, row.mean) for row in of_c.moments] == [("match", 0.0), ("length", 1.0)]
        assert took_c == RunUsage(reused=1, cost=None, known_costs=0, input_tokens=None, seconds=0.0)

    def test_a_run_without_judgements_names_its_scorers_with_zeros(self, scene: Scene) -> None:
        scene.run("r")
        digests = [config.digest() for config in scene.scorers.values()]
        assert scene.store.counts("r") == RunCounts(
            cases=CaseCounts(), scores=tuple(ScoreCounts(scorer=one) for one in digests), moments=(), labels=()
        )
        assert scene.store.usage("r") == RunUsage()

    def test_item_means_that_are_all_zero_or_one_are_binary(self, scene: Scene) -> None:
        run = scene.run("r")
        traces = scene.generate(run, *(scene.trace(run, unit) for unit in ((0, 0), (0, 1), (1, 0))))
        scene.commit(Batch(scores=[scene.score(run, trace, passed()) for trace in traces[:2]]))
        scene.commit(Batch(scores=[scene.score(run, traces[2], failed())]))
        (moments,) = scene.store.counts("r").moments
        assert (moments.binary, moments.items, moments.values, moments.total) == (True, 2, 3, 2.0)
        assert (moments.mean, moments.squares, moments.minimum, moments.maximum) == (0.5, 0.5, 0.0, 1.0)

    def test_trials_of_an_item_whose_reference_was_corrected_between_them_are_one_item(self, scene: Scene) -> None:
        older = scene.run("r1")
        (first,) = scene.generate(older, scene.trace(older, (0, 0)))
        corrected = write(scene.store, "questions", [new_item("q0", question=0, gold="new")])
        scene.items = scene.store.items(corrected.id, start=0, count=9)
        run = scene.run("r2")
        (second,) = scene.generate(run, scene.trace(run, (0, 1)))
        scene.commit(
            Batch(
                cases=[scene.case(run, (0, 0), trace=first)],
                scores=[scene.score(run, first, passed()), scene.score(run, second, failed())],
            )
        )
        (moments,) = scene.store.counts("r2").moments
        assert (moments.items, moments.values, moments.mean) == (1, 2, 0.5)
        assert moments.trials == (TrialCount(scored=2, passed=1, items=1),)

    @pytest.mark.parametrize("offset", [0.0, 1e9])
    def test_the_spread_of_large_values_keeps_its_digits(self, scene: Scene, offset: float) -> None:
        run = scene.run("r")
        traces = scene.generate(run, *(scene.trace(run, (place, 0)) for place in range(3)))
        values = [offset + step for step in (0.25, 0.5, 0.75)]
        scene.commit(
            Batch(
                scores=[
                    scene.score(run, trace, ScoreValue(name="n", number=value))
                    for trace, value in zip(traces, values, strict=True)
                ]
            )
        )
        (moments,) = scene.store.counts("r").moments
        assert moments.mean == offset + 0.5
        assert moments.squares == 0.125
