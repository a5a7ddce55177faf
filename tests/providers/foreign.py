"""A provider of the optional library whose model is a function: the library is real, the model is not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from rejudge.domain.call import Reply
from rejudge.domain.errors import Transient
from rejudge.providers.others import OtherProvider

if TYPE_CHECKING:
    from rejudge.providers.contract import Script


def foreign(script: Script) -> OtherProvider:
    """A provider that answers by the script."""

    def function(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        said = script(_last(messages))
        if isinstance(said, Exception):
            raise ModelHTTPError(503 if isinstance(said, Transient) else 400, "m", {"message": str(said)})
        return _response(said if isinstance(said, Reply) else Reply(text=said))

    return OtherProvider("foreign", make=lambda name: FunctionModel(function))


def _last(messages: list[ModelMessage]) -> str:
    last = messages[-1]
    assert isinstance(last, ModelRequest)
    (part,) = last.parts
    assert isinstance(part, UserPromptPart)
    return str(part.content)


def _response(reply: Reply) -> ModelResponse:
    parts: list[Any] = [TextPart(reply.text)] if reply.text else []
    for called in reply.tool_calls:
        function: Any = called["function"]
        parts.append(ToolCallPart(function["name"], json.loads(function["arguments"]), tool_call_id=str(called["id"])))
    usage = reply.usage
    counted = RequestUsage()
    if usage is not None:
        counted = RequestUsage(
            input_tokens=usage.input_tokens or 0,
            output_tokens=usage.output_tokens or 0,
            cache_read_tokens=usage.cached_tokens or 0,
        )
    if reply.refusal is not None:
        details = {"refusal": reply.refusal}
        return ModelResponse(parts=parts, usage=counted, finish_reason="content_filter", provider_details=details)
    return ModelResponse(parts=parts, usage=counted, finish_reason="stop")
