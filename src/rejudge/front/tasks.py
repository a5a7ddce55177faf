"""Tasks that people make by name rather than as a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rejudge.domain.arguments import mapping_in, optional_text_in, text_in
from rejudge.domain.demands import Address
from rejudge.domain.errors import UnknownName
from rejudge.providers.provider import Limits
from rejudge.tasks.http import Form, HttpTask
from rejudge.tasks.prompt import PromptTask
from rejudge.tasks.replay import ReplayTask
from rejudge.tasks.reported_usage import UsagePlace
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
        Path(path if isinstance(path, Path) else text_in("path", path)),
        id=id,
        output=output,
        trial=trial,
        name=optional_text_in("name", name),
        depends_on=mapping_in("depends_on", depends_on),
        scenario=optional_text_in("scenario", scenario),
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
        name=optional_text_in("name", name),
        depends_on=mapping_in("depends_on", depends_on),
        scenario=optional_text_in("scenario", scenario),
    )


STREAMS = ("auto", "lines")


def http(
    url: str,
    *,
    method: str = "POST",
    headers: Mapping[str, str] | None = None,
    body: object = None,
    answer: str | None = None,
    usage: UsagePlace | None = None,
    stream: str = "auto",
    limits: Limits = Limits(attempt_seconds=120.0, total_seconds=600.0),  # noqa: B008 - a frozen record
    name: str | None = None,
    depends_on: Mapping[str, object] | None = None,
) -> HttpTask:
    """An HTTP endpoint as a task: a request for every item, and the answer where it stands in the reply.

    Args:
        url: the address; placeholders such as `{{ id }}` may stand in its path and query, not in its host.
        method: GET, POST, PUT, PATCH or DELETE.
        headers: the same for every item. `env("NAME")` stands for a value of the environment, or of the keyring, which
            is sent and never stored, logged or shown.
        body: anything that JSON has, with placeholders in its texts; a text that is one placeholder alone becomes the
            field's value with its type. A text as the body is sent as it is.
        answer: where the answer stands: `$.choices[0].message.content`, or an expression such as
            `body.items | last`. Without it the whole reply is the output. In a stream it is looked for in every event,
            and what is found is joined.
        usage: where the reply says what it used: the place of an object such as `$.usage`, with `input_tokens` or
            `prompt_tokens`, `output_tokens` or `completion_tokens`, and `cost` in US dollars; or the place of each:
            `{"input_tokens": "$.meta.in", "output_tokens": "$.meta.out"}`. What a reply does not say is unknown.
        stream: "auto" reads server-sent events and lines of JSON where the reply says that it is that; "lines" takes
            every line of the reply as JSON.
        limits: how many requests at once and a minute the host is sent, and how long they may take.
        name: the task's name, by default the host.
        depends_on: what the answers depend on beyond the request, such as the endpoint's version.

    No redirect is followed. A status beyond 2xx is an error of the item; 408, 425, 429 and 5xx are tried again.
    """
    if stream not in STREAMS:
        raise UnknownName.among("stream", stream, STREAMS)
    default = Address(url=text_in("url", url))
    stated = mapping_in("headers", headers)
    address = Address(
        url=url,
        concurrency=limits.concurrency,
        requests_per_minute=limits.requests_per_minute,
        attempt_seconds=limits.attempt_seconds or default.attempt_seconds,
        total_seconds=limits.total_seconds or default.total_seconds,
    )
    return HttpTask(
        address,
        Form(
            method=text_in("method", method),
            headers={text_in("headers", one): text_in(f"the header {one}", said) for one, said in stated.items()},
            body=body,
            answer=optional_text_in("answer", answer),
            usage=usage,
            lines=stream == "lines",
        ),
        name=optional_text_in("name", name),
        depends_on=mapping_in("depends_on", depends_on),
    )
