"""An endpoint as a task, over real HTTP on this machine."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import rejudge
from rejudge.domain.case import ExecutionStatus
from rejudge.domain.errors import ConfigurationError, MissingField
from rejudge.providers import misbehaviour
from rejudge.providers.fake_server import FakeModelServer
from rejudge.providers.misbehaviour import Raw
from rejudge.storage.memory import MemoryStore

if TYPE_CHECKING:
    from rejudge.front.result import Result
    from rejudge.providers.fake_server import Asked
    from rejudge.tasks.http import HttpTask

ROWS = [{"id": "a", "question": 'say "hi"', "n": 2}, {"id": "b", "question": "x/y?z", "n": 3}]
KEY = "sk-very-secret-0123456789"


def output_of(task: HttpTask, rows: object = None) -> object:
    """The output for the first row, or the error in words."""
    result = rejudge.evaluate(rows or ROWS[:1], task, retries=0, store=MemoryStore())
    return outcome(result)


def outcome(result: Result) -> object:
    row = next(result.cases())
    if row.trace is not None:
        return row.trace.produced.output
    return row.case.execution_error.message or row.case.reason


def streamed(*events: str, kind: str = "text/event-stream") -> Raw:
    return Raw(body="".join(events).encode(), kind=kind)


def test_the_body_is_filled_and_the_answer_found() -> None:
    with FakeModelServer(lambda asked: Raw.of({"data": [{"text": f"heard {asked.body['q']}"}]})) as server:
        task = rejudge.http(
            f"{server.root}/ask", body={"q": "{{ question }}", "n": "{{ n }}", "k": ["fixed"]}, answer="$.data[0].text"
        )
        assert output_of(task) == 'heard say "hi"'
        (asked,) = server.asked
    assert (asked.path, asked.body) == ("/ask", {"q": 'say "hi"', "n": 2, "k": ["fixed"]})
    assert asked.headers["content-type"] == "application/json"


def test_a_body_of_text_is_sent_as_it_is() -> None:
    with FakeModelServer(lambda asked: Raw.of({"heard": asked.body})) as server:
        task = rejudge.http(f"{server.root}/ask", body='{"q": {{ question | tojson }}}', answer="$.heard.q")
        assert output_of(task) == 'say "hi"'


def test_values_in_an_address_stay_in_their_place() -> None:
    with FakeModelServer(lambda asked: Raw.of({"path": asked.path})) as server:
        task = rejudge.http(f"{server.root}/items/{{{{ question }}}}?n={{{{ n }}}}", method="GET", answer="$.path")
        assert output_of(task, ROWS[1:]) == "/items/x%2Fy%3Fz?n=3"
        assert "url cannot be filled" in str(output_of(task, [{"question": "..", "n": 1}]))


def test_without_a_place_the_whole_reply_is_the_output() -> None:
    with FakeModelServer(lambda asked: Raw(body=b"plain words", kind="text/plain")) as server:
        assert output_of(rejudge.http(server.root, body={"q": "{{ question }}"})) == "plain words"


@pytest.mark.parametrize("answer", ["$.nosuch.text", "$.data[7]", "body.data | first | length", "$.null"])
def test_an_answer_that_is_not_there_is_an_error_that_shows_the_reply(answer: str) -> None:
    with FakeModelServer(lambda asked: Raw.of({"data": [], "null": None})) as server:
        said = str(output_of(rejudge.http(server.root, body={"q": "{{ question }}"}, answer=answer)))
    assert "the reply has no answer at" in said
    assert '{"data":[],"null":null}' in said


def test_server_sent_events_are_joined() -> None:
    events = [json.dumps({"delta": {"content": text}}) for text in ("Hel", "lo ", "you")]
    script = streamed(
        ": hello\n\n",
        'data: {"delta": {"role": "assistant"}}\n\n',
        *(f"event: delta\ndata: {event}\n\n" for event in events),
        "data: [DONE]\n\n",
    )
    with FakeModelServer(lambda asked: script) as server:
        task = rejudge.http(server.root, body={"q": "{{ question }}"}, answer="$.delta.content")
        assert output_of(task) == "Hello you"


def test_lines_of_json_are_joined_also_where_the_server_does_not_say_so() -> None:
    lines = ['{"t": "a"}\n', "\n", '{"t": "b"}\n', '{"done": true}']
    for kind, lined in (("application/x-ndjson", False), ("text/plain", True)):
        with FakeModelServer(lambda asked, kind=kind: streamed(*lines, kind=kind)) as server:  # type: ignore[misc]
            stream = "lines" if lined else "auto"
            task = rejudge.http(server.root, body={"q": "{{ question }}"}, answer="$.t", stream=stream)
            assert output_of(task) == "ab"


def test_an_error_inside_a_stream_is_told() -> None:
    script = streamed('data: {"error": {"message": "overloaded"}}\n\n')
    with FakeModelServer(lambda asked: script) as server:
        task = rejudge.http(server.root, body={"q": "{{ question }}"}, answer="$.t")
        assert "overloaded" in str(output_of(task))


@pytest.mark.parametrize("status", [301, 400, 401, 404, 422])
def test_a_status_beyond_2xx_is_told_with_the_beginning_of_the_body(status: int) -> None:
    with FakeModelServer(lambda asked: misbehaviour.status(status, "no " + "very " * 1000)) as server:
        said = str(output_of(rejudge.http(server.root, body={"q": "{{ question }}"}, answer="$.t")))
        assert len(server.asked) == 1
    assert f"answered {status}" in said
    assert len(said) < 1500


def test_a_busy_endpoint_is_asked_again_and_every_try_is_kept() -> None:
    def script(asked: Asked) -> Raw:
        return misbehaviour.throttled(0.01) if asked.number == 0 else Raw.of({"t": "fine"})

    with FakeModelServer(script) as server:
        task = rejudge.http(server.root, body={"q": "{{ question }}"}, answer="$.t")
        result = rejudge.evaluate(ROWS[:1], task, retries=1, store=MemoryStore())
    row = next(result.cases())
    assert row.trace is not None
    assert row.trace.produced.output == "fine"
    assert "429" in row.trace.calls[0].failures[0]


def test_an_endpoint_that_hangs_ends_at_its_limit() -> None:
    with FakeModelServer(lambda asked: misbehaviour.hanging()) as server:
        task = rejudge.http(
            server.root, body={"q": "{{ question }}"}, limits=rejudge.Limits(attempt_seconds=0.2, total_seconds=0.5)
        )
        assert "gave no answer within 0.2 s" in str(output_of(task))


def test_requests_at_once_keep_to_the_limit() -> None:
    with FakeModelServer(lambda asked: Raw.of({"t": "x"}, delay=0.03)) as server:
        task = rejudge.http(server.root, body={"q": "{{ q }}"}, limits=rejudge.Limits(concurrency=2))
        rejudge.evaluate([{"q": str(n)} for n in range(12)], task, store=MemoryStore())
        assert (len(server.asked), server.most_at_once) == (12, 2)


def test_a_secret_is_sent_and_written_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MY_SERVICE_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    with FakeModelServer(lambda asked: Raw.of({"t": asked.headers["authorization"]})) as server:
        task = rejudge.http(
            server.root,
            headers={"Authorization": f"Bearer {rejudge.env('MY_SERVICE_KEY')}"},
            body={"q": "{{ question }}"},
            answer="$.t",
        )
        result = rejudge.evaluate(ROWS, task, store=tmp_path / "store.db")
        assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {KEY}"}
    assert outcome(result) == "Bearer [key]"
    row = next(result.cases())
    assert row.trace is not None
    assert row.trace.calls[0].call.headers == {"Authorization": "Bearer ${MY_SERVICE_KEY}"}  # type: ignore[union-attr]
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert KEY.encode() not in written
    assert KEY not in caplog.text
    assert KEY not in repr(task.config)


def test_a_key_that_is_missing_is_refused_before_the_first_request() -> None:
    with FakeModelServer(lambda asked: Raw.of({"t": 1})) as server:
        task = rejudge.http(server.root, headers={"X-Api-Key": rejudge.env("NO_SUCH_KEY_HERE")}, body={"n": "{{ n }}"})
        with pytest.raises(ConfigurationError, match="there is no value NO_SUCH_KEY_HERE"):
            rejudge.evaluate(ROWS, task, store=MemoryStore())
        assert server.asked == []


def test_an_item_cannot_name_a_value_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", KEY)
    with FakeModelServer(lambda asked: Raw.of({"t": asked.body["q"]})) as server:
        task = rejudge.http(server.root, body={"q": "{{ q }}"}, answer="$.t")
        assert output_of(task, [{"q": "${OTHER_KEY}"}]) == "${OTHER_KEY}"


@pytest.mark.parametrize(
    ("url", "headers", "what"),
    [
        ("ftp://host/x", {}, "begins with http"),
        ("https://{{ host }}/x", {}, "begins with http"),
        ("https://api{{ host }}", {}, "begins with http"),
        ("https://me:pw@host/x", {}, "credentials"),
        ("https://host?api_key=sk-123", {}, "a secret in its query"),
        ("https://host", {"Authorization": "Bearer sk-123"}, "holds a secret"),
        ("https://host", {"X-Id": "{{ id }}"}, "the same for every item"),
        ("https://host", {"bad name": "x"}, "no name of a header"),
        ("https://host", {"X": "a\nb"}, "not one line"),
    ],
)
def test_what_an_endpoint_may_not_be(url: str, headers: dict[str, str], what: str) -> None:
    with pytest.raises(ConfigurationError, match=what):
        rejudge.http(url, headers=headers, body={"q": "{{ q }}"})


@pytest.mark.parametrize("answer", ["$.a[*]", "$..a", "choices[0]", "'x'", "$.a["])
def test_an_answer_names_one_place_of_the_reply(answer: str) -> None:
    with pytest.raises(ConfigurationError):
        rejudge.http("https://host", body={"q": "{{ q }}"}, answer=answer)


def test_an_unknown_placeholder_is_refused_before_the_first_request() -> None:
    with FakeModelServer(lambda asked: Raw.of({"t": 1})) as server:
        with pytest.raises(MissingField, match="qestion"):
            rejudge.evaluate(ROWS, rejudge.http(server.root, body={"q": "{{ qestion }}"}), store=MemoryStore())
        assert server.asked == []


def test_a_redirect_is_not_followed() -> None:
    with FakeModelServer(lambda asked: misbehaviour.redirect("https://elsewhere.example/x")) as server:
        said = str(output_of(rejudge.http(server.root, body={"q": "{{ question }}"})))
        assert len(server.asked) == 1
    assert "elsewhere.example" in said


def test_a_stored_answer_is_not_asked_for_again(tmp_path: Path) -> None:
    with FakeModelServer(lambda asked: Raw.of({"t": "x"})) as server:
        for answer, asked in (("$.t", 2), ("$.t", 2), ("body", 4)):
            task = rejudge.http(server.root, body={"q": "{{ question }}"}, answer=answer)
            result = rejudge.evaluate(ROWS, task, store=tmp_path / "store.db")
            assert {row.case.execution_status for row in result.cases()} == {ExecutionStatus.COMPLETED}
            assert len(server.asked) == asked


@pytest.mark.parametrize(
    ("reply", "place", "told"),
    [
        ({"usage": {"prompt_tokens": 7, "completion_tokens": 2, "cost": 0.5}}, "$.usage", (7, 2, 0.5)),
        ({"meta": {"used": {"input_tokens": 7, "output_tokens": 2}}}, "$.meta.used", (7, 2, None)),
        ({"i": 7, "o": 2}, {"input_tokens": "$.i", "output_tokens": "body.o"}, (7, 2, None)),
        ({"usage": {"prompt_tokens": 7, "completion_tokens": "many", "cost": -1}}, "$.usage", (7, None, None)),
        ({"usage": None}, "$.usage", None),
        ({}, "$.usage", None),
    ],
)
def test_what_an_endpoint_says_it_used_is_kept_and_what_it_does_not_say_is_unknown(
    reply: dict[str, object], place: str | dict[str, str], told: tuple[object, ...] | None
) -> None:
    with FakeModelServer(lambda asked: Raw.of({"t": "hi", **reply})) as server:
        task = rejudge.http(server.root, body={"q": "{{ question }}"}, answer="$.t", usage=place)
        result = rejudge.evaluate(ROWS[:1], task, store=MemoryStore())
    (row,) = result.cases()
    assert row.trace is not None
    usage = row.trace.usage
    assert (None if usage is None else (usage.input_tokens, usage.output_tokens, usage.cost)) == told
    took = result.run().usage
    assert (took.input_tokens, took.output_tokens, took.cost) == (told or (None, None, None))


def test_a_stream_tells_what_it_used_in_any_of_its_events() -> None:
    events = [{"t": "a", "usage": {"input_tokens": 9, "output_tokens": 1}}, {"t": "b"}, {"usage": {"output_tokens": 4}}]
    script = streamed(*(f"data: {json.dumps(event)}\n\n" for event in events))
    with FakeModelServer(lambda asked: script) as server:
        task = rejudge.http(server.root, body={"q": "{{ question }}"}, answer="$.t", usage="$.usage")
        (row,) = rejudge.evaluate(ROWS[:1], task, store=MemoryStore()).cases()
    assert row.trace is not None
    assert row.trace.usage == rejudge.Usage(input_tokens=9, output_tokens=4)


def test_where_the_usage_stands_changes_no_output_and_so_generates_nothing() -> None:
    store = MemoryStore()
    with FakeModelServer(lambda asked: Raw.of({"t": "hi", "usage": {"input_tokens": 9}})) as server:
        for place in (None, "$.usage"):
            task = rejudge.http(server.root, body={"q": "{{ question }}"}, answer="$.t", usage=place)
            rejudge.evaluate(ROWS[:1], task, store=store)
        assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("place", "told"), [("$.choices[*]", "usage: the path"), ({"tokens": "$.n"}, "unknown amount in usage 'tokens'")]
)
def test_a_place_of_the_usage_that_is_none_is_refused(place: str | dict[str, str], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        rejudge.http("http://host", usage=place)


def stream_of(*events: object, **raw: str) -> str:
    """What becomes of a stream with these events, whose answers stand at `$.t`."""
    kind = raw.get("kind", "text/event-stream")
    before, after = ("", "\n") if "json" in kind else ("data: ", "\n\n")
    said = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in events]
    reply = streamed(raw.get("mark", ""), *(before + one + after for one in said), kind=kind)
    with FakeModelServer(lambda asked: reply) as server:
        return str(output_of(rejudge.http(server.root, answer="$.t")))


def test_a_stream_that_tells_of_an_error_is_no_answer_though_some_of_it_came() -> None:
    assert stream_of({"t": "The "}, {"error": {"message": "overloaded"}}) == (
        'event 1 of the stream of 2 tells of an error: {"error":{"message":"overloaded"}}'
    )


@pytest.mark.parametrize("kind", ["text/event-stream", "application/x-ndjson"])
def test_a_stream_that_is_cut_off_inside_an_event_is_no_answer(kind: str) -> None:
    assert stream_of({"t": "The "}, '{"t": "ans', kind=kind) == 'event 1 of the stream of 2 is no JSON: {"t": "ans'


@pytest.mark.parametrize("kind", ["text/event-stream", "application/x-ndjson"])
def test_separators_of_unicode_end_no_line_of_a_stream(kind: str) -> None:
    assert stream_of({"t": "a\u2028b"}, {"t": "\u0085c"}, kind=kind) == "a\u2028b\u0085c"


def test_a_byte_order_mark_costs_no_event_of_a_stream() -> None:
    assert stream_of({"t": "a"}, {"t": "b"}, mark="\ufeff") == "ab"


def test_an_endless_line_of_a_stream_is_given_up() -> None:
    line = b"data: " + b"x" * (33 * 2**20)
    with FakeModelServer(lambda asked: Raw(body=line, kind="text/event-stream")) as server:
        said = output_of(rejudge.http(server.root, answer="$.t"))
    assert "sent more than 32 MiB" in str(said)


def test_a_text_that_is_not_utf_8_is_read_as_its_header_says() -> None:
    body = Raw(body="déjà".encode("latin-1"), kind="text/plain; charset=iso-8859-1")
    with FakeModelServer(lambda asked: body) as server:
        assert output_of(rejudge.http(server.root)) == "déjà"


def test_an_item_that_no_address_can_hold_is_skipped_alone() -> None:
    rows = [{"id": "a", "question": "\ud800"}, {"id": "b", "question": "fine"}]
    with FakeModelServer(lambda asked: Raw.of("heard")) as server:
        task = rejudge.http(f"{server.root}/{{{{ question }}}}", method="GET")
        result = rejudge.evaluate(rows, task, store=MemoryStore())
    first, second = result.cases()
    assert "characters that no address can hold" in str(first.case.reason)
    assert second.trace is not None
