"""A suite as JUnit XML, in the form that CI systems read: a test case for each item."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from rejudge.domain.case import QualityStatus
from rejudge.front.lines import TEXT, clipped
from rejudge.front.overview import when
from rejudge.front.suite_report import headline, item_lines, item_title, rate_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.front.suite_result import ItemResult, ItemRun, SuiteResult

_UNFIT: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold at all, and controls that it had better not."""

SYSTEM_OUT: Final = 20_000
"""Characters of the outputs of one item that are shown."""


def junit_xml(suite: SuiteResult) -> str:
    """The suite as a document; an item without assertions is skipped, one that could not be evaluated an error."""
    run = suite.result.run()
    kinds = [_kind(item) for item in suite.items]
    counts = {
        "tests": str(len(kinds)),
        "failures": str(kinds.count("failure")),
        "errors": str(kinds.count("error")),
        "skipped": str(kinds.count("skipped")),
    } | _time([item_run for item in suite.items for item_run in item.runs])
    root = ElementTree.Element("testsuites", {"name": _fit(suite.name), **counts})
    stamp = {"timestamp": when(run.run.created_at)}
    tests = ElementTree.SubElement(root, "testsuite", {"name": _fit(suite.name), **counts, **stamp})
    properties = ElementTree.SubElement(tests, "properties")
    facts = {
        "status": suite.status.value,
        "experiment": suite.result.experiment.id,
        "run": run.id,
        "summary": f"{headline(suite)}; {rate_text(suite)}",
    }
    facts |= {f"note{number}": note for number, note in enumerate([*suite.notes, *suite.warnings], 1)}
    for name, value in facts.items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": _fit(value)})
    for item, kind in zip(suite.items, kinds, strict=True):
        _add_case(tests, item, kind, classname=_fit(f"{suite.result.experiment.dataset}.{run.task}"))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add_case(tests: ElementTree.Element, item: ItemResult, kind: str | None, *, classname: str) -> None:
    case = ElementTree.SubElement(tests, "testcase", {"name": _fit(item.id), "classname": classname} | _time(item.runs))
    if kind is not None:
        element = ElementTree.SubElement(case, kind, {"message": _fit(item_title(item))})
        if kind != "skipped":
            element.set("type", item.status.value)
            element.text = _fit("\n".join([f"input: {clipped(item.input, TEXT)}", *item_lines(item)]))
    outputs = [f"run {run.trial}: {run.output}" for run in item.runs if run.output is not None]
    if outputs:
        ElementTree.SubElement(case, "system-out").text = _fit("\n".join(outputs)[:SYSTEM_OUT])


def _kind(item: ItemResult) -> str | None:
    if item.status is QualityStatus.PASSED:
        return None
    if item.status is QualityStatus.FAILED:
        return "failure"
    return "error" if item.asserted else "skipped"


def _time(runs: Sequence[ItemRun]) -> dict[str, str]:
    """The seconds that runs took; nothing where nobody measured any."""
    measured = [run.seconds for run in runs if run.seconds is not None]
    return {"time": f"{sum(measured):.3f}"} if measured or not runs else {}


def _fit(text: str) -> str:
    """Text that XML can hold; anything else is written as an escape."""
    return _UNFIT.sub(lambda mark: mark.group().encode("unicode_escape", "surrogatepass").decode(), text)
