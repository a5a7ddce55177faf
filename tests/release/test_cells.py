from __future__ import annotations

import numpy as np

from rejudge.domain.run import Run
from rejudge.release.cells import JudgedRun, Judgement


def test_a_number_beside_labels_is_no_label_and_no_score() -> None:
    said: list[str | float | None] = ["kind", 1.0, "rude", None]
    side = JudgedRun(
        run=Run(id="r", experiment="e", run_config=b"c", scorers=(b"s",), planned=4),
        scorer="tone",
        scorers=(b"s",),
        value="tone",
        judgements=[Judgement(place, 0, place, b"s", one) for place, one in enumerate(said)],
        places=np.arange(4),
    )
    scores = side.scores(4, "kind")
    assert scores.known.tolist() == [True, False, True, False]
    assert scores.values[scores.known].tolist() == [1, 0]
    assert side.scores(4, None).known.tolist() == [False, True, False, False]
