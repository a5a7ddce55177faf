"""How a model is asked: everything about a call but its messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field

from rejudge.domain.call import ModelCall
from rejudge.domain.errors import ConfigurationError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Mapping


class Sampling(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Parameters of a call; None leaves a thing to the provider. `extra` is sent as it is, beside all else."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: list[str] | None = None
    response_schema: dict[str, object] | None = None
    extra: dict[str, object] = field(default_factory=dict)

    def call(
        self,
        model: str,
        messages: list[dict[str, object]],
        *,
        tools: list[dict[str, object]] | None = None,
    ) -> ModelCall:
        """The call with these messages."""
        return ModelCall(
            model=model,
            messages=messages,
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=self.max_tokens,
            seed=self.seed,
            stop=self.stop,
            tools=tools,
            response_schema=self.response_schema,
            extra=self.extra,
        )

    def settings(self) -> dict[str, object]:
        """What of it was chosen, for the run config."""
        found: dict[str, object] = msgspec.to_builtins(self)
        return found


def sampling_of(parameters: Mapping[str, object]) -> Sampling:
    """The parameters that were given; raises UnknownName or ConfigurationError for what is none."""
    known = Sampling.__struct_fields__
    for name in parameters:
        if name not in known:
            raise UnknownName.among("parameter of a model", name, known)
    chosen = {name: list(value) if isinstance(value, tuple) else value for name, value in parameters.items()}
    try:
        return msgspec.convert(chosen, Sampling)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$.")
        raise ConfigurationError(f"{path.rstrip('`') or 'a parameter'}: {message}") from None


def checked_model(model: object, *, whose: str) -> str:
    """The model's name; raises ConfigurationError where none is named."""
    if not isinstance(model, str) or not model.strip():
        raise ConfigurationError(f"{whose} names no model", fix='say which: model="openai/gpt-4o-mini"')
    return model
