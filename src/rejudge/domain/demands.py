"""What a scorer needs of the world beyond the view: data that preflight compares with what is there."""

from __future__ import annotations

from msgspec import Struct

from rejudge.domain.code import Grant


class Address(Struct, frozen=True, kw_only=True):
    """An endpoint that is asked: where, which names of the environment its headers need, and what it may be asked.

    `attempt_seconds` bounds one try, `total_seconds` all tries of a call with the waits between them.
    """

    url: str
    names: tuple[str, ...] = ()
    concurrency: int | None = None
    requests_per_minute: int | None = None
    attempt_seconds: float = 120.0
    total_seconds: float = 600.0


class Demands(Struct, frozen=True, kw_only=True):
    """Models that are asked, and what they must be able to do; the sandbox, and the code that is to run in it.

    `grant` is what that code may take and call. `origin` is where code came from that is not the caller's own, and that
    runs only once it is trusted. `media` are the kinds of content other than text that the models are sent, `functions`
    says that they are offered tools.
    """

    models: tuple[str, ...] = ()
    logprobs: bool = False
    embedding_models: tuple[str, ...] = ()
    sandbox: str | None = None
    code: str | None = None
    grant: Grant = Grant()
    origin: str | None = None
    media: tuple[str, ...] = ()
    functions: bool = False
    address: Address | None = None


NOTHING = Demands()
