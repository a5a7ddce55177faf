"""An evaluation file says what `evaluate` can be told, and every mistake in it is told with its place."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rejudge.domain.errors import ConfigurationError, FileMissing, RejudgeError, UnknownName
from rejudge.front.evaluation_file import load_evaluation, load_scorers, scorers_in
from rejudge.runner.settings import Isolation, Settings, Stop

MINIMAL = "dataset: items.jsonl\ntask: {replay: outputs.jsonl}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "items.jsonl").write_text('{"id": "a", "question": "1 + 1", "answer": "2"}\n', encoding="utf-8")
    (tmp_path / "outputs.jsonl").write_text('{"id": "a", "output": "2", "texts": {"b": "3"}}\n', encoding="utf-8")
    return tmp_path


def written(folder: Path, text: str, name: str = "eval.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(folder: Path, text: str, name: str = "eval.yaml") -> str:
    """What is said about a file, with the folder left out."""
    with pytest.raises(RejudgeError) as refused:
        load_evaluation(written(folder, text, name))
    return str(refused.value).replace(f"{folder}/", "")


def test_a_file_says_everything_that_evaluate_can_be_told(folder: Path) -> None:
    path = written(
        folder,
        """
name: sums
dataset: {path: items.jsonl, id: id, fields: {question: question, gold: answer}, reference: [gold]}
tasks:
  - {name: plain, replay: outputs.jsonl}
  - {name: other, replay: {path: outputs.jsonl, output: texts.b}}
scorers:
  - {type: exact_match, name: right, reference_key: gold, value_expression: final_message | final_number}
