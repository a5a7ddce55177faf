from __future__ import annotations

import pytest
from hypothesis import given

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.run_config import DIMENSIONS, NOT_APPLICABLE, SCENARIOS, UNDECLARED, RunConfig
from tests.domain.values import any_value


def config(**fields: object) -> RunConfig:
    return RunConfig(**{"name": "t", "kind": "function", "settings": {"digest": "x"}, **fields})  # type: ignore[arg-type]


def test_the_label_is_no_part_of_the_id() -> None:
    assert config(name="one").id == config(name="two").id
    assert config().id.startswith("runconfig-")


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "prompt"},
        {"settings": {"digest": "y"}},
        {"settings": {"digest": "x", "temperature": 0}},
        {"depends_on": {"model_version": "m"}},
        {"depends_on": {"model_version": NOT_APPLICABLE}},
        {"given": ("question",)},
        {"given": ()},
        {"settings": {"digest": "x", "unpinned": ["client"]}},
        {"experiment": "experiment-1"},
    ],
)
def test_everything_that_can_change_an_output_changes_the_id(fields: dict[str, object]) -> None:
    assert config(**fields).id != config().id


@given(any_value)
def test_any_setting_is_part_of_the_id(value: object) -> None:
    assert config(settings={"digest": value}).id != config(settings={"digest": [value]}).id


def test_what_nobody_declared_equals_what_is_called_undeclared() -> None:
    assert config(depends_on={"model_version": UNDECLARED}).id == config().id


def test_the_order_in_which_given_fields_are_named_is_irrelevant() -> None:
    assert config(given=("a", "b")).id == config(given=("b", "a")).id


def test_every_dimension_has_a_value_or_says_that_it_has_none() -> None:
    known = config(depends_on={"model_version": "m", "my_index": "v7"}).dimensions()
    assert known["model_version"] == "m"
    assert known["my_index"] == "v7"
    assert {name for name, value in known.items() if value == UNDECLARED} == {*DIMENSIONS} - {"model_version"}


@pytest.mark.parametrize("scenario", [name for name, dimensions in SCENARIOS.items() if dimensions])
def test_a_scenario_makes_each_of_its_dimensions_required(scenario: str) -> None:
    complete = dict.fromkeys(SCENARIOS[scenario], NOT_APPLICABLE)
    assert config(scenario=scenario, depends_on=complete).scenario == scenario
    for name in complete:
        for incomplete in ({**complete, name: UNDECLARED}, {key: complete[key] for key in complete if key != name}):
            with pytest.raises(ConfigurationError, match=f'depends_on={{"{name}": …}}'):
                config(scenario=scenario, depends_on=incomplete)


def test_an_unknown_scenario_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'agent'"):
        config(scenario="agnet")
