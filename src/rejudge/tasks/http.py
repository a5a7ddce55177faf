"""An HTTP endpoint as a task: a request for every item, and the place in the reply where the answer stands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, quote, urlsplit

from msgspec import Struct, structs

from rejudge.domain.call import HttpCall, HttpReply
from rejudge.domain.demands import Address, Demands
from rejudge.domain.errors import ConfigurationError, TaskError
from rejudge.domain.ids import digest
from rejudge.domain.run_config import RunConfig
from rejudge.domain.view import as_text
from rejudge.domain.way import Way
from rejudge.tasks.answer import Answer
from rejudge.tasks.caps import NO_CAPS
from rejudge.tasks.filling import Filling, refused
from rejudge.tasks.prompt import named_fields
from rejudge.tasks.reported_usage import ReportedUsage, UsagePlace
from rejudge.tasks.task import Given
from rejudge.tasks.template import NotFilled, Template

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator

    from rejudge.domain.usage import Usage
    from rejudge.tasks.caps import Meter
    from rejudge.tasks.partner import Message, Steps

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
SHOWN: Final = 300
"""Characters of a reply that an error repeats."""

_PLACEHOLDER: Final = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_SECRET_PARAMETER: Final = re.compile(r"(?:key|token|secret|password|signature)$", re.IGNORECASE)
_HEADER: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def env(name: str) -> str:
    """What a header says in place of a value of the environment: `{"Authorization": f"Bearer {env('API_KEY')}"}`.

    The value is filled in when a request is sent, and is stored, logged and shown nowhere.
    """
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise ConfigurationError(f"{name!r} is no name of an environment variable")
    return f"${{{name}}}"


def names_in(header: str) -> list[str]:
    """The names of the environment that a header's text refers to."""
    return _REFERENCE.findall(header)


class Form(Struct, frozen=True, kw_only=True):
    """What a request is made of beside its address, and where in the reply the answer and what it used stand."""

    method: str = "POST"
    headers: Mapping[str, str] = {}
    body: object = None
    answer: str | None = None
    usage: UsagePlace | None = None
    lines: bool = False


class HttpTask:
    """Sends a request for every item; the fields that the address and the body name are given to it."""

    def __init__(
        self,
        address: Address,
        form: Form,
        *,
        name: str | None = None,
        depends_on: Mapping[str, object] | None = None,
    ) -> None:
        self._method = form.method.upper()
        if self._method not in METHODS:
            raise ConfigurationError(f"{form.method!r} is no method", fix=f"one of {', '.join(METHODS)}")
        self._headers = _checked_headers(form.headers)
        self._url = Url(address.url)
        self._body = Filling(form.body, parameter="body")
        self._answer = None if form.answer is None else Answer(form.answer)
        self._usage = None if form.usage is None else ReportedUsage(form.usage)
        self._lines = form.lines
        names = sorted({name for text in self._headers.values() for name in names_in(text)})
        self.way = Way.STEPS
        self.needs = self._body.names | self._url.names
        self.outputs: frozenset[str] = frozenset()
        self.functions: Mapping[str, Callable[..., object]] = {}
        self.caps = NO_CAPS
        self.demands = Demands(address=structs.replace(address, url=self._url.origin, names=tuple(names)))
        settings: dict[str, object] = {
            "url": address.url,
            "method": self._method,
            "headers": self._headers,
            "body": self._body.stated,
            "answer": form.answer,
        }
        self.config = RunConfig(
            name=name or urlsplit(self._url.origin).netloc,
            kind="http",
            settings=settings | ({"lines": True} if form.lines else {}),
            depends_on=dict(depends_on or {}),
            given=tuple(sorted(self.needs)),
        )

    def given(self, item_id: str, fields: dict[str, object], *, reference: Collection[str], trial: int) -> Given:
        """The request for an item; its key depends on the fields that it names."""
        named = named_fields(self.needs, fields)
        return Given(digest("given", named), {"call": self._request(named)})

    def call(self, given: Given, *, trial: int) -> Generator[object, object, object]:
        """Send the request and find the answer in the reply; raises TaskError where it is not there."""
        reply = yield given.arguments["call"]
        assert isinstance(reply, HttpReply)
        return {"output": self._said(reply), "metadata": {"status": reply.status}}

    @property
    def reports_usage(self) -> bool:
        """Whether its replies say what they used."""
        return self._usage is not None

    def usage_of(self, reply: HttpReply) -> Usage | None:
        """What a reply says that it used; None where nobody knows."""
        return None if self._usage is None else self._usage.of(reply)

    def opening(self, fields: Mapping[str, object]) -> list[Message]:
        """Nothing: the endpoint has its own."""
        return []

    def turn(self, messages: list[Message], meter: Meter, fields: Mapping[str, object]) -> Steps:
        """Send the conversation so far, which the body names as `messages`, and add the answer."""
        reply = yield self._request({**fields, "messages": messages, "message": messages[-1].get("content")})
        assert isinstance(reply, HttpReply)
        meter.replied(reply)
        messages.append({"role": "assistant", "content": as_text(self._said(reply))})

    def _request(self, fields: Mapping[str, object]) -> HttpCall:
        body = self._body.filled(fields)
        return HttpCall(
            method=self._method,
            url=self._url.filled(fields),
            headers=self._headers,
            body=None if isinstance(body, str) else body,
            text=body if isinstance(body, str) else None,
            lines=self._lines,
        )

    def _said(self, reply: HttpReply) -> object:
        return self._of_body(reply.body) if reply.events is None else self._of_events(reply.events)

    def _of_body(self, body: object) -> object:
        if self._answer is None:
            return body
        found = self._answer.found(body)
        if found is None:
            raise self._nothing("the reply", body)
        return found

    def _of_events(self, events: list[object]) -> object:
        """The answers of all events together: texts joined, anything else as the list that it is."""
        found = events
        if self._answer is not None:
            found = []
            for place, event in enumerate(events):
                one = self._answer.found(event)
                if one is not None:
                    found.append(one)
                elif (why := _breaks_off(event)) is not None:
                    raise TaskError(f"event {place} of the stream of {len(events)} {why}: {_shown(event)}")
        if not found:
            raise self._nothing(f"the stream of {len(events)} events", events[-1:])
        return "".join(map(str, found)) if all(isinstance(one, str) for one in found) else found

    def _nothing(self, where: str, value: object) -> TaskError:
        said = "" if self._answer is None else f" at {self._answer.text!r}"
        return TaskError(f"{where} has no answer{said}: {_shown(value)}", fix="name the place with answer=")


