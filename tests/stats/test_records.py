"""What estimates are told in can be written as JSON and read again, its reasons included."""

from __future__ import annotations

import msgspec
import pytest

from rejudge.stats.bootstrap import bootstrap_mean
from rejudge.stats.clusters import cluster_effect
from rejudge.stats.percentiles import percentiles
from rejudge.stats.power import PairedVariance, items_for_means
from rejudge.stats.repeats import flips, label_flips, summarise_repeats
from rejudge.stats.scale import PASS_FAIL
from rejudge.stats.slices import summarise_slices

TRIALS = [[1, 0, 1], [1, 1], [0], []]


@pytest.mark.parametrize(
    "record",
    [
        bootstrap_mean([0.1, 0.4, 0.3], seed=3),
        bootstrap_mean([], seed=3),
        cluster_effect([1, 2, 3, 5], ["a", "a", "b", "b"]),
        percentiles([1.5, 2.5, 9.0], missing=1),
        items_for_means(0.03, PairedVariance(between=0.1)),
        summarise_repeats(TRIALS, scale=PASS_FAIL),
        flips(TRIALS)[0],
        label_flips([["a", "b"]])[0],
        *summarise_slices([1, 0, None, 1, 0], {"a": [0, 1, 2], "b": []}, scale=PASS_FAIL),
    ],
    ids=lambda record: type(record).__name__,
)
def test_a_record_survives_being_written_and_read(record: msgspec.Struct) -> None:
    assert msgspec.json.decode(msgspec.json.encode(record), type=type(record)) == record
