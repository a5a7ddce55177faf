"""The verb that plans comparisons, and what it gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from rejudge.front.export import finding_dict, json_text
from rejudge.front.questions import asked
from rejudge.front.run_names import runs_named
from rejudge.release.power import Power, PowerQuestion, power_of
from rejudge.stats.power import Needed
from rejudge.wiring import DEFAULT_STORE

if TYPE_CHECKING:
    from pathlib import Path

    from rejudge.front.run_names import RunLike
    from rejudge.stats.interval import Undefined
    from rejudge.wiring import Address


class PowerResult:
    """What a comparison can show, and what it takes to show more; with the assumptions that it rests on."""

    def __init__(self, power: Power) -> None:
        self.power = power

    @property
    def items(self) -> int | Undefined | None:
        """The items that find the difference with the wanted power; None where no difference was named."""
        needed = self.power.plan.needed
        return needed.items if isinstance(needed, Needed) else needed

    @property
    def detectable(self) -> float | Undefined | None:
        """The smallest difference that the items find with the wanted power; None where no items were named."""
        return self.power.plan.detectable

    def to_dict(self) -> dict[str, object]:
        """Everything as JSON-like data; an undefined number is `{"undefined": REASON}`."""
        return finding_dict(power=self.power)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_html(self, path: str | Path | None = None) -> str:
        """The plan as one HTML page that loads nothing; written to `path` too, where one is given."""
        from rejudge.front.page import document, write_page
        from rejudge.front.page_power import power_body, power_title

        html = document(power_title(self), power_body(self))
        if path is not None:
            write_page(html, path)
        return html

    def _repr_html_(self) -> str:
        from rejudge.front.page import fragment
        from rejudge.front.page_power import power_body

        return fragment(power_body(self))

    def __str__(self) -> str:
        from rejudge.front.power_text import power_text

        return power_text(self)

    def __repr__(self) -> str:
        return f"<PowerResult: {self.power.plan.items} items, difference {self.power.plan.difference}>"


def power(*runs: RunLike, store: Address = DEFAULT_STORE, **question: Unpack[PowerQuestion]) -> PowerResult:
    """How many items (and trials of each) find a difference, or what difference the items at hand would find.

    Args:
        runs: none, to assume everything; one, to plan a comparison with a system like it; two that were compared. As
            `compare` names them.
        store: where names are looked up.
        question: `difference` (the smallest of interest, second − first, in the score's unit), `items` and `trials`;
            `rate` or `std` where no run is named; `correlation` and `reliability`; `power` (0.8) and `level` (0.95);
            `design_effect`, or `clusters` (a field of the items); `scorer` and `value`.

    Both systems are taken to be compared on the same items. Raises ConfigurationError, UnknownName or NotFound.
    """
    question = asked(question, PowerQuestion)
    if not runs:
        return PowerResult(power_of(None, (), **question))
    named = runs_named(runs, store)
    return PowerResult(power_of(named.store, [run.run for run in named.runs], **question))
