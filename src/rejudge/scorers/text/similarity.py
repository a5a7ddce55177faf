"""What every measure of likeness shares: an output beside its reference, and a number from 0 to 1 for the two.

The numbers come from libraries. A scorer's id names the algorithm and its settings and no library's version, so that an
upgrade rescores nothing; values that the tests hold to 1e-6 tell when a library counts differently, and then VERSION
has to grow. (ADR 18)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from rejudge.domain.demands import NOTHING
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import ScoreSpec, ScoreType
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import as_text
from rejudge.scorers.extraction import expected, judged
from rejudge.scorers.gap import Gap
from rejudge.scorers.pattern import ENGINE
from rejudge.scorers.scorer import Way
from rejudge.scorers.wording import quoted

if TYPE_CHECKING:
    from rejudge.domain.view import View
    from rejudge.scorers.extraction import Extract

VERSION: Final = 1
"""Counts the changes in what these kinds say of equal texts; part of every scorer's id."""

Measure: TypeAlias = Callable[[str, str], float | Gap]
"""How alike an output (first) and one reference are, from 0 to 1; a gap where the reference holds nothing to count."""

CaseSensitive: TypeAlias = Annotated[bool, Meta(description="Whether upper and lower case differ.")]


class Similarity(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The parameters that every measure of likeness takes beside its own.

    A reference that is a list is several references: the one that is most like the output counts. Whose fault a missing
    value is decides what it becomes: a reference that is not there is a skip; an output that cannot be read is the
    task's fault and scores 0 with the reason, the worst there is, because leaving it out would flatter the mean.
    """

    name: Annotated[str | UnsetType, Meta(description="What the scorer is called; its kind, if left out.")] = UNSET
    value_expression: Annotated[
        str | UnsetType,
        Meta(description="A Jinja2 expression for what is judged; the output as text (`final_message`), if left out."),
    ] = UNSET
    expected_value: Annotated[object, Meta(description="The reference of every item.")] = UNSET
    reference_key: Annotated[
        str | UnsetType, Meta(description="The reference field that holds the reference, or a list of several.")
    ] = UNSET
    reference_expression: Annotated[
        str | UnsetType,
        Meta(description="A Jinja2 expression for the reference; `reference` is the value at reference_key."),
    ] = UNSET
    passes_at: Annotated[
        float | UnsetType, Meta(description="From which value on it passes; no value passes or fails, if left out.")
    ] = UNSET
    required: Annotated[
        bool, Meta(description="Whether a case needs this scorer to pass; needs passes_at, which says when it does.")
    ] = False


_IN_THE_CONFIG: Final = ("name", "passes_at", "required")
"""Parameters that a config holds outside its settings."""


class Pair(NamedTuple):
    """What is judged and its references, as text; there is at least one reference."""

    text: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A config with the two sides that it compares, and how a number becomes a verdict."""

    config: ScorerConfig
    needs: frozenset[str]
    value_of: Extract
    wanted_of: Extract

    def sides(self, view: View) -> Pair | Verdict:
        """The two sides, or the verdict where one is missing; a bad output counts even where there is no reference."""
        value = self.value_of(view)
        if isinstance(value, Gap):
            return self.missing(value)
        wanted = self.wanted_of(view)
        if isinstance(wanted, Gap):
            return self.missing(wanted)
        references = _references(wanted)
        if not references:
            return Verdict.skipped(Skip.MISSING_REFERENCE_KEY, "the reference is a list that holds none")
        return Pair(as_text(value), references)

    def verdict(self, number: float, pair: Pair, *, evidence: dict[str, object] | None = None) -> Verdict:
        """The verdict on a number, cut to 0 and 1 where rounding led past them; with the reason, where it fails."""
        (spec,) = self.config.scores
        number = min(1.0, max(0.0, number))
        reason = ""
        if spec.passes_at is not None and number < spec.passes_at:
            wanted = " or ".join(map(quoted, pair.references[:_SHOWN]))
            reason = f"{number:.4g} is under {spec.passes_at:g}: expected {wanted}, got {quoted(pair.text)}"
        return Verdict(values={spec.key: number}, reason=reason, evidence=evidence)

    def missing(self, gap: Gap) -> Verdict:
        """A skip where our data lacks something, else 0."""
        if gap.cause is None:
            return Verdict(values={self.config.scores[0].key: 0.0}, reason=gap.reason)
        return Verdict.skipped(gap.cause, gap.reason)


_SHOWN = 3
"""So many references stand in a reason."""


class SimilarityScorer:
    """A measure under a config."""

    __slots__ = ("_comparison", "_measure", "config", "needs", "way")
    demands = NOTHING

    def __init__(self, comparison: Comparison, measure: Measure) -> None:
        self.config = comparison.config
        self.needs = comparison.needs
        self.way = Way.INLINE
        self._comparison = comparison
        self._measure = measure

    def judge(self, view: View) -> Verdict:
        """How like its reference the output is."""
        pair = self._comparison.sides(view)
        if isinstance(pair, Verdict):
            return pair
        text, references = pair
        measure = self._measure
        found = [measure(text, reference) for reference in references]
        numbers = [one for one in found if not isinstance(one, Gap)]
        if not numbers:
            return self._comparison.missing(next(one for one in found if isinstance(one, Gap)))
        return self._comparison.verdict(max(numbers), pair)


def similarity(
    parameters: Similarity, measure: Measure, *, kind: str, settings: Mapping[str, object]
) -> SimilarityScorer:
    """The scorer of a kind that asks nobody; `settings` name its algorithm and what decides its numbers."""
    return SimilarityScorer(comparison(parameters, kind=kind, settings=settings), measure)


def comparison(parameters: Similarity, *, kind: str, settings: Mapping[str, object]) -> Comparison:
    """The comparison that the parameters describe; raises ConfigurationError where they describe none."""
    name = kind if isinstance(parameters.name, UnsetType) else parameters.name
    value = judged(parameters.value_expression)
    wanted = expected(
        parameters.expected_value,
        called="expected_value",
        key=parameters.reference_key,
        through=parameters.reference_expression,
    )
    if isinstance(parameters.expected_value, list) and not _references(parameters.expected_value):
        raise ConfigurationError(f"{name}: expected_value is a list that holds no reference", fix="give one, or a text")
    sees = None if value.sees is None or wanted.sees is None else tuple(sorted(value.sees | wanted.sees))
    own = {key: one for key, one in msgspec.to_builtins(parameters).items() if key not in _IN_THE_CONFIG}
    config = ScorerConfig(
        name=name,
        type=kind,
        settings={"version": VERSION, **(ENGINE if value.patterns or wanted.patterns else {}), **own, **settings},
        scores=(_spec(parameters, name),),
        sees=sees,
    )
    return Comparison(config=config, needs=wanted.needs, value_of=value.extract, wanted_of=wanted.extract)


def of_blank(text: str, reference: str) -> float | None:
    """What an empty text or one of white space alone is worth: 1 beside another, else 0; None where both have words."""
    empty = not text or text.isspace(), not reference or reference.isspace()
    return float(all(empty)) if any(empty) else None


def in_lower_case(measure: Measure) -> Measure:
    """The same measure of texts in lower case."""
    return lambda text, reference: measure(text.lower(), reference.lower())


def _spec(parameters: Similarity, name: str) -> ScoreSpec:
    threshold = None if isinstance(parameters.passes_at, UnsetType) else parameters.passes_at
    if threshold is not None and not 0 < threshold <= 1:
        raise ConfigurationError(
            f"{name}: passes_at is {threshold:g}, and a likeness lies between 0 and 1, where 0 has to fail",
            fix="give a number above 0 and up to 1",
        )
    return ScoreSpec(
        name=name, type=ScoreType.NUMBER, low=0.0, high=1.0, passes_at=threshold, required=parameters.required
    )


def _references(wanted: object) -> tuple[str, ...]:
    """The references as text; null in a list of them is none."""
    if isinstance(wanted, list):
        return tuple([as_text(one) for one in wanted if one is not None])
    return (as_text(wanted),)
