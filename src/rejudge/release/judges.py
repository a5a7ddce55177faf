"""Judges of earlier runs, made again from what is recorded of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec

from rejudge.domain.errors import RejudgeError, UnknownName
from rejudge.scorers.assertions import parts_of
from rejudge.scorers.catalog import kind_named
from rejudge.scorers.code import from_elsewhere
from rejudge.scorers.mapping import SETTING, with_mapping
from rejudge.scorers.pairwise import PairwiseScorer
from rejudge.scorers.recorded import IMPORTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rejudge.domain.scorer import ScorerConfig
    from rejudge.scorers.kind import Kind
    from rejudge.scorers.mapping import Source
    from rejudge.scorers.scorer import Scorer

FUNCTION = "function"


class Gone(msgspec.Struct, frozen=True):
    """Why a judge cannot be asked any more, in words that follow its name."""

    reason: str


def judge_again(config: ScorerConfig, handed_in: Sequence[Scorer] = ()) -> Scorer | Gone:
    """The scorer that a recorded config describes, to the letter of its digest, or why there is none.

    One that was handed in comes first; a kind of the catalog is made of its recorded parameters. The code of a function
    is not recorded, and what is unpinned cannot be known to be the same again.
    """
    if config.unpinned is not None:
        return Gone(f"is {config.unpinned}, so nothing else can be known to be the same judge")
    wanted = config.digest()
    for scorer in _with_recorded_mapping(handed_in, config):
        if scorer.config.digest() == wanted:
            return Gone("compares two traces and judges none alone") if isinstance(scorer, PairwiseScorer) else scorer
    if config.type == IMPORTED:
        return Gone("was imported: its scores came from elsewhere, and there is nothing to ask")
    if config.type == FUNCTION:
        return _no_function(config, handed_in)
    try:
        kind = kind_named(config.type)
    except UnknownName:
        return Gone(f"is of the type {config.type!r}, which is not installed")
    except RejudgeError as error:
        return Gone(f"cannot be made: {error.what}")
    for scorer in _made(kind, config):
        if scorer.config.digest() == wanted:
            return Gone("compares two traces and judges none alone") if isinstance(scorer, PairwiseScorer) else scorer
    return Gone("is recorded with parameters of which this version of rejudge makes another judge")


def _no_function(config: ScorerConfig, handed_in: Sequence[Scorer]) -> Gone:
    if any(scorer.config.name == config.name for scorer in handed_in):
        return Gone("is a function, and the one of this name that was handed in has other code by now")
    return Gone("is a function, whose code is not stored; hand it in with scorers=, or --file on the command line")


def _with_recorded_mapping(handed_in: Sequence[Scorer], config: ScorerConfig) -> Iterator[Scorer]:
    """What was handed in, also under the mapping that the recorded scorer had."""
    mapping = _mapping(config)
    for scorer in (part for one in handed_in for part in (one, *parts_of(one))):
        yield scorer
        if mapping:
            yield with_mapping(scorer, mapping)


def _mapping(config: ScorerConfig) -> dict[str, Source]:
    """The mapping that is recorded; a function in it is not."""
    recorded = config.settings.get(SETTING)
    found = cast("dict[str, object]", recorded) if isinstance(recorded, dict) else {}
    return {key: source for key, source in found.items() if isinstance(source, str)}


def _made(kind: Kind, config: ScorerConfig) -> Iterator[Scorer]:
    """What the kind makes of the recorded parameters: with and without what a config holds outside its settings."""
    known = kind.parameters.__struct_fields__
    recorded = {name: value for name, value in config.settings.items() if name in known}
    scores = cast("list[dict[str, object]]", msgspec.to_builtins(config.scores))
    outside: dict[str, object] = {"name": config.name, "required": any(spec.required for spec in config.scores)}
    if len(config.scores) == 1 and config.scores[0].passes_at is not None:
        outside["passes_at"] = config.scores[0].passes_at
    tries: list[dict[str, object]] = [outside, {**outside, "scores": scores}, {"scores": scores}, {}]
    for beside in tries:
        given = {name: value for name, value in beside.items() if name in known}
        try:
            scorer = kind.create(recorded | given)
        except RejudgeError:
            continue
        scorer = from_elsewhere(scorer, "a stored run")
        yield with_mapping(scorer, _mapping(config)) if SETTING in config.settings else scorer
