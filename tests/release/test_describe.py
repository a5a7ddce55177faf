"""One run in depth: intervals, clusters, slices, repeats, and what its traces took."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from pathlib import Path
from statistics import fmean, variance

import pytest

import rejudge
from rejudge.stats.bootstrap import Bootstrap
from rejudge.stats.estimate import Estimate
from rejudge.stats.interval import Interval, Undefined
from rejudge.stats.percentiles import Percentiles
from rejudge.wiring import Address
from tests.release.runs import judged, rows, scorer

IDS = [f"i{number:02}" for number in range(24)]
NUMBER = rejudge.ScoreType.NUMBER


def passed(*failed: str) -> dict[str, object]:
    return {id: id not in failed for id in IDS}


def test_the_interval_fits_the_kind_and_the_seed_of_the_bootstrap_is_recorded(store: Address) -> None:
    share = scorer(
        "share",
        rejudge.ScoreSpec(name="share", type=NUMBER, low=0, high=1),
        read=lambda output: 0.25 if output else 0.5,
    )
    result = judged(store, rows(IDS), {"t": passed("i01", "i02")}, scorer("correct"), share)
    found = rejudge.describe(result, store=store, seed=5)
    text = str(found)
    assert "correct: 92 % [74, 98] n=24, 95 % by wilson" in text
    assert "by t" in text
    for score in found.described.scores:
        assert isinstance(score.bootstrap, Bootstrap)
        assert (score.bootstrap.seed, score.n) == (5, 24)
    assert found.score("correct").bootstrap == rejudge.describe(result, store=store, seed=5).score("correct").bootstrap
    assert "seed 5" in text
    assert found.score("correct").repeats is None


def test_items_of_one_cluster_count_for_less(store: Address) -> None:
    doc = {id: number // 6 for number, id in enumerate(IDS)}
    result = judged(store, rows(IDS, doc=doc), {"t": passed(*IDS[:6])})
    found = rejudge.describe(result, clusters="doc", store=store)
    clustered = found.score().clustered
    assert clustered is not None
    assert (clustered.field, clustered.effect.clusters) == ("doc", 4)
    assert isinstance(clustered.interval, Interval)
    assert clustered.interval.method == "cluster-t"
    assert isinstance(clustered.effect.design_effect, Estimate)
    assert clustered.effect.design_effect.value == pytest.approx(6, rel=0.5)
    text = " ".join(str(found).split())
    assert "over 4 clusters by doc" in text
    assert "by cluster-bootstrap-bca" in text
    assert "these 24 items tell as much as" in text


def test_slices_are_compared_with_the_rest_corrected_and_bounded_by_what_is_missing(store: Address) -> None:
    topic = {id: "hard" if number < 8 else "easy" for number, id in enumerate(IDS)}
    outputs = {id: value for id, value in passed(*IDS[:7]).items() if id not in ("i06", "i07")}
    found = rejudge.describe(judged(store, rows(IDS, topic=topic), {"t": outputs}), by="topic", store=store)
    slices = {one.name: one for one in found.score().slices}
    hard = slices["hard"]
    assert (hard.items, hard.n, hard.mean, hard.best, hard.worst) == (8, 6, 0, 2 / 8, 0)
    assert hard.rest.verdict == "worse"
    assert (slices["easy"].rest.n, slices["easy"].rest.verdict) == (6, "better")
    text = " ".join(str(found).split())
    assert "hard 0 % [0, 39] n=6 of 8; worse, p < 0.0001; 0 to 25 % whatever the 2 missing would score" in text
    assert "whatever the 2 missing would score, n=22 of 24" in text


def test_many_slices_are_all_corrected_and_the_most_telling_are_shown(store: Address) -> None:
    tag = {id: [f"tag {number % 23:02}"] for number, id in enumerate(IDS)}
    found = rejudge.describe(judged(store, rows(IDS, tag=tag), {"t": passed("i01")}), by="tag", store=store)
    assert len(found.score().slices) == 23
    assert "23 slices, each against the rest" in str(found)
    assert "20 shown" in str(found)
    assert str(found).count("    tag ") == 20


def test_repeats_tell_items_from_chance_and_name_what_flips(store: Address) -> None:
    trials: dict[str, list[object]] = {id: [True, True, True] for id in IDS}
    trials |= {"i03": [True, False, True], "i04": [False, False, False], "i05": [False, True, True]}
    result = judged(store, rows(IDS), {"t": trials}, trials=3)
    found = rejudge.describe(result, store=store)
    score = found.score()
    assert score.repeats is not None
    assert score.flips is not None
    assert (score.repeats.items, score.repeats.scored, score.repeats.flipped) == (24, 72, 2)
    assert [flip.item_id for flip in score.flips.items] == ["i03", "i05"]
    assert score.flips.items[0].agreement == pytest.approx(1 / 3)
    within = fmean([variance([float(bool(one)) for one in values]) for values in trials.values()])
    assert isinstance(score.repeats.within, Estimate)
    assert score.repeats.within.value == pytest.approx(within)
    assert score.n == 24
    assert [tried.k for tried in score.attempts] == [2, 3]
    assert [tried.any_of.mean for tried in score.attempts] == pytest.approx([23 / 24, 23 / 24])
    assert [tried.all_of.mean for tried in score.attempts] == pytest.approx([(21 + 2 / 3) / 24, 21 / 24])
    assert result.pass_at_k(3).mean == pytest.approx(23 / 24)
    text = str(found)
    for line in ("  pass@3", "  pass^3", "  variance", "  reliability", "  flips       2 items whose trials"):
        assert line in text


def test_items_with_fewer_trials_are_short_of_pass_at_k(store: Address) -> None:
    def flaky(item: dict[str, object], trial: int) -> bool:
        if item["id"] == "i00" and trial:
            raise ValueError("no answer")
        return True

    flaky.version = "1"  # type: ignore[attr-defined]
    result = rejudge.evaluate(rows(IDS), flaky, [scorer("correct")], store=store, trials=3, progress="silent")
    attempts = rejudge.describe(result, store=store).score().attempts
    assert [(tried.k, tried.any_of.n, tried.any_of.short) for tried in attempts] == [(2, 23, 1), (3, 23, 1)]


def test_labels_are_shares_and_items_with_different_labels_are_named(store: Address) -> None:
    tones: dict[str, list[object]] = {id: ["calm", "calm"] for id in IDS}
    tones |= {"i02": ["calm", "rude"], "i09": ["rude", "rude"]}
    found = rejudge.describe(judged(store, rows(IDS), {"t": tones}, scorer("tone"), trials=2), store=store)
    assert {one.label: one.mean for one in found.described.scores} == {"calm": 45 / 48, "rude": 3 / 48}
    (flips,) = found.described.label_flips
    assert (flips.measure, flips.count) == ("tone", 1)
    assert (flips.items[0].item_id, flips.items[0].labels) == ("i02", {"calm": 1, "rude": 1})
    text = str(found)
    assert "tone = calm: 94 % [" in text
    assert "tone: 1 item whose trials got different labels" in text
    assert "  i02: calm × 1, rude × 1" in text


def test_what_the_traces_took_has_percentiles_and_what_is_not_known_is_said(store: Address) -> None:
    def asks(item: dict[str, object]) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
        reply = yield rejudge.ModelCall(model="m", messages=[{"role": "user", "content": str(item["id"])}])
        return reply.text

    asks.version = "1"  # type: ignore[attr-defined]
    provider = rejudge.ScriptedProvider(lambda call: "yes")
    result = rejudge.evaluate(rows(IDS), asks, [], store=store, provider=provider, progress="silent")
    found = rejudge.describe(result, store=store)
    assert found.described.scores == ()
    seconds = found.described.amounts["seconds"]
    assert isinstance(seconds, Percentiles)
    assert (seconds.n, [one.at for one in seconds.percentiles]) == (24, [50, 90, 95, 99])
    text = str(found)
    assert "what a trace took (percentiles with 95 % intervals)" in text
    assert "(percentiles with 90 % intervals)" in str(rejudge.describe(result, store=store, level=0.9))
    assert "cost" in text
    assert json.loads(found.to_json())["amounts"]["seconds"]["n"] == 24


def test_the_time_of_recorded_outputs_is_not_known_and_is_never_told_as_0(store: Address, tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_text("".join(json.dumps({"id": id, "output": id}) + "\n" for id in IDS), "utf-8")
    result = rejudge.evaluate(rows(IDS), rejudge.replay(path), [scorer("mark", read=bool)], store=store)
    found = rejudge.describe(result, store=store)
    assert found.described.amounts["seconds"] == Undefined("not measured: recorded outputs")
    assert json.loads(found.to_json())["amounts"]["seconds"] == {"undefined": "not measured: recorded outputs"}
    text = str(found)
    assert "what a trace took\n  time        not measured: recorded outputs\n" in text
    assert "not known of any trace: tokens in, tokens out, cost" in text
    page = found.to_html()
    assert "Time: not measured: recorded outputs. Not known of any trace: tokens in, tokens out, cost." in page
    assert not re.search(r"\b0 ?ms", text + page)


def test_what_is_asked_wrongly_is_refused_in_words(store: Address) -> None:
    result = judged(store, rows(IDS), {"a": passed(), "b": passed("i01")}, scorer("one"), scorer("two"))
    for asked, told in (
        ({"value": "one"}, "the value 'one' is named, and not which scorer's"),
        ({"scorer": "three"}, "unknown scorer 'three'"),
        ({"by": "topic"}, "no item has a field 'topic'"),
        ({"clusters": "topic"}, "no item has a field 'topic'"),
        ({"level": 1.0}, "1"),
    ):
        with pytest.raises(rejudge.RejudgeError, match=told):
            rejudge.describe(result.run("a"), store=store, **asked)
    with pytest.raises(rejudge.ConfigurationError, match="2 runs are named: a, b"):
        rejudge.describe(result, store=store)


def test_a_score_that_nothing_got_is_undefined_and_said(store: Address) -> None:
    found = rejudge.describe(judged(store, rows(IDS), {"t": {}}), store=store)
    assert isinstance(found.score().mean, Undefined)
    assert "undefined because nothing was scored" in str(found)


def test_everything_that_the_text_tells_is_in_the_json_too(store: Address) -> None:
    label = scorer("label", read=lambda output: "good" if output else "bad")
    values: dict[str, object] = {f"i{number}": [number % 2, number % 3 > 0] for number in range(12)}
    described = rejudge.describe(judged(store, rows(list(values)), {"t": values}, label, trials=2), store=store)
    document = json.loads(described.to_json())
    assert set(described.described.__struct_fields__) <= set(document)
    assert "whose trials got different labels" in str(described)
    (flips,) = document["label_flips"]
    assert (flips["measure"], flips["count"]) == ("label", sum(number % 2 != (number % 3 > 0) for number in range(12)))


def test_costs_of_a_fraction_of_a_cent_pass_and_flip_as_shares_do(store: Address) -> None:
    spec = rejudge.ScoreSpec(
        name="cost", type=rejudge.ScoreType.NUMBER, low=0, direction=rejudge.Direction.LOWER, passes_at=2e-10
    )
    values: dict[str, object] = {id: [1e-10, 2e-10 if id < "i12" else 3e-10] for id in IDS}
    found = rejudge.describe(judged(store, rows(IDS), {"t": values}, scorer("cost", spec), trials=2), store=store)
    (tried,) = found.score().attempts
    assert tried.any_of.mean == 1
    assert tried.all_of.mean == pytest.approx(12 / 24)
    flips = found.score().flips
    assert flips is not None
    assert flips.count == 24


def test_the_chance_that_one_of_several_trials_passes_knows_of_clusters(store: Address) -> None:
    """Ten conversations of six items: in each, all items pass once, or none does."""
    ids = [f"i{number:02}" for number in range(60)]
    values: dict[str, object] = {id: [number // 6 % 2, 0] for number, id in enumerate(ids)}
    items = rows(ids, conversation={id: number // 6 for number, id in enumerate(ids)})
    result = judged(store, items, {"t": values}, trials=2)
    (plain,) = rejudge.describe(result, store=store).score().attempts
    (clustered,) = rejudge.describe(result, clusters="conversation", store=store).score().attempts
    assert plain.any_of.mean == clustered.any_of.mean == 0.5
    assert isinstance(plain.any_of.interval, Interval)
    assert isinstance(clustered.any_of.interval, Interval)
    assert clustered.any_of.interval.method == "cluster-t"
    wide = clustered.any_of.interval.high - clustered.any_of.interval.low
    assert wide > 2 * (plain.any_of.interval.high - plain.any_of.interval.low)
