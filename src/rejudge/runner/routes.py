"""Who answers for a model, with what is declared about it; what a provider leaves undeclared is unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rejudge.providers.provider import Abilities, Limits, Route

if TYPE_CHECKING:
    from collections.abc import Callable

    from rejudge.providers.provider import Provider

_UNKNOWN_ABILITIES = Abilities()
_UNKNOWN_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """The provider for a model, what the model is called there, and what the provider declares."""

    provider: Provider
    model: str
    account: str | None = None
    limits: Limits = _UNKNOWN_LIMITS
    vendor: str | None = None

    @property
    def abilities(self) -> Abilities:
        """What the model can do, as far as its provider says."""
        declared: Callable[[str], object] | None = getattr(self.provider, "abilities", None)
        found = declared(self.model) if callable(declared) else None
        return found if isinstance(found, Abilities) else _UNKNOWN_ABILITIES


def routed(provider: Provider, model: str) -> Routed:
    """Who answers for the model in the end; raises ConfigurationError where nobody does."""
    while callable(route := getattr(provider, "route", None)):
        found = route(model)
        if not isinstance(found, Route):
            break  # an object of the user's that has a method of that name
        provider, model = found.provider, found.model
    account, limits, vendor = (getattr(provider, name, None) for name in ("account", "limits", "vendor"))
    return Routed(
        provider=provider,
        model=model,
        account=account if isinstance(account, str) else None,
        limits=limits if isinstance(limits, Limits) else _UNKNOWN_LIMITS,
        vendor=vendor if isinstance(vendor, str) else None,
    )
