"""The parts of a view by the names under which functions and expressions ask for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

if TYPE_CHECKING:
    from rejudge.domain.view import View


def message(view: View) -> str | None:
    """The output as text; None where the output is null, so that no check passes on the word."""
    return None if view.output is None and view.text is UNSET else view.final_message


PARTS: Final[Mapping[str, Callable[[View], object]]] = {
    name: attrgetter(name)
    for name in (
        *("final_message", "output", "trace", "reference_data", "task_input"),
        *("item", "metadata", "usage", "latency"),
    )
}

SPANS: Final[Mapping[str, Callable[[View], object]]] = {name: attrgetter(name) for name in ("task_span", "spans")}
"""The parts that are read from the store only where a function asks for them."""
