"""What is heavy loads when it is used: neither the import nor `--help` waits for it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.architecture.source import ROOT

HEAVY = frozenset(
    "alembic fastapi httpx2 jinja2 jsonschema nltk numpy opentelemetry pandas polars pyarrow pydantic rapidfuzz rich "
    "rouge_score sacrebleu scipy sqlalchemy yaml".split()
)

REPORT = "import json; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
IMPORT = f"import sys, rejudge; {REPORT}"
HELP = f"""
import sys
sys.argv = ["rejudge", "--help"]
from rejudge.__main__ import main
try:
    status = main()
except SystemExit as end:
    status = end.code
assert not status, status
{REPORT}
"""


def _loaded(program: str) -> set[str]:
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return {name.partition(".")[0] for name in json.loads(ran.stderr.splitlines()[-1])}


def test_importing_rejudge_loads_nothing_heavy() -> None:
    loaded = _loaded(IMPORT)
    assert "rejudge" in loaded
    assert not loaded & HEAVY


def test_the_verbs_load_nothing_heavy_before_they_are_called() -> None:
    assert not _loaded(f"import sys; from rejudge import evaluate, evaluate_prompt, plan; {REPORT}") & HEAVY


@pytest.mark.skipif(not (ROOT / "src/rejudge/__main__.py").exists(), reason="there is no command line yet")
def test_asking_for_help_loads_nothing_heavy() -> None:
    assert not _loaded(HELP) & HEAVY
