"""The front door: what `import rejudge` shows is decided here, name by name."""

from __future__ import annotations

import rejudge

PUBLIC = [
    "ComparisonResult",
    "ConfigurationError",
    "DatasetVersion",
    "Description",
    "Direction",
    "Evaluation",
    "ExecutionPolicy",
    "InputError",
    "Interrupted",
    "Item",
    "Limits",
    "ModelCall",
    "Outcome",
    "PowerResult",
    "RankingResult",
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
    "Suite",
    "SuiteEvaluation",
    "SuiteResult",
    "TaskError",
    "Transient",
    "Usage",
    "Verdict",
    "View",
    "agent",
    "anthropic",
    "code_eval",
    "compare",
    "compare_pairwise",
    "contains",
    "conversation",
    "describe",
    "env",
    "evaluate",
    "evaluate_experiment",
    "evaluate_on_dict_items",
    "evaluate_optimization_trial",
    "evaluate_prompt",
    "evaluate_resume",
    "evaluate_threads",
    "evaluation",
    "exact_match",
    "http",
    "import_scores",
    "leaderboard",
    "llm_judge",
    "open",
    "openai_compatible",
    "pattern_match",
    "plan",
    "power",
    "prompt",
    "random_sampler",
    "replay",
    "rescoring",
    "run_tests",
    "scorers",
    "set_check",
    "simulated_user",
    "step_count_check",
    "stratified_sampler",
    "suite_evaluation",
    "tool",
    "tool_call_check",
    "track",
]


def test_the_public_names_are_these() -> None:
    assert list(getattr(rejudge, "__all__", [])) == PUBLIC


def test_the_public_names_are_sorted_and_there() -> None:
    assert sorted(set(PUBLIC)) == PUBLIC
    assert [name for name in PUBLIC if not hasattr(rejudge, name)] == []
    assert set(PUBLIC) <= set(dir(rejudge))
