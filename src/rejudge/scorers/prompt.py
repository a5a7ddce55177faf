"""The prompt of a kind of judge: versioned text that is part of every id, and shown to whoever asks."""

from __future__ import annotations

from dataclasses import dataclass

from rejudge.domain.scale import ScoreSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A template, and the names that it reads beside the parts of the view.

    `version` counts the changes of the text. `scores` are the kind's own, for whoever declares none. `wants` says in
    words what of a trace and its item the judge cannot do without.
    """

    kind: str
    version: int
    template: str
    names: tuple[str, ...] = ()
    scores: tuple[ScoreSpec, ...] = ()
    wants: tuple[str, ...] = ()
