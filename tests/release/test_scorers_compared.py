"""Two scorers of one run compared on the same traces: how far apart, about which items, and where on the scale."""

from __future__ import annotations

import pytest

import rejudge
from rejudge.stats.interval import Interval, Undefined
from rejudge.wiring import Address
from tests.release.runs import judged, rows, scorer

IDS = [f"i{number:02}" for number in range(40)]
NUMBER = rejudge.ScoreType.NUMBER


def graded(store: Address, **passes: float | None) -> rejudge.Result:
    """A run whose outputs hold two grades from 0 to 10; the second is lower by 1 where the first is above 5."""
    outputs: dict[str, object] = {
        id: {"output": "x", "one": float(grade), "two": float(grade - (1 if grade > 5 else 0))}
        for id, grade in ((id, number % 11) for number, id in enumerate(IDS))
    }
    judges = []
    for name in ("one", "two"):
        spec = rejudge.ScoreSpec(name=name, type=NUMBER, low=0, high=10, passes_at=passes.get(name))

        def judge(one: float, two: float, name: str = name) -> float:
            return {"one": one, "two": two}[name]

        judge.__name__ = name
        judge.version = name  # type: ignore[attr-defined]
        judge.scores = spec  # type: ignore[attr-defined]
        judges.append(judge)
    return judged(store, rows(IDS), {"t": outputs}, *judges)


def test_neither_scorer_is_the_better_one(store: Address) -> None:
    found = rejudge.compare(graded(store), scorers=["one", "two"], store=store)
    score = found.score()
    assert (found.first.label, found.second.label) == ("one", "two")
    assert score.corrected.verdict == "different"
    assert score.comparison.difference == pytest.approx(-sum(number % 11 > 5 for number in range(40)) / 40)
    assert isinstance(score.regressions, Undefined)
    text = str(found)
    assert "two scores lower than one on the same traces" in text
    assert "better" not in text
    assert "regressions" not in text


def test_the_items_and_the_part_of_the_scale_where_they_disagree_are_told(store: Address) -> None:
    found = rejudge.compare(graded(store, one=6, two=6), scorers=["one", "two"], store=store).score()
    assert found.disagreement is not None
    apart = [id for number, id in enumerate(IDS) if number % 11 > 5]
    assert [change.item_id for change in found.disagreement.items.items] == apart[:20]
    assert (found.disagreement.items.count, found.disagreement.equal) == (len(apart), 40 - len(apart))
    bands = found.disagreement.bands
    assert [(band.low, band.high) for band in bands] == [(0, 2), (2, 4), (4, 6), (6, 8), (8, 10)]
    assert sum(band.n for band in bands) == 40
    assert [band.difference for band in bands[:2]] == [0, 0]
    assert [band.difference for band in bands[3:]] == [-1, -1]
    outcomes = found.disagreement.outcomes
    assert not isinstance(outcomes, Undefined)
    assert (outcomes.only_first, outcomes.only_second) == (sum(number % 11 == 6 for number in range(40)), 0)


def test_without_a_value_to_pass_at_there_are_no_outcomes(store: Address) -> None:
    found = rejudge.compare(graded(store), scorers=["one", "two"], store=store).score()
    assert found.disagreement is not None
    assert isinstance(found.disagreement.outcomes, Undefined)


def test_scorers_of_different_units_are_sent_to_calibrate(store: Address) -> None:
    stars = rejudge.ScoreSpec(name="stars", type=rejudge.ScoreType.FIVE_STAR)
    share = rejudge.ScoreSpec(name="share", type=NUMBER, low=0, high=1)
    outputs: dict[str, object] = dict.fromkeys(IDS, 1)
    result = judged(store, rows(IDS), {"t": outputs}, scorer("stars", stars), scorer("share", share))
    with pytest.raises(
        rejudge.ConfigurationError, match="do not score in the same unit: stars goes from 1 to 5"
    ) as told:
        rejudge.compare(result, scorers=["stars", "share"], store=store)
    assert "calibrate" in str(told.value.fix)


