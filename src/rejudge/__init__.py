"""Evaluate LLM applications and agents: judge again without generating again."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rejudge import scorers
    from rejudge.datasets.samplers import random_sampler, stratified_sampler
    from rejudge.domain.call import ModelCall, Reply
    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.errors import (
        ConfigurationError,
        InputError,
        Interrupted,
        RejudgeError,
        ScorerError,
        StoreError,
        TaskError,
        Transient,
    )
    from rejudge.domain.item import Item
    from rejudge.domain.policy import ExecutionPolicy
    from rejudge.domain.scale import Direction, Outcome, ScoreSpec, ScoreType
    from rejudge.domain.usage import Usage
    from rejudge.domain.verdict import Skip, Verdict
    from rejudge.domain.view import View
    from rejudge.front.agents import agent, conversation, simulated_user, tool
    from rejudge.front.calibrating import CalibrationResult, calibrate
    from rejudge.front.compared import ComparisonResult
    from rejudge.front.comparing import compare, describe, leaderboard
    from rejudge.front.comparison import compare_pairwise
    from rejudge.front.correcting import CorrectionResult, correct
    from rejudge.front.described import Description
    from rejudge.front.dict_items import evaluate_on_dict_items
    from rejudge.front.evaluation import Evaluation
    from rejudge.front.explaining import explain
    from rejudge.front.explanation import Explanation
    from rejudge.front.optimization import evaluate_optimization_trial
    from rejudge.front.power import PowerResult, power
    from rejudge.front.ranking import RankingResult
    from rejudge.front.ratings import adjudicate, import_ratings
    from rejudge.front.result import Result
    from rejudge.front.resumption import evaluate_resume
    from rejudge.front.suite import Suite, run_tests, suite_evaluation
    from rejudge.front.suite_evaluation import SuiteEvaluation
    from rejudge.front.suite_result import SuiteResult
    from rejudge.front.tasks import http, prompt, replay
    from rejudge.front.verbs import (
        evaluate,
        evaluate_experiment,
        evaluate_prompt,
        evaluate_threads,
        evaluation,
        import_scores,
        open,
        plan,
        rescoring,
    )
    from rejudge.providers.anthropic import anthropic
    from rejudge.providers.openai_compatible import openai_compatible
    from rejudge.providers.provider import Limits
    from rejudge.providers.scripted import ScriptedProvider
    from rejudge.runner.settings import Stop
    from rejudge.scorers import (
        code_eval,
        contains,
        exact_match,
        llm_judge,
        pattern_match,
        set_check,
        step_count_check,
        tool_call_check,
    )
    from rejudge.tasks.http import env
    from rejudge.tasks.track import track

__version__ = "0.1.0"

_HOME = {
    "CalibrationResult": "front.calibrating",
    "ComparisonResult": "front.compared",
    "ConfigurationError": "domain.errors",
    "CorrectionResult": "front.correcting",
    "DatasetVersion": "domain.dataset",
    "Description": "front.described",
    "Direction": "domain.scale",
    "Evaluation": "front.evaluation",
    "ExecutionPolicy": "domain.policy",
    "Explanation": "front.explanation",
    "InputError": "domain.errors",
    "Interrupted": "domain.errors",
    "Item": "domain.item",
    "Limits": "providers.provider",
    "ModelCall": "domain.call",
    "Outcome": "domain.scale",
    "PowerResult": "front.power",
    "RankingResult": "front.ranking",
    "RejudgeError": "domain.errors",
    "Reply": "domain.call",
    "Result": "front.result",
    "ScoreSpec": "domain.scale",
    "ScoreType": "domain.scale",
    "ScorerError": "domain.errors",
    "ScriptedProvider": "providers.scripted",
    "Skip": "domain.verdict",
    "Stop": "runner.settings",
    "StoreError": "domain.errors",
    "Suite": "front.suite",
    "SuiteEvaluation": "front.suite_evaluation",
    "SuiteResult": "front.suite_result",
    "TaskError": "domain.errors",
    "Transient": "domain.errors",
    "Usage": "domain.usage",
    "Verdict": "domain.verdict",
    "View": "domain.view",
    "adjudicate": "front.ratings",
    "agent": "front.agents",
    "anthropic": "providers.anthropic",
    "calibrate": "front.calibrating",
    "code_eval": "scorers",
    "compare": "front.comparing",
    "compare_pairwise": "front.comparison",
    "contains": "scorers",
    "conversation": "front.agents",
    "correct": "front.correcting",
    "describe": "front.comparing",
    "env": "tasks.http",
    "evaluate": "front.verbs",
    "evaluate_experiment": "front.verbs",
    "evaluate_on_dict_items": "front.dict_items",
    "evaluate_optimization_trial": "front.optimization",
    "evaluate_prompt": "front.verbs",
    "evaluate_resume": "front.resumption",
    "evaluate_threads": "front.verbs",
    "evaluation": "front.verbs",
    "exact_match": "scorers",
    "explain": "front.explaining",
    "http": "front.tasks",
    "import_ratings": "front.ratings",
    "import_scores": "front.verbs",
    "leaderboard": "front.comparing",
    "llm_judge": "scorers",
    "open": "front.verbs",
    "openai_compatible": "providers.openai_compatible",
    "pattern_match": "scorers",
    "plan": "front.verbs",
    "power": "front.power",
    "prompt": "front.tasks",
    "random_sampler": "datasets.samplers",
    "replay": "front.tasks",
    "rescoring": "front.verbs",
    "run_tests": "front.suite",
    "scorers": "",
    "set_check": "scorers",
    "simulated_user": "front.agents",
    "step_count_check": "scorers",
    "stratified_sampler": "datasets.samplers",
    "suite_evaluation": "front.suite",
    "tool": "front.agents",
    "tool_call_check": "scorers",
    "track": "tasks.track",
}
"""Where each public name lives (a package itself nowhere); it is loaded when it is first asked for."""

__all__ = [
    "CalibrationResult",
    "ComparisonResult",
    "ConfigurationError",
    "CorrectionResult",
    "DatasetVersion",
    "Description",
    "Direction",
    "Evaluation",
    "ExecutionPolicy",
    "Explanation",
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
    "adjudicate",
    "agent",
    "anthropic",
    "calibrate",
    "code_eval",
    "compare",
    "compare_pairwise",
    "contains",
    "conversation",
    "correct",
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
    "explain",
    "http",
    "import_ratings",
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


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'rejudge' has no attribute {name!r}")
    value = getattr(import_module(f"rejudge.{home}"), name) if home else import_module(f"rejudge.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
