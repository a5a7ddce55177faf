"""Ratings from files: matched with traces, checked line by line, stored once."""

from __future__ import annotations

from pathlib import Path, PosixPath
from typing import IO

import pytest

import rejudge
from rejudge.domain.errors import BadRow, ConfigurationError, DuplicateItem, InputError, UnknownName
from rejudge.domain.ids import id_of
from rejudge.domain.rating import Blinding, Rating, RatingSet, current
from rejudge.domain.scale import ScoreSpec
from rejudge.domain.score import ScoreValue
from rejudge.front.workspace import Workspace
from rejudge.review.rateable import rateable
from rejudge.review.ratings import Circumstances, RatingFields, read_ratings
from rejudge.storage.store import Store
from tests.review.world import ITEMS, evaluated, rate, said, write


@pytest.fixture
def store() -> Store:
    return evaluated()


def stored(store: Store, name: str = "tone") -> list[Rating]:
    return store.ratings(store.rating_set(name).digest())


def values(store: Store) -> dict[tuple[str, str], float | None]:
    return {(one.rater, one.item_id): one.value.number for one in current(stored(store))}


def test_a_rating_says_who_what_of_which_trace_and_where_it_came_from(store: Store, tmp_path: Path) -> None:
    records = [*said({"q1": 1}), {"id": "q2", "rater": "bob", "value": False, "why": "rude"}]
    done = rate(store, tmp_path, records, reason="why")
    assert (done.stored, done.known, done.remarks()) == (2, 0, [])
    first, second = stored(store)
    cases = {case.item.id: case.case.trace for case in Workspace(store).result("shouts").cases()}
    assert (first.trace, first.item_id, first.rater, first.blinding) == (cases["q1"], "q1", "ann", Blinding.BLIND)
    assert (second.trace, second.reason, second.value.number) == (cases["q2"], "rude", 0.0)
    assert second.origin is not None
    assert (second.origin.file, second.origin.line) == ("ratings.jsonl", 2)


def test_a_table_keeps_text_as_text_and_people_may_write_pass_and_fail(store: Store, tmp_path: Path) -> None:
    words = ["pass", "FAIL", "1", "0", "true", "no", "1.0"]
    file = tmp_path / "words.csv"
    rows = "".join(f"q{number},007,{word}\n" for number, word in enumerate(words))
    file.write_text(f"id,rater,value\n{rows}", encoding="utf-8")
    rejudge.import_ratings("shouts", file, "tone", score="pass_fail", store=store)
    assert list(values(store).values()) == [1, 0, 1, 0, 1, 0, 1]
    assert {one.rater for one in stored(store)} == {"007"}
    labels = tmp_path / "labels.csv"
    labels.write_text("id,rater,value\nq1,ann,1\nq2,ann,true\n", encoding="utf-8")
    rejudge.import_ratings("shouts", labels, "kind", score="label", store=store)
    assert [one.value for one in stored(store, "kind")] == [
        ScoreValue(name="kind", label="1"),
        ScoreValue(name="kind", label="true"),
    ]


def test_records_name_their_trace_by_dotted_paths_or_by_its_id(store: Store, tmp_path: Path) -> None:
    trace = next(Workspace(store).result("shouts").cases()).case.trace
    assert trace is not None
    record = {"about": {"trace": id_of("trace", trace)}, "by": {"name": "ann"}, "answers": [{"score": 1}]}
    done = rate(store, tmp_path, [record], trace="about.trace", rater="by.name", value="answers.0.score")
    assert done.stored == 1
    assert stored(store)[0].item_id == "q0"
    with pytest.raises(BadRow, match=r"the trace id .* is 'trace-12'"):
        rate(store, tmp_path, [{"about": {"trace": "trace-12"}, "rater": "a", "value": 1}], trace="about.trace")


def test_one_person_may_have_rated_everything(store: Store, tmp_path: Path) -> None:
    assert rate(store, tmp_path, [{"id": "q1", "value": 1}], by="ann").stored == 1
    with pytest.raises(BadRow, match="the rater at 'rater' is missing") as caught:
        rate(store, tmp_path, [{"id": "q1", "value": 1}])
    assert caught.value.where is not None
    assert (caught.value.where.line, caught.value.where.item, caught.value.where.field) == (1, "q1", "rater")


