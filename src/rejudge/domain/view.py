"""A view: what a scorer sees of one trace. No run config, no model name, no scores of others."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType, field

from rejudge.domain.payload import encode
from rejudge.domain.usage import Usage


class View(Struct, frozen=True, kw_only=True):
    """One trace with the item it came from, as a scorer is shown it.

    `trace` is the list of messages, or None where the task recorded none; `reference_data` is None
    where the item has no reference. `item` holds every field of the item, reference included;
    `extra` the other keys of a returned dict, `mapped` what the caller's mapping says, `latency` seconds.
    """

    output: object = None
    text: str | UnsetType = UNSET
    trace: list[object] | None = None
    reference_data: dict[str, object] | None = None
    task_input: dict[str, object] | None = None
    item: dict[str, object] = field(default_factory=dict)
    metadata: dict[str, object] | None = None
    extra: dict[str, object] = field(default_factory=dict)
    mapped: dict[str, object] = field(default_factory=dict)
    item_id: str = ""
    usage: Usage | None = None
    latency: float | None = None

    @property
    def final_message(self) -> str:
        """The output as text: text itself, anything else as JSON."""
        return as_text(self.output) if isinstance(self.text, UnsetType) else self.text


def as_text(value: object) -> str:
    """`value` as scorers compare it: text unchanged, anything else as JSON with non-ASCII kept (`42.0` is not `42`)."""
    return value if isinstance(value, str) else encode(value).decode()
