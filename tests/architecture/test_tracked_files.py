"""What the repository says about itself is true, and says nothing of the machine it was written on."""

from __future__ import annotations

import re
import tomllib

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.architecture.source import ROOT, texts, tracked

# Each pattern is written so that it does not match its own text.
MACHINE = re.compile(r"(?<![\w.~$}>])/(?:[r]oot|[w]ork|[h]ome|[U]sers|[o]pt)/\w")
REGISTRY = re.compile(
    r"\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:com|org)|debian\.org|crates\.io|anaconda\.(?:com|org)|golang\.org)\b"
)
DOWNLOADED = (".whl", ".tar.gz", ".egg", ".pyc", ".so")
"""Ends of the names of packages and of what is compiled."""
LEFT_OPEN = re.compile(r"\b(?:[T]ODO|[F]IXME|[X]XX|[H]ACK)\b")


def _lines_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path}:{number}: {line.strip()[:100]}"
        for path, text in texts().items()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def _pins(name: str) -> dict[str, Version]:
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    entries = re.findall(
        r"^([\w.\[\]-]+)==(\S+)[^\n]*\\\n((?:    --hash=sha256:[0-9a-f]{64}[^\n]*\n)+)", text, re.MULTILINE
    )
    assert len(entries) == len(re.findall(r"^\w", text, re.MULTILINE)), f"{name} has a line without a pin or a hash"
    return {canonicalize_name(package): Version(version) for package, version, _ in entries}


COMPILED = {"local"}
"""Extras that compile for minutes: a test that needs one skips where it is not installed."""


def _unmet(wanted: list[str], pins: dict[str, Version]) -> list[str]:
    return [text for text in wanted if not _is_met(Requirement(text), pins)]


def _is_met(requirement: Requirement, pins: dict[str, Version]) -> bool:
    version = pins.get(canonicalize_name(requirement.name))
    return version is not None and requirement.specifier.contains(version, prereleases=True)


def test_no_file_names_a_path_of_one_machine() -> None:
    assert _lines_with(MACHINE) == []


def test_no_file_names_a_package_registry() -> None:
    assert _lines_with(REGISTRY) == []


def test_nothing_is_left_for_later_in_the_text() -> None:
    assert _lines_with(LEFT_OPEN) == []


def test_nothing_that_was_downloaded_or_built_is_kept() -> None:
    assert [name for name in tracked() if name.endswith(DOWNLOADED)] == []


def test_every_dependency_is_pinned_with_its_hashes() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    run, dev = _pins("run.txt"), _pins("dev.txt")
    needed = project["project"]["dependencies"] + project["build-system"]["requires"]
    assert _unmet(needed, run) == []
    offered = project["project"]["optional-dependencies"]
    extras = [one for name, extra in offered.items() if name not in COMPILED for one in extra]
    assert _unmet(extras + project["dependency-groups"]["dev"], dev) == []
    assert run.items() <= dev.items()
    assert list(_pins("uv.txt")) == ["uv"]


def test_hooks_are_local_and_call_what_the_environment_has() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert {repository["repo"] for repository in config["repos"]} == {"local"}
    hooks = [hook for repository in config["repos"] for hook in repository["hooks"]]
    assert hooks
    assert {hook["language"] for hook in hooks} == {"system"}


def test_the_machine_that_checks_runs_what_a_person_runs() -> None:
    assert "make test" in (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
