"""Tasks that people make by name rather than as a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rejudge.tasks.prompt import PromptTask
from rejudge.tasks.replay import ReplayTask
from rejudge.tasks.sampling import sampling_of


def replay(
    path: str | Path,
    *,
    id: str = "id",
    output: str = "output",
    trial: str | None = None,
    name: str | None = None,
    depends_on: Mapping[str, object] | None = None,
    scenario: str | None = None,
) -> ReplayTask:
    """Recorded outputs of a file as a task: what was logged or generated elsewhere is scored, not generated.

    `id`, `output` and `trial` are dotted paths into a row (`message.content`). An output that is a list of
    messages is taken as the whole trace. Without `trial`, several rows of one id are its trials in order. `name` is
    the task's name, by default the file's. `depends_on` and `scenario` say what the recorded system depended on.
    Items without a recorded output become skipped cases.
    """
    return ReplayTask(
        Path(path), id=id, output=output, trial=trial, name=name, depends_on=depends_on, scenario=scenario
    )


def prompt(
    messages: str | Sequence[Mapping[str, object]],
    *,
    model: str,
    temperature: float | None = None,
    top_p: float | None = None,
    max_tokens: int | None = None,
    seed: int | None = None,
    stop: Sequence[str] | None = None,
    response_schema: Mapping[str, object] | None = None,
    extra: Mapping[str, object] | None = None,
    name: str | None = None,
    depends_on: Mapping[str, object] | None = None,
    scenario: str | None = None,
) -> PromptTask:
    """A prompt and a model as a task: every item is put into the messages, and the model's answer is the output.

    `messages` is a text for one message of the user, or a list of `{"role": …, "content": …}`. A placeholder
    `{{ question }}` stands for an item's field; only the fields that are named are given to the task. Content may be a
    list of parts with images, audio and files; a model whose provider says that it does not take them is refused.
    `response_schema` holds the answer to a JSON Schema, `extra` is sent as it is beside all else. `name` is the task's
    name, by default the model's.
    """
    parameters = {
        "temperature": temperature,
        "top_p": top_p,
        "max_tokens": max_tokens,
        "seed": seed,
        "stop": None if stop is None else list(stop),
        "response_schema": response_schema,
        "extra": extra,
    }
    return PromptTask(
        messages,
        model=model,
        sampling=sampling_of({name: value for name, value in parameters.items() if value is not None}),
        name=name,
        depends_on=depends_on,
        scenario=scenario,
    )
