"""assertions: statements about an output that a model says yes or no to, all those of equal settings in one call."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, Final, cast

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from rejudge.domain.call import ModelCall, Reply
from rejudge.domain.demands import Demands
from rejudge.domain.errors import ConfigurationError, ScorerError
from rejudge.domain.scale import NAME_LENGTH, ScoreSpec, normalised
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.verdict import Skip, Value, Verdict
from rejudge.domain.view import View
from rejudge.scorers.gap import Gap
from rejudge.scorers.judge import SYSTEM_PROMPT
from rejudge.scorers.kind import Example, Kind
from rejudge.scorers.prompt import Prompt
from rejudge.scorers.reply.reading import Unreadable
from rejudge.scorers.reply.statements import CONFIDENCE, HOLDS, REASON, Stated, read_statements
from rejudge.scorers.scorer import Way
from rejudge.scorers.wording import quoted

if TYPE_CHECKING:
    from rejudge.scorers.scorer import Scorer
    from rejudge.scorers.template import Template

KIND_NAME: Final = "assertions"

VERSION: Final = 1
"""Counts the changes in how assertions are asked and read; part of every scorer's id."""

MOST: Final = 50
"""So many assertions one call may ask about."""

LONGEST: Final = 4_000
"""Of one assertion, in characters."""

PROMPT: Final = Prompt(
    kind=KIND_NAME,
    version=VERSION,
    template=(
        "Say of each assertion below whether it holds for the answer. Judge each one by itself, strictly: an "
        "assertion that holds only in part does not hold.\n\n"
        '{% if task_input %}The input:\n{{ task_input | tagged("input") }}\n\n{% endif %}'
        'The answer:\n{{ final_message | tagged("answer") }}\n\n'
        "The assertions:\n{{ criteria }}"
    ),
    names=("criteria",),
    wants=("the output",),
)
"""What is asked where nothing else is said; `criteria` are the numbered assertions."""


