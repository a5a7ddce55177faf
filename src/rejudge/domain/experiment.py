"""An experiment: the wish, frozen before its first result."""

from __future__ import annotations

from msgspec import Struct, field

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.ids import digest, id_of


class Experiment(Struct, frozen=True, kw_only=True):
    """Which run configs are to answer which dataset version how often, under which protocol.

    `run_configs` are the digests of the configs' pinnable parts, so that an unpinned task can be bound to
    its experiment. `scorers` are those declared at the start; they are no part of the wish, so adding a
    scorer later continues the same experiment. `source` is the evaluation file it came from, if any.
    """

    name: str
    dataset: str
    dataset_version: str
    run_configs: tuple[bytes, ...]
    trials: int = 1
    protocol: dict[str, object] = field(default_factory=dict)
    scorers: tuple[bytes, ...] = ()
    source: str | None = None
    successor_of: str | None = None
    created_at: float = 0.0

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise ConfigurationError(f"trials is {self.trials}; an item is tried at least once")

    def digest(self) -> bytes:
        """The digest of the wish under its name: the same name and wish is the same experiment."""
        return digest(
            "experiment",
            {
                "name": self.name,
                "dataset_version": self.dataset_version,
                "run_configs": sorted(config.hex() for config in self.run_configs),
                "trials": self.trials,
                "protocol": self.protocol,
            },
        )

    @property
    def id(self) -> str:
        """The experiment id that people see."""
        return id_of("experiment", self.digest())
