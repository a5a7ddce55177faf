"""The front door: what `import rejudge` shows is decided here, name by name."""

from __future__ import annotations

import rejudge

PUBLIC = [
    "ConfigurationError",
    "DatasetVersion",
    "Direction",
    "Evaluation",
    "InputError",
    "Interrupted",
    "Item",
    "ModelCall",
    "Outcome",
    "RejudgeError",
    "Reply",
    "Result",
    "ScoreSpec",
    "ScoreType",
    "ScorerError",
    "ScriptedProvider",
    "Skip",
    "Stop",
    "StoreError",
    "TaskError",
    "Transient",
    "Usage",
    "Verdict",
    "View",
    "code_eval",
    "contains",
    "evaluate",
    "evaluate_experiment",
    "evaluation",
    "exact_match",
    "open",
    "pattern_match",
    "plan",
    "replay",
    "rescoring",
]


def test_the_public_names_are_these() -> None:
    assert list(getattr(rejudge, "__all__", [])) == PUBLIC


def test_the_public_names_are_sorted_and_there() -> None:
    assert sorted(set(PUBLIC)) == PUBLIC
    assert [name for name in PUBLIC if not hasattr(rejudge, name)] == []
    assert set(PUBLIC) <= set(dir(rejudge))
