"""What an evaluation file may say of tasks that need no Python: prompts, endpoints, agents and conversations."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Discriminator, Field, Tag

from rejudge.front.sections import Dependent, Section, by_key, told_apart

FUNCTION = r"^[\w.]+:[\w.]+$"
"""A function or an object as a file names it."""


def _text_or_list(value: object) -> str | None:
    return "<text>" if isinstance(value, str) else "<list>" if isinstance(value, list) else None


Messages: TypeAlias = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[list[dict[str, object]], Tag("<list>")],
    told_apart(_text_or_list, "a text, or a list of messages with a role and content"),
]

UsagePlace: TypeAlias = Annotated[
    Annotated[str, Tag("<text>")] | Annotated[dict[str, str], Tag("<mapping>")],
    told_apart(
        lambda value: "<text>" if isinstance(value, str) else "<mapping>" if isinstance(value, dict) else None,
        "a place, or a mapping with the places of input_tokens, output_tokens and cost",
    ),
]

Name: TypeAlias = Annotated[str | None, Field(description="What the task is called; made of what it is, if left out.")]
Model: TypeAlias = Annotated[str, Field(description="The model, as PROVIDER/MODEL.", min_length=1)]
Parameters: TypeAlias = Annotated[
    dict[str, object],
    Field(description="How the model is asked: temperature, top_p, max_tokens, seed, stop, response_schema, extra."),
]


class PromptTask(Dependent):
    """A task that is a prompt and a model."""

    prompt: Annotated[
        Messages, Field(description="A text or messages; `{{ question }}` stands for a field of the item.")
    ]
    model: Model
    parameters: Parameters = {}
    name: Name = None


class HttpTask(Section):
    """A task that is an HTTP endpoint."""

    http: Annotated[str, Field(description="The address; placeholders may stand in its path and query.")]
    method: Annotated[Literal["GET", "POST", "PUT", "PATCH", "DELETE"], Field(description="The method.")] = "POST"
    headers: Annotated[
        dict[str, str],
        Field(description="Headers. `${NAME}` stands for a value of the environment, which is written nowhere."),
    ] = {}
    body: Annotated[
        object, Field(description="What is sent: text as it is, anything else as JSON, with placeholders in its texts.")
    ] = None
    answer: Annotated[
        str | None,
        Field(description="Where the answer stands: `$.choices[0].message.content`, or an expression over `body`."),
    ] = None
    usage: Annotated[
        UsagePlace | None,
        Field(
            description="Where the reply says what it used: an object, `$.usage`, or `{input_tokens: $.meta.in, …}`."
        ),
    ] = None
    stream: Annotated[
        Literal["auto", "lines"],
        Field(description="`lines` takes every line of the reply as JSON; `auto` goes by what the reply says it is."),
    ] = "auto"
    concurrency: Annotated[int | None, Field(description="How many requests at once, at most.", ge=1)] = None
    requests_per_minute: Annotated[int | None, Field(description="How many requests a minute.", ge=1)] = None
    attempt_seconds: Annotated[float, Field(description="Seconds for one try of a request.", gt=0)] = 120.0
    total_seconds: Annotated[float, Field(description="Seconds for all tries of a request.", gt=0)] = 600.0
    depends_on: Annotated[
        dict[str, object], Field(description="What an answer depends on beyond the request, such as a version.")
    ] = {}
    name: Name = None


class NamedTool(Section):
    """A tool that is simulated by a table, or run as code in a sandbox."""

    name: Annotated[str, Field(description="What the model calls it.")]
    description: Annotated[str, Field(description="What the model is told of it.")] = ""
    parameters: Annotated[dict[str, object] | None, Field(description="The JSON Schema of its arguments.")] = None
    simulated: Annotated[
        list[dict[str, object]] | None,
        Field(description="Rows `{arguments: …, result: …}`; the first whose arguments are those of the call counts."),
    ] = None
    code: Annotated[str | None, Field(description="Python with a function of the tool's name, for a sandbox.")] = None
    sandbox: Annotated[Literal["monty", "bubblewrap"], Field(description="Where the code runs.")] = "monty"


class PythonTool(Section):
    """A tool that is a Python function; unless it is simulated, `allow_tools` has to name it."""

    python: Annotated[
        str, Field(description="`module:function`, installed or in the folder of this file.", pattern=FUNCTION)
    ]
    simulated: Annotated[bool, Field(description="Whether the function only stands for the tool.")] = False
    name: Annotated[str | None, Field(description="What the model calls it; the function's name, if left out.")] = None
    description: Annotated[str, Field(description="What the model is told; the docstring, if left out.")] = ""
    parameters: Annotated[
        dict[str, object] | None, Field(description="The JSON Schema of its arguments; the signature's, if left out.")
    ] = None


Tool: TypeAlias = Annotated[
    Annotated[PythonTool, Tag("<PythonTool>")] | Annotated[NamedTool, Tag("<NamedTool>")],
    told_apart(by_key(python="<PythonTool>", name="<NamedTool>"), "`{name: …, simulated: […]}` or `{python: …}`"),
]


class Capped(Dependent):
    """Caps of one trial; reaching one ends it as completed, with the limit recorded."""

    max_tool_calls: Annotated[int | None, Field(description="Calls of tools, at most.", ge=1)] = None
    max_tokens: Annotated[int | None, Field(description="Tokens of all calls of models together.", ge=1)] = None
    max_cost: Annotated[float | None, Field(description="US dollars of all calls of models together.", gt=0)] = None
    max_seconds: Annotated[float | None, Field(description="Seconds after which nothing more is begun.", gt=0)] = None
    max_repeats: Annotated[
        int | None, Field(description="The same exchange so many times in a row is a loop; null for no cap.", ge=2)
    ] = 3


class AgentTask(Capped):
    """A task that is a model with tools."""

    agent: Annotated[
        Messages | None,
        Field(description="The prompt, a text or messages; null for an agent that only takes part in a conversation."),
    ]
    model: Model
    system: Annotated[str | None, Field(description="The system message.")] = None
    tools: Annotated[list[Tool], Field(description="What the model may call.")] = []
    max_turns: Annotated[int | None, Field(description="How often the model is asked, at most.", ge=1)] = 10
    parameters: Parameters = {}
    name: Name = None


class PythonPartner(Section):
    """A function that takes `messages` and gives what comes next."""

    python: Annotated[
        str, Field(description="`module:function`, installed or in the folder of this file.", pattern=FUNCTION)
    ]


class SimulatedUser(Section):
    """A model that plays the user."""

    model: Model
    persona: Annotated[str, Field(description="Who it is.", min_length=1)]
    goal: Annotated[str, Field(description="What it wants.", min_length=1)]
    stop: Annotated[str | None, Field(description="When it ends the conversation, in words.")] = None
    opening: Annotated[str | None, Field(description="Its first message, as it is.")] = None
    parameters: Parameters = {}


def _user(value: object) -> str | None:
    return "<SimulatedUser>" if isinstance(value, dict) else _text_or_list(value)


class ConversationTask(Capped):
    """A task that is a conversation."""

    conversation: Annotated[
        Annotated[PromptTask, Tag("<PromptTask>")]
        | Annotated[AgentTask, Tag("<AgentTask>")]
        | Annotated[HttpTask, Tag("<HttpTask>")]
        | Annotated[PythonPartner, Tag("<PythonPartner>")],
        told_apart(
            by_key(prompt="<PromptTask>", agent="<AgentTask>", http="<HttpTask>", python="<PythonPartner>"),
            "`{prompt: …}`, `{agent: …}`, `{http: …}` or `{python: module:function}`",
        ),
        Field(description="The system."),
    ]
    user: Annotated[
        Annotated[str, Tag("<text>")]
        | Annotated[list[str], Tag("<list>")]
        | Annotated[SimulatedUser, Tag("<SimulatedUser>")],
        Discriminator(
            _user,
            custom_error_type="kind",
            custom_error_message="Input should be a list of texts, a field such as '{{ turns }}', or `{model: …}`",
        ),
        Field(description="What the user says: a list of texts, a field with such a list, or a model that plays."),
    ]
    max_turns: Annotated[int | None, Field(description="How often the system speaks, at most.", ge=1)] = 20
    name: Name = None


SAID: dict[str, type[Section]] = {
    f"<{model.__name__}>": model
    for model in (
        PromptTask,
        HttpTask,
        AgentTask,
        ConversationTask,
        NamedTool,
        PythonTool,
        PythonPartner,
        SimulatedUser,
    )
}
"""The models by the tags that tell them apart."""
