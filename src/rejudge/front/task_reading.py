"""Makes tasks of what an evaluation file says of prompts, endpoints, agents and conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rejudge.front import task_schema as schema
from rejudge.front.agents import agent, conversation, simulated_user, tool
from rejudge.front.tasks import http
from rejudge.front.trust import check_header_use
from rejudge.providers.provider import Limits
from rejudge.tasks.prompt import PromptTask
from rejudge.tasks.sampling import sampling_of
from rejudge.tasks.tool import from_elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable

    from rejudge.tasks.agent import AgentTask
    from rejudge.tasks.conversation import ConversationTask
    from rejudge.tasks.http import HttpTask
    from rejudge.tasks.partner import Partner
    from rejudge.tasks.tool import Tool
    from rejudge.tasks.user import SimulatedUser

    Function = Callable[..., object]
    Find = Callable[[str], Function]
    """Gives the function of a name; raises with the place that names it."""

Said: TypeAlias = schema.PromptTask | schema.HttpTask | schema.AgentTask | schema.ConversationTask


def task_said(said: Said, *, find: Find, source: str) -> PromptTask | HttpTask | AgentTask | ConversationTask:
    """The task; `source` is the file, whose code and keys are somebody's until they are trusted."""
    match said:
        case schema.PromptTask():
            return _prompt(said)
        case schema.HttpTask():
            return _http(said)
        case schema.AgentTask():
            return _agent(said, find, source)
        case schema.ConversationTask():
            return _conversation(said, find, source)


def _prompt(said: schema.PromptTask) -> PromptTask:
    return PromptTask(
        said.prompt,
        model=said.model,
        sampling=sampling_of(said.parameters),
        name=said.name,
        depends_on=said.depends_on,
        scenario=said.scenario,
    )


def _http(said: schema.HttpTask) -> HttpTask:
    made = http(
        said.http,
        method=said.method,
        headers=said.headers,
        body=said.body,
        answer=said.answer,
        usage=said.usage,
        stream=said.stream,
        limits=Limits(
            concurrency=said.concurrency,
            requests_per_minute=said.requests_per_minute,
            attempt_seconds=said.attempt_seconds,
            total_seconds=said.total_seconds,
        ),
        name=said.name,
        depends_on=said.depends_on,
    )
    address = made.demands.address
    assert address is not None
    for name in address.names:
        check_header_use(name, address.url)
    return made


def _agent(said: schema.AgentTask, find: Find, source: str) -> AgentTask:
    return agent(
        said.agent,
        model=said.model,
        system=said.system,
        tools=[_tool(one, find, source) for one in said.tools],
        max_turns=said.max_turns,
        max_tool_calls=said.max_tool_calls,
        max_tokens=said.max_tokens,
        max_cost=said.max_cost,
        max_seconds=said.max_seconds,
        max_repeats=said.max_repeats,
        parameters=said.parameters,
        name=said.name,
        depends_on=said.depends_on,
        scenario=said.scenario,
    )


def _tool(said: schema.NamedTool | schema.PythonTool, find: Find, source: str) -> Tool:
    if isinstance(said, schema.NamedTool):
        made = tool(
            said.name,
            description=said.description,
            parameters=said.parameters,
            simulated=said.simulated,
            code=said.code,
            sandbox=said.sandbox,
        )
        return from_elsewhere(made, source)
    function = find(said.python)
    simulated = function if said.simulated else None
    return tool(
        function, named=said.name, description=said.description, parameters=said.parameters, simulated=simulated
    )


def _conversation(said: schema.ConversationTask, find: Find, source: str) -> ConversationTask:
    partner: Partner | Function
    if isinstance(said.conversation, schema.PythonPartner):
        partner = find(said.conversation.python)
    else:
        made = task_said(said.conversation, find=find, source=source)
        assert not isinstance(made, schema.ConversationTask)
        partner = made  # type: ignore[assignment]
    return conversation(
        partner,
        user=_user(said.user),
        max_turns=said.max_turns,
        max_tool_calls=said.max_tool_calls,
        max_tokens=said.max_tokens,
        max_cost=said.max_cost,
        max_seconds=said.max_seconds,
        max_repeats=said.max_repeats,
        name=said.name,
        depends_on=said.depends_on,
        scenario=said.scenario,
    )


def _user(said: str | list[str] | schema.SimulatedUser) -> str | list[str] | SimulatedUser:
    if not isinstance(said, schema.SimulatedUser):
        return said
    return simulated_user(
        model=said.model,
        persona=said.persona,
        goal=said.goal,
        stop=said.stop,
        opening=said.opening,
        parameters=said.parameters,
    )
