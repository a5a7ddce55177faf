"""A run config: the frozen description of a task, with everything in it that can change an output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field, structs

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.ids import digest, id_of

if TYPE_CHECKING:
    from collections.abc import Mapping

NOT_APPLICABLE = "not_applicable"
UNDECLARED = "undeclared"

DIMENSIONS = (
    "model_version",
    "prompt_hash",
    "knowledge_index_version",
    "embedding_model_version",
    "tool_schema_version",
    "agent_config_version",
    "environment_version",
    "permission_version",
    "provider",
    "sampling_config",
)
"""What an output can depend on beyond the task's code. Each is a value, `not_applicable` or `undeclared`."""

SCENARIOS: Mapping[str, tuple[str, ...]] = {
    "plain": (),
    "agent": ("agent_config_version", "tool_schema_version", "environment_version"),
    "tool": ("tool_schema_version", "environment_version"),
    "rag": ("knowledge_index_version", "embedding_model_version"),
}
"""The dimensions that a declared scenario must state, or call `not_applicable`, before a key is built."""

REPLAY = "replay"
"""The kind of a task whose outputs were recorded elsewhere."""


class RunConfig(Struct, frozen=True, kw_only=True):
    """What a task is, content-addressed.

    `settings` holds what the task's kind is made of (a function's digest, a prompt, sampling parameters).
    `depends_on` is what the user declared beyond it. `given` names the item fields that the task asks
    for, or is None for a task that asks for the whole item. `unpinned` says why the task cannot be
    recognised again (in words; the names of what could not be pinned are in `settings`); `name` is a label.
    Neither is part of the id.
    """

    name: str
    kind: str
    settings: dict[str, object]
    depends_on: dict[str, object] = field(default_factory=dict)
    scenario: str | None = None
    given: tuple[str, ...] | None = None
    unpinned: str | None = None
    experiment: str | None = None

    def __post_init__(self) -> None:
        if self.scenario is None:
            return
        if self.scenario not in SCENARIOS:
            raise UnknownName.among("scenario", self.scenario, SCENARIOS)
        missing = [name for name in SCENARIOS[self.scenario] if self.depends_on.get(name, UNDECLARED) == UNDECLARED]
        if missing:
            raise ConfigurationError(
                f"task {self.name!r} is declared as {self.scenario!r} but does not state {', '.join(missing)}",
                fix=f'add depends_on={{"{missing[0]}": …}}, or say "{NOT_APPLICABLE}"',
            )

    def digest(self) -> bytes:
        """The digest that names the run config: a setting that changes changes it, the label does not."""
        return digest(
            "run-config",
            {
                "kind": self.kind,
                "settings": self.settings,
                "depends_on": {name: value for name, value in self.depends_on.items() if value != UNDECLARED},
                "given": None if self.given is None else sorted(self.given),
                "experiment": self.experiment,
            },
        )

    @property
    def id(self) -> str:
        """The run config id that people see."""
        return id_of("runconfig", self.digest())

    @property
    def recorded(self) -> bool:
        """Whether its outputs were recorded elsewhere: the time of reading one back says nothing of the system."""
        return self.kind == REPLAY

    def bound_to(self, experiment: str) -> RunConfig:
        """An unpinned task's config belongs to its experiment alone; a pinned one is as it is (ruling 6)."""
        return self if self.unpinned is None else structs.replace(self, experiment=experiment)

    def dimensions(self) -> dict[str, object]:
        """Every dimension with its value; what nobody declared says `undeclared`."""
        return dict.fromkeys(DIMENSIONS, UNDECLARED) | self.depends_on