def test_importing_the_same_again_stores_nothing(store: Store, tmp_path: Path) -> None:
    records = said({"q1": 1, "q2": 0})
    rate(store, tmp_path, records)
    again = rate(store, tmp_path, records)
    assert (again.stored, again.known) == (0, 2)
    assert rate(store, tmp_path, records[::-1]).stored == 0
    assert rate(store, tmp_path, records + records).stored == 0
    assert len(stored(store)) == 2


def test_a_later_word_supersedes_and_an_old_file_takes_nothing_back(store: Store, tmp_path: Path) -> None:
    rate(store, tmp_path, said({"q1": 1}))
    assert rate(store, tmp_path, said({"q1": 0})).stored == 1
    assert rate(store, tmp_path, said({"q1": 1})).stored == 0
    assert values(store) == {("ann", "q1"): 0.0}
    assert [one.value.number for one in stored(store)] == [1.0, 0.0]


def test_two_words_of_one_rater_in_one_file_are_refused_with_both_lines(store: Store, tmp_path: Path) -> None:
    with pytest.raises(DuplicateItem, match="first in line 1") as caught:
        rate(store, tmp_path, [*said({"q1": 1, "q2": 1}), *said({"q1": 0})])
    assert caught.value.where is not None
    assert caught.value.where.line == 3
    assert store.rating_sets() == []


def test_records_about_no_trace_are_counted_and_listed(store: Store, tmp_path: Path) -> None:
    done = rate(store, tmp_path, said({"q1": 1, "nowhere": 1, "\x1b[31m": 0}))
    assert done.stored == 1
    assert [(one.line, one.named) for one in done.read.strangers] == [(2, "nowhere"), (3, "\x1b[31m")]
    assert done.remarks() == [r"2 records of ratings.jsonl without a trace, left out: 'nowhere', '\x1b[31m'"]
    assert done.to_dict()["without_trace"] == [{"line": 2, "named": "nowhere"}, {"line": 3, "named": "\x1b[31m"}]


def test_a_file_about_nothing_known_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nothing at 'id' names a trace of the experiment: 'x'") as caught:
        rate(store, tmp_path, said({"x": 1}))
    assert "'q0'" in caught.value.fix
    with pytest.raises(ConfigurationError, match="there is no record"):
        rate(store, tmp_path, [])
    assert store.rating_sets() == []


def test_what_a_rater_left_empty_is_counted_and_no_rating(store: Store, tmp_path: Path) -> None:
    done = rate(store, tmp_path, said({"q1": 1, "q2": None, "q3": "  "}))
    assert (done.stored, done.read.unvalued) == (1, 2)
    assert "2 records of ratings.jsonl without a value, left out" in done.remarks()
    with pytest.raises(ConfigurationError, match="no record has a value at 'value'"):
        rate(store, tmp_path, said({"q1": None}))


@pytest.mark.parametrize("value", [2, -1, "maybe", [1], {"a": 1}])
def test_a_value_that_the_score_refuses_is_told_with_its_place(store: Store, tmp_path: Path, value: object) -> None:
    with pytest.raises(BadRow) as caught:
        rate(store, tmp_path, said({"q1": 1, "q2": value}))
    place = caught.value.where
    assert place is not None
    assert (place.line, place.item, place.field) == (2, "q2", "value")
    assert place.file.endswith("ratings.jsonl")


def test_trials_are_told_apart_by_a_field(tmp_path: Path) -> None:
    store = evaluated(trials=2)
    with pytest.raises(ConfigurationError, match="up to 2 times"):
        rate(store, tmp_path, said({"q1": 1}))
    records = [{"id": "q1", "rater": "ann", "value": trial, "try": trial} for trial in (0, 1)]
    assert rate(store, tmp_path, records, trial="try").stored == 2
    assert [(one.trial, one.value.number) for one in stored(store)] == [(0, 0.0), (1, 1.0)]