trials: 2
concurrency: 3
timeout: 1.5
retries: 0
stop: 5
isolation: process
store: kept/here.db
outputs: [confidence]
""",
    )
    file = load_evaluation(path)
    wish = file.wish
    assert file.store == str(folder / "kept/here.db")
    assert (wish.name, wish.trials, wish.outputs, wish.source) == ("sums", 2, ("confidence",), str(path))
    assert wish.dataset == folder / "items.jsonl"
    assert (wish.spec.id, wish.spec.fields, wish.spec.reference) == (
        "id",
        {"question": "question", "gold": "answer"},
        ("gold",),
    )
    assert [task.config.name for task in wish.tasks] == ["plain", "other"]
    assert [scorer.config.name for scorer in wish.scorers] == ["right"]
    assert wish.settings == Settings(
        concurrency=3, timeout=1.5, retries=0, stop=Stop(errors=5), isolation=Isolation.PROCESS
    )


def test_a_short_file_takes_the_defaults_of_evaluate(folder: Path) -> None:
    file = load_evaluation(written(folder, MINIMAL))
    assert file.store == "rejudge.db"
    assert file.wish.settings == Settings()
    assert (file.wish.name, file.wish.trials, file.wish.scorers) == (None, 1, ())
    assert [task.config.name for task in file.wish.tasks] == ["outputs"]


def test_json_says_the_same_as_yaml(folder: Path) -> None:
    said = '{"dataset": "items.jsonl", "task": {"replay": "outputs.jsonl"}, "stop": "first error"}'
    assert load_evaluation(written(folder, said, "eval.json")).wish.settings.stop == Stop(errors=1)


@pytest.mark.parametrize(
    ("said", "stop"),
    [("never", Stop()), ("first error", Stop(errors=1)), ("1", Stop(errors=1)), ("0.1", Stop(rate=0.1))],
)
def test_a_stop_rule_is_a_word_a_number_or_a_rate(folder: Path, said: str, stop: Stop) -> None:
    assert load_evaluation(written(folder, f"{MINIMAL}stop: {said}\n")).wish.settings.stop == stop


@pytest.mark.parametrize("address", ["memory:", "sqlite:///kept.db"])
def test_an_address_is_no_path_of_the_folder(folder: Path, address: str) -> None:
    assert load_evaluation(written(folder, f'{MINIMAL}store: "{address}"\n')).store == address


def test_the_settings_of_a_file_give_way_to_what_is_said_beside_it(folder: Path) -> None:
    file = load_evaluation(written(folder, f"{MINIMAL}concurrency: 3\n"))
    assert file.at_once(7).wish.settings.concurrency == 7
    assert file.at_once(None).wish.settings.concurrency == 3


MISTAKES = [
    ("trails: 3\n", "eval.yaml:3:1: unknown key 'trails'\n  next: did you mean 'trials'?"),
    ("name: 7\n", "eval.yaml:3:1: name should be text, not 7\n  next: write it in quotes"),
    ("trials: '3'\n", "eval.yaml:3:1: trials should be a whole number, not '3'\n  next: write it without quotes"),
    ("trials: 0\n", "eval.yaml:3:1: trials should be greater than or equal to 1, not 0"),
    ("concurrency: many\n", "eval.yaml:3:1: concurrency should be a whole number, not 'many'"),
    ("timeout: 0\n", "eval.yaml:3:1: timeout should be greater than 0, not 0"),
    ("stop: always\n", "eval.yaml:3:1: stop should be 'never' or 'first error', not 'always'"),
    ("stop: 1.5\n", "eval.yaml:3:1: stop should be less than or equal to 1, not 1.5"),
    ("stop: true\n", "eval.yaml:3:1: stop should be `never`, `first error`, a number of errors, or a rate"),
    ("outputs: confidence\n", "eval.yaml:3:1: outputs should be a list, not 'confidence'"),
    ("scorers:\n  - 3\n", "eval.yaml:4:5: scorers.0 should be `{type: exact_match, …}` or `{python: module:function}`"),
    ("scorers: [contains]\n", "next: write `{type: contains}`"),
    ("scorers: [app:right]\n", "next: write `{python: app:right}`"),
    (
        "provider: {python: app:ask}\n",
        "not a mapping of python\n  next: write it as one text: `provider: module:object`",
    ),
    (
        "suite: {scorers: [The answer is polite]}\n",
        "not 'The answer is polite'\n  next: a statement that a model judges stands under `assertions:`",
    ),
    ("suite: {polcy: {runs: 2}}\n", "unknown key 'polcy'\n  next: did you mean 'policy'? known: assertions, model"),
    ("suite: {policy: {rns: 2}}\n", "unknown key 'rns'\n  next: did you mean 'runs'? known: runs, threshold"),
    ("scorers:\n  - tpye: contains\n", "next: did you mean 'type' instead of 'tpye'?"),
    (
        "scorers:\n  - type: exactmatch\n",
        "eval.yaml:4:5: unknown scorer type 'exactmatch'\n  next: did you mean 'exact_match'?",
    ),
    (
        "scorers:\n  - type: exact_match\n    refrence_key: answer\n",
        "eval.yaml:5:5: unknown parameter of exact_match 'refrence_key'\n  next: did you mean 'reference_key'?",
    ),
    (
        "scorers:\n  - type: exact_match\n    reference_key: answer\n    value_expression: output | final_nmber\n",
        "eval.yaml:6:5: value_expression:1:10: unknown filter 'final_nmber'\n  next: did you mean 'final_number'?",
    ),
    ("scorers:\n  - {type: exact_match}\n", "eval.yaml:4:5: exactly one of expected_value and"),
    ("scorers:\n  - {type: contains, substring: x, case_sensitive: 1}\n", "eval.yaml:4:5: contains: case_sensitive"),
    ("scorers:\n  - python: judge\n", "eval.yaml:4:5: scorers.0.python should be module:function, not 'judge'"),
]


def test_a_word_in_place_of_a_number_is_not_told_to_lose_quotes(folder: Path) -> None:
    said = refusal(folder, f"{MINIMAL}trials: two\n")
    assert "trials should be a whole number, not 'two'" in said
    assert "quotes" not in said


@pytest.mark.parametrize(("more", "told"), MISTAKES, ids=[more.replace("\n", " ") for more, _ in MISTAKES])
def test_a_mistake_is_told_with_its_place_and_the_nearest_right_word(folder: Path, more: str, told: str) -> None:
    assert told in refusal(folder, MINIMAL + more)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("dataset: items.jsonl\n", "eval.yaml:1:1: the key 'task' is missing\n  next: give one `task`"),
        ("task: {replay: outputs.jsonl}\n", "eval.yaml:1:1: the key 'dataset' is missing"),
        (MINIMAL + "tasks: [{replay: outputs.jsonl}]\n", "eval.yaml:3:1: 'task' and 'tasks' exclude each other"),
        ("dataset: items.jsonl\ntasks: []\n", "eval.yaml:2:1: tasks should not be empty"),
        ("dataset: items.jsonl\ntask: outputs.jsonl\n", "eval.yaml:2:1: task should be `{replay: FILE}`"),
        (
            "dataset: items.jsonl\ntask: {replay: {path: outputs.jsonl, ouput: text}}\n",
            "eval.yaml:2:38: unknown key 'ouput'\n  next: did you mean 'output'?",
        ),
        (
            "dataset: {pth: items.jsonl}\ntask: {replay: outputs.jsonl}\n",
            "eval.yaml:1:1: the key 'path' is missing in dataset\neval.yaml:1:11: unknown key 'pth'",
        ),
        (
            "dataset: {path: items.jsonl, fields: {}}\ntask: {replay: outputs.jsonl}\n",
            "eval.yaml:1:30: fields names no field",
        ),
        ("- 1\n", "eval.yaml:1:1: the file should be a mapping, not a list"),
        ("just words\n", "eval.yaml:1:1: the file should be a mapping, not 'just words'"),
        ("", "eval.yaml: the file is empty"),
        ("dataset: [\n", "this is not YAML"),
        ("dataset: a\ndataset: b\n", "eval.yaml:2:1: the key 'dataset' stands here and on line 1"),
    ],
)
def test_a_file_that_is_no_evaluation_is_refused(folder: Path, text: str, told: str) -> None:
    assert told in refusal(folder, text)


def test_one_error_tells_all_mistakes_of_a_file_from_top_to_bottom(folder: Path) -> None:
    said = refusal(folder, "nmae: x\ndataset: 3\ntask: {replay: outputs.jsonl}\nscorers:\n  - 1\ntrials: few\n")
    assert said.splitlines()[0] == "eval.yaml: 4 mistakes"
    assert [line.partition(" ")[0] for line in said.splitlines() if line.startswith("eval.yaml:")][1:] == [
        "eval.yaml:1:1:",
        "eval.yaml:2:1:",
        "eval.yaml:5:5:",
        "eval.yaml:6:1:",
    ]


def test_a_file_that_is_not_there_is_told_with_the_nearest_one_that_is(folder: Path) -> None:
    written(folder, MINIMAL)
    with pytest.raises(FileMissing, match=r"did you mean .*eval\.yaml"):
        load_evaluation(folder / "evl.yaml")
    assert "did you mean" in refusal(folder, "dataset: items.jsonl\ntask: {replay: output.jsonl}\n")
    assert refusal(folder, "name: x\ndataset: {path: item.jsonl}\ntask: {replay: outputs.jsonl}\n") == (
        "eval.yaml:2:11: item.jsonl: there is no such file\n  next: did you mean items.jsonl?"
    )


def test_a_folder_and_a_dataset_are_told_to_be_no_evaluation(folder: Path) -> None:
    written(folder, MINIMAL)
    with pytest.raises(ConfigurationError, match=r"this is a folder, not an evaluation file\n.*eval\.yaml"):
        load_evaluation(folder)
    with pytest.raises(ConfigurationError, match=r"a \.jsonl file is no evaluation file\n  next: this is a dataset"):
        load_evaluation(folder / "items.jsonl")
    assert refusal(folder, "- {question: 1 + 1}\n").startswith(
        "eval.yaml:1:1: the file should be a mapping, not a list\n  next: this is a dataset"
    )


def test_another_kind_of_file_is_refused(folder: Path) -> None:
    with pytest.raises(UnknownName, match=r"unknown document type '\.toml'"):
        load_evaluation(written(folder, MINIMAL, "eval.toml"))


def with_module(folder: Path, name: str, source: str) -> Path:
    """A module of the folder, which nothing has imported from another one."""
    sys.modules.pop(name, None)
    written(folder, source, f"{name}.py")
    return folder


def test_functions_are_found_in_the_folder_of_the_file(folder: Path) -> None:
    with_module(
        folder,
        "found_beside",
        "def answer(question):\n    return question\n\ndef right(output, answer):\n    return output == answer\n",
    )
    file = load_evaluation(
        written(
            folder,
            "dataset: items.jsonl\n"
            "task: {python: found_beside:answer, name: echo, version: '1', depends_on: {tool_schema_version: v1}}\n"
            "scorers: [{python: found_beside:right, name: correct}]\n",
        )
    )
    (task,), (scorer,) = file.wish.tasks, file.wish.scorers
    assert (task.config.name, scorer.config.name) == ("echo", "correct")
    assert task.config.depends_on == {"tool_schema_version": "v1"}
    assert task.needs == {"question"}
    assert scorer.needs == {"answer"}
    assert sys.path[-1] == str(folder)


def test_a_module_in_the_folder_that_an_installed_one_hides_is_told(folder: Path) -> None:
    with_module(folder, "colorsys", "def answer(question):\n    return question\n")
    said = python_refusal(folder, "colorsys:answer")
    assert said.startswith("eval.yaml:2:8: the module colorsys that Python has is another one, which hides colorsys.py")
    assert "next: give the file another name" in said


def python_refusal(folder: Path, reference: str) -> str:
    return refusal(folder, f"dataset: items.jsonl\ntask: {{python: '{reference}'}}\n")


def test_a_function_that_is_not_there_is_told_with_the_nearest_name(folder: Path) -> None:
    with_module(folder, "named_nearly", "LIMIT = 3\n\ndef answer(item):\n    return 1\n")
    assert python_refusal(folder, "named_nealy:answer").startswith(
        "eval.yaml:2:8: unknown module 'named_nealy'\n  next: did you mean 'named_nearly'?"
    )
    assert python_refusal(folder, "named_nearly:anser").startswith(
        "eval.yaml:2:8: unknown function of named_nearly 'anser'\n  next: did you mean 'answer'?"
    )
    assert python_refusal(folder, "named_nearly:LIMIT") == "eval.yaml:2:8: named_nearly:LIMIT is a int, not a function"


@pytest.mark.parametrize(
    ("name", "source", "line", "told"),
    [
        ("raises_on_import", "import os\n\n\ndef build():\n    return {}['x']\n\n\nbuild()\n", 5, "KeyError: 'x'"),
        ("imports_nothing", "import surely_not_installed\n", 1, "ModuleNotFoundError: No module named"),
        ("does_not_parse", "def answer(item)\n    return 1\n", 1, "SyntaxError: expected ':'"),
        ("exits_on_import", "raise SystemExit(4)\n", 1, "SystemExit: 4"),
    ],
)
def test_a_module_that_fails_is_told_with_its_own_line(
    folder: Path, name: str, source: str, line: int, told: str
) -> None:
    with_module(folder, name, source)
    said = python_refusal(folder, f"{name}:answer")
    assert said.startswith(f"{name}.py:{line}: {told}")
    assert f"eval.yaml:2:8 had the module '{name}' imported" in said


def test_a_task_that_does_not_state_what_its_scenario_asks_for_is_refused_at_its_place(folder: Path) -> None:
    with_module(folder, "an_agent", "def answer(item):\n    return 1\n")
    said = refusal(folder, "dataset: items.jsonl\ntask: {python: an_agent:answer, scenario: agent}\n")
    assert said.startswith("eval.yaml:2:1: task 'answer' is declared as 'agent' but does not state")
    assert 'add `depends_on: {agent_config_version: …}`, or say "not_applicable"' in said


PROVIDERS = """
class Echo:
    async def answer(self, call):
        return call

