"""A model that runs in this process: a GGUF file and `llama-cpp-python`, an optional package; no network, no key."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from rejudge.domain.errors import ConfigurationError, ProviderError
from rejudge.providers.completion import reply_of
from rejudge.providers.provider import Abilities, Limits, Route

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.domain.call import ModelCall, Reply

EXTRA = "pip install 'rejudge[local]'"

CONTEXT = 4096
"""Tokens that prompt and reply may have together."""


class Llama:
    """Answers one call at a time, in a thread of its own; the file is read at the first one.

    A schema is held by a grammar, so a reply cannot break it. Log-probabilities are given, with up to the number of
    alternatives that is asked for.
    """

    def __init__(self, path: str | Path, *, context: int = CONTEXT, threads: int | None = None) -> None:
        self._path = Path(path)
        if not self._path.is_file():
            raise ConfigurationError(f"there is no model file {self._path}", fix="give the path of a .gguf file")
        self._context = context
        self._threads = threads
        self._model: Any = None
        self._lock = Lock()
        self._pool: ThreadPoolExecutor | None = None

    @property
    def account(self) -> str:
        """The file, whose only limit is this machine."""
        return f"llama/{self._path.name}"

    @property
    def limits(self) -> Limits:
        """One call at a time."""
        return Limits(concurrency=1)

    def abilities(self, model: str) -> Abilities:
        """What llama.cpp can do with any model."""
        return Abilities(
            logprobs=True, schema=True, tools=False, temperature=True, image=False, audio=False, file=False
        )

    async def answer(self, call: ModelCall) -> Reply:
        """The reply to one call; raises ProviderError for one with tools, which are not offered to the model."""
        if call.tools:
            raise ProviderError(f"{self.account} calls no tools", fix="take a model of another provider for tools")
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rejudge-llama")
        said = await asyncio.get_running_loop().run_in_executor(self._pool, self._answered, call)
        return reply_of({**said, "model": self._path.stem}, who=self.account)

    async def release(self) -> None:
        """Let the thread end; the model stays in memory for the next evaluation."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False)

    def _answered(self, call: ModelCall) -> dict[str, object]:
        with self._lock:
            model = self._loaded(logprobs=call.logprobs)
            try:
                said = model.create_chat_completion(messages=call.messages, **_options(call))
            except (ValueError, RuntimeError) as error:
                raise ProviderError(f"{self.account}: {error}", fix="a longer prompt needs a larger context=") from None
        return cast("dict[str, object]", json.loads(json.dumps(said, default=float)))  # numbers of numpy

    def _loaded(self, *, logprobs: int | None) -> Any:  # noqa: ANN401 - a class of the optional package
        """The model; for log-probabilities it has to keep the scores of every token, and is read anew for that."""
        if self._model is None or (logprobs is not None and not self._model.context_params.logits_all):
            try:
                import llama_cpp
            except ImportError:
                raise ConfigurationError("llama-cpp-python is not installed", fix=EXTRA) from None
            with _plain_buffers(llama_cpp.llama_cpp):
                self._model = llama_cpp.Llama(
                    str(self._path),
                    n_ctx=self._context,
                    n_threads=self._threads,
                    logits_all=logprobs is not None,
                    verbose=False,
                )
        return self._model


@contextmanager
def _plain_buffers(library: Any) -> Iterator[None]:  # noqa: ANN401 - a module of the optional package
    """Read models into plain memory. The library's other forms end the process where a processor has AMX and the
    system does not grant it, and its constructor has no word for them.
    """
    defaults = library.llama_model_default_params

    def plain() -> object:
        parameters = defaults()
        parameters.use_extra_bufts = False
        return parameters

    library.llama_model_default_params = plain
    try:
        yield
    finally:
        library.llama_model_default_params = defaults


class LlamaFiles:
    """The models that are named llama/PATH: each file is one that answers."""

    def __init__(self) -> None:
        self._known: dict[str, Llama] = {}

    def route(self, model: str) -> Route:
        """The model of the file at that path; raises ConfigurationError where there is none."""
        if model not in self._known:
            self._known[model] = Llama(model)
        return Route(self._known[model], model)

    async def answer(self, call: ModelCall) -> Reply:
        """The reply of the file that the call names."""
        return await self.route(call.model).provider.answer(call)

    async def release(self) -> None:
        """Let the threads of all of them end."""
        for model in self._known.values():
            await model.release()


def _options(call: ModelCall) -> dict[str, object]:
    said: dict[str, object] = {
        "temperature": call.temperature,
        "top_p": call.top_p,
        "max_tokens": call.max_tokens,
        "seed": call.seed,
        "stop": call.stop,
    }
    if call.response_schema is not None:
        said["response_format"] = {"type": "json_object", "schema": call.response_schema}
    if call.logprobs is not None:
        said |= {"logprobs": True, "top_logprobs": call.logprobs}
    return {**{name: value for name, value in said.items() if value is not None}, **call.extra}
