"""What all tests share: reproducible examples, and a reason where a test cannot run here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"

# A slow machine is no failure, and a check that blocks others must give the same answer twice.
settings.register_profile("person", deadline=None)
settings.register_profile("machine", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("machine" if os.environ.get("CI") else "person")


# No test may reach a model that costs money.
for variable in [name for name in os.environ if name.endswith(("_API_KEY", "_BASE_URL"))]:
    del os.environ[variable]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what reads the shared data where that is absent."""
    if item.get_closest_marker("data") and not (SHARED / "data").is_dir():
        pytest.skip(f"no shared data at ../{SHARED.name}/data")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder beside the repository that holds specifications and real data; skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"no folder ../{SHARED.name} beside the repository")
    return SHARED
