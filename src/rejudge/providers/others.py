"""Every other provider, through `pydantic-ai-slim`: optional, loaded when a model of such a name is asked."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from msgspec import Struct, field

from rejudge.domain.call import Reply
from rejudge.domain.errors import ConfigurationError, ProviderError, RejudgeError, Transient
from rejudge.domain.usage import Usage
from rejudge.providers.completion import instructed
from rejudge.providers.faults import clipped, fault_of
from rejudge.providers.keys import Redactor, hide_in_logs, keys_in_environment, keys_of
from rejudge.providers.openai_compatible import DEFAULT_LIMITS
from rejudge.providers.provider import Abilities, Limits

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters

    from rejudge.domain.call import ModelCall

EXTRA = "pip install 'rejudge[providers]'"

_REASONS = {"tool_call": "tool_calls"}
"""Why a reply ended, where their word is another one."""


class _Open(Struct):
    """The models that are open in one loop, and what closes them."""

    closing: AsyncExitStack
    models: dict[str, Any] = field(default_factory=dict)


class OtherProvider:
    """The models of one provider of `pydantic-ai`; its keys are read, and its connections held, by that library.

    A schema is said in words at the end of the prompt, and there are no log-probabilities. Its own keys are hidden in
    replies, which are data; in errors and logs, everything in the environment that looks like a key.
    """

    def __init__(
        self, name: str, *, make: Callable[[str], Model] | None = None, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._name = name
        self._make = make or _model_of(name)
        self._limits = limits
        self._redactor = Redactor(keys_in_environment())
        hide_in_logs(self._redactor)
        self._own = Redactor(keys_of(self.vendor))
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, _Open] = WeakKeyDictionary()

    @property
    def account(self) -> str:
        """The provider's name; there is one account for each."""
        return f"{self._name}/default"

    @property
    def limits(self) -> Limits:
        """How long a call may take."""
        return self._limits

    @property
    def vendor(self) -> str:
        """The provider's name, as price lists have it."""
        return self._name.partition("-")[0]

    def abilities(self, model: str) -> Abilities:
        """What holds for all of them."""
        return Abilities(logprobs=False, schema=False, image=False, audio=False, file=False)

    async def answer(self, call: ModelCall) -> Reply:
        """The reply to one call."""
        if call.logprobs is not None:
            raise ProviderError(f"{self._name} gives no log-probabilities here", fix="take a model that does")
        from pydantic_ai.direct import model_request
        from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError, UnexpectedModelBehavior, UserError

        model = await self._opened(call.model)
        try:
            response = await model_request(
                model,
                _messages(call),
                model_settings=cast("Any", _settings(call)),
                model_request_parameters=_parameters(call),
            )
        except ModelHTTPError as error:
            said = self._redactor.value(error.body if isinstance(error.body, dict) else str(error.body or ""))
            headers = getattr(error, "headers", None) or {}
            raise fault_of(error.status_code, who=self._name, headers=headers, said=said) from None
        except ModelAPIError as error:
            raise Transient(f"{self._name} was lost: {self._said(error)}") from None
        except (UnexpectedModelBehavior, UserError) as error:
            raise ProviderError(f"{self._name}: {self._said(error)}") from None
        except RejudgeError:
            raise
        except Exception as error:  # noqa: BLE001 - a vendor's package lets through errors of its own
            kind = Transient if isinstance(error, OSError | TimeoutError) else ProviderError
            raise kind(f"{self._name}: {type(error).__name__}: {self._said(error)}") from None
        return _reply(response, self._own)

    async def release(self) -> None:
        """Let go of the running loop's connections."""
        found = self._loops.pop(asyncio.get_running_loop(), None)
        if found is not None:
            await found.closing.aclose()

    async def _opened(self, name: str) -> Model:
        loop = asyncio.get_running_loop()
        found = self._loops.get(loop)
        if found is None:
            found = self._loops[loop] = _Open(AsyncExitStack())
        if name not in found.models:
            try:
                model = self._make(name)
            except Exception as error:  # noqa: BLE001 - whatever a vendor's package finds wrong with the set-up
                raise ConfigurationError(f"{self._name}/{name}: {self._said(error)}") from None
            found.models[name] = model
            await found.closing.enter_async_context(model)
        return cast("Model", found.models[name])

    def _said(self, error: Exception) -> str:
        return clipped(self._redactor.text(str(error)))


