"""Imports go down the floors, and only wiring knows which back ends there are."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

from tests.architecture.source import ROOT, sources

SEAMS = frozenset({"store", "records", "provider", "prices", "sandbox", "trust"})
"""What other floors may know of the storage, provider and sandbox rooms; `.importlinter` says the same."""

BACK_END = re.compile(r"\brejudge\.(?:storage|providers|sandbox)\.(\w+)")


def test_imports_keep_the_contracts() -> None:
    program = Path(sys.executable).with_name("lint-imports")
    checked = subprocess.run([program, "--no-cache", "--no-logo"], cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_only_wiring_loads_a_back_end_by_name() -> None:
    named = [
        f"{source.path}:{node.lineno}: {node.value!r}"
        for source in sources()
        if source.folders[:1] == ("src",)
        and source.path != "src/rejudge/wiring.py"
        and source.folders[2:3] not in [("storage",), ("providers",), ("sandbox",)]
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if any(module not in SEAMS for module in BACK_END.findall(node.value))
    ]
    assert not named, "\n".join(named)


def test_the_contracts_and_this_test_agree_on_the_seams() -> None:
    contracts = (ROOT / ".importlinter").read_text(encoding="utf-8")
    allowed = re.findall(r"rejudge\.\*\* -> rejudge\.(?:storage|providers|sandbox)\.(\w+)", contracts)
    assert set(allowed) == SEAMS
