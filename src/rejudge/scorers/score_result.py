"""Objects with a value and a reason, as other evaluation libraries return them, read as verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.errors import ScorerError
from rejudge.domain.payload import as_json
from rejudge.domain.verdict import Verdict

if TYPE_CHECKING:
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.domain.verdict import Value

_KEYS = frozenset({"name", "value", "reason", "metadata", "scoring_failed", "category_name"})


def read_result(answer: object, config: ScorerConfig) -> object:
    """A verdict of what has a value beside a reason or a mark of failure, and of a list of these; all else as it is.

    Raises ScorerError, with the reason, where the mark says that scoring failed.
    """
    if isinstance(answer, list):
        return _of_several(answer, config) if answer and all(map(_is_result, answer)) else answer
    if not _is_result(answer):
        return answer
    name = _get(answer, "name")
    own = not isinstance(name, str) or name in ("", config.name)
    return _verdict(answer, config, called="" if own else str(name))


def _is_result(answer: object) -> bool:
    if isinstance(answer, Verdict | type):
        return False
    if isinstance(answer, dict):
        return "value" in answer and ("reason" in answer or "scoring_failed" in answer) and _KEYS.issuperset(answer)
    return hasattr(answer, "value") and (hasattr(answer, "reason") or hasattr(answer, "scoring_failed"))


def _of_several(answers: list[object], config: ScorerConfig) -> Verdict:
    values: dict[str, Value] = {}
    reasons: list[str] = []
    evidence: dict[str, object] = {}
    for answer in answers:
        name = _get(answer, "name")
        called = name if isinstance(name, str) else ""
        if called in values:
            raise ScorerError(
                f"scorer {config.name!r} returned two values named {called!r}", fix="give each a name of its own"
            )
        one = _verdict(answer, config, called=called)
        values.update(one.values)
        reasons += [f"{called}: {one.reason}" if called else one.reason] if one.reason else []
        evidence |= {called: one.evidence} if one.evidence else {}
    return Verdict(values=values, reason="\n".join(reasons), evidence=evidence or None)


def _verdict(answer: object, config: ScorerConfig, *, called: str) -> Verdict:
    reason = _get(answer, "reason")
    told = "" if reason is None else str(reason)
    if _get(answer, "scoring_failed"):
        of = f" of {called!r}" if called else ""
        raise ScorerError(f"scorer {config.name!r} says that scoring{of} failed: {told or 'it gives no reason'}")
    metadata = _get(answer, "metadata")
    evidence = as_json(metadata, where="the metadata of a score") if isinstance(metadata, dict) and metadata else None
    return Verdict(
        values={called: _get(answer, "value")},  # type: ignore[dict-item] # checked where all verdicts are
        reason=told,
        evidence=evidence if isinstance(evidence, dict) else None,
    )


def _get(answer: object, name: str) -> object:
    return answer.get(name) if isinstance(answer, dict) else getattr(answer, name, None)
