"""A judge's id: what is written out and would be so anyway makes no other scorer."""

from __future__ import annotations

import pytest

from rejudge.domain.errors import ConfigurationError
from rejudge.scorers import create
from rejudge.scorers.judge import SYSTEM_PROMPT, default_prompt

STARRED = {"name": "quality", "type": "five_star"}


@pytest.mark.parametrize(
    ("said", "left_out"),
    [
        ({"combine": "majority"}, {}),
        ({"combine": "mean", "g_eval": True, "scores": [STARRED]}, {"g_eval": True, "scores": [STARRED]}),
        ({"combine": "mean", "scores": [STARRED]}, {"scores": [STARRED]}),
        ({"scores": [{"name": "llm_judge", "type": "pass_fail", "low": 0, "high": 1}]}, {}),
        ({"scores": [STARRED | {"low": 1, "high": 5.0}]}, {"scores": [STARRED]}),
        ({"panel": ["m"]}, {}),
        ({"temperature": 0, "draws": 1, "reasoning": True, "ties": "needs_human_review"}, {}),
        ({"system_prompt": SYSTEM_PROMPT, "prompt_template": default_prompt(), "name": "llm_judge"}, {}),
    ],
)
def test_a_default_that_is_written_out_makes_no_other_scorer(
    said: dict[str, object], left_out: dict[str, object]
) -> None:
    given = said if "panel" in said else {"model": "m"} | said
    assert create("llm_judge", given).config.digest() == create("llm_judge", {"model": "m"} | left_out).config.digest()


@pytest.mark.parametrize(
    "said",
    [{"combine": "median"}, {"combine": "mean"}, {"panel": ["m", "m"]}, {"combine": "majority", "scores": [STARRED]}],
)
def test_what_is_no_default_makes_another_scorer(said: dict[str, object]) -> None:
    given = said if "panel" in said else {"model": "m"} | said
    plain = {"model": "m"} | {name: one for name, one in said.items() if name == "scores"}
    assert create("llm_judge", given).config.digest() != create("llm_judge", plain).config.digest()


def test_a_panel_of_one_that_compares_pairs_is_its_model() -> None:
    assert create("pairwise", {"panel": ["m"]}).config.digest() == create("pairwise", {"model": "m"}).config.digest()


def test_an_endless_temperature_is_refused_when_the_judge_is_made() -> None:
    with pytest.raises(ConfigurationError, match="temperature is inf"):
        create("llm_judge", {"model": "m", "temperature": float("inf")})