def is_known_elsewhere(name: str) -> bool:
    """Whether the optional library is installed and knows a provider of that name."""
    try:
        from pydantic_ai.providers import infer_provider_class
    except ImportError:
        return False
    try:
        infer_provider_class(name)
    except ValueError:
        return False
    except ImportError as error:
        raise ConfigurationError(f"the provider {name!r} needs another package: {clipped(str(error))}") from None
    return True


def _model_of(provider: str) -> Callable[[str], Model]:
    def make(model: str) -> Model:
        from pydantic_ai.models import infer_model

        return infer_model(f"{provider}:{model}")

    return make


def _settings(call: ModelCall) -> dict[str, object]:
    """What the call sets; tries after the first are ours."""
    said = {
        "temperature": call.temperature,
        "top_p": call.top_p,
        "max_tokens": call.max_tokens,
        "seed": call.seed,
        "stop_sequences": call.stop,
    }
    return {"max_retries": 0, **{name: value for name, value in said.items() if value is not None}, **call.extra}


def _parameters(call: ModelCall) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    functions = [cast("dict[str, Any]", tool.get("function") or tool) for tool in call.tools or ()]
    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=str(function.get("name")),
                description=function.get("description"),
                parameters_json_schema=function.get("parameters") or {"type": "object"},
            )
            for function in functions
        ]
    )


def _messages(call: ModelCall) -> list[ModelMessage]:
    from pydantic_ai.messages import (
        ModelRequest,
        ModelResponse,
        SystemPromptPart,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    listed = call.messages if call.response_schema is None else instructed(call.messages, call.response_schema)
    names: dict[str, str] = {}
    made: list[ModelMessage] = []
    for message in listed:
        content = _plain(message.get("content"))
        role = message.get("role")
        if role == "assistant":
            parts: list[Any] = [TextPart(content)] if content else []
            for called in cast("list[dict[str, Any]]", message.get("tool_calls") or []):
                function = called.get("function") or {}
                names[str(called.get("id"))] = str(function.get("name"))
                parts.append(
                    ToolCallPart(
                        str(function.get("name")), function.get("arguments"), tool_call_id=str(called.get("id"))
                    )
                )
            made.append(ModelResponse(parts=parts))
        elif role == "tool":
            called_by = str(message.get("tool_call_id"))
            made.append(ModelRequest(parts=[ToolReturnPart(names.get(called_by, "tool"), content, called_by)]))
        elif role in ("system", "developer"):
            made.append(ModelRequest(parts=[SystemPromptPart(content)]))
        else:
            made.append(ModelRequest(parts=[UserPromptPart(content)]))
    return made


def _plain(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) and part.get("type") == "text" for part in content):
        return "".join(str(part.get("text", "")) for part in content)
    if content is None:
        return ""
    raise ProviderError("this provider is asked with text alone", fix="take openai/… or anthropic/… for images")


def _reply(response: ModelResponse, redactor: Redactor) -> Reply:
    from pydantic_ai.messages import TextPart, ThinkingPart, ToolCallPart

    text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
    thought = "\n".join(part.content for part in response.parts if isinstance(part, ThinkingPart))
    calls = [
        {
            "id": part.tool_call_id,
            "type": "function",
            "function": {"name": part.tool_name, "arguments": part.args_as_json_str()},
        }
        for part in response.parts
        if isinstance(part, ToolCallPart)
    ]
    reason = response.finish_reason
    details = response.provider_details or {}
    refusal = details.get("refusal") if reason == "content_filter" else None
    return Reply(
        text=redactor.text(text),
        model=response.model_name,
        tool_calls=cast("list[dict[str, object]]", redactor.value(json.loads(json.dumps(calls)))),
        finish_reason=_REASONS.get(reason or "", reason),
        usage=_usage(response.usage),
        reasoning=redactor.text(thought) or None,
        refusal=redactor.text(refusal) if isinstance(refusal, str) else None,
    )


def _usage(told: Any) -> Usage | None:  # noqa: ANN401 - a record of the optional library
    """Their counts; nothing counted at all means that nothing was told."""
    if not told.input_tokens and not told.output_tokens:
        return None
    return Usage(
        input_tokens=told.input_tokens,
        output_tokens=told.output_tokens,
        cached_tokens=told.cache_read_tokens or None,
        cache_write_tokens=told.cache_write_tokens or None,
        reasoning_tokens=(told.details or {}).get("reasoning_tokens"),
    )
