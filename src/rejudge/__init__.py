"""Evaluate LLM applications and agents: judge again without generating again."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from rejudge.domain.scale import Direction, Outcome, ScoreSpec, ScoreType
    from rejudge.domain.usage import Usage
    from rejudge.domain.verdict import Skip, Verdict
    from rejudge.domain.view import View
    from rejudge.front.comparison import compare_pairwise
    from rejudge.front.evaluation import Evaluation
    from rejudge.front.result import Result
    from rejudge.front.tasks import replay
    from rejudge.front.verbs import (
        evaluate,
        evaluate_experiment,
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
        bleu,
        chrf,
        code_eval,
        contains,
        cost,
        embedding_similarity,
        ends_with,
        exact_match,
        gleu,
        is_json,
        json_fields,
        latency,
        levenshtein_ratio,
        llm_judge,
        numeric_tolerance,
        pairwise,
        pattern_match,
        rouge,
        set_check,
        starts_with,
        step_count_check,
        token_count,
        token_f1,
        tool_call_check,
    )

__version__ = "0.1.0"

_HOME = {
    "ConfigurationError": "domain.errors",
    "DatasetVersion": "domain.dataset",
    "Direction": "domain.scale",
    "Evaluation": "front.evaluation",
    "InputError": "domain.errors",
    "Interrupted": "domain.errors",
    "Item": "domain.item",
    "Limits": "providers.provider",
    "ModelCall": "domain.call",
    "Outcome": "domain.scale",
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
    "TaskError": "domain.errors",
    "Transient": "domain.errors",
    "Usage": "domain.usage",
    "Verdict": "domain.verdict",
    "View": "domain.view",
    "anthropic": "providers.anthropic",
    "bleu": "scorers",
    "chrf": "scorers",
    "code_eval": "scorers",
    "compare_pairwise": "front.comparison",
    "contains": "scorers",
    "cost": "scorers",
    "embedding_similarity": "scorers",
    "ends_with": "scorers",
    "evaluate": "front.verbs",
    "evaluate_experiment": "front.verbs",
    "evaluation": "front.verbs",
    "exact_match": "scorers",
    "gleu": "scorers",
    "import_scores": "front.verbs",
    "is_json": "scorers",
    "json_fields": "scorers",
    "latency": "scorers",
    "levenshtein_ratio": "scorers",
    "llm_judge": "scorers",
    "numeric_tolerance": "scorers",
    "open": "front.verbs",
    "openai_compatible": "providers.openai_compatible",
    "pairwise": "scorers",
    "pattern_match": "scorers",
    "plan": "front.verbs",
    "replay": "front.tasks",
    "rescoring": "front.verbs",
    "rouge": "scorers",
    "set_check": "scorers",
    "starts_with": "scorers",
    "step_count_check": "scorers",
    "token_count": "scorers",
    "token_f1": "scorers",
    "tool_call_check": "scorers",
}
"""Where each public name lives; it is loaded when it is first asked for."""

__all__ = [
    "ConfigurationError",
    "DatasetVersion",
    "Direction",
    "Evaluation",
    "InputError",
    "Interrupted",
    "Item",
    "Limits",
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
    "anthropic",
    "bleu",
    "chrf",
    "code_eval",
    "compare_pairwise",
    "contains",
    "cost",
    "embedding_similarity",
    "ends_with",
    "evaluate",
    "evaluate_experiment",
    "evaluation",
    "exact_match",
    "gleu",
    "import_scores",
    "is_json",
    "json_fields",
    "latency",
    "levenshtein_ratio",
    "llm_judge",
    "numeric_tolerance",
    "open",
    "openai_compatible",
    "pairwise",
    "pattern_match",
    "plan",
    "replay",
    "rescoring",
    "rouge",
    "set_check",
    "starts_with",
    "step_count_check",
    "token_count",
    "token_f1",
    "tool_call_check",
]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'rejudge' has no attribute {name!r}")
    value = getattr(import_module(f"rejudge.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
