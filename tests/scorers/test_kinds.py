"""The catalog: every kind shows what it does by examples, publishes its parameters, and can be added from outside."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest

from rejudge.domain.errors import ConfigurationError, NameClash, UnknownName
from rejudge.domain.scale import ScoreSpec
from rejudge.scorers import (
    CATALOG,
    Example,
    Kind,
    all_kinds,
    as_verdict,
    create,
    exact_match,
    kind_named,
    scored_values,
)

EXAMPLES = [
    pytest.param(kind, one, id=f"{kind.name}: {one.what}") for kind in CATALOG.values() for one in kind.examples
]


def answer_of(judged: object, example: Example) -> object:
    """The answer of a scorer, with its calls answered as the example says."""
    if not inspect.isgenerator(judged):
        return judged
    steps = cast("Generator[object, object, object]", judged)
    replies = iter([None, *example.replies])
    try:
        while True:
            steps.send(next(replies))
    except StopIteration as end:
        assert not list(replies), "a reply was not asked for"
        return end.value


@pytest.mark.parametrize(("kind", "example"), EXAMPLES)
def test_every_example_of_a_kind_holds(kind: Kind, example: Example) -> None:
    scorer = kind.create(example.parameters)
    verdict = as_verdict(answer_of(scorer.judge(example.view), example), scorer.config)
    assert (verdict.skip, verdict.reason) == (example.verdict.skip, example.verdict.reason)
    assert scored_values(verdict, scorer.config) == scored_values(example.verdict, scorer.config)


@pytest.mark.parametrize("kind", CATALOG.values(), ids=lambda kind: kind.name)
def test_every_kind_has_examples_and_describes_its_parameters(kind: Kind) -> None:
    assert kind.examples
    assert kind.parameters.__doc__
    published = json.loads(json.dumps(kind.schema()))
    (own,) = [one for name, one in published["$defs"].items() if name == kind.parameters.__name__]
    assert set(own["properties"]) == set(kind.parameters.__struct_fields__)
    assert own["additionalProperties"] is False
    undescribed = [name for name, one in own["properties"].items() if not one.get("description")]
    assert not undescribed


def test_a_yaml_mapping_and_a_call_make_the_same_scorer() -> None:
    scores = [{"name": "ok", "type": "pass_fail", "required": True}]
    made = create("exact_match", {"reference_key": "gold", "scores": scores})
    assert made.config == exact_match(reference_key="gold", scores=[ScoreSpec(name="ok", required=True)]).config


def test_a_constructor_takes_its_parameters_by_name() -> None:
    with pytest.raises(TypeError, match="by name"):
        exact_match("18")  # type: ignore[call-arg]


def test_an_unknown_type_is_told_the_nearest_one() -> None:
    with pytest.raises(UnknownName, match=r"unknown scorer type 'exact_macth'\n.*did you mean 'exact_match'"):
        create("exact_macth", {})


PLUGIN = """
from msgspec import Struct
from rejudge.scorers import Kind, exact_match

class Shouts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    def scorer(self):
        return exact_match(name="shouts", value_expression="final_message|upper", expected_value="HI")

shouts = Kind(name="shouts", parameters=Shouts, examples=())
broken = 3
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, entries: str) -> None:
    metadata = folder / "shouting-1.0.dist-info"
    metadata.mkdir()
    (folder / "shouting_plugin.py").write_text(PLUGIN, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(f"[rejudge.scorers]\n{entries}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))


def test_an_installed_package_adds_a_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "shouts = shouting_plugin:shouts")
    assert create("shouts", {}).config.name == "shouts"
    assert set(all_kinds()) == {*CATALOG, "shouts"}
    with pytest.raises(UnknownName, match="did you mean 'shouts'"):
        kind_named("shout")


def test_an_installed_package_that_offers_no_kind_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "shouts = shouting_plugin:broken")
    with pytest.raises(ConfigurationError, match="shouting_plugin:broken, offered as the scorer type 'shouts'"):
        create("shouts", {})
    assert create("exact_match", {"expected_value": "a"}).config.name == "exact_match"


def test_an_installed_package_cannot_take_a_built_in_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "contains = shouting_plugin:shouts")
    with pytest.raises(NameClash, match="shouting_plugin:shouts and rejudge itself"):
        all_kinds()


def test_the_template_library_loads_with_the_first_expression() -> None:
    program = """
import sys
from rejudge.scorers import exact_match, function_scorer
exact_match(expected_value="a"), function_scorer(lambda output: True, version="1")
assert "jinja2" not in sys.modules
exact_match(expected_value="a", value_expression="output")
assert "jinja2" in sys.modules
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
