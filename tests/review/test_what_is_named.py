"""Naming what is calibrated and corrected: runs as everywhere, and the side to compare with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

import rejudge
from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.protocol import is_explanation
from rejudge.storage.memory import MemoryStore
from tests.review.world import ITEMS, PASSED, evaluated, judge, rate, said, shout, write


def whisper(question: str) -> str:
    return question.lower()


def test_a_run_is_named_with_its_task_as_everywhere(tmp_path: Path) -> None:
    store = MemoryStore()
    rows = [{"id": item, "question": f"what is {item}?"} for item in ITEMS]
    result = rejudge.evaluate(rows, [shout, whisper], [judge], store=store, name="both", progress="silent")
    file = write(tmp_path / "r.jsonl", said(PASSED))
    done = rejudge.import_ratings("both:shout", file, "tone", store=store, score="pass_fail")
    assert done.stored == len(ITEMS)
    rejudge.adjudicate("tone", store=store)
    run = result.run("shout")
    for named in ("both:shout", run.id, run):
        found = rejudge.calibrate(named, "judge", against="tone", store=store)
        assert found.record.runs == (run.id,)
        assert rejudge.correct(named, "judge", against="tone", drawn="at_random", store=store).task == "shout"
    assert rejudge.calibrate("both", "judge", against="tone", store=store, task="shout").record.runs == (run.id,)
    with pytest.raises(UnknownName, match="in experiment 'both'"):
        rejudge.calibrate("both:shuot", "judge", against="tone", store=store)
    with pytest.raises(ConfigurationError, match="several") as caught:
        rejudge.correct("both", "judge", against="tone", store=store)
    assert caught.value.fix == "name one: both:shout, both:whisper"


def test_without_a_side_to_compare_with_it_is_said_which_there_are(tmp_path: Path) -> None:
    rated = evaluated()
    rate(rated, tmp_path, said(dict.fromkeys(ITEMS[:10], 1)))
    rejudge.adjudicate("tone", store=rated)
    file = write(tmp_path / "more.jsonl", said({"q1": 1}))
    rejudge.import_ratings("shouts", file, "care", store=rated, score="pass_fail")
    with pytest.raises(ConfigurationError, match="nothing says what 'judge' is compared with") as caught:
        rejudge.calibrate("shouts", "judge", store=rated)
    assert caught.value.fix.splitlines() == [
        "name it as against=:",
        "    tone: a rating set with gold labels of 10 of these 12 traces",
        "    care: no gold labels yet; rejudge ratings adjudicate care --rule majority",
        "    another scorer: stars",
    ]
    with pytest.raises(ConfigurationError, match="by whose labels") as caught:
        rejudge.correct("shouts", "judge", store=rated)
    assert "tone: a rating set with gold labels of 10 of these 12 traces" in caught.value.fix
    with pytest.raises(ConfigurationError) as caught:
        rejudge.calibrate("shouts", "judge", store=evaluated())
    assert "rejudge ratings import makes one" in caught.value.fix


def stricter(item: Mapping[str, object]) -> tuple[bool, str]:
    return PASSED[str(item["id"])] and item["id"] != "q1", "because of the number"


stricter.__name__ = "judge"


@pytest.mark.parametrize("verb", ["calibrate", "correct"])
def test_what_was_judged_for_an_explanation_is_refused_as_by_a_comparison(tmp_path: Path, verb: str) -> None:
    """Its items were chosen by what two runs have in common, and its judge may be one that nobody uses any more."""
    rated = evaluated()
    rate(rated, tmp_path, said(PASSED))
    rejudge.adjudicate("tone", store=rated)
    rows = [{"id": item, "question": f"what is {item}?"} for item in ITEMS]
    rejudge.evaluate(rows, whisper, [stricter], store=rated, name="later", progress="silent")
    rejudge.explain("shouts", "later", scorer="judge", store=rated, scorers=[judge, stricter])
    made = [one.name for one in rated.experiments() if is_explanation(one)]
    assert made
    for name in made:
        with pytest.raises(ConfigurationError, match="was made for an explanation and measures nothing") as compared:
            rejudge.compare("shouts", name, store=rated)
        more = {"drawn": "at_random"} if verb == "correct" else {}
        with pytest.raises(ConfigurationError) as refused:
            getattr(rejudge, verb)(name, "judge", against="tone", store=rated, **more)
        assert (str(refused.value), refused.value.fix) == (str(compared.value), compared.value.fix)


def test_the_json_tells_the_experiment_by_id_and_name_as_that_of_a_result_does(tmp_path: Path) -> None:
    rated = evaluated()
    rate(rated, tmp_path, said(PASSED))
    rejudge.adjudicate("tone", store=rated)
    (experiment,) = rated.experiments()
    told = {"id": experiment.id, "name": "shouts"}
    assert rejudge.calibrate("shouts", "judge", against="tone", store=rated).to_dict()["experiment"] == told
    corrected = rejudge.correct("shouts", "judge", against="tone", drawn="at_random", store=rated)
    assert corrected.to_dict()["experiment"] == told
