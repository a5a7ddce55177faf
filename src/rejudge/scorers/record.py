"""From a verdict to the values that a score stores: names, types, ranges and outcomes checked on the way."""

from __future__ import annotations

from collections import Counter

from msgspec.structs import replace

from rejudge.domain.errors import ConfigurationError, RecordError
from rejudge.domain.scale import Outcome, ScoreSpec, ScoreType, inferred
from rejudge.domain.score import ScoreValue
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.verdict import Value, Verdict
from rejudge.scorers.scorer import normalised


class Recorder:
    """Turns the verdicts of one scorer into score values; made once per scorer, used for every view.

    A name is a score's name in any spelling that normalises to it. A single unnamed value takes the
    name of the one declared score, or the scorer's own where none is declared.
    """

    __slots__ = ("_config", "_declared", "_inferred", "_ready", "_specs", "_types")

    def __init__(self, config: ScorerConfig) -> None:
        self._config = config
        self._declared = len(config.scores)
        self._specs: dict[str, ScoreSpec] = {spec.key: spec for spec in config.scores}
        self._inferred: dict[tuple[str, type], ScoreSpec] = {}
        self._types: dict[str, ScoreType] = {}
        self._ready: dict[tuple[str, object], tuple[ScoreValue, ...]] = {}
        for spec in config.scores if self._declared == 1 else ():
            self._specs[""] = spec
            if spec.type is ScoreType.PASS_FAIL and spec.range == (0.0, 1.0):
                for name in {"", spec.key, spec.name}:
                    self._ready |= {(name, value): (_scored(spec, value),) for value in (0.0, 1.0)}

    def values(self, verdict: Verdict) -> tuple[ScoreValue, ...]:
        """The values to store, in the order declared; none for a skip.

        Raises RecordError for a value that its score refuses, and where the names are not exactly the declared ones,
        without those that the verdict leaves out.
        """
        if verdict.skip is not None:
            return ()
        if len(verdict.values) == 1 and not verdict.review and not verdict.review_of:
            for only in verdict.values.items():
                if (ready := self._ready.get(only)) is not None:
                    return ready
        found = self._declared_values(verdict) if self._declared else self._open_values(verdict)
        if not verdict.review and not verdict.review_of:
            return found
        undecided = {self._key(name) or name for name in verdict.review_of}
        if strangers := undecided - {one.name for one in found}:
            named = ", ".join(sorted(map(repr, strangers)))
            raise RecordError(f"{self._who} wants a person to decide on {named}, which it does not give")
        return tuple(
            replace(one, outcome=Outcome.NEEDS_HUMAN_REVIEW) if verdict.review or one.name in undecided else one
            for one in found
        )

    def shape_error(self, verdict: Verdict) -> RecordError | None:
        """Why the names are not exactly the declared ones or, where none are declared, not names to store under."""
        if verdict.skip is not None:
            return None
        given = [self._key(name) for name in verdict.values]
        strangers = [name for name, key in zip(verdict.values, given, strict=True) if key is None]
        left_out = {self._key(name) for name in verdict.left_out}
        missing = [spec.key for spec in self._config.scores if spec.key not in given and spec.key not in left_out]
        if missing or strangers:
            return self._wrong_names(missing, strangers)
        if not given:
            return RecordError(f"{self._who} gives no value", fix="give a value, or a skip with its cause")
        if None in left_out or not left_out.isdisjoint(given):
            named = ", ".join(map(repr, verdict.left_out))
            return RecordError(f"{self._who} leaves out {named}", fix="leave out declared scores without a value alone")
        twice = [key for key, times in Counter(given).items() if times > 1]
        return RecordError(f"{self._who} gives {twice[0]!r} twice, in two spellings") if twice else None

    def range_errors(self, verdict: Verdict) -> tuple[RecordError, ...]:
        """What the score refuses of each value, in the order given; values under undeclared names are left out."""
        if verdict.skip is not None:
            return ()
        found = []
        for name, value in verdict.values.items():
            try:
                spec = self._spec(name) if self._declared else self._inferred_spec(name, value)
                if spec is not None:
                    spec.checked(value)
            except RecordError as error:
                found.append(error)
        return tuple(found)

    def _declared_values(self, verdict: Verdict) -> tuple[ScoreValue, ...]:
        found: dict[str, ScoreValue] = {}
        for name, value in verdict.values.items():
            spec = self._spec(name)
            if spec is not None:
                found[spec.key] = _scored(spec, spec.checked(value))
        plainly = len(found) == self._declared == len(verdict.values) and not verdict.left_out
        if not plainly and (wrong := self.shape_error(verdict)) is not None:
            raise wrong
        return tuple(found[spec.key] for spec in self._config.scores if spec.key in found)

    def _open_values(self, verdict: Verdict) -> tuple[ScoreValue, ...]:
        found: dict[str, ScoreValue] = {}
        for name, value in verdict.values.items():
            spec = self._inferred.get((name, type(value))) or self._infer(name, value)
            found[spec.key] = _scored(spec, spec.checked(value))
        if (not found or len(found) != len(verdict.values)) and (wrong := self.shape_error(verdict)) is not None:
            raise wrong
        return tuple(found.values())

    def _spec(self, name: str) -> ScoreSpec | None:
        return self._specs.get(name) or self._specs.get(normalised(name))

    def _key(self, name: str) -> str | None:
        """The key that a value of that name is stored under; None where none is declared for it."""
        if not self._declared:
            return normalised(name or self._config.name)
        spec = self._spec(name)
        return None if spec is None else spec.key

    def _inferred_spec(self, name: str, value: Value) -> ScoreSpec:
        try:
            return inferred(name or self._config.name, value)
        except ConfigurationError as error:
            raise RecordError(f"{self._who}: {error.what}", fix=error.fix) from None

    def _infer(self, name: str, value: Value) -> ScoreSpec:
        spec = self._inferred_spec(name, value)
        first = self._types.setdefault(spec.key, spec.type)
        if first is not spec.type:
            raise RecordError(
                f"{self._who} gave {first.value} values for {spec.key!r} before, and now a {spec.type.value} value",
                fix="give one kind of value under one name, or declare the score",
            )
        self._inferred[name, type(value)] = spec
        return spec

    def _wrong_names(self, missing: list[str], strangers: list[str]) -> RecordError:
        said = []
        if missing:
            said.append(f"does not give {', '.join(map(repr, missing))}")
        if strangers:
            said.append("gives " + ", ".join(repr(name) if name else "an unnamed value" for name in strangers))
        declared = ", ".join(repr(spec.key) for spec in self._config.scores)
        return RecordError(f"{self._who} {' and '.join(said)}", fix=f"give exactly the declared scores: {declared}")

    @property
    def _who(self) -> str:
        return f"scorer {self._config.name!r}"


def scored_values(verdict: Verdict, config: ScorerConfig) -> tuple[ScoreValue, ...]:
    """The values that `verdict` stores for the scorer; `Recorder(config)` does the same for many verdicts."""
    return Recorder(config).values(verdict)


def shape_error(verdict: Verdict, config: ScorerConfig) -> RecordError | None:
    """Why a verdict has not exactly the declared names, whatever its values are; nothing is stored."""
    return Recorder(config).shape_error(verdict)


def range_errors(verdict: Verdict, config: ScorerConfig) -> tuple[RecordError, ...]:
    """What the scores refuse of a verdict's values, whatever other names there are; nothing is stored."""
    return Recorder(config).range_errors(verdict)


def _scored(spec: ScoreSpec, value: float | str) -> ScoreValue:
    if isinstance(value, str):
        return ScoreValue(name=spec.key, label=value, outcome=spec.outcome(value))
    return ScoreValue(name=spec.key, number=value, outcome=spec.outcome(value))
