"""Data that changed: corrected references, changed items, labels, items with judges of their own, missing scores."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import rejudge
from rejudge.release.explanation import ScoreExplanation
from rejudge.stats.decompose import Order, Split
from rejudge.stats.interval import Interval, Undefined
from rejudge.storage.store import Store
from rejudge.wiring import open_store
from tests.release.planted import World, numbered


@pytest.fixture
def store() -> Store:
    return open_store("memory:")


class Counting:
    """A task that counts how often it is called."""

    def __init__(self, ending: str = "") -> None:
        self.calls = 0
        self.version = ending or "plain"
        self._ending = ending

    def __call__(self, text: str) -> str:
        self.calls += 1
        return text + self._ending


def split_of(score: ScoreExplanation) -> Split:
    assert not isinstance(score.split, Undefined), score.split
    return score.split


def rows(*, wrong: int = 0, count: int = 20) -> list[dict[str, object]]:
    return [{"id": f"i{n}", "text": f"{n}", "gold": f"{n}" if n >= wrong else "?"} for n in range(count)]


def test_a_corrected_reference_is_the_datas_doing_and_generates_nothing(store: Store) -> None:
    task, judge = Counting(), rejudge.exact_match(reference_key="gold", name="right")
    before = rejudge.evaluate(rows(wrong=5), task, [judge], store=store, name="gold", reference=["gold"])
    after = rejudge.evaluate(rows(), task, [judge], store=store, name="gold", reference=["gold"])
    found = rejudge.explain(before, after)
    split = split_of(found.score())
    assert task.calls == 20
    assert split.data.value == pytest.approx(0.25)
    assert split.difference.value == pytest.approx(0.25)
    assert split.judge.value == split.task.value == split.missing.value == 0
    carried = found.score().carried["data"]
    assert sorted(one.item_id for one in carried.items) == [f"i{n}" for n in range(5)]
    assert [one.shift for one in carried.items] == pytest.approx([0.05] * 5)
    assert {(one.first, one.second) for one in carried.items} == {(0, 1)}
    dataset = found.differences.dataset
    assert dataset is not None
    assert (dataset.fields, dataset.reference_only) == ({"gold": 5}, 5)
    assert "only what is declared as reference changed" in str(found)


def test_a_stricter_judge_and_corrected_references_are_told_apart(store: Store) -> None:
    task = Counting("!")
    loose = rejudge.contains(reference_key="gold", name="right")
    strict = rejudge.exact_match(reference_key="gold", name="right")
    before = rejudge.evaluate(rows(wrong=4), task, [loose], store=store, name="gold", reference=["gold"])
    after = rejudge.evaluate(rows(), task, [strict], store=store, name="gold", reference=["gold"])
    found = rejudge.explain(before, after)
    split = split_of(found.score())
    assert split.n_split == 16
    assert split.judge.value == -1
    assert split.task.value == 0
    assert split.data.value == pytest.approx((0 - 16 / 20) - (0 - 1))
    assert task.calls == 20


def test_items_without_a_score_on_one_side_are_missing_scores_and_not_dropped(store: Store) -> None:
    def sometimes(text: str) -> str:
        if int(text) < 4:
            raise ValueError("no answer")
        return text if int(text) % 2 else "?"

    def always(text: str) -> str:
        return text if int(text) % 2 else "?"

    judge = rejudge.exact_match(reference_key="gold", name="right")
    first = rejudge.evaluate(rows(), always, [judge], store=store, name="a", reference=["gold"])
    second = rejudge.evaluate(rows(), sometimes, [judge], store=store, name="b", reference=["gold"])
    found = rejudge.explain(first, second)
    split = split_of(found.score())
    assert (split.n_first, split.n_second, split.n_split, split.missing.n) == (20, 16, 16, 4)
    assert split.missing.value == split.difference.value
    assert "4 items of equal content, for which a score is missing somewhere" in " ".join(str(found).split())


def test_labels_are_split_label_by_label(store: Store) -> None:
    def tone(text: str) -> str:
        return "rude" if int(text) % 3 == 0 else "kind"

    def politer(text: str) -> str:
        return "rude" if int(text) % 9 == 0 else "kind"

    def label(output: str) -> str:
        return output

    first = rejudge.evaluate(rows(count=27), tone, [label], store=store, name="a")
    second = rejudge.evaluate(rows(count=27), politer, [label], store=store, name="b")
    found = rejudge.explain(first, second)
    assert [one.measure for one in found.scores] == ["label = kind", "label = rude"]
    rude = split_of(found.score("label = rude"))
    assert rude.task.value == pytest.approx(3 / 27 - 9 / 27)
    assert isinstance(rude.task.interval, Interval)
    assert split_of(found.score("label = kind")).task.value == pytest.approx(6 / 27)


def test_items_with_judges_of_their_own_are_judged_by_those(store: Store) -> None:
    items = [{"text": f"{n}", "id": f"i{n}", "scorers": [_contains("1" if n < 5 else "8")]} for n in range(10)]
    task = Counting()
    first = rejudge.run_tests(items, task, store=store, name="own").result
    second = rejudge.evaluate_experiment("own", [_contains("7")], store=store)
    found = rejudge.explain(first.runs[0], second.runs[0], scorer="said")
    split = split_of(found.score())
    assert found.score().same_judge is False
    assert split.judge.value == pytest.approx(1 / 10 - 2 / 10)
    assert split.task.value == split.data.value == split.missing.value == 0
    other = rejudge.run_tests(items, Counting("7"), store=store, name="other").result
    split = split_of(rejudge.explain(second.runs[0], other.runs[0], scorer="said").score())
    assert split.order is Order.BOTH
    assert split.task_by_first.value == pytest.approx(10 / 10 - 1 / 10)
    assert task.calls == 10


def _contains(text: str) -> dict[str, object]:
    return {"type": "contains", "name": "said", "substring": text}


def test_imported_scores_are_explained_as_far_as_they_go(store: Store, tmp_path: Path) -> None:
    results = []
    for name, ending in (("a", ""), ("b", "!")):
        rejudge.evaluate(rows(), Counting(ending), [], store=store, name=name)
        file = tmp_path / f"{name}.jsonl"
        file.write_text("\n".join(json.dumps({"id": f"i{n}", "value": n % (2 + len(ending))}) for n in range(20)))
        results.append(rejudge.import_scores(name, file, {"name": "people", "type": "number"}, store=store))
    score = rejudge.explain(*results).score()
    split = split_of(score)
    assert isinstance(split.together.value, float)
    assert isinstance(split.judge.value, Undefined)
    assert "was imported" in split.judge.value.reason


def test_runs_over_datasets_without_a_common_item_say_so(store: Store) -> None:
    world = World()
    first = world.run(store, "a", items=numbered(range(5)))
    second = world.run(store, "b", items=numbered(range(10, 15)))
    found = rejudge.explain(first, second, provider=world.provider)
    split = split_of(found.score())
    assert isinstance(split.data.value, Undefined)
    assert isinstance(split.difference.interval, Interval)
    assert "no item has the same content" in str(found)


def test_a_trace_that_cannot_be_read_any_more_stops_the_judging_and_is_said(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    store = open_store(path)
    task, other = Counting(), Counting("!")
    first = rejudge.evaluate(
        rows(), task, [rejudge.contains(reference_key="gold", name="right")], store=store, name="a"
    )
    second = rejudge.evaluate(
        rows(), other, [rejudge.exact_match(reference_key="gold", name="right")], store=store, name="b"
    )
    names = [first.runs[0].id, second.runs[0].id]
    store.close()
    with closing(sqlite3.connect(path)) as database, database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute("UPDATE traces SET body = x'7b22' WHERE id = (SELECT min(id) FROM traces)")
    found = rejudge.explain(*names, store=path)
    assert found.spent.stopped == "1 stored traces cannot be read any more; the others were judged"
    assert found.spent.made == 39
    assert split_of(found.score()).missing.n == 1
    assert "it stopped early" in str(found)


def test_two_judges_over_datasets_without_a_common_item_are_not_called_one(store: Store) -> None:
    world = World()
    first = world.run(store, "a", items=numbered(range(5)))
    second = world.run(store, "b", judge="lenient", items=numbered(range(10, 15)))
    third = world.run(store, "c", items=numbered(range(20, 25)))
    found = rejudge.explain(first, second, provider=world.provider)
    assert found.score().same_judge is False
    assert [one.path for one in found.differences.scorers] == ["scorers.quality.settings.model"]
    assert "one judge judged both runs" not in str(found)
    assert rejudge.explain(first, third, provider=world.provider).score().same_judge is True


def answer(text: str) -> str:
    return text


def louder(text: str) -> str:
    return f"{text}!"


def test_scorers_and_values_that_one_run_alone_has_are_named(store: Store) -> None:
    def common(output: str) -> float:
        return len(output)

    def only_here(output: str) -> float:
        return len(output)

    def only_there(output: str) -> float:
        return len(output)

    def several(output: str) -> dict[str, float]:
        return {"length": len(output), ("loud" if "!" in output else "quiet"): 1}

    first = rejudge.evaluate(rows(), answer, [common, only_here, several], store=store, name="a")
    second = rejudge.evaluate(rows(), louder, [common, only_there, several], store=store, name="b")
    found = rejudge.explain(first, second)
    assert [one.measure for one in found.scores] == ["common", "several.length"]
    for said in (
        "only_here is a scorer of the first run alone",
        "only_there is a scorer of the second run alone",
        "several.quiet is a value of the first run alone",
        "several.loud is a value of the second run alone",
    ):
        assert said in found.notes
        assert said in found.explained.left_out
        assert said in str(found)
        assert said in found.to_html()
    assert rejudge.explain(first, second, scorer="common").notes == ()


def test_labels_beyond_the_commonest_are_counted(store: Store) -> None:
    def label(output: str) -> str:
        return f"label {output.rstrip('!')}" if int(output.rstrip("!")) >= 5 else "common"

    first = rejudge.evaluate(rows(), answer, [label], store=store, name="a")
    second = rejudge.evaluate(rows(), louder, [label], store=store, name="b")
    found = rejudge.explain(first, second)
    assert len(found.scores) == 12
    assert found.scores[0].measure == "label = common"
    said = "label: the 12 commonest of 16 labels are told apart; the 4 others, 8 of 40 values, are not"
    assert found.notes == (said,)


def test_a_number_of_items_below_none_is_refused(store: Store) -> None:
    first = rejudge.evaluate(rows(), answer, [], store=store, name="a")
    second = rejudge.evaluate(rows(), louder, [], store=store, name="b")
    with pytest.raises(rejudge.ConfigurationError, match="-1 items cannot be named"):
        rejudge.explain(first, second, listed=-1)


def test_what_neither_run_scored_is_counted_by_reason(store: Store) -> None:
    def half(output: str) -> float:
        if int(output.rstrip("!")) % 2:
            raise ValueError("boom")
        return len(output)

    first = rejudge.evaluate(rows(), answer, [half], store=store, name="a")
    second = rejudge.evaluate(rows(), louder, [half], store=store, name="b")
    found = rejudge.explain(first, second)
    split = split_of(found.score())
    assert (split.n_split, split.n_neither, split.missing.n) == (10, 10, 0)
    text = " ".join(str(found).split())
    assert "+ missing 0: 10 items without a score in either run, none in one alone" in text
    assert "10 items have no score in either run: nothing here is about them" in text
    for which in ("first", "second"):
        said = f"half: in the {which} run 10 of 20 planned have no score (10 scorer errors)"
        assert said in text
        assert said in found.to_html()
    assert "have no score in either run" in found.to_html()
    document = json.loads(found.to_json())["unscored"]
    assert [(one["which"], one["counts"]["planned"], one["counts"]["scorer_errors"]) for one in document] == [
        ("first", 20, 10),
        ("second", 20, 10),
    ]


def test_skips_errors_of_the_task_and_trials_are_counted_each(store: Store) -> None:
    def fallen(text: str) -> str:
        if int(text) == 3:
            raise ValueError("no answer")
        return text

    items = [
        {**one, "gold": one["text"]} if n >= 2 else {"id": f"i{n}", "text": f"{n}"} for n, one in enumerate(rows())
    ]
    for one in items[:2]:
        one.pop("gold", None)
    judge = rejudge.exact_match(reference_key="gold", name="right")
    first = rejudge.evaluate(items, fallen, [judge], store=store, name="a", trials=2, reference=["gold"])
    second = rejudge.evaluate(items, answer, [judge], store=store, name="b", trials=2, reference=["gold"])
    found = rejudge.explain(first, second)
    assert found.notes == (
        "right: in the first run 6 of 40 planned have no score (4 skipped, 2 task errors; "
        "causes of skips: 4 missing_reference_key)",
        "right: in the second run 4 of 40 planned have no score (4 skipped; causes of skips: 4 missing_reference_key)",
    )
    split = split_of(found.score())
    assert (split.n_neither, split.missing.n) == (2, 1)


def test_new_items_without_a_score_are_not_taken_for_equal_datasets(store: Store) -> None:
    def short(output: str) -> float:
        if len(output) > 2:
            raise ValueError("too long")
        return len(output)

    more = [{"id": f"n{n}", "text": f"{n}"} for n in range(100, 105)]
    first = rejudge.evaluate(rows(), answer, [short], store=store, name="a")
    second = rejudge.evaluate([*rows(), *more], answer, [short], store=store, name="b")
    found = rejudge.explain(first, second)
    text = " ".join(str(found).split())
    assert split_of(found.score()).data.n == 0
    assert "both runs are over the same items" not in text
    assert "+ data 0: 5 items that one run alone has, or that changed, without a score" in text
    assert "short: in the second run 5 of 25 planned have no score (5 scorer errors)" in text
