"""A scorer config: the frozen description of a judgement, with everything in it that can change a verdict."""

from __future__ import annotations

from msgspec import Struct, field, structs, to_builtins

from rejudge.domain.ids import digest, id_of
from rejudge.domain.scale import ScoreSpec, check_names


class ScorerConfig(Struct, frozen=True, kw_only=True):
    """What a scorer is, content-addressed.

    `type` is its kind in the catalog, or `function`. `settings` are its checked parameters (for a
    function: its pin). `scores` are the declared scores; empty means that they are inferred from the
    values. `sees` names the item fields that it asks for; None means that it may read the whole view.
    `unpinned` says in words why the scorer cannot be recognised again; it then belongs to one experiment.
    """

    name: str
    type: str
    settings: dict[str, object] = field(default_factory=dict)
    scores: tuple[ScoreSpec, ...] = ()
    sees: tuple[str, ...] | None = None
    unpinned: str | None = None
    experiment: str | None = None

    def __post_init__(self) -> None:
        check_names(self.scores)

    def digest(self) -> bytes:
        """The digest that names the scorer: any setting that changes a verdict changes it."""
        return digest(
            "scorer",
            {
                "name": self.name,
                "type": self.type,
                "settings": self.settings,
                "scores": to_builtins(self.scores),
                "sees": None if self.sees is None else sorted(self.sees),
                "experiment": self.experiment,
            },
        )

    def bound_to(self, experiment: str) -> ScorerConfig:
        """An unpinned scorer's config belongs to its experiment alone; a pinned one is as it is (ruling 6)."""
        return self if self.unpinned is None else structs.replace(self, experiment=experiment)

    def unbound(self) -> ScorerConfig:
        """The config as it was before it was bound to an experiment."""
        return self if self.experiment is None else structs.replace(self, experiment=None)

    @property
    def id(self) -> str:
        """The scorer id that people see."""
        return id_of("scorer", self.digest())
