"""The seam to models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rejudge.domain.call import ModelCall, Reply


class Provider(Protocol):
    """Answers one model call; limits, retries and records are the engine's."""

    async def answer(self, call: ModelCall) -> Reply:
        """The reply; raises Transient for what another try may cure, ProviderError for what it will not."""
