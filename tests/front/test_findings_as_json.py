"""What findings tell programs: all of them in one form, and nothing less than what they tell people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec
import pytest

import rejudge
from rejudge.front.export import SCHEMA_VERSION
from rejudge.front.workspace import Workspace
from rejudge.stats.interval import Undefined
from tests.front.pages import half_labelled, in_depth, paired_systems, passing, why
from tests.review.world import ITEMS, PASSED, evaluated, rate, said


class Finding(Protocol):
    def to_dict(self) -> dict[str, object]: ...

    def to_json(self) -> str: ...


class Case(NamedTuple):
    """A finding, and the records that it is made of."""

    finding: Finding
    records: tuple[object, ...]


def case_of(kind: str, folder: Path) -> Case:
    match kind:
        case "comparison":
            compared = passing(40, first=20, second=29)
            return Case(compared, (compared.first, compared.compared))
        case "description":
            depth = in_depth()
            return Case(depth, (depth.run, depth.described, depth.summaries))
        case "ranking":
            pairs = paired_systems(20)
            return Case(pairs, (pairs.sides, pairs.rankings, pairs.pairwise))
        case "power":
            planned = rejudge.power(difference=0.1, rate=0.5, items=100)
            return Case(planned, (planned.power,))
        case "explanation":
            explanation = why()
            return Case(explanation, (explanation.first, explanation.explained))
        case "correction":
            corrected = half_labelled(folder)
            return Case(corrected, (corrected.statistics, corrected.corrected.left))
    store = evaluated()
    rate(store, folder, said({item: PASSED[item] is not (item == "q4") for item in ITEMS[:10]}))
    imported = rate(store, folder, [*said({"q1": 1, "q2": 0}, "bob"), *said({"z": 1})])
    rejudge.adjudicate("tone", store=store)
    if kind == "calibration":
        found = rejudge.calibrate("shouts", "judge", against="tone", store=store)
        return Case(found, (found.statistics, found.record.pairs))
    if kind == "rating import":
        return Case(imported, ())
    report = Workspace(store).ratings("tone")
    return Case(report, (report.agreement,))


KINDS = "comparison description ranking power explanation calibration correction ratings".split()


@pytest.fixture(scope="module", params=[*KINDS, "rating import"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    return case_of(request.param, tmp_path_factory.mktemp("findings"))


def test_every_finding_has_one_document_that_says_its_version(case: Case) -> None:
    document = case.finding.to_dict()
    assert next(iter(document)) == "schema_version"
    assert document["schema_version"] == SCHEMA_VERSION
    assert json.loads(case.finding.to_json()) == document == json.loads(json.dumps(document, allow_nan=False))


def test_what_is_undefined_is_its_reason_and_no_record_wears_the_tag_of_a_stored_one(case: Case) -> None:
    for node in nodes(case.finding.to_dict()):
        assert node.get("type") not in {"undefined", "estimate", "interval", "people", "scorer"}
        if "undefined" in node:
            assert list(node) == ["undefined"]
            assert node["undefined"]


def test_no_field_of_what_was_found_is_missing(case: Case) -> None:
    document = list(nodes(case.finding.to_dict()))
    keys = {key for node in document for key in node}
    told = {text for node in document for text in node.values() if isinstance(text, str)}
    for record in records_in(case.records):
        if isinstance(record, Undefined):
            assert record.reason in told
        else:
            assert set(record.__struct_fields__) <= keys


def test_every_number_of_cases_that_people_read_is_there(case: Case) -> None:
    counts = {int(count) for count in re.findall(r"n=(\d+)", str(case.finding))}
    assert counts <= set(numbers_in(case.finding.to_dict()))


def nodes(value: object) -> Iterator[dict[str, object]]:
    """Every object of a document."""
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes(one)


def numbers_in(value: object) -> Iterator[float]:
    """Every number of a document."""
    if isinstance(value, int | float):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from numbers_in(one)


def records_in(value: object) -> Iterator[msgspec.Struct]:
    """Every record of a value, those within others too."""
    if isinstance(value, msgspec.Struct):
        yield value
        value = [getattr(value, name) for name in value.__struct_fields__]
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from records_in(one)
