"""The kind whose judgement is code of the user's, run in a sandbox."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, structs, to_builtins

from rejudge.domain.code import CodeCall, CodeResult, Fault, Grant
from rejudge.domain.demands import Demands
from rejudge.domain.errors import ScorerError
from rejudge.domain.scale import ScoreSpec
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.span import plain_spans
from rejudge.domain.verdict import Skip, Verdict
from rejudge.scorers.deterministic import declared
from rejudge.scorers.parts import PARTS
from rejudge.scorers.scorer import Way
from rejudge.scorers.signature import FUNCTION, Signature, signature_of
from rejudge.scorers.tool import Toolbox, toolbox_of
from rejudge.scorers.wording import kind, listed

if TYPE_CHECKING:
    from rejudge.domain.view import View
    from rejudge.scorers.scorer import Scorer

VERSION: Final = 1
"""Counts the changes in what this kind does with equal parameters; part of every scorer's id."""

_SKIPS: Final = {
    "trace": Skip.MISSING_TRACE,
    "spans": Skip.MISSING_SPANS,
    "reference_data": Skip.MISSING_REFERENCE_KEY,
    "task_input": Skip.MISSING_INPUT_FIELD,
}
_FAULTS: Final = {
    Fault.RAISED: "the code raised",
    Fault.TIME: "the code took too long",
    Fault.MEMORY: "the code took too much memory",
    Fault.CRASHED: "the code crashed",
    Fault.ANSWER: "the code gave no score",
    Fault.TOOLS: "the code called tools too often",
    Fault.REFUSED: "the code cannot run in this sandbox",
}

_Tool: TypeAlias = Annotated[object, Meta(description="A built-in tool by its name, or a function.")]


