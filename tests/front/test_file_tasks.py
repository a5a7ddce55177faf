"""Prompts, endpoints, agents and conversations in an evaluation file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import rejudge
from rejudge.domain.errors import ConfigurationError, RejudgeError
from rejudge.front.evaluation_file import EvaluationFile, load_evaluation
from rejudge.front.trust import approve_file, approve_hash
from rejudge.providers.fake_server import FakeModelServer
from rejudge.providers.misbehaviour import Raw
from rejudge.storage.memory import MemoryStore

HEAD = "dataset: items.jsonl\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "items.jsonl").write_text('{"id": "a", "question": "1 + 1", "turns": ["x", "y"]}\n', encoding="utf-8")
    return tmp_path


def loaded(folder: Path, text: str) -> EvaluationFile:
    path = folder / "eval.yaml"
    path.write_text(HEAD + text, encoding="utf-8")
    return load_evaluation(path)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(RejudgeError) as refused:
        loaded(folder, text)
    return str(refused.value).replace(f"{folder}/", "")


def digest_of(folder: Path, text: str) -> bytes:
    return loaded(folder, text).wish.tasks[0].config.digest()


def test_a_prompt_is_the_one_that_python_makes(folder: Path) -> None:
    text = """
task:
  prompt: [{role: system, content: Add.}, {role: user, content: "{{ question }}"}]
  model: openai/small
  parameters: {temperature: 0, seed: 3}
"""
    messages = [{"role": "system", "content": "Add."}, {"role": "user", "content": "{{ question }}"}]
    made = rejudge.prompt(messages, model="openai/small", temperature=0, seed=3)
    assert digest_of(folder, text) == made.config.digest()
    assert (
        digest_of(folder, 'task: {prompt: "{{ question }}", model: m}')
        == rejudge.prompt("{{ question }}", model="m").config.digest()
    )


def test_an_endpoint_is_the_one_that_python_makes(folder: Path) -> None:
    with FakeModelServer(lambda asked: Raw.of({"out": asked.body["q"]})) as server:
        text = f"task: {{http: '{server.root}/ask', body: {{q: '{{{{ question }}}}'}}, answer: $.out, name: mine}}"
        made = rejudge.http(f"{server.root}/ask", body={"q": "{{ question }}"}, answer="$.out")
        assert digest_of(folder, text) == made.config.digest()
        result = loaded(folder, text).evaluation(store=MemoryStore()).run()
    row = next(result.cases())
    assert row.trace is not None
    assert row.trace.produced.output == "1 + 1"


@pytest.mark.parametrize(
    "place", ["$.used", "{input_tokens: $.used.input_tokens, output_tokens: $.used.output_tokens}"]
)
def test_an_endpoint_in_a_file_says_where_its_usage_stands(folder: Path, place: str) -> None:
    used = {"input_tokens": 4, "output_tokens": 1}
    with FakeModelServer(lambda asked: Raw.of({"out": "2", "used": used})) as server:
        text = f"task: {{http: '{server.root}/ask', answer: $.out, usage: {place}}}"
        (row,) = loaded(folder, text).evaluation(store=MemoryStore()).run().cases()
    assert row.trace is not None
    assert row.trace.usage == rejudge.Usage(**used)
    assert "usage" in refusal(folder, "task: {http: 'http://h/x', usage: 3}")


AGENT = """
task:
  agent: "{{ question }}"
  model: m
  system: Help.
  tools:
    - name: add
      parameters: {type: object}
      simulated: [{arguments: {a: 1}, result: 2}]
    - {python: "tools_of_mine:shout", simulated: true}
  max_turns: 4
  max_cost: 1.5
