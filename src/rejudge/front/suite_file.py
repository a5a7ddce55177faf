"""Where a suite's reports are written, and in which form: the suffix of the path says it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from logging import getLogger
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

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

_SUFFIXES: Final = "end it in .json, .html, or .xml for JUnit"


def check_paths(given: str | Path | Sequence[str | Path] | None) -> tuple[Path, ...]:
    """The paths of the reports; raises ConfigurationError for a suffix that names no form, before anything is run."""
    if given is None:
        return ()
    listed: object = [given] if isinstance(given, str | Path) else given
    if not isinstance(listed, Sequence) or isinstance(listed, bytes):
        raise ConfigurationError(f"a report is written to a path, not to a {type(given).__name__}", fix=_SUFFIXES)
    paths = tuple(map(_path, listed))
    for path in paths:
        if path.suffix.lower() not in FORMS:
            raise ConfigurationError(
                f"the report {str(path)!r} has a suffix that names no form",
                fix=_SUFFIXES,
            )
    return paths


def _path(given: object) -> Path:
    try:
        path = Path(cast("str | Path", given))
        os.fsencode(path)
    except (TypeError, ValueError):
        raise ConfigurationError(f"the report {given!r} has no path", fix=_SUFFIXES) from None
    if "\0" in str(path):
        raise ConfigurationError(f"the report {str(path)!r} has no path", fix="remove the NUL character")
    return path


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
        except (OSError, ValueError) as error:
            warning = f"the report {path} could not be written: {getattr(error, 'strerror', None) or error}"
            suite.warnings.append(warning)
            getLogger(__name__).warning(warning)
