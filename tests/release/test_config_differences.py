"""What differs between two recorded configurations, each place by its path, and nothing left out."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rejudge
from rejudge.release.config_differences import ConfigDifferences, Difference, config_differences, differences
from rejudge.storage.store import Store
from rejudge.wiring import open_store

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=12,
)


@pytest.fixture
def store() -> Store:
    return open_store("memory:")


def echo(text: str) -> str:
    return text


def shout(text: str) -> str:
    return text.upper()


ROWS = [{"id": "a", "text": "x", "gold": "x"}, {"id": "b", "text": "y", "gold": "y"}]


def found(first: rejudge.Result, second: rejudge.Result) -> ConfigDifferences:
    return config_differences(first.store, first.runs[0].run, second.runs[0].run)


def paths(some: tuple[Difference, ...]) -> dict[str, tuple[object, object]]:
    return {one.path: (one.first, one.second) for one in some}


@given(JSON)
def test_what_is_equal_differs_nowhere(value: object) -> None:
    assert list(differences("it", value, copy.deepcopy(value))) == []


@given(JSON, JSON)
def test_what_is_not_equal_differs_somewhere_and_the_other_way_round_in_the_same_places(
    first: object, second: object
) -> None:
    here, there = list(differences("it", first, second)), list(differences("it", second, first))
    assert bool(here) == (
        repr(first) != repr(second) and (first != second or type(first) is not type(second) or bool(here))
    )
    turned = {"added": "removed", "removed": "added", "changed": "changed"}
    assert sorted((one.path, turned[one.kind]) for one in here) == sorted((one.path, one.kind) for one in there)


def test_values_of_other_types_differ_though_python_calls_them_equal() -> None:
    assert [one.path for one in differences("it", {"a": 1, "b": True}, {"a": 1.0, "b": 1})] == ["it.a", "it.b"]


def test_equal_runs_have_no_difference(store: Store) -> None:
    one = rejudge.evaluate(ROWS, echo, [rejudge.exact_match(reference_key="gold")], store=store, name="a")
    same = found(one, one)
    assert (same.task, same.scorers, same.experiment, same.dataset) == ((), (), (), None)


def test_every_part_of_a_prompt_is_a_path(store: Store) -> None:
    provider = rejudge.ScriptedProvider(lambda call: "yes")
    runs = [
        rejudge.evaluate_prompt(
            ROWS,
            [{"role": "system", "content": system}, {"role": "user", "content": "{{ text }}"}],
            model,
            temperature=temperature,
            store=store,
            name="prompted",
            provider=provider,
            depends_on={"environment_version": environment},
        )
        for system, model, temperature, environment in (("Be brief.", "m/1", 0, "e1"), ("Be long.", "m/2", 1, "e2"))
    ]
    there = paths(found(runs[0], runs[1]).task)
    assert there["task.settings.messages[0].content"] == ("Be brief.", "Be long.")
    assert there["task.settings.model"] == ("m/1", "m/2")
    assert there["task.settings.parameters.temperature"] == (0, 1)
    assert there["task.depends_on.environment_version"] == ("e1", "e2")


def test_a_changed_function_changed_scorers_and_what_was_added(store: Store) -> None:
    right = rejudge.exact_match(reference_key="gold", name="right")
    first = rejudge.evaluate(ROWS, echo, [right, rejudge.contains(substring="x", name="old")], store=store, name="a")
    folded = rejudge.exact_match(reference_key="gold", name="right", case_sensitive=False)
    second = rejudge.evaluate(
        ROWS, shout, [folded, rejudge.contains(substring="x", name="new")], store=store, name="b", trials=2
    )
    all_of = found(first, second)
    assert set(paths(all_of.task)) == {"task.name", "task.settings.function"}
    there = {one.path: one.kind for one in all_of.scorers}
    assert there["scorers.old"] == "removed"
    assert there["scorers.new"] == "added"
    assert any(path.startswith("scorers.right.settings.case_sensitive") for path in there)
    assert paths(all_of.experiment) == {"experiment.name": ("a", "b"), "experiment.trials": (1, 2)}


def test_what_a_selection_or_a_suite_says_is_a_path(store: Store) -> None:
    first = rejudge.evaluate(ROWS, echo, [], store=store, name="a", nb_samples=1)
    second = rejudge.evaluate(ROWS, echo, [], store=store, name="a", nb_samples=2)
    assert paths(found(first, second).experiment)["experiment.protocol.selection.nb_samples"] == (1, 2)
    suites = [
        rejudge.run_tests(
            ROWS, echo, scorers=[rejudge.contains(substring="x")], policy={"runs": runs}, store=store, name="s"
        ).result
        for runs in (2, 3)
    ]
    assert paths(found(suites[0], suites[1]).experiment)["experiment.protocol.suite.policy.runs"] == (2, 3)


def test_dataset_versions_are_told_apart_item_by_item_and_field_by_field(store: Store) -> None:
    after = [{"id": "a", "text": "x", "gold": "z"}, {"id": "c", "text": "w", "gold": "w"}]
    first = rejudge.evaluate(ROWS, echo, [], store=store, name="a", reference=["gold"])
    second = rejudge.evaluate(after, echo, [], store=store, name="a", reference=["gold"])
    dataset = found(first, second).dataset
    assert dataset is not None
    assert (dataset.added, dataset.modified, dataset.deleted) == (("c",), ("a",), ("b",))
    assert (dataset.count_first, dataset.count_second, dataset.reference_only) == (2, 2, 1)
    assert dataset.fields == {"gold": 1}
    (item,) = dataset.items
    assert (item.item_id, paths(item.fields)) == ("a", {"item.gold": ("x", "z")})


def test_what_is_declared_as_reference_is_compared_too(store: Store) -> None:
    first = rejudge.evaluate(ROWS, echo, [], store=store, name="a")
    second = rejudge.evaluate(ROWS, echo, [], store=store, name="a", reference=["gold"])
    dataset = found(first, second).dataset
    assert dataset is not None
    assert (dataset.added, dataset.modified, dataset.deleted) == ((), (), ())
    assert [one.second for one in dataset.declared] == ["gold"]


def test_what_nobody_declared_and_what_is_unpinned_is_said(store: Store) -> None:
    client = object()

    def unpinned(text: str) -> str:
        return text if client else ""

    first = rejudge.evaluate(ROWS, echo, [], store=store, name="a", depends_on={"model_version": "m"})
    second = rejudge.evaluate(ROWS, unpinned, [], store=store, name="b")
    told = found(first, second).unrecorded
    assert told[0].startswith("the first run's task does not declare prompt_hash")
    assert told[1].startswith("the second run's task does not declare model_version, prompt_hash")
    assert any("unpinned: uses `client`" in one for one in told)
    assert "timeouts" in told[-1]