class Needy:
    def __init__(self, key):
        self.key = key

def made():
    return Echo()

ready = Echo()
LIMIT = 3
"""


@pytest.mark.parametrize("name", ["ready", "made", "Echo"])
def test_a_provider_is_an_object_or_what_makes_one(folder: Path, name: str) -> None:
    with_module(folder, "providers_here", PROVIDERS)
    file = load_evaluation(written(folder, f"{MINIMAL}provider: 'providers_here:{name}'\n"))
    assert type(file.provider).__name__ == "Echo"
    assert load_evaluation(written(folder, MINIMAL)).provider is None


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("LIMIT", "eval.yaml:3:1: providers_wrong:LIMIT is no provider: a int does not answer model calls"),
        ("redy", "eval.yaml:3:1: unknown object of providers_wrong 'redy'\n  next: did you mean 'ready'?"),
        ("Needy", "TypeError: Needy.__init__() missing 1 required positional argument: 'key'"),
    ],
)
def test_what_is_no_provider_is_refused_at_its_place(folder: Path, name: str, told: str) -> None:
    with_module(folder, "providers_wrong", PROVIDERS)
    said = refusal(folder, f"{MINIMAL}provider: providers_wrong:{name}\n")
    assert told in said
    assert "eval.yaml:3:1" in said


def test_scorers_are_read_from_a_list_from_an_evaluation_and_from_a_line(folder: Path) -> None:
    entry = "- {type: contains, name: polite, substring: please}\n"
    listed = load_scorers(written(folder, entry, "scorers.yaml"))
    inside = load_scorers(written(folder, f"{MINIMAL}scorers:\n  {entry}"))
    inline = scorers_in("{type: contains, name: polite, substring: please}", called="--scorer")
    both = scorers_in("[{type: contains, substring: x}, {type: contains, substring: y, name: z}]", called="--scorer")
    assert {scorer.config.digest() for (scorer,) in (listed, inside, inline)} == {listed[0].config.digest()}
    assert [scorer.config.name for scorer in both] == ["contains", "z"]


def test_scorers_that_are_none_are_told_with_their_place(folder: Path) -> None:
    with pytest.raises(UnknownName, match="--scorer:1:2: unknown scorer type 'contain'"):
        scorers_in("{type: contain}", called="--scorer")
    with pytest.raises(ConfigurationError, match="there is no scorer"):
        load_scorers(written(folder, MINIMAL + "scorers: []\n"))
    with pytest.raises(ConfigurationError, match=r"scorers should be a list, not null"):
        load_scorers(written(folder, MINIMAL))


def test_a_file_names_model_servers_with_their_limits_and_a_price_table(folder: Path) -> None:
    (folder / "prices.yaml").write_text("date: 2026-01-01\nmodels: {near/m: {input: 1, output: 2}}\n")
    text = MINIMAL + "providers:\n  near: {url: 'http://127.0.0.1:1/v1', concurrency: 3, account: mine}\n"
    text += "  far: {url: 'http://127.0.0.1:2', api: anthropic}\nprices: prices.yaml\n"
    file = load_evaluation(written(folder, text))
    assert isinstance(file.provider, dict)
    assert sorted(file.provider) == ["far", "near"]
    near = file.provider["near"]
    assert (near.account, near.limits.concurrency) == ("127.0.0.1:1/mine", 3)
    assert file.prices is not None


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("providers:\n  near: {url: 'ftp://host'}\n", "eval.yaml:4"),
        ("providers:\n  near: {url: 'http://a:b@host/v1'}\n", "credentials"),
        ("providers:\n  near: {url: 'http://127.0.0.1', key_from: NO_SUCH_KEY}\n", "eval.yaml:4"),
        ("providers:\n  near: {url: 'http://host', key_form: K}\n", "did you mean 'key_from'"),
        ("providers:\n  near: {}\n", "'url' is missing"),
        ("provider: tasks:p\nproviders:\n  near: {url: 'http://host'}\n", "exclude each other"),
        ("prices: nowhere.yaml\n", "nowhere.yaml"),
    ],
)
def test_a_mistake_about_a_model_server_is_told_with_its_place(folder: Path, more: str, told: str) -> None:
    assert told in refusal(folder, MINIMAL + more)
