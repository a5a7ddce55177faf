"""Agents, their tools, and conversations with them, as people make them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from rejudge.domain.arguments import list_in, mapping_in, optional_text_in, text_in
from rejudge.domain.errors import ConfigurationError
from rejudge.tasks.agent import AgentTask, Form
from rejudge.tasks.caps import Caps
from rejudge.tasks.conversation import ConversationTask
from rejudge.tasks.function_partner import FunctionPartner
from rejudge.tasks.sampling import sampling_of
from rejudge.tasks.tool import Tool, tool_of
from rejudge.tasks.user import ScriptedUser, SimulatedUser

if TYPE_CHECKING:
    from rejudge.tasks.partner import Partner


def tool(
    name: str | Callable[..., object],
    *,
    named: str | None = None,
    description: str = "",
    parameters: Mapping[str, object] | None = None,
    simulated: Callable[..., object] | Sequence[Mapping[str, object]] | None = None,
    code: str | None = None,
    sandbox: str = "monty",
) -> Tool:
    """A tool for an agent.

    Args:
        name: what it is called; or a function, by which it is named and described. Without `simulated` that function
            really acts, and runs only where the run allows it by name: `allow_tools=["refund"]`.
        named: another name for a function.
        description: what the model is told of it; by default the function's docstring.
        parameters: the JSON Schema of its arguments; by default from the function's signature.
        simulated: a function that stands for the tool, or a table of rows
            `{"arguments": {"order": 7}, "result": "refunded"}`, or with an `error` in place of the result. The first
            row fits whose arguments are those of the call; a row without arguments fits every call.
        code: Python text with a function of the tool's name, run in a sandbox.
        sandbox: which one.

    What a tool raises is told to the agent, but for errors of rejudge (`TaskError`, `Transient`), which fail the trial.
    """
    function = name if callable(name) else None
    called = getattr(name, "__name__", "") if callable(name) else name
    return Tool(
        text_in("name", named or called),
        description=text_in("description", description),
        parameters=None if parameters is None else mapping_in("parameters", parameters),
        simulated=simulated,
        function=function,
        code=optional_text_in("code", code),
        sandbox=sandbox,
    )


def agent(
    prompt: str | Sequence[Mapping[str, object]] | None = None,
    *,
    model: str,
    system: str | None = None,
    tools: Sequence[Tool | Callable[..., object]] = (),
    max_turns: int | None = 10,
    max_tool_calls: int | None = 50,
    max_tokens: int | None = None,
    max_cost: float | None = None,
    max_seconds: float | None = None,
    max_repeats: int | None = 3,
    parameters: Mapping[str, object] | None = None,
    name: str | None = None,
    depends_on: Mapping[str, object] | None = None,
    scenario: str | None = None,
) -> AgentTask:
    """An agent as a task: the model is asked until it answers without calling a tool.

    Args:
        prompt: as for `rejudge.prompt`; without it the agent can only take part in a `conversation`.
        model: PROVIDER/MODEL.
        system: the system message; it may have placeholders.
        tools: what `tool(...)` made, or functions, which act for real.
        max_turns: how often the model is asked, at most.
        max_tool_calls, max_tokens, max_cost, max_seconds: further caps; tokens and cost (in US dollars) are those of
            all its calls together.
        max_repeats: the same calls of tools with the same results so many times in a row are a loop.
        parameters: how the model is asked: temperature, top_p, max_tokens, seed, stop, response_schema, extra.
        name: the task's name, by default the model's.
        depends_on, scenario: as for `evaluate`.

    A cap that is reached ends the trial as completed, with the limit in `metadata`. The whole conversation with every
    call of a tool and its result is the trace.
    """
    caps = Caps(
        steps=max_turns,
        tool_calls=max_tool_calls,
        tokens=max_tokens,
        cost=max_cost,
        seconds=max_seconds,
        repeats=max_repeats,
    )
    sampling = sampling_of(mapping_in("parameters", parameters))
    return AgentTask(
        Form(model=model, prompt=prompt, system=system, sampling=sampling, caps=caps),
        [tool_of(one) for one in list_in("tools", tools)],
        name=optional_text_in("name", name),
        depends_on=mapping_in("depends_on", depends_on),
        scenario=optional_text_in("scenario", scenario),
    )


def simulated_user(
    *,
    model: str,
    persona: str,
    goal: str,
    stop: str | None = None,
    opening: str | None = None,
    parameters: Mapping[str, object] | None = None,
) -> SimulatedUser:
    """A model that plays the user of a conversation.

    `persona`, `goal`, `stop` (the rule by which it ends the conversation, in words) and `opening` (its first message,
    as it is) may have placeholders for fields of the item. `parameters` say how the model is asked.
    """
    return SimulatedUser(
        model=model,
        persona=persona,
        goal=goal,
        stop=optional_text_in("stop", stop),
        opening=optional_text_in("opening", opening),
        sampling=sampling_of(mapping_in("parameters", parameters)),
    )


def conversation(
    task: Partner | Callable[..., object],
    *,
    user: SimulatedUser | Sequence[str] | str,
    max_turns: int | None = 20,
    max_tool_calls: int | None = None,
    max_tokens: int | None = None,
    max_cost: float | None = None,
    max_seconds: float | None = None,
    max_repeats: int | None = 3,
    name: str | None = None,
    depends_on: Mapping[str, object] | None = None,
    scenario: str | None = None,
) -> ConversationTask:
    """A conversation as a task; the whole of it is one trace.

    Args:
        task: the system: a `prompt(...)`, an `agent(...)`, an `http(...)` whose body names `{{ messages }}` or
            `{{ message }}`, or a function that takes `messages` and gives what comes next.
        user: what the user says, as a list of texts with placeholders; a field with such a list, as `"{{ turns }}"`; or
            a `simulated_user(...)`.
        max_turns: how often the system speaks, at most.
        max_tool_calls, max_tokens, max_cost, max_seconds: further caps on everything together, the simulated user too.
        max_repeats: the same exchange so many times in a row is a loop.
        name: the task's name, by default the system's.
        depends_on, scenario: as for `evaluate`.

    A cap that is reached ends the trial as completed, with the limit in `metadata`; `timeout=` of `evaluate` is an
    error instead. What the system said last is the output.
    """
    caps = Caps(
        turns=max_turns,
        tool_calls=max_tool_calls,
        tokens=max_tokens,
        cost=max_cost,
        seconds=max_seconds,
        repeats=max_repeats,
    )
    return ConversationTask(
        _partner(task),
        user if isinstance(user, SimulatedUser) else ScriptedUser(user),
        caps=caps,
        name=optional_text_in("name", name),
        depends_on=mapping_in("depends_on", depends_on),
        scenario=optional_text_in("scenario", scenario),
    )


def _partner(task: object) -> Partner:
    if hasattr(task, "turn") and hasattr(task, "opening"):
        return cast("Partner", task)
    if not callable(task):
        raise ConfigurationError(
            f"a {type(task).__name__} cannot take part in a conversation",
            fix="give a prompt(…), an agent(…), an http(…), or a function that takes messages",
        )
    return FunctionPartner(task)