def _breaks_off(event: object) -> str | None:
    """Why an event means that the answer is not whole: it tells of an error, or is JSON that was cut off."""
    if isinstance(event, dict):
        return "tells of an error" if event.get("error") else None
    return "is no JSON" if isinstance(event, str) and event.lstrip()[:1] in ("{", "[") else None


def _shown(value: object) -> str:
    text = as_text(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


class Url:
    """An address with placeholders in its path or query, whose values cannot change where a request goes."""

    def __init__(self, stated: str) -> None:
        origin = "/".join(re.split(r"[?#]", stated)[0].split("/")[:3])
        if not re.match(r"https?://[^/{}]+$", origin):
            raise ConfigurationError(
                "the address of an endpoint begins with http://HOST or https://HOST, without a placeholder",
                fix="put placeholders into the path or the query: https://HOST/items/{{ id }}",
            )
        if "@" in origin:
            raise ConfigurationError("the address holds credentials", fix='give a header: {"Authorization": env(…)}')
        for parameter, value in parse_qsl(urlsplit(stated).query):
            if _SECRET_PARAMETER.search(parameter) and "{{" not in value:
                raise ConfigurationError(
                    f"the address holds a secret in its query, {parameter}=…, which would be stored with every trace",
                    fix='give it as a header: {"Authorization": env(…)}',
                )
        self.origin = origin
        pieces = _PLACEHOLDER.split(stated)
        placeholders = [Template(text, parameter="url") for text in _PLACEHOLDER.findall(stated)]
        self._pieces = pieces
        self._placeholders = placeholders
        self.names: frozenset[str] = frozenset().union(*(template.names for template in placeholders))

    def filled(self, fields: Mapping[str, object]) -> str:
        """The address for these fields, each value quoted; raises CannotTake."""
        made = self._pieces[0]
        for template, piece in zip(self._placeholders, self._pieces[1:], strict=True):
            try:
                value = template.filled(fields)
            except NotFilled as why:
                raise refused("url", why) from None
            if value in (".", "..", ""):
                raise refused("url", NotFilled(f"{template.text} is {value!r}, which is no part of an address"))
            try:
                made += quote(value, safe="") + piece
            except UnicodeEncodeError:
                raise refused("url", NotFilled(f"{template.text} has characters that no address can hold")) from None
        return made


def _checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    for name, text in headers.items():
        if not _HEADER.fullmatch(name):
            raise ConfigurationError(f"{name!r} is no name of a header")
        if not text.isprintable() or not text.isascii():
            raise ConfigurationError(f"the header {name} is not one line of text")
        if name.casefold() in ("content-length", "transfer-encoding"):
            raise ConfigurationError(f"the header {name} is set by whoever sends the request", fix="leave it out")
        if "{{" in text:
            raise ConfigurationError(
                f"the header {name} has a placeholder; headers are the same for every item",
                fix="put what an item says into the body or the address",
            )
        if _looks_secret(name) and not _REFERENCE.search(text):
            raise ConfigurationError(
                f"the header {name} holds a secret in its text, which would be stored with every trace",
                fix=f'take it from the environment: {{"{name}": env("NAME")}}, or ${{NAME}} in a file',
            )
    return dict(sorted(headers.items()))


def _looks_secret(header: str) -> bool:
    return any(word in header.casefold() for word in ("auth", "key", "token", "secret", "cookie"))
