"""How a server wants its calls to be written: known for some models, learned from what others refuse."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from rejudge.domain.call import ModelCall
    from rejudge.providers.faults import Refused

_REASONING = re.compile(r"(?:^|/)(?:o\d|gpt-5(?!.*chat))")
"""Models of OpenAI that think before they answer: no temperature, no log-probabilities."""

_ABOUT_SCHEMA = re.compile(r"response_format|json_schema|json_object|structured output|guided|grammar", re.IGNORECASE)


class Form(IntEnum):
    """How a reply is held to a schema, from the surest to the one that every model understands."""

    STRICT = 0
    LOOSE = 1
    OBJECT = 2
    WORDS = 3


class Dialect(Struct, frozen=True, kw_only=True):
    """What one model of one server takes."""

    form: Form = Form.STRICT
    temperature: bool = True
    top_p: bool = True
    seed: bool = True
    limit: str = "max_tokens"
    logprobs: bool | None = None


def first_dialect(model: str) -> Dialect:
    """What is known of a model before it was ever asked."""
    if _REASONING.search(model):
        return Dialect(temperature=False, top_p=False, limit="max_completion_tokens", logprobs=False)
    return Dialect()


def conceded(dialect: Dialect, refused: Refused, call: ModelCall) -> Dialect | None:
    """The dialect to try after a refusal; None where the refusal is about something else."""
    words = f"{refused.parameter} {refused.said}"
    if call.response_schema is not None and dialect.form is not Form.WORDS and _ABOUT_SCHEMA.search(words):
        return msgspec.structs.replace(dialect, form=Form(dialect.form + 1))
    if call.temperature is not None and dialect.temperature and "temperature" in words:
        return msgspec.structs.replace(dialect, temperature=False)
    if call.top_p is not None and dialect.top_p and "top_p" in words:
        return msgspec.structs.replace(dialect, top_p=False)
    if call.seed is not None and dialect.seed and re.search(r"\bseed\b", words):
        return msgspec.structs.replace(dialect, seed=False)
    if call.max_tokens is not None and dialect.limit in words:
        other = "max_completion_tokens" if dialect.limit == "max_tokens" else "max_tokens"
        if other in words or "nsupported" in words or "nrecognized" in words:
            return msgspec.structs.replace(dialect, limit=other)
    return None


def without_logprobs(dialect: Dialect, refused: Refused, call: ModelCall) -> Dialect | None:
    """The dialect that notes that a model gives no log-probabilities; None where the refusal is about another thing."""
    if call.logprobs is not None and "logprobs" in f"{refused.parameter} {refused.said}":
        return msgspec.structs.replace(dialect, logprobs=False)
    return None
