"""A prompt and a model as a task: messages with placeholders, filled from an item and answered once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.domain.call import Reply
from rejudge.domain.demands import Demands
from rejudge.domain.ids import digest
from rejudge.domain.media import media_of
from rejudge.domain.run_config import NOT_APPLICABLE, RunConfig
from rejudge.domain.way import Way
from rejudge.tasks.caps import NO_CAPS
from rejudge.tasks.filling import Messages
from rejudge.tasks.partner import assistant
from rejudge.tasks.sampling import checked_model
from rejudge.tasks.task import Given

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Mapping

    from rejudge.tasks.caps import Meter
    from rejudge.tasks.partner import Message, Steps
    from rejudge.tasks.sampling import Sampling

_NOT_USED = ("knowledge_index_version", "embedding_model_version", "tool_schema_version", "environment_version")


class PromptTask:
    """Asks a model once for every item; only the fields that the placeholders name are given to it."""

    def __init__(
        self,
        messages: object,
        *,
        model: str,
        sampling: Sampling,
        name: str | None = None,
        depends_on: Mapping[str, object] | None = None,
        scenario: str | None = None,
    ) -> None:
        self._messages = Messages(messages)
        self._model = checked_model(model, whose="the prompt")
        self._sampling = sampling
        self.way = Way.STEPS
        self.reports_usage = True
        self.needs = self._messages.names
        self.outputs: frozenset[str] = frozenset()
        self.caps = NO_CAPS
        self.functions: Mapping[str, Callable[..., object]] = {}
        self.demands = Demands(models=(model,), media=media_of(self._messages.stated))
        parameters = sampling.settings()
        self.config = RunConfig(
            name=name or model,
            kind="prompt",
            settings={"messages": self._messages.stated, "model": model, "parameters": parameters},
            depends_on={
                **dict.fromkeys(_NOT_USED, NOT_APPLICABLE),
                "prompt_hash": digest("prompt", self._messages.stated).hex(),
                "sampling_config": parameters,
                **(depends_on or {}),
            },
            scenario=scenario,
            given=tuple(sorted(self.needs)),
        )

    def given(self, item_id: str, fields: dict[str, object], *, reference: Collection[str], trial: int) -> Given:
        """The messages for an item; its key depends on the fields that they name."""
        named = named_fields(self.needs, fields)
        return Given(digest("given", named), {"messages": self.opening(named)})

    def call(self, given: Given, *, trial: int) -> Generator[object, object, object]:
        """Ask the model."""
        messages = given.arguments["messages"]
        assert isinstance(messages, list)
        return self._asked(messages)

    def opening(self, fields: Mapping[str, object]) -> list[Message]:
        """The messages with the fields filled in."""
        return self._messages.filled(fields)

    def turn(self, messages: list[Message], meter: Meter, fields: Mapping[str, object]) -> Steps:
        """Ask the model with the whole conversation."""
        meter.begin_turn()
        if not (yield from meter.may_step()):
            return
        reply = yield self._sampling.call(self._model, list(messages))
        assert isinstance(reply, Reply)
        meter.stepped(reply)
        messages.append(assistant(reply))

    def _asked(self, messages: list[Message]) -> Generator[object, object, object]:
        reply = yield self._sampling.call(self._model, messages)
        assert isinstance(reply, Reply)
        said = assistant(reply)
        produced: dict[str, object] = {"output": said["content"], "messages": [*messages, said]}
        told = {"finish_reason": reply.finish_reason, "refused": True if reply.refusal else None}
        if metadata := {name: value for name, value in told.items() if value is not None}:
            produced["metadata"] = metadata
        return produced


def named_fields(names: Collection[str], fields: Mapping[str, object]) -> dict[str, object]:
    """The fields of these names that an item has."""
    return {name: fields[name] for name in sorted(names) if name in fields}