def test_what_names_no_two_scorers_of_one_run_is_refused(store: Address) -> None:
    result = graded(store)
    for scorers, told in (
        (["one"], "1 scorer of 1 run"),
        (["one", "one"], "'one' is named twice"),
        (["one", "three"], "unknown scorer 'three'"),
    ):
        with pytest.raises(rejudge.RejudgeError, match=told):
            rejudge.compare(result, scorers=scorers, store=store)


def test_a_scorer_with_several_values_needs_one_named(store: Address) -> None:
    def pair(output: float) -> dict[str, float]:
        return {"depth": output, "width": output + 1}

    def other(output: float) -> dict[str, float]:
        return {"depth": output + 1, "width": output}

    outputs: dict[str, object] = {id: float(number) for number, id in enumerate(IDS)}
    result = judged(store, rows(IDS), {"t": outputs}, pair, other)
    with pytest.raises(rejudge.ConfigurationError, match="'pair' gives depth, width"):
        rejudge.compare(result, scorers=["pair", "other"], store=store)
    found = rejudge.compare(result, scorers=["pair", "other"], value="depth", store=store).score()
    assert found.comparison.difference == 1.0


def test_scorers_that_give_labels_are_compared_by_each_labels_share(store: Address) -> None:
    outputs: dict[str, object] = {id: number for number, id in enumerate(IDS)}
    one = scorer("one", read=lambda output: "yes" if int(str(output)) < 30 else "no")
    two = scorer("two", read=lambda output: "yes" if int(str(output)) < 20 else "unsure")
    found = rejudge.compare(judged(store, rows(IDS), {"t": outputs}, one, two), scorers=["one", "two"], store=store)
    told = {score.label: (score.comparison.mean_first, score.comparison.mean_second) for score in found.scores}
    assert told == {"yes": (0.75, 0.5), "no": (0.25, 0.0), "unsure": (0.0, 0.5)}
    assert all(score.disagreement is not None and not score.disagreement.bands for score in found.scores)


def test_a_trace_that_only_one_scorer_scored_counts_for_neither(store: Address) -> None:
    """Four trials: the second scorer fails where the first says no, and agrees with it everywhere else."""
    outputs: dict[str, object] = {id: [(number + trial) % 3 > 0 for trial in range(4)] for number, id in enumerate(IDS)}
    passed = sum(sum(trials) for trials in outputs.values() if isinstance(trials, list))

    def first(output: object) -> bool:
        return bool(output)

    def second(output: object) -> bool:
        if not output:
            raise ValueError("no verdict")
        return True

    found = rejudge.compare(
        judged(store, rows(IDS), {"t": outputs}, first, second, trials=4), scorers=["first", "second"], store=store
    )
    score = found.score()
    assert score.comparison.difference == 0
    assert score.corrected.verdict == "no_difference_shown"
    assert score.unpaired_traces == (160 - passed, 0)
    assert score.disagreement is not None
    assert (score.disagreement.traces, score.disagreement.equal_traces) == (passed, passed)
    assert f"{160 - passed} traces scored by first alone, which counts for neither" in str(found)
    failed = f"in second {160 - passed} of 160 planned have no score ({160 - passed} scorer errors)"
    assert found.notes == (f"first and second: {failed}",)


def test_the_table_of_agreement_counts_traces(store: Address) -> None:
    """Both scorers pass half of an item's trials, and never the same ones: as means of items they are equal."""
    outputs: dict[str, object] = {id: [0, 1, 0, 1] for id in IDS}

    def even(output: object) -> bool:
        return output == 0

    def odd(output: object) -> bool:
        return output == 1

    found = rejudge.compare(
        judged(store, rows(IDS), {"t": outputs}, even, odd, trials=4), scorers=["even", "odd"], store=store
    )
    told = found.score().disagreement
    assert told is not None
    assert (told.equal, told.traces, told.equal_traces) == (40, 160, 0)
    assert not isinstance(told.outcomes, Undefined)
    assert (told.outcomes.only_first, told.outcomes.only_second) == (80, 80)
    assert "both pass 0, even alone 80, odd alone 80, neither 0 traces" in " ".join(str(found).split())


