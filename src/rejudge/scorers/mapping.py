"""A mapping: what a scorer asks for by one name stands under another, in the item or in what the task returned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from msgspec.structs import replace

from rejudge.domain.errors import ConfigurationError, ScorerError, did_you_mean
from rejudge.domain.path import ABSENT
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.way import Way
from rejudge.pinning import pin
from rejudge.scorers.function import FunctionScorer
from rejudge.scorers.merged import OUTPUT, beginnings, is_of_item, merged, value_in
from rejudge.scorers.parts import PARTS
from rejudge.scorers.scorer import Scorer

if TYPE_CHECKING:
    from rejudge.domain.demands import Demands
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.domain.view import View

Source: TypeAlias = "str | Callable[[dict[str, object]], object]"
"""A field, a dotted path, or a function of everything merged."""

SETTING: Final = "mapping"
"""Under which name the settings of a scorer hold its mapping."""


class MappedScorer:
    """A scorer that is shown some of what it asks for from elsewhere.

    All entries read what was merged before any of them was applied, so `{"a": "b", "b": "a"}` exchanges the two.
    """

    def __init__(self, scorer: Scorer, sources: Mapping[str, Source]) -> None:
        self._scorer = scorer
        self._sources = sources
        functions = [key for key, source in sources.items() if not isinstance(source, str)]
        self.way = Way.THREAD if functions and scorer.way is Way.INLINE else scorer.way
        self.needs = scorer.needs.difference(sources)
        self.config = _config(scorer.config, sources)

    @property
    def demands(self) -> Demands:
        """What it needs of the world beyond the view."""
        return self._scorer.demands

    @property
    def paths(self) -> dict[str, str]:
        """The paths that it reads, by what they are for."""
        return {key: source for key, source in self._sources.items() if isinstance(source, str)}

    @property
    def original(self) -> Scorer:
        """The scorer without the mapping."""
        return self._scorer

    def judge(self, view: View) -> object:
        """What the scorer says of the view under its own names; a skip where the item has no such value."""
        values = self._values(view)
        if isinstance(values, Verdict):
            return values
        if isinstance(self._scorer, FunctionScorer):
            return self._scorer.judge(replace(view, mapped=values))
        return self._scorer.judge(self._under_own_names(view, values))

    def _values(self, view: View) -> dict[str, object] | Verdict:
        values: dict[str, object] = {}
        for key, source in self._sources.items():
            if not isinstance(source, str):
                values[key] = _computed(key, source, view)
                continue
            found = value_in(view, source)
            if found is ABSENT and is_of_item(source, view.item):
                return Verdict.skipped(
                    Skip.MISSING_INPUT_FIELD, f"{key!r} is mapped to {source!r}, which the item does not have"
                )
            if found is not ABSENT:
                values[key] = found
            elif not _is_returned(source, view):
                return Verdict.skipped(
                    Skip.MISSING_INPUT_FIELD, f"{key!r} is mapped to {source!r}, which the item does not have"
                )
            else:
                values[key] = None
        return values

    def _under_own_names(self, view: View, values: dict[str, object]) -> View:
        parts = {key: value for key, value in values.items() if key in PARTS}
        rest = {key: value for key, value in values.items() if key not in PARTS}
        if OUTPUT in parts or "final_message" in parts:
            # One is the other as text; what is mapped as text counts as the output, too.
            view = replace(view, output=parts.pop(OUTPUT, parts.pop("final_message", None)))
            parts.pop("final_message", None)
        given = view.task_input or {}
        shown_to_task = {key: value for key, value in rest.items() if self._is_given(key, given)}
        view = replace(
            view,
            item={**view.item, **rest},
            reference_data={**(view.reference_data or {}), **rest} if rest else view.reference_data,
            task_input={**given, **shown_to_task} if shown_to_task else view.task_input,
        )
        return replace(view, **parts) if parts else view

    def _is_given(self, key: str, given: dict[str, object]) -> bool:
        source = self._sources[key]
        return isinstance(source, str) and is_of_item(source, given)


def mapped(scorers: Sequence[Scorer], said: Mapping[str, Source] | None) -> tuple[Scorer, ...]:
    """The scorers, each with what it can read of a mapping; raises ConfigurationError for a key that nobody reads.

    A slip of the pen in a key would else let a scorer read a field that happens to have the right name.
    """
    sources = checked_mapping(said)
    asked = [_asked(scorer) for scorer in scorers]
    known = [names for names in asked if names is not None]
    if scorers and len(known) == len(scorers):
        names = frozenset[str]().union(*known)
        for key in sources:
            if key not in names:
                raise ConfigurationError(
                    f"scoring_key_mapping: no scorer asks for {key!r}",
                    fix=f"{did_you_mean(key, names)}they ask for {', '.join(sorted(names)) or 'nothing'}",
                )
    return tuple(with_mapping(scorer, sources) for scorer in scorers)


def with_mapping(scorer: Scorer, said: Mapping[str, Source] | None) -> Scorer:
    """The scorer with those entries of a mapping that it can read; itself, where there are none."""
    asked = _asked(scorer)
    sources = {key: source for key, source in checked_mapping(said).items() if asked is None or key in asked}
    return cast("Scorer", MappedScorer(scorer, sources)) if sources else scorer


def checked_mapping(said: object) -> dict[str, Source]:
    """The entries of a mapping; raises ConfigurationError for what is none."""
    if said is None:
        return {}
    if not isinstance(said, Mapping):
        raise ConfigurationError(
            f"scoring_key_mapping is a {type(said).__name__}",
            fix='give a dict from what a scorer asks for to where it stands: {"reference": "expected"}',
        )
    for key, source in said.items():
        if not isinstance(key, str) or not key:
            raise ConfigurationError(f"scoring_key_mapping: {key!r} is no name that a scorer asks for")
        if not (source if isinstance(source, str) else callable(source)):
            raise ConfigurationError(
                f"scoring_key_mapping: {key!r} is mapped to {source!r}",
                fix="give a field, a dotted path, or a function of the item and the output as one dict",
            )
    return dict(said)


def _asked(scorer: Scorer) -> frozenset[str] | None:
    """The names that a scorer may read; None where that can be any."""
    if isinstance(scorer, FunctionScorer):
        return scorer.asked
    return None if scorer.config.sees is None else frozenset({*scorer.config.sees, *PARTS})


def _config(config: ScorerConfig, sources: Mapping[str, Source]) -> ScorerConfig:
    """The config with the mapping in it: a scorer that reads other things is another scorer."""
    settings: dict[str, object] = {}
    unpinned = [config.unpinned] if config.unpinned else []
    whole = config.sees is None
    fields = set(config.sees or ()).difference(sources)
    for key, source in sources.items():
        if isinstance(source, str):
            settings[key] = source
            fields.update(beginnings(source) if source.partition(".")[0] != OUTPUT else ())
            continue
        found = pin(source)
        settings[key] = {"function": found.digest.hex()} | ({"version": found.version} if found.version else {})
        unpinned += [f"mapping of {key!r} {found.reason()}"] if not found.pinned else []
        whole = True
    return replace(
        config,
        settings={**config.settings, SETTING: settings},
        sees=None if whole else tuple(sorted(fields)),
        unpinned="; ".join(unpinned) or None,
    )


def _computed(key: str, function: Callable[[dict[str, object]], object], view: View) -> object:
    try:
        return function(deepcopy(merged(view)))
    except Exception as error:
        raise ScorerError(
            f"the function that {key!r} is mapped to raised {type(error).__name__}: {error}",
            fix="mend it, or let it return None where it has nothing to say",
        ) from error


def _is_returned(path: str, view: View) -> bool:
    """Whether a path begins in what the task returned, so that the task is to blame for what is not there."""
    return path.partition(".")[0] == OUTPUT or any(name in merged(view) for name in beginnings(path))
