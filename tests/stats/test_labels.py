from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.errors import RecordError
from rejudge.stats.counts import Counts
from rejudge.stats.interval import wilson
from rejudge.stats.labels import summarise_label_counts, summarise_labels
from rejudge.stats.scale import PASS_FAIL
from rejudge.stats.summary import Summary, on_scale
from tests.stats.samples import t_of

LABELS = st.sampled_from(["refund", "complaint", "praise"])


def test_labels_get_a_distribution_with_wilson_intervals_and_no_mean() -> None:
    counts = Counts(planned=12, scored=10, skipped=2)
    summary = summarise_label_counts({"praise": 2, "refund": 8}, name="topic", counts=counts)
    assert list(summary.labels) == ["refund", "praise"]
    assert (summary.labels["refund"].count, summary.labels["refund"].share) == (8, 0.8)
    assert summary.labels["refund"].interval == wilson(8, 10)
    assert (summary.mean, summary.n, summary.items) == (None, 10, 12)
    assert str(summary.best) == str(summary.interval) == "undefined because a label has no mean"


@given(st.lists(LABELS, max_size=20))
def test_labels_and_their_counts_give_one_summary(given_labels: list[str]) -> None:
    counts = Counts(planned=len(given_labels), scored=len(given_labels))
    by_item = summarise_labels([[label] for label in given_labels], name="topic", counts=counts)
    count_of = {label: given_labels.count(label) for label in given_labels}
    by_count = summarise_label_counts(count_of, name="topic", counts=counts)
    assert msgspec.structs.replace(by_item, trials=1) == by_count
    assert sum(share.count for share in by_item.labels.values()) == len(given_labels)


def test_an_item_with_many_trials_counts_once() -> None:
    counts = Counts(planned=8, scored=8)
    by_item = [["a", "a", "b", "b"], ["a"] * 4]
    summary = summarise_labels(by_item, name="topic", counts=counts)
    assert (summary.n, summary.trials) == (2, 4)
    assert (summary.labels["a"].count, summary.labels["a"].share) == (6, 0.75)
    assert summary.labels["a"].interval == on_scale(t_of([0.5, 1.0]), PASS_FAIL)
    unequal = summarise_labels([["a"], ["b"] * 3], name="topic", counts=Counts(planned=6, scored=4, task_errors=2))
    assert unequal.labels["a"].share == 0.5


def test_a_closed_set_shows_the_labels_that_nothing_got() -> None:
    counts = Counts(planned=2, scored=2)
    summary = summarise_labels([["yes"], ["yes"]], name="answer", counts=counts, known=("yes", "no"))
    assert (summary.labels["no"].count, summary.labels["no"].share) == (0, 0)
    assert summary.labels["no"].interval == wilson(0, 2)


def test_nothing_scored_has_no_shares() -> None:
    counts = Counts(planned=2, scored=0, task_errors=2)
    assert summarise_labels([[], []], name="answer", counts=counts, known=("yes", "no")).labels == {}
    assert summarise_label_counts({"yes": 0}, name="answer", counts=counts).labels == {}


def test_labels_that_the_counts_deny_are_refused() -> None:
    with pytest.raises(RecordError, match="counted as scored"):
        summarise_label_counts({"a": 3}, name="topic", counts=Counts(planned=2, scored=2))
    with pytest.raises(RecordError, match="counted as scored"):
        summarise_labels([["a"]], name="topic", counts=Counts(planned=2, scored=2))


def test_a_label_summary_survives_being_written_and_read() -> None:
    summary = summarise_label_counts({"a": 3, "b": 0}, name="topic", counts=Counts(planned=3, scored=3))
    assert msgspec.json.decode(msgspec.json.encode(summary), type=Summary) == summary


def test_labels_of_items_that_the_counts_deny_are_refused() -> None:
    with pytest.raises(RecordError, match="2 values were given, but 3 are counted as scored"):
        summarise_labels([["a", "b"]], name="topic", counts=Counts(planned=3, scored=3))
    with pytest.raises(RecordError, match="no items for 3 planned units"):
        summarise_labels([], name="topic", counts=Counts(planned=3, scored=0, pending=3))