def test_a_new_set_says_what_its_values_are_and_a_known_one_need_not(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nothing says what its values are"):
        rate(store, tmp_path, said({"q1": 1}), score=None)
    rate(store, tmp_path, said({"q1": 1}), rubric="Is it polite?")
    assert rate(store, tmp_path, said({"q2": 1}), score=None).rating_set.rubric == "Is it polite?"
    assert len(store.rating_sets()) == 1
    with pytest.raises(UnknownName, match="rang"):
        rate(store, tmp_path, said({"q1": 1}), score={"type": "number", "rang": 1})


def test_another_rubric_makes_another_set_and_the_old_ratings_stay(store: Store, tmp_path: Path) -> None:
    before = rate(store, tmp_path, said({"q1": 1}), rubric="Is it polite?").rating_set
    after = rate(store, tmp_path, said({"q1": 0}), rubric="Is it kind?")
    assert after.replaced == before
    assert f"stay readable as {before.id}" in after.remarks()[0]
    assert [len(store.ratings(one.digest())) for one in store.rating_sets()] == [1, 1]


def test_an_earlier_rubric_that_is_asked_again_is_what_the_name_stands_for(store: Store, tmp_path: Path) -> None:
    polite = rate(store, tmp_path, said(dict.fromkeys(ITEMS, 1)), rubric="Is it polite?").rating_set
    kind = rate(store, tmp_path, said(dict.fromkeys(ITEMS, 0), "bob"), rubric="Is it kind?").rating_set
    again = rate(store, tmp_path, said(dict.fromkeys(ITEMS, 1), "eva"), rubric="Is it polite?")
    assert (again.rating_set, again.replaced) == (polite, kind)
    assert f"12 ratings stay readable as {kind.id}" in again.remarks()[0]
    gold = rejudge.adjudicate("tone", store=store)
    assert gold.rating_set == polite.digest()
    assert [(label.value.number, label.raters) for label in gold.labels] == [(1.0, 2)] * 12
    assert rate(store, tmp_path, said({"q1": 1}, "kim"), score=None).rating_set == polite
    assert rejudge.adjudicate(kind.id, store=store).labels[0].value.number == 0.0


def test_whether_raters_were_blind_is_recorded_or_unknown(store: Store, tmp_path: Path) -> None:
    for item, blind in zip(ITEMS, (True, False, None), strict=False):
        rate(store, tmp_path, said({item: 1}), blind=blind)
    assert [one.blinding for one in stored(store)] == [Blinding.BLIND, Blinding.SIGHTED, Blinding.UNKNOWN]
    report = Workspace(store).ratings("tone")
    assert report.blinding == {"blind": 1, "sighted": 1, "unknown": 1}
    assert "it is not known whether the raters had seen scores: 1 rating" in str(report)


def test_ratings_change_nothing_that_a_run_says(store: Store, tmp_path: Path) -> None:
    before = str(Workspace(store).result("shouts"))
    rate(store, tmp_path, said(dict.fromkeys(ITEMS, 0)))
    rejudge.adjudicate("tone", store=store)
    assert str(Workspace(store).result("shouts")) == before


class Written(PosixPath):
    """A file that somebody adds to as soon as it is read for its rows."""

    opened = 0

    def open(self, mode: str = "r") -> IO[bytes]:  # type: ignore[override]
        self.opened += 1
        if self.opened == 2:
            write(Path(self), said({"q1": 1, "q2": 0}))
        return Path(self).open("rb")


def test_a_file_that_is_written_to_meanwhile_is_refused(store: Store, tmp_path: Path) -> None:
    path = Written(write(tmp_path / "ratings.jsonl", said({"q1": 1})))
    asked = RatingSet(name="tone", score=ScoreSpec(name="tone"))
    experiment = store.experiment("shouts")
    traces = rateable(store, experiment, [run.run_config for run in store.runs()])
    with pytest.raises(InputError, match="changed while it was read"):
        read_ratings(path, asked, traces, fields=RatingFields(), circumstances=Circumstances())
