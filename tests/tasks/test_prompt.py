"""A prompt and a model as a task: what is asked, what an answer depends on, and what is refused before any call."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import rejudge
from rejudge.domain.case import ExecutionStatus
from rejudge.domain.errors import ConfigurationError, MissingField, UnknownName
from rejudge.domain.media import media_of
from rejudge.providers.provider import Abilities
from rejudge.storage.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Sequence

ROWS = [
    {"id": "a", "question": "2+2", "answer": "4", "hint": {"words": ["two", "pair"]}},
    {"id": "b", "question": "3+3", "answer": "6", "hint": {"words": ["three"]}},
]


def adding(call: rejudge.ModelCall) -> rejudge.Reply:
    """Adds the sum at the end of the last message."""
    left, right = str(call.messages[-1]["content"]).split()[-1].split("+")
    usage = rejudge.Usage(input_tokens=10, output_tokens=2, cost=0.25)
    return rejudge.Reply(text=str(int(left) + int(right)), usage=usage)


def contents(provider: rejudge.ScriptedProvider) -> list[object]:
    return sorted((call.messages[-1]["content"] for call in provider.calls), key=str)


class Deaf(rejudge.ScriptedProvider):
    """A provider whose models take no images and no audio."""

    def abilities(self, model: str) -> Abilities:
        return Abilities(image=False, audio=False, tools=False)


def test_every_item_is_put_into_the_messages_and_the_answer_is_scored() -> None:
    provider = rejudge.ScriptedProvider(adding)
    result = rejudge.evaluate_prompt(
        ROWS,
        [{"role": "system", "content": "Add."}, {"role": "user", "content": "Say: {{ question }}"}],
        "small",
        rejudge.exact_match(name="right", reference_key="answer"),
        temperature=0,
        parameters={"seed": 7},
        reference=["answer"],
        provider=provider,
        store=MemoryStore(),
        progress="silent",
    )
    assert result.summary("right").mean == 1.0
    assert contents(provider) == ["Say: 2+2", "Say: 3+3"]
    assert {(call.model, call.temperature, call.seed) for call in provider.calls} == {("small", 0, 7)}
    trace = next(result.cases()).trace
    assert trace is not None
    assert trace.produced.messages == [
        {"role": "system", "content": "Add."},
        {"role": "user", "content": "Say: 2+2"},
        {"role": "assistant", "content": "4"},
    ]
    assert (trace.usage, result.runs[0].usage.cost) == (
        rejudge.Usage(input_tokens=10, output_tokens=2, cost=0.25),
        0.5,
    )


def test_an_unknown_placeholder_is_refused_before_the_first_call() -> None:
    provider = rejudge.ScriptedProvider(adding)
    with pytest.raises(MissingField, match="did you mean 'question'"):
        rejudge.evaluate_prompt(ROWS, "{{ qestion }}", "small", provider=provider, store=MemoryStore())
    assert provider.calls == []


def test_a_declared_reference_field_cannot_be_a_placeholder() -> None:
    provider = rejudge.ScriptedProvider(adding)
    with pytest.raises(ConfigurationError, match="declares as reference"):
        rejudge.evaluate_prompt(
            ROWS, "{{ answer }}", "small", reference=["answer"], provider=provider, store=MemoryStore()
        )
    assert provider.calls == []


@pytest.mark.parametrize("model", [None, "", " ", 3])
def test_a_prompt_without_a_model_is_refused(model: str) -> None:
    with pytest.raises(ConfigurationError, match="names no model"):
        rejudge.evaluate_prompt(ROWS, "{{ question }}", model, store=MemoryStore())


def test_only_the_fields_that_are_named_count(tmp_path: Path) -> None:
    provider = rejudge.ScriptedProvider(adding)
    task = rejudge.prompt("{{ question }}", model="small")
    rejudge.evaluate(ROWS, task, provider=provider, store=tmp_path / "s.db")
    corrected = [{**row, "answer": "x", "hint": None} for row in ROWS]
    rejudge.evaluate(corrected, task, provider=provider, store=tmp_path / "s.db")
    assert len(provider.calls) == 2
    rejudge.evaluate([{**ROWS[0], "question": "5+5"}, ROWS[1]], task, provider=provider, store=tmp_path / "s.db")
    assert contents(provider) == ["2+2", "3+3", "5+5"]


def test_what_changes_an_answer_changes_the_run_config_and_a_label_does_not() -> None:
    plain = rejudge.prompt("{{ q }}", model="small")
    assert plain.config.kind == "prompt"
    assert plain.config.digest() == rejudge.prompt("{{ q }}", model="small", name="other").config.digest()
    others = [
        rejudge.prompt("{{ q }}?", model="small"),
        rejudge.prompt("{{ q }}", model="large"),
        rejudge.prompt("{{ q }}", model="small", temperature=0),
        rejudge.prompt("{{ q }}", model="small", stop=["."]),
        rejudge.prompt("{{ q }}", model="small", extra={"reasoning_effort": "low"}),
        rejudge.prompt([{"role": "system", "content": "{{ q }}"}], model="small"),
    ]
    digests = {task.config.digest() for task in [plain, *others]}
    assert len(digests) == len(others) + 1
    assert plain.config.settings == {
        "messages": [{"role": "user", "content": "{{ q }}"}],
        "model": "small",
        "parameters": {},
    }


def test_nothing_that_was_handed_in_is_changed() -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": "Say: {{ question }}"}]}]
    parameters = {"stop": ["."], "extra": {"user": "u"}}
    options = {"store": MemoryStore(), "depends_on": {"x": 1}}
    before = deepcopy((messages, parameters, ROWS))
    rejudge.evaluate_prompt(
        ROWS,
        messages,
        "small",
        parameters=parameters,
        provider=rejudge.ScriptedProvider(lambda call: "fine"),
        **options,  # type: ignore[arg-type]
    )
    assert (messages, parameters, ROWS) == before
    assert options["depends_on"] == {"x": 1}


@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("{{ hint.words[0] }}", "two"),
        ("{{ hint.words | join(', ') }}", "two, pair"),
        ("{{ hint }}", '{"words":["two","pair"]}'),
        ("{% for word in hint.words %}<{{ word | upper }}>{% endfor %}", "<TWO><PAIR>"),
        ("{% if note is defined %}{{ note }}{% else %}none{% endif %}", "none"),
        ("{{ note | default('none') }}!", "none!"),
        ("{{ 'x' if hint.words | length > 5 }}.", "."),
        ("{ {question} }", "{ {question} }"),
    ],
)
def test_what_placeholders_can_say(template: str, filled: str) -> None:
    provider = rejudge.ScriptedProvider(lambda call: "fine")
    rows = [ROWS[0], {**ROWS[1], "note": "x"}]
    rejudge.evaluate(rows, rejudge.prompt(template, model="m"), provider=provider, store=MemoryStore())
    assert provider.calls[0].messages[-1]["content"] == filled


@pytest.mark.parametrize(
    "template",
    [
        "{{ question.__class__ }}",
        "{{ question.upper() }}",
        "{{ question * 1000000000 }}",
        "{{ range(10) }}",
        "{{ self }}",
        "{{ caller }}",
        "{% set x = 1 %}",
        "{% include 'x' %}",
        "{{ question | nosuch }}",
        "{{ question",
        "{% for a in q %}" * 4 + "{% endfor %}" * 4,
    ],
)
def test_what_is_no_placeholder_never_reaches_a_model(template: str) -> None:
    provider = rejudge.ScriptedProvider(lambda call: "fine")
    try:
        task = rejudge.prompt(template, model="m")
    except ConfigurationError:
        return
    result = rejudge.evaluate(ROWS, task, provider=provider, store=MemoryStore())
    assert provider.calls == []
    assert result.runs[0].counts.cases.skipped == 2


def test_an_item_without_the_field_is_skipped_and_not_asked_about() -> None:
    provider = rejudge.ScriptedProvider(lambda call: "fine")
    rows: list[dict[str, object]] = [{"id": "a", "q": "x"}, {"id": "b"}, {"id": "c", "q": None}]
    result = rejudge.evaluate(rows, rejudge.prompt("{{ q }}", model="m"), provider=provider, store=MemoryStore())
    assert len(provider.calls) == 1
    messages = [row.case.reason for row in result.cases() if row.case.reason]
    assert len(messages) == 2
    assert all(message.startswith("missing_input_field") for message in messages)


def test_a_conversation_in_place_of_a_question_is_a_skip() -> None:
    provider = rejudge.ScriptedProvider(lambda call: "fine")
    rows = [{"id": "a", "q": [{"role": "user", "content": "hi"}]}]
    for template in ("{{ q }}", "Answer: {{ q }}"):
        task = rejudge.prompt(template, model="m")
        result = rejudge.evaluate(rows, task, provider=provider, store=MemoryStore())
        (row,) = result.cases()
        assert (row.case.reason or "").startswith("incompatible_input_shape")
    assert provider.calls == []


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,{{ picture }}"}}


def test_parts_are_sent_as_they_are() -> None:
    provider = rejudge.ScriptedProvider(lambda call: "a cat")
    audio = {"type": "input_audio", "input_audio": {"data": "{{ sound }}", "format": "wav"}}
    parts: Sequence[object] = [{"type": "text", "text": "{{ n }} things"}, IMAGE, audio]
    task = rejudge.prompt([{"role": "user", "content": parts}], model="m")
    rows = [{"id": "a", "picture": "AAAA", "sound": "BBBB", "n": 2}]
    rejudge.evaluate(rows, task, provider=provider, store=MemoryStore())
    assert provider.calls[0].messages[0]["content"] == [
        {"type": "text", "text": "2 things"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "input_audio", "input_audio": {"data": "BBBB", "format": "wav"}},
    ]
    assert media_of(provider.calls[0].messages) == ("audio", "image")


def test_parts_that_a_model_does_not_take_are_refused_before_the_first_call() -> None:
    provider = Deaf(lambda call: "a cat")
    task = rejudge.prompt([{"role": "user", "content": [IMAGE]}], model="m")
    with pytest.raises(ConfigurationError, match="sends image parts, which 'm' does not take"):
        rejudge.evaluate([{"picture": "A"}], task, provider=provider, store=MemoryStore())
    assert provider.calls == []


def test_parts_that_come_with_an_item_are_an_error_where_they_are_not_taken() -> None:
    provider = Deaf(lambda call: "a cat")
    rows = [{"id": "a", "q": [{"type": "image_url", "image_url": {"url": "x"}}]}, {"id": "b", "q": "text"}]
    result = rejudge.evaluate(rows, rejudge.prompt("{{ q }}", model="m"), provider=provider, store=MemoryStore())
    cases = [row.case for row in result.cases()]
    assert len(provider.calls) == 1
    assert [case.execution_status for case in cases] == [ExecutionStatus.ERROR, ExecutionStatus.COMPLETED]
    assert "takes no image parts" in cases[0].execution_error.message


def test_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(UnknownName, match="temprature"):
        rejudge.evaluate_prompt(ROWS, "{{ question }}", "m", parameters={"temprature": 1}, store=MemoryStore())
    with pytest.raises(ConfigurationError, match="temperature"):
        rejudge.prompt("x", model="m", temperature="hot")  # type: ignore[arg-type]


def test_a_refusal_is_the_models_answer() -> None:
    provider = rejudge.ScriptedProvider(lambda call: rejudge.Reply(refusal="I will not.", finish_reason="stop"))
    task = rejudge.prompt("{{ question }}", model="m")
    result = rejudge.evaluate(ROWS[:1], task, provider=provider, store=MemoryStore())
    trace = next(result.cases()).trace
    assert trace is not None
    assert trace.produced.output == "I will not."
    assert trace.produced.metadata == {"finish_reason": "stop", "refused": True}
