from __future__ import annotations

import pytest

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.experiment import Experiment

ONE, TWO = b"\1" * 32, b"\2" * 32


def wish(**fields: object) -> Experiment:
    whole = {"name": "e", "dataset": "d", "dataset_version": "dataset-1", "run_configs": (ONE, TWO), **fields}
    return Experiment(**whole)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "f"},
        {"dataset_version": "dataset-2"},
        {"run_configs": (ONE,)},
        {"trials": 3},
        {"protocol": {"concurrency": 2}},
    ],
)
def test_another_wish_or_another_name_is_another_experiment(fields: dict[str, object]) -> None:
    assert wish(**fields).id != wish().id


@pytest.mark.parametrize(
    "fields",
    [{"run_configs": (TWO, ONE)}, {"scorers": (ONE,)}, {"successor_of": "experiment-0"}, {"created_at": 7.0}],
)
def test_the_same_wish_is_the_same_experiment_whenever_and_with_whichever_scorers(fields: dict[str, object]) -> None:
    assert wish(**fields).id == wish().id
    assert wish().id.startswith("experiment-")


@pytest.mark.parametrize("trials", [0, -1])
def test_an_item_is_tried_at_least_once(trials: int) -> None:
    with pytest.raises(ConfigurationError, match=f"trials is {trials}"):
        wish(trials=trials)