class CodeEval(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Judges by Python code that is run in a sandbox: a function `score` of what it asks for by name.

    It may ask for output, trace, spans, reference_data and task_input, for one of the first three at least, and returns
    a dict with exactly the declared scores, or one number or boolean where one score is declared. Whatever else happens
    is a scorer error.
    """

    code: Annotated[str, Meta(description="Python source with a function `score`, sync or async; up to 64 KiB.")]
    name: Annotated[str | UnsetType, Meta(description="What the scorer is called; its kind, if left out.")] = UNSET
    scores: Annotated[
        Sequence[ScoreSpec] | UnsetType,
        Meta(description="The scores that the code gives; one pass_fail with the scorer's name, if left out."),
    ] = UNSET
    required: Annotated[bool, Meta(description="Whether a case needs this scorer to pass.")] = False
    reference_keys: Annotated[
        tuple[str, ...],
        Meta(description="The reference fields that the code reads; an item without one of them is skipped."),
    ] = ()
    sandbox: Annotated[
        Literal["monty", "bubblewrap"],
        Meta(description="Where the code runs: `monty`, fast, a subset of Python; `bubblewrap`, all of it."),
    ] = "monty"
    timeout_seconds: Annotated[
        float, Meta(gt=0, le=300, description="Seconds that one call may take, those of its tools not counted.")
    ] = 10.0
    megabytes: Annotated[int, Meta(ge=64, le=4096, description="Memory that one call may take.")] = 256
    tools: Annotated[
        tuple[_Tool, ...] | dict[str, _Tool],
        Meta(description="What the code may call on our side: `llm`, and in Python functions, listed or by name."),
    ] = ()

    def scorer(self) -> Scorer:
        """The scorer that runs the code."""
        name = "code_eval" if isinstance(self.name, UnsetType) else self.name
        signature = signature_of(self.code)
        tools = toolbox_of(self.tools)
        settings: dict[str, object] = {
            "version": VERSION,
            "code": self.code,
            "sandbox": self.sandbox,
            "reference_keys": list(self.reference_keys),
            "timeout_seconds": self.timeout_seconds,
            "megabytes": self.megabytes,
            "tools": dict(tools.settings),
        }
        if "spans" in signature.required + signature.optional:
            settings["spans"] = True  # a default of this name was once all that such code was given
        reads_all = "reference_data" in signature.required + signature.optional and not self.reference_keys
        config = ScorerConfig(
            name=name,
            type="code_eval",
            settings=settings,
            scores=declared(name, self.scores, required=self.required),
            sees=None if reads_all else tuple(sorted(self.reference_keys)),
            unpinned=tools.unpinned,
        )
        return CodeScorer(config, self, signature=signature, tools=tools)


class CodeScorer:
    """The code under a config. It is pure itself: it says what is to be run, and reads what came of it."""

    __slots__ = ("_call", "_keys", "_signature", "config", "demands", "functions", "needs")
    way = Way.STEPS

    def __init__(self, config: ScorerConfig, parameters: CodeEval, *, signature: Signature, tools: Toolbox) -> None:
        self.config = config
        self.needs = frozenset(parameters.reference_keys)
        self.functions = tools.functions
        grant = Grant(seconds=parameters.timeout_seconds, megabytes=parameters.megabytes, tools=tools.names)
        self.demands = Demands(sandbox=parameters.sandbox, code=parameters.code, grant=grant)
        self._keys = parameters.reference_keys
        self._signature = signature
        self._call = CodeCall(
            sandbox=parameters.sandbox,
            code=parameters.code,
            function=FUNCTION,
            seconds=grant.seconds,
            megabytes=grant.megabytes,
            tools=grant.tools,
        )

    def judge(self, view: View) -> Generator[CodeCall, CodeResult, Verdict]:
        """The verdict, once the code has been run; a skip without a run where something it asks for is not there."""
        given = self._given(view)
        if isinstance(given, Verdict):
            return given
        result = yield structs.replace(self._call, arguments=given)
        if result.fault is not None:
            raise ScorerError(f"{_FAULTS[result.fault]}: {result.story}")
        return self._verdict(result.value, _evidence(result))

    def _given(self, view: View) -> dict[str, object] | Verdict:
        reference = view.reference_data or {}
        for key in self._keys:
            if reference.get(key) is None:
                why = "it is null" if key in reference else f"the reference data has only {listed(reference)}"
                return Verdict.skipped(Skip.MISSING_REFERENCE_KEY, f"reference_keys {key!r}: {why}")
        given: dict[str, object] = {}
        for name in (*self._signature.required, *self._signature.optional):
            value = _spans(view) if name == "spans" else PARTS[name](view)
            if name == "reference_data" and self._keys:
                value = {key: reference[key] for key in self._keys}
            if value is not None or name not in _SKIPS:
                given[name] = value
            elif name in self._signature.required:
                return Verdict.skipped(_SKIPS[name], f"the code asks for {name}, and there is none")
        return given

    def _verdict(self, value: object, evidence: dict[str, object] | None) -> Verdict:
        if isinstance(value, dict):
            return Verdict(values=value, evidence=evidence)
        if not isinstance(value, bool | int | float | str):
            raise ScorerError(f"the code returned {kind(value)}", fix=self._wanted)
        if len(self.config.scores) > 1:
            raise ScorerError(f"the code returned one value for {len(self.config.scores)} scores", fix=self._wanted)
        return Verdict(values={"": value}, evidence=evidence)

    @property
    def _wanted(self) -> str:
        names = ", ".join(repr(spec.key) for spec in self.config.scores)
        return f"return a dict with exactly {names}" + (", or a number" if len(self.config.scores) == 1 else "")


def _spans(view: View) -> list[dict[str, object]] | None:
    """The spans as JSON, as expressions read them; None where none were recorded."""
    root = view.task_span
    return None if root is None else plain_spans(root)


def _evidence(result: CodeResult) -> dict[str, object] | None:
    """What the code wrote and which tools it used, where it did."""
    kept: dict[str, object] = {}
    if result.printed:
        kept["printed"] = result.printed
    if result.tools:
        kept["tools"] = to_builtins(result.tools)
    return kept or None


def from_elsewhere(scorer: Scorer, origin: str) -> Scorer:
    """The scorer, marked as code that came from `origin` and is not the caller's own; any other stays as it is."""
    if not isinstance(scorer, CodeScorer):
        return scorer
    marked = copy(scorer)
    marked.demands = structs.replace(scorer.demands, origin=origin)
    return marked
