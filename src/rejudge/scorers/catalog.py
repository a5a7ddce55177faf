"""The kinds of scorer by name: those built in, and those that installed packages add."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from rejudge.domain.errors import ConfigurationError, NameClash, UnknownName
from rejudge.scorers import (
    affixes,
    examples,
    fields,
    judge_examples,
    sets,
    spending,
    steps,
    structure,
    tolerance,
    tools,
)
from rejudge.scorers.affixes import EndsWith, StartsWith
from rejudge.scorers.assertions import KIND as ASSERTIONS
from rejudge.scorers.assertions import Assertions
from rejudge.scorers.code import CodeEval
from rejudge.scorers.fields import JsonFields
from rejudge.scorers.judge import PROMPT, LlmJudge
from rejudge.scorers.judges.catalog import KINDS as JUDGES
from rejudge.scorers.kind import Kind, constructor
from rejudge.scorers.match import Contains, ExactMatch, PatternMatch
from rejudge.scorers.pairwise import PROMPT as PAIRWISE_PROMPT
from rejudge.scorers.pairwise import Pairwise
from rejudge.scorers.scorer import Scorer
from rejudge.scorers.sets import SetCheck
from rejudge.scorers.spending import Cost, Latency, TokenCount
from rejudge.scorers.steps import StepCountCheck
from rejudge.scorers.structure import IsJson
from rejudge.scorers.text.kinds import KINDS as TEXT
from rejudge.scorers.tolerance import NumericTolerance
from rejudge.scorers.tools import ToolCallCheck

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "rejudge.scorers"
"""The entry-point group in which a package offers a `Kind`, under the kind's name."""

_EXACT_MATCH = Kind(name="exact_match", parameters=ExactMatch, examples=examples.EXACT_MATCH)
_CONTAINS = Kind(name="contains", parameters=Contains, examples=examples.CONTAINS)
_PATTERN_MATCH = Kind(name="pattern_match", parameters=PatternMatch, examples=examples.PATTERN_MATCH)
_CODE_EVAL = Kind(name="code_eval", parameters=CodeEval, examples=examples.CODE_EVAL)
_PAIRWISE = Kind(name="pairwise", parameters=Pairwise, examples=judge_examples.PAIRWISE, prompt=PAIRWISE_PROMPT)
_LLM_JUDGE = Kind(name="llm_judge", parameters=LlmJudge, examples=judge_examples.LLM_JUDGE, prompt=PROMPT)

CATALOG: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            *(_EXACT_MATCH, _CONTAINS, _PATTERN_MATCH),
            *(sets.KIND, tools.KIND, steps.KIND),
            *(affixes.STARTS_WITH, affixes.ENDS_WITH, tolerance.KIND),
            *(structure.KIND, fields.KIND),
            *TEXT,
            *(_CODE_EVAL, _LLM_JUDGE, ASSERTIONS, *JUDGES.values(), _PAIRWISE),
            *(spending.LATENCY, spending.TOKEN_COUNT, spending.COST),
        )
    }
)
"""The kinds that are built in."""

assertions = constructor(ASSERTIONS, Assertions)
code_eval = constructor(_CODE_EVAL, CodeEval)
exact_match = constructor(_EXACT_MATCH, ExactMatch)
contains = constructor(_CONTAINS, Contains)
pattern_match = constructor(_PATTERN_MATCH, PatternMatch)
set_check = constructor(sets.KIND, SetCheck)
step_count_check = constructor(steps.KIND, StepCountCheck)
tool_call_check = constructor(tools.KIND, ToolCallCheck)
starts_with = constructor(affixes.STARTS_WITH, StartsWith)
ends_with = constructor(affixes.ENDS_WITH, EndsWith)
numeric_tolerance = constructor(tolerance.KIND, NumericTolerance)
is_json = constructor(structure.KIND, IsJson)
json_fields = constructor(fields.KIND, JsonFields)
latency = constructor(spending.LATENCY, Latency)
token_count = constructor(spending.TOKEN_COUNT, TokenCount)
cost = constructor(spending.COST, Cost)
llm_judge = constructor(_LLM_JUDGE, LlmJudge)
pairwise = constructor(_PAIRWISE, Pairwise)


def create(kind: str, parameters: Mapping[str, object]) -> Scorer:
    """The scorer of the kind with that name; raises ConfigurationError or UnknownName for what makes none."""
    return kind_named(kind).create(parameters)


def kind_named(name: str) -> Kind:
    """The kind of that name; installed packages are asked only for one that is not built in."""
    if (kind := CATALOG.get(name)) is not None:
        return kind
    offered = _offered()
    if name not in offered:
        raise UnknownName.among("scorer type", name, {*CATALOG, *offered})
    return _loaded(offered[name])


def all_kinds() -> dict[str, Kind]:
    """Every kind there is, those of installed packages too."""
    return dict(CATALOG) | {name: _loaded(entry) for name, entry in _offered().items()}


def _offered() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    offered: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        if entry.name in CATALOG or entry.name in offered:
            other = offered[entry.name].value if entry.name in offered else "rejudge itself"
            raise NameClash(f"{entry.value} and {other} both offer the scorer type {entry.name!r}")
        offered[entry.name] = entry
    return offered


def _loaded(entry: EntryPoint) -> Kind:
    kind: object = entry.load()
    if not isinstance(kind, Kind):
        raise ConfigurationError(
            f"{entry.value}, offered as the scorer type {entry.name!r}, is no Kind",
            fix=f"let the entry point in {GROUP} name a rejudge.scorers.Kind",
        )
    return kind