class Assertions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Asks a model whether statements about the output hold: pass or fail for each, with a reason and a confidence.

    All of them are asked about in one call. In a suite, those of the suite and of an item are merged into one call
    where everything else that is said here is equal.
    """

    assertions: Annotated[tuple[str, ...], Meta(description="The statements, such as `The answer is polite`.")]
    of: Annotated[
        tuple[str, ...], Meta(description="Which of them this scorer answers for; for all, if left out.")
    ] = ()
    model: Annotated[str | UnsetType, Meta(description="The model that judges.")] = UNSET
    temperature: Annotated[
        float, Meta(ge=0, description="How freely the model chooses; left out for models without a choice.")
    ] = 0.0
    max_tokens: Annotated[Annotated[int, Meta(ge=1)] | UnsetType, Meta(description="The most tokens of a reply.")] = (
        UNSET
    )
    seed: Annotated[int | UnsetType, Meta(description="For models that take one.")] = UNSET
    prompt_template: Annotated[
        str | UnsetType,
        Meta(description="The prompt, in Jinja over the parts of the view; `criteria` are the assertions."),
    ] = UNSET
    system_prompt: Annotated[
        str | UnsetType, Meta(description="What the model is told first; a warning about judged text, if left out.")
    ] = UNSET
    reasks: Annotated[
        int, Meta(ge=0, le=5, description="How often a judge is asked again whose reply cannot be read.")
    ] = 1
    name: Annotated[
        str | UnsetType, Meta(description="What the scorer is called; its assertion, if it is one, or its kind.")
    ] = UNSET
    required: Annotated[bool, Meta(description="Whether a case needs these assertions to hold.")] = False

    def scorer(self) -> Scorer:
        """The scorer of these assertions."""
        return AssertionScorer(self)


class AssertionScorer:
    """Asks about all its assertions and answers for those of its parameter `of`.

    `together` is equal for scorers that ask the same; an engine that asks them side by side asks only once.
    """

    __slots__ = ("_own", "_template", "config", "demands", "needs", "parameters", "together", "way")

    def __init__(self, parameters: Assertions) -> None:
        parameters = msgspec.structs.replace(
            parameters,
            assertions=_distinct(parameters.assertions),
            of=_distinct(parameters.of) or _distinct(parameters.assertions),
        )
        _check(parameters)
        template = PROMPT.template if isinstance(parameters.prompt_template, UnsetType) else parameters.prompt_template
        self.parameters = parameters
        self.way = Way.STEPS
        self.needs: frozenset[str] = frozenset()
        self.demands = Demands(models=(_model(parameters),))
        self._template = _template(template)
        self._own = {text: _score_name(text) for text in parameters.of}
        fields = self._template.fields
        self.config = ScorerConfig(
            name=_name(parameters),
            type=KIND_NAME,
            settings=_settings(parameters, template),
            scores=tuple(ScoreSpec(name=name, required=parameters.required) for name in self._own.values()),
            sees=None if fields is None else tuple(sorted(fields)),
        )
        self.together = (KIND_NAME, msgspec.json.encode(_shared(parameters)), parameters.assertions)

    def parts(self) -> tuple[AssertionScorer, ...]:
        """One scorer for each assertion that it answers for: what the reply leaves out is then missing there alone."""
        if len(self.parameters.of) == 1:
            return (self,)
        if not isinstance(self.parameters.name, UnsetType):
            raise ConfigurationError(
                f"assertions: {self.parameters.name!r} would be the name of {len(self.parameters.of)} scorers",
                fix="leave name out; each scorer is called like its assertion",
            )
        return tuple(AssertionScorer(msgspec.structs.replace(self.parameters, of=(one,))) for one in self.parameters.of)

    def judge(self, view: View) -> Generator[object, object, Verdict]:
        """Steps to the verdict; raises ScorerError where the reply says nothing about an assertion it answers for."""
        asked = dict(zip(map("a{}".format, range(1, MOST + 1)), self.parameters.assertions, strict=False))
        listed = "\n".join(f"{key}: {text}" for key, text in asked.items())
        filled = self._template.filled(view, {"criteria": listed})
        if isinstance(filled, Gap):
            return self._gap(filled)
        call, said, again = self._call(filled, list(asked)), None, 0
        while said is None:
            reply = cast("Reply", (yield call))
            if reply.refusal:
                raise ScorerError(f"grade_parse_failure: {call.model} declined to judge: {quoted(reply.refusal)}")
            try:
                said = read_statements(reply.text, list(asked), judged=(filled,), instructions=listed)
            except Unreadable as why:
                if again == self.parameters.reasks:
                    raise ScorerError(
                        f"grade_parse_failure: {call.model}: {why}; the reply was {quoted(reply.text)}"
                    ) from None
                again += 1
                call = _asked_again(call, reply, str(why), list(asked))
        return self._verdict({text: said[key] for key, text in asked.items()})

    def _verdict(self, said: dict[str, Stated | str]) -> Verdict:
        values: dict[str, Value] = {}
        reasons, evidence = [], {}
        for text, name in self._own.items():
            stated = said[text]
            if isinstance(stated, str):
                raise ScorerError(f"no verdict on {quoted(text)}: {stated}", fix="score again: it is asked again")
            values[name] = stated.holds
            reasons.append(stated.reason)
            evidence[text] = {HOLDS: stated.holds, CONFIDENCE: stated.confidence}
        return Verdict(values=values, reason="\n".join(filter(None, reasons)), evidence={"assertions": evidence})

    def _gap(self, gap: Gap) -> Verdict:
        if gap.cause is not None:
            return Verdict.skipped(Skip(gap.cause), gap.reason)
        return Verdict(values=dict.fromkeys(self._own.values(), False), reason=gap.reason)

    def _call(self, prompt: str, keys: Sequence[str]) -> ModelCall:
        parameters = self.parameters
        system = SYSTEM_PROMPT if isinstance(parameters.system_prompt, UnsetType) else parameters.system_prompt
        return ModelCall(
            model=_model(parameters),
            messages=[
                {"role": "system", "content": system},
                {"role": "user", "content": f"{prompt.rstrip()}\n\n{_form(keys)}"},
            ],
            temperature=parameters.temperature,
            max_tokens=None if isinstance(parameters.max_tokens, UnsetType) else parameters.max_tokens,
            seed=None if isinstance(parameters.seed, UnsetType) else parameters.seed,
            response_schema=_schema(keys),
        )


def merged(scorers: Sequence[Scorer]) -> tuple[Scorer, ...]:
    """The scorers, with the assertions of equal settings asked about in one call, in their order and each once.

    Each assertion has a scorer of its own, whose id covers the whole call. Others stay as they are.
    """
    groups: dict[bytes, list[AssertionScorer]] = {}
    for scorer in scorers:
        if isinstance(scorer, AssertionScorer):
            groups.setdefault(msgspec.json.encode(_shared(scorer.parameters)), []).append(scorer)
    made: list[Scorer] = []
    done: set[tuple[bytes, str]] = set()
    for scorer in scorers:
        if not isinstance(scorer, AssertionScorer):
            made.append(scorer)
            continue
        key = msgspec.json.encode(_shared(scorer.parameters))
        together = _distinct([text for one in groups[key] for text in one.parameters.assertions])
        for part in scorer.parts():
            (text,) = part.parameters.of
            if (key, text) not in done:
                done.add((key, text))
                made.append(AssertionScorer(msgspec.structs.replace(part.parameters, assertions=together)))
    return tuple(made)


def parts_of(scorer: Scorer) -> tuple[Scorer, ...]:
    """A scorer of several assertions as one for each; any other as it is."""
    return scorer.parts() if isinstance(scorer, AssertionScorer) else (scorer,)


@lru_cache(maxsize=64)
def _template(text: str) -> Template:
    from rejudge.scorers.template import JUDGED, Template  # the template library loads with the first template

    template = Template(text, parameter="prompt_template", beside=PROMPT.names)
    if not template.reads.intersection(JUDGED) or "criteria" not in template.reads:
        raise ConfigurationError(
            "assertions: the prompt needs what is judged and {{ criteria }}",
            fix="put in {{ final_message }}, {{ trace | transcript }} or {{ task_input }}, and {{ criteria }}",
        )
    return template


def _check(parameters: Assertions) -> None:
    if not parameters.assertions:
        raise ConfigurationError("assertions: there is none", fix='give statements: ["The answer is polite"]')
    if len(parameters.assertions) > MOST:
        raise ConfigurationError(f"assertions: one call asks about at most {MOST}, not {len(parameters.assertions)}")
    for text in parameters.assertions:
        if not text.strip():
            raise ConfigurationError("assertions: one of them is empty", fix="remove it")
        if len(text) > LONGEST:
            raise ConfigurationError(f"assertions: one has more than {LONGEST:,} characters: {quoted(text)}")
    strangers = [text for text in parameters.of if text not in parameters.assertions]
    if strangers:
        raise ConfigurationError(f"assertions: {quoted(strangers[0])} is none of them", fix="leave `of` out")
    if not isinstance(parameters.model, UnsetType) and not parameters.model:
        raise ConfigurationError("assertions: the model has an empty name")


def _distinct(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.strip() for text in texts))


def _model(parameters: Assertions) -> str:
    return "" if isinstance(parameters.model, UnsetType) else parameters.model


def _name(parameters: Assertions) -> str:
    if not isinstance(parameters.name, UnsetType):
        return parameters.name
    return " ".join(parameters.of[0].split()) if len(parameters.of) == 1 else KIND_NAME


def _score_name(text: str) -> str:
    """The assertion itself, where a score may be called so; else its beginning with a digest that tells it apart."""
    plain = " ".join(text.split())
    if len(normalised(plain)) <= NAME_LENGTH and any(mark.isalnum() for mark in plain):
        return plain
    short = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[: NAME_LENGTH // 2]} {short}"


def _shared(parameters: Assertions) -> dict[str, object]:
    """The settings that have to be equal for assertions to be asked about in one call."""
    own = ("assertions", "of", "name", "required")
    return {
        name: value
        for name, value in cast("dict[str, object]", msgspec.to_builtins(parameters)).items()
        if name not in own
    }


def _settings(parameters: Assertions, template: str) -> dict[str, object]:
    system = SYSTEM_PROMPT if isinstance(parameters.system_prompt, UnsetType) else parameters.system_prompt
    settings: dict[str, object] = _shared(parameters) | {
        "version": VERSION,
        "assertions": list(parameters.assertions),
        "prompt_template": template,
        "system_prompt": system,
    }
    if parameters.of != parameters.assertions:
        settings["of"] = list(parameters.of)
    return settings


def _schema(keys: Sequence[str]) -> dict[str, object]:
    one = {
        "type": "object",
        "properties": {
            REASON: {"type": "string"},
            HOLDS: {"type": "boolean"},
            CONFIDENCE: {"type": "number", "minimum": 0, "maximum": 1},
        },
        "required": [REASON, HOLDS, CONFIDENCE],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": dict.fromkeys(keys, one),
        "required": list(keys),
        "additionalProperties": False,
    }


def _form(keys: Sequence[str]) -> str:
    one = f'{{"{REASON}": "<why, in a sentence>", "{HOLDS}": <true or false>, "{CONFIDENCE}": <0 to 1>}}'
    members = ", ".join(f'"{key}": {one}' for key in keys)
    return f"Reply with one JSON object and nothing else:\n{{{members}}}"


def _asked_again(call: ModelCall, reply: Reply, why: str, keys: Sequence[str]) -> ModelCall:
    said = [{"role": "assistant", "content": reply.text}] if reply.text.strip() else []
    again = {"role": "user", "content": f"Your reply could not be read: {why}.\n\n{_form(keys)}"}
    return msgspec.structs.replace(call, messages=[*call.messages, *said, again])


KIND: Final = Kind(
    name=KIND_NAME,
    parameters=Assertions,
    prompt=PROMPT,
    examples=(
        Example(
            what="an assertion that holds",
            parameters={"assertions": ["The answer is polite"], "model": "m"},
            view=View(output="You are welcome.", task_input={"text": "Thanks"}),
            replies=('{"a1": {"reason": "It thanks back.", "holds": true, "confidence": 0.9}}',),
            verdict=Verdict(
                values={"The answer is polite": True},
                reason="It thanks back.",
                evidence={"assertions": {"The answer is polite": {"holds": True, "confidence": 0.9}}},
            ),
        ),
        Example(
            what="one of two fails, and both were asked about in one call",
            parameters={"assertions": ["It is polite", "It is short"], "of": ["It is short"], "model": "m"},
            view=View(output="You are very welcome indeed."),
            replies=(
                '{"a1": {"reason": "Yes.", "holds": true, "confidence": 1}, '
                '"a2": {"reason": "Five words.", "holds": false, "confidence": 0.6}}',
            ),
            verdict=Verdict(
                values={"It is short": False},
                reason="Five words.",
                evidence={"assertions": {"It is short": {"holds": False, "confidence": 0.6}}},
            ),
        ),
    ),
)