"""


def test_an_agent_is_the_one_that_python_makes(folder: Path) -> None:
    (folder / "tools_of_mine.py").write_text("def shout(text: str) -> str:\n    return text.upper()\n")
    (task,) = loaded(folder, AGENT).wish.tasks
    from tools_of_mine import shout  # type: ignore[import-not-found]

    add = rejudge.tool("add", parameters={"type": "object"}, simulated=[{"arguments": {"a": 1}, "result": 2}])
    tools = [add, rejudge.tool(shout, simulated=shout)]
    made = rejudge.agent(
        "{{ question }}", model="m", system="Help.", tools=tools, max_turns=4, max_tool_calls=None, max_cost=1.5
    )
    assert task.config.settings == made.config.settings
    real = AGENT.replace(", simulated: true", "")
    allowed = loaded(folder, real + "allow_tools: [shout]\n").wish
    assert getattr(allowed.tasks[0], "real_tools", None) == ("shout",)
    assert allowed.settings.allow_tools == ("shout",)


def test_conversations_are_those_that_python_makes(folder: Path) -> None:
    (folder / "partner_of_mine.py").write_text("def answer(messages):\n    return messages[-1]['content']\n")
    user = rejudge.simulated_user(model="u", persona="p", goal="g")
    prompt = rejudge.prompt("{{ question }}", model="m")
    for text, made in (
        (
            'task: {conversation: {prompt: "{{ question }}", model: m}, user: ["a", "b"], max_turns: 3}',
            rejudge.conversation(prompt, user=["a", "b"], max_turns=3),
        ),
        (
            "task: {conversation: {agent: null, model: m}, user: {model: u, persona: p, goal: g}}",
            rejudge.conversation(rejudge.agent(model="m", max_tool_calls=None), user=user),
        ),
    ):
        assert digest_of(folder, text) == made.config.digest()
    text = 'task: {conversation: {python: "partner_of_mine:answer"}, user: "{{ turns }}"}'
    result = loaded(folder, text).evaluation(store=MemoryStore()).run()
    row = next(result.cases())
    assert row.trace is not None
    assert row.trace.produced.output == "y"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("task: {promt: x, model: m}", "did you mean 'prompt'"),
        ("task: {prompt: x}", "the key 'model' is missing"),
        ('task: {prompt: "{{ x", model: m}', "eval.yaml:2"),
        ("task: {prompt: x, model: m, temprature: 1}", "unknown key 'temprature'"),
        ("task: {prompt: x, model: m, parameters: {temprature: 1}}", "unknown parameter of a model"),
        ("task: {prompt: 3, model: m}", "a text, or a list of messages"),
        ("task: {http: 'ftp://x'}", "begins with http"),
        ("task: {http: 'https://x', headers: {Authorization: abc}}", "holds a secret"),
        ("task: {http: 'https://x', answer: '$..a'}", "more than one place"),
        ("task: {agent: x, model: m, tools: [{name: t}]}", "says nothing of how it is to run"),
        ("task: {agent: x, model: m, max_turns: 0}", "greater than or equal to 1"),
        ("task: {conversation: {prompt: x, model: m}, user: 3}", "a list of texts"),
        ("task: {conversation: {prompt: x, model: m}}", "the key 'user' is missing"),
    ],
)
def test_mistakes_are_told_with_their_place(folder: Path, text: str, words: str) -> None:
    said = refusal(folder, text)
    assert words in said
    assert said.startswith("eval.yaml:")


REMOTE = "task: {http: 'https://api.example.com/ask?v=1', headers: {Authorization: 'Bearer ${MY_KEY}'}}"


def test_a_key_of_a_header_goes_to_another_machine_only_once_that_is_approved(folder: Path) -> None:
    said = refusal(folder, REMOTE)
    assert "the key MY_KEY would be sent to https://api.example.com, which was not approved here" in said
    approve_hash(said.rpartition("rejudge trust ")[2])
    assert loaded(folder, REMOTE).wish.tasks[0].config.kind == "http"
    other = REMOTE.replace("api.example.com", "evil.example.com")
    assert "not approved" in refusal(folder, other)
    assert "in clear text" in refusal(folder, REMOTE.replace("https:", "http:"))


def test_a_file_is_approved_with_the_keys_of_its_endpoints_and_the_code_of_its_tools(folder: Path) -> None:
    path = folder / "eval.yaml"
    agent = "{agent: x, model: m, tools: [{name: t, code: 'def t(): return 1'}]}"
    path.write_text(f"{HEAD}tasks:\n- {REMOTE.removeprefix('task: ')}\n- {agent}\n", encoding="utf-8")
    approved = approve_file(path)
    assert [(one.scorer, one.key, one.address) for one in approved] == [
        ("t", None, None),
        (None, "MY_KEY", "https://api.example.com"),
    ]
    assert len(load_evaluation(path).wish.tasks) == 2


def test_code_of_a_tool_in_a_file_is_refused_until_it_is_trusted(folder: Path) -> None:
    pytest.importorskip("pydantic_monty")
    provider = rejudge.ScriptedProvider(lambda call: "done")
    text = "task: {agent: x, model: m, tools: [{name: t, code: 'def t(): return 1'}]}"
    wish = loaded(folder, text).wish

    def run() -> object:
        return rejudge.evaluate(folder / "items.jsonl", wish.tasks[0], provider=provider, store=MemoryStore())

    with pytest.raises(ConfigurationError, match="was not approved here"):
        run()
    assert provider.calls == []
    approve_file(folder / "eval.yaml")
    run()
    assert len(provider.calls) == 1
