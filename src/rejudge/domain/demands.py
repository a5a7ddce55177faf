"""What a scorer needs of the world beyond the view: data that preflight compares with what is there."""

from __future__ import annotations

from msgspec import Struct

from rejudge.domain.code import Grant


class Demands(Struct, frozen=True, kw_only=True):
    """Models that are asked, and what they must be able to do; the sandbox, and the code that is to run in it.

    `grant` is what that code may take and call. `origin` is where code came from that is not the caller's own, and that
    runs only once it is trusted.
    """

    models: tuple[str, ...] = ()
    logprobs: bool = False
    embedding_models: tuple[str, ...] = ()
    sandbox: str | None = None
    code: str | None = None
    grant: Grant = Grant()
    origin: str | None = None


NOTHING = Demands()
