"""What is stored for good is kept by the database itself."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rejudge.domain.calibration import DefaultJudge, Minimum
from rejudge.storage.promises.calibrations import calibrated
from rejudge.storage.promises.scene import Scene, passed
from rejudge.storage.records import Batch
from rejudge.storage.sqlite import open_sqlite

KEPT = (
    "items members run_configs scorers experiments traces cases scores score_values "
    "rating_sets rating_set_turns ratings gold_versions calibrations default_judges"
).split()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kept") / "store.db"
    with closing(open_sqlite(path)) as store:
        scene = Scene(store)
        trace = scene.made("r", (0, 0))
        scene.commit(Batch(scores=[scene.score(1, trace, passed())]))
        record = calibrated(scene, trace)
        judge = DefaultJudge(
            question="tone", scorer=record.judged.scorer, calibration=record.digest(), minimum=Minimum()
        )
        store.save_default_judge(judge)
    return path


@pytest.mark.parametrize("table", KEPT)
def test_a_record_can_be_neither_changed_nor_deleted(path: Path, table: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != "dropped_at"]
        for column in columns:
            with pytest.raises(sqlite3.IntegrityError, match=f"{table} are never changed"):
                connection.execute(f"UPDATE {table} SET {column} = {column}")
        with pytest.raises(sqlite3.IntegrityError, match=f"{table} are never changed"):
            connection.execute(f"DELETE FROM {table}")
