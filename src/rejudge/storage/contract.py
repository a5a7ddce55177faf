"""What every store promises, as tests that a store's own suite inherits.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self, tmp_path):
            with closing(my_store(tmp_path)) as store:
                yield store

        @pytest.fixture
        def reopen(self, tmp_path):  # where the data can be opened again, also while it is open
            return lambda: my_store(tmp_path)

A store that keeps nothing beyond its handle leaves `reopen` out; what is promised about it is then skipped.
The promises themselves are in `rejudge.storage.promises`, one file a subject. They need pytest, which the
package does not install.
"""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("rejudge.storage.promises")  # so that a broken promise shows both sides

from rejudge.storage.promises.archive import ArchivePromises  # noqa: E402
from rejudge.storage.promises.calibrations import CalibrationPromises  # noqa: E402
from rejudge.storage.promises.cases import CasePromises  # noqa: E402
from rejudge.storage.promises.claims import ClaimPromises  # noqa: E402
from rejudge.storage.promises.counts import ColumnPromises, CountPromises  # noqa: E402
from rejudge.storage.promises.datasets import DatasetPromises  # noqa: E402
from rejudge.storage.promises.dropped import DroppedPromises  # noqa: E402
from rejudge.storage.promises.handles import HandlePromises  # noqa: E402
from rejudge.storage.promises.hits import HitPromises  # noqa: E402
from rejudge.storage.promises.judged import JudgedPromises  # noqa: E402
from rejudge.storage.promises.ratings import RatingPromises  # noqa: E402
from rejudge.storage.promises.runs import RunPromises  # noqa: E402
from rejudge.storage.promises.scene import Reopen  # noqa: E402
from rejudge.storage.promises.scores import ScorePromises  # noqa: E402
from rejudge.storage.promises.traces import TracePromises  # noqa: E402
from rejudge.storage.promises.versions import VersionPromises  # noqa: E402

__all__ = ["Reopen", "StoreContract"]


class StoreContract(
    DatasetPromises,
    VersionPromises,
    ClaimPromises,
    TracePromises,
    DroppedPromises,
    ScorePromises,
    RunPromises,
    ArchivePromises,
    CasePromises,
    CountPromises,
    ColumnPromises,
    HitPromises,
    JudgedPromises,
    RatingPromises,
    CalibrationPromises,
    HandlePromises,
):
    """Every promise of `rejudge.storage.store`, each a test; a subclass says how its store is opened."""
