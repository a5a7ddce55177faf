"""What an evaluation file may say. Loads pydantic, so it is imported when a file is read or its schema is printed."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import ConfigDict, Field, Tag

from rejudge.front.sections import Dependent, Section, by_key, path_or, told_apart
from rejudge.front.task_schema import FUNCTION, SAID, AgentTask, ConversationTask, HttpTask, PromptTask
from rejudge.runner.settings import Settings

DEFAULTS = Settings()


class Table(Section):
    """A file of items, and how its rows are read."""

    path: Annotated[str, Field(description="A CSV, JSONL, JSON, YAML or Parquet file.")]
    id: Annotated[
        str | None,
        Field(
            description="The path of a row's id, such as `meta.key`; `id` or else derived from what a task is given."
        ),
    ] = None
    fields: Annotated[
        dict[str, str] | None,
        Field(description="The fields of an item by name, each with its path in a row; all, as they are, if left out."),
    ] = None
    reference: Annotated[
        list[str], Field(description="Fields that only scorers see; correcting one costs no generation.")
    ] = []


class Recording(Section):
    """A file of recorded outputs, and where in its rows they are."""

    path: Annotated[str, Field(description="A CSV, JSONL, JSON, YAML or Parquet file.")]
    id: Annotated[str, Field(description="The path of the item's id in a row.")] = "id"
    output: Annotated[
        str, Field(description="The path of the output in a row; a list of messages is taken as the whole trace.")
    ] = "output"
    trial: Annotated[
        str | None,
        Field(description="The path of the trial's number; if left out, the rows of one id are its trials in order."),
    ] = None


class ReplayTask(Dependent):
    """A task whose outputs were recorded elsewhere; nothing is generated."""

    name: Annotated[str | None, Field(description="What the task is called; the file's name, if left out.")] = None
    replay: Annotated[
        Annotated[str, Tag("<path>")] | Annotated[Recording, Tag("<Recording>")],
        told_apart(path_or("<Recording>"), "the path of a file, or a mapping with its `path`"),
        Field(description="The file of recorded outputs, or a mapping that also says where in its rows they are."),
    ]


class PythonTask(Dependent):
    """A task that is a Python function."""

    python: Annotated[
        str, Field(description="`module:function`, installed or in the folder of this file.", pattern=FUNCTION)
    ]
    name: Annotated[str | None, Field(description="What the task is called; the function's name, if left out.")] = None
    version: Annotated[
        str | None, Field(description="Pins the function in place of its source: a changed source is no new task then.")
    ] = None


class PythonScorer(Section):
    """A scorer that is a Python function."""

    python: Annotated[
        str, Field(description="`module:function`, installed or in the folder of this file.", pattern=FUNCTION)
    ]
    name: Annotated[str | None, Field(description="What the scorer is called; its own name, if left out.")] = None
    version: Annotated[
        str | None, Field(description="Pins the function in place of its source: a changed source is no new scorer.")
    ] = None


class CatalogScorer(Section):
    """A scorer of the catalog: its type, and beside it the parameters of that type."""

    model_config = ConfigDict(extra="allow")

    type: Annotated[str, Field(description="The type of the scorer.")]


Task: TypeAlias = Annotated[
    Annotated[ReplayTask, Tag("<ReplayTask>")]
    | Annotated[PythonTask, Tag("<PythonTask>")]
    | Annotated[PromptTask, Tag("<PromptTask>")]
    | Annotated[HttpTask, Tag("<HttpTask>")]
    | Annotated[AgentTask, Tag("<AgentTask>")]
    | Annotated[ConversationTask, Tag("<ConversationTask>")],
    told_apart(
        by_key(
            replay="<ReplayTask>",
            python="<PythonTask>",
            prompt="<PromptTask>",
            http="<HttpTask>",
            agent="<AgentTask>",
            conversation="<ConversationTask>",
        ),
        "`{replay: FILE}`, `{python: module:function}`, `{prompt: …}`, `{http: …}`, `{agent: …}` "
        "or `{conversation: …}`",
    ),
]
Scorer: TypeAlias = Annotated[
    Annotated[CatalogScorer, Tag("<CatalogScorer>")] | Annotated[PythonScorer, Tag("<PythonScorer>")],
    told_apart(
        by_key(type="<CatalogScorer>", python="<PythonScorer>"),
        "`{type: exact_match, …}` or `{python: module:function}`",
    ),
]


def _kind_of_rule(value: object) -> str | None:
    return {str: "<rule>", int: "<number>", float: "<rate>"}.get(type(value))


class Server(Section):
    """A model server under a name: its models are then NAME/MODEL."""

    url: Annotated[str, Field(description="The address; up to and including `/v1` for OpenAI's interface.")]
    api: Annotated[
        Literal["openai", "anthropic"], Field(description="Whose interface it has: chat completions, or messages.")
    ] = "openai"
    key_from: Annotated[
        str | None,
        Field(description="The environment variable, or the keyring's entry under `rejudge`, that holds the key."),
    ] = None
    account: Annotated[
        str, Field(description="Tells accounts at one server apart; those of one name share their limits.")
    ] = "default"
    concurrency: Annotated[int | None, Field(description="How many calls at once, at most.", ge=1)] = None
    requests_per_minute: Annotated[int | None, Field(description="How many calls a minute.", ge=1)] = None
    tokens_per_minute: Annotated[int | None, Field(description="How many tokens a minute.", ge=1)] = None
    attempt_seconds: Annotated[float, Field(description="Seconds for one try of a call.", gt=0)] = 300.0
    total_seconds: Annotated[
        float, Field(description="Seconds for all tries of a call with the waits between them.", gt=0)
    ] = 900.0


class Policy(Section):
    """How often an item is run, and how many of its runs have to pass."""

    runs: Annotated[int, Field(description="How often each item is run.", ge=1)] = 1
    threshold: Annotated[int, Field(description="How many of the runs of an item have to pass.", ge=1)] = 1


class SuiteContent(Section):
    """What has to hold for every item, so that the evaluation passes or fails like a test: see `rejudge test`."""

    assertions: Annotated[list[str], Field(description="Statements that `model` holds against the output.")] = []
    scorers: Annotated[list[Scorer], Field(description="Scorers that every output has to pass.")] = []
    policy: Annotated[Policy, Field(description="What holds for items that have no `policy` of their own.")] = Policy()
    model: Annotated[
        str | None, Field(description="Who judges assertions, and items' own judges that name no model.")
    ] = None


class Select(Section):
    """Which items are evaluated: those with these ids, of these those that fit the filter, of these a sample, and of
    these the first ones."""

    ids: Annotated[
        list[str | int] | None, Field(description="Only the items with these ids; an empty list selects nothing.")
    ] = None
    filter: Annotated[
        str | None, Field(description='Only the items that fit, such as `difficulty >= 3 and topic = "history"`.')
    ] = None
    sample: Annotated[int | None, Field(description="So many items at random.", ge=1)] = None
    stratify: Annotated[
        str | None, Field(description="The field whose values have the same shares in the sample as in the dataset.")
    ] = None
    seed: Annotated[int | None, Field(description="What the sample depends on; 0, if left out.")] = None
    limit: Annotated[int | None, Field(description="Only the first so many items.", ge=1)] = None


class FileContent(Section):
    """An evaluation: a dataset, one task or several, and the scorers that judge what the tasks put out."""

    model_config = ConfigDict(
        title="rejudge evaluation file", json_schema_extra={"oneOf": [{"required": ["task"]}, {"required": ["tasks"]}]}
    )

    name: Annotated[
        str | None, Field(description="The experiment's name; `<dataset>/<task>`, if left out.", min_length=1)
    ] = None
    dataset: Annotated[
        Annotated[str, Tag("<path>")] | Annotated[Table, Tag("<Table>")],
        told_apart(path_or("<Table>"), "the path of a file, or a mapping with its `path`"),
        Field(description="The file of items, or a mapping that also says how its rows are read."),
    ]
    task: Annotated[Task | None, Field(description="What is evaluated.")] = None
    tasks: Annotated[list[Task] | None, Field(description="Instead of `task`: several.", min_length=1)] = None
    scorers: Annotated[list[Scorer], Field(description="What judges the outputs.")] = []
    suite: Annotated[
        SuiteContent | None, Field(description="What has to pass; further `scorers` judge, and decide nothing.")
    ] = None
    scoring_key_mapping: Annotated[
        dict[str, str],
        Field(
            description="Where scorers find what they ask for by another name, as dotted paths into the item and what "
            "the task returned: `{reference: expected}`."
        ),
    ] = {}
    select: Annotated[Select | None, Field(description="Which items are evaluated; all, if left out.")] = None
    trials: Annotated[int, Field(description="How often each item is tried.", ge=1)] = 1
    concurrency: Annotated[int, Field(description="How many task calls run at once.", ge=1)] = DEFAULTS.concurrency
    timeout: Annotated[float | None, Field(description="Seconds for one try of a task; null for no limit.", gt=0)] = (
        DEFAULTS.timeout
    )
    retries: Annotated[
        int, Field(description="Further tries after a transient error, such as a lost connection.", ge=0)
    ] = DEFAULTS.retries
    stop: Annotated[
        Annotated[Literal["never", "first error"], Tag("<rule>")]
        | Annotated[int, Field(ge=1), Tag("<number>")]
        | Annotated[float, Field(gt=0, le=1), Tag("<rate>")],
        told_apart(_kind_of_rule, "`never`, `first error`, a number of errors, or a rate such as 0.1"),
        Field(
            description="When a run gives up: never, at the first error, after so many, or beyond an error rate.",
            json_schema_extra=lambda said: said.update(anyOf=said.pop("oneOf")),  # 1 is a number of errors and a rate
        ),
    ] = "never"
    isolation: Annotated[
        Literal["thread", "process"],
        Field(description="Where synchronous tasks run; a process of their own can be ended at the timeout."),
    ] = "thread"
    span_wait: Annotated[
        float, Field(description="Seconds to wait for spans that are open after a task has returned.", ge=0)
    ] = DEFAULTS.span_wait
    provider: Annotated[
        str | None,
        Field(
            description="Who answers the model calls of tasks and scorers: `module:object`, an object with "
            "`async answer(call)` or a function or class that makes one.",
            pattern=FUNCTION,
        ),
    ] = None
    providers: Annotated[
        dict[str, Server],
        Field(
            description="Model servers by name. Models of `openai/…`, `anthropic/…` and others that are known by name "
            "need no entry."
        ),
    ] = {}
    prices: Annotated[
        str | None,
        Field(description="A YAML or JSON file of one's own prices, in US dollars for a million tokens."),
    ] = None
    store: Annotated[
        str | None, Field(description="Where records are kept: the path of an SQLite file, or `memory:`.")
    ] = None
    outputs: Annotated[
        list[str], Field(description="Other keys of a returned mapping that scorers may ask for by name.")
    ] = []
    allow_tools: Annotated[
        list[str], Field(description="Tools of agents that may run though they are neither simulated nor in a sandbox.")
    ] = []


SECTIONS: dict[str, type[Section]] = {
    f"<{model.__name__}>": model for model in (Table, Recording, ReplayTask, PythonTask, PythonScorer, CatalogScorer)
} | SAID
"""The models by the tags that tell them apart."""

TAGS = frozenset({*SECTIONS, "<path>", "<text>", "<list>", "<rule>", "<number>", "<rate>"})
"""What stands in an error's location without standing in the file."""
