"""Where a suite's reports are written, and in which form: the suffix of the path says it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from logging import getLogger
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rejudge.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from rejudge.front.suite_result import SuiteResult

FORMS: Final[dict[str, Callable[[SuiteResult], str]]] = {
    ".json": lambda suite: suite.to_json() + "\n",
    ".html": lambda suite: suite.to_html(),
    ".htm": lambda suite: suite.to_html(),
    ".xml": lambda suite: suite.to_junit(),
}
"""The forms of a report by the suffix of its file."""


def check_paths(given: str | Path | Sequence[str | Path] | None) -> tuple[Path, ...]:
    """The paths of the reports; raises ConfigurationError for a suffix that names no form, before anything is run."""
    if given is None:
        return ()
    paths = tuple(map(Path, [given] if isinstance(given, str | Path) else given))
    for path in paths:
        if path.suffix.lower() not in FORMS:
            raise ConfigurationError(
                f"the report {str(path)!r} has a suffix that names no form",
                fix="end it in .json, .html, or .xml for JUnit",
            )
    return paths


def written(suite: SuiteResult, path: str | Path) -> Path:
    """Write one report, folders included; raises OSError where that cannot be done."""
    (checked,) = check_paths(path)
    checked.parent.mkdir(parents=True, exist_ok=True)
    text = FORMS[checked.suffix.lower()](suite)
    checked.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    return checked


def write_reports(suite: SuiteResult, paths: Iterable[Path]) -> None:
    """Write the reports; one that cannot be written is a warning of the result and of the log, and nothing else."""
    for path in paths:
        try:
            written(suite, path)
        except OSError as error:
            warning = f"the report {path} could not be written: {error.strerror or error}"
            suite.warnings.append(warning)
            getLogger(__name__).warning(warning)