def test_an_item_whose_scorers_saw_no_trace_in_common_is_unpaired(store: Address) -> None:
    outputs: dict[str, object] = {id: [0, 1] for id in IDS}

    def even(output: object) -> bool:
        if output != 0:
            raise ValueError("odd")
        return True

    def both(item: dict[str, object], output: object) -> bool:
        if item["id"] == "i07" and output == 0:
            raise ValueError("not this one")
        return True

    found = rejudge.compare(
        judged(store, rows(IDS), {"t": outputs}, even, both, trials=2), scorers=["even", "both"], store=store
    ).score()
    assert found.comparison.n == 39
    assert [alone.items for alone in found.unpaired] == [("i07",), ("i07",)]


def test_the_bands_know_of_clusters_and_hold_all_at_once(store: Address) -> None:
    """Twenty conversations of ten items: in each, the second scorer is above the first, or below it, everywhere."""
    ids = [f"i{number:03}" for number in range(200)]
    ones = {id: number % 10 / 10 for number, id in enumerate(ids)}
    twos = {id: ones[id] + (1 if number // 10 % 2 else -1) / 50 for number, id in enumerate(ids)}
    one = scorer("one", rejudge.ScoreSpec(name="one", type=NUMBER), read=lambda output: ones[str(output)])
    two = scorer("two", rejudge.ScoreSpec(name="two", type=NUMBER), read=lambda output: twos[str(output)])
    items = rows(ids, conversation={id: number // 10 for number, id in enumerate(ids)})
    result = judged(store, items, {"t": {id: id for id in ids}}, one, two)
    wide = []
    for clusters in (None, "conversation"):
        found = rejudge.compare(result, scorers=["one", "two"], clusters=clusters, store=store)
        told = found.score().disagreement
        assert told is not None
        intervals = [band.interval for band in told.bands]
        assert all(isinstance(one, Interval) for one in intervals)
        ends = [one for one in intervals if isinstance(one, Interval)]
        assert [one.level for one in ends] == pytest.approx([0.99] * 5)
        assert "the intervals hold all at once" in " ".join(str(found).split())
        wide.append([one.high - one.low for one in ends])
        assert {one.method for one in ends} == {"cluster-t" if clusters else "t"}
    assert all(clustered > 1.3 * plain for plain, clustered in zip(*wide, strict=True))


def test_scorers_without_a_declared_range_are_compared_with_a_loud_word_of_caution(store: Address) -> None:
    """The length of an output, and the number that it says: both are numbers, and nothing says of what."""
    length = scorer("length", read=lambda output: float(len(str(output))))
    number = scorer("number", read=lambda output: float(str(output)))
    result = judged(store, rows(IDS), {"t": {id: place for place, id in enumerate(IDS)}}, length, number)
    found = rejudge.compare(result, scorers=["length", "number"], store=store)
    caution = (
        "the difference may mean nothing: length and number declare no range, so nothing says that one unit is meant"
    )
    assert found.notes[0].startswith(caution)
    assert caution in " ".join(str(found).split())
    assert caution in found.to_html()


def test_scorers_that_declare_one_range_need_no_word_of_caution(store: Address) -> None:
    assert rejudge.compare(graded(store), scorers=["one", "two"], store=store).notes == ()


def test_the_scorers_that_are_compared_are_named_once(store: Address) -> None:
    result = graded(store)
    with pytest.raises(rejudge.ConfigurationError, match="the scorer 'nope' is named beside the two"):
        rejudge.compare(result, scorers=["one", "two"], scorer="nope", store=store)
    with pytest.raises(rejudge.ConfigurationError, match="1 scorer of 1 run is named") as refused:
        rejudge.compare(result, scorers=["one"], store=store)
    assert "name a second scorer" in str(refused.value)


def test_fewer_than_no_items_cannot_be_listed(store: Address) -> None:
    result = graded(store)
    with pytest.raises(rejudge.ConfigurationError, match="-1 items cannot be named"):
        rejudge.compare(result, scorers=["one", "two"], listed=-1, store=store)
    with pytest.raises(rejudge.ConfigurationError, match="-1 items cannot be named"):
        rejudge.describe(result, listed=-1, store=store)
    assert rejudge.compare(result, scorers=["one", "two"], listed=0, store=store).score().disagreement is not None
