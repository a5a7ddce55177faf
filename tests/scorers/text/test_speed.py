"""How fast likeness is measured, and whether the time goes into the libraries or into what stands around them."""

from __future__ import annotations

import cProfile
import json
import pstats
from pathlib import Path
from time import process_time

import pytest

import rejudge
from rejudge.domain.view import View
from rejudge.scorers import create

KINDS = ("levenshtein_ratio", "bleu", "gleu", "rouge", "chrf", "token_f1")
LIBRARIES = {"bleu", "gleu", "chrf"}
"""Kinds whose library is slow enough to be compared with."""

HOME = str(Path(rejudge.__file__).parent)

pytestmark = [pytest.mark.scale, pytest.mark.data]


@pytest.fixture(scope="module")
def views(shared: Path) -> list[View]:
    """2,000 worked solutions of about 50 words, each beside its reference."""
    lines = (shared / "data/gsm8k/example_model_solutions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[:1000]]
    models = ("6b_finetuning", "175b_verification")
    return [
        View(output=row[model]["solution"], reference_data={"gold": row["ground_truth"]})
        for row in rows
        for model in models
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_two_thousand_pairs_take_less_than_five_seconds_of_a_core(kind: str, views: list[View]) -> None:
    pytest.importorskip("nltk", reason="the extra rejudge[text] is not installed")
    scorer = create(kind, {"reference_key": "gold"})
    begun = process_time()
    for view in views:
        scorer.judge(view)
    assert process_time() - begun < 5


@pytest.mark.parametrize("kind", sorted(LIBRARIES))
def test_most_of_the_time_is_the_librarys(kind: str, views: list[View]) -> None:
    pytest.importorskip("nltk", reason="the extra rejudge[text] is not installed")
    scorer = create(kind, {"reference_key": "gold"})
    with cProfile.Profile() as profile:
        for view in views[:200]:
            scorer.judge(view)
    spent = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    ours = sum(own for (file, _, _), (_, _, own, _, _) in spent.items() if file.startswith(HOME))
    assert ours < 0.5 * sum(own for _, _, own, _, _ in spent.values())
