"""Every provider of the house keeps the promises of the published contract."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rejudge.domain.call import Reply
from rejudge.domain.errors import Transient
from rejudge.providers import misbehaviour
from rejudge.providers.anthropic import anthropic
from rejudge.providers.contract import Provided, ProviderContract, Script
from rejudge.providers.fake_server import Asked, FakeModelServer
from rejudge.providers.misbehaviour import Raw
from rejudge.providers.openai_compatible import openai_compatible
from rejudge.providers.provider import Provider
from rejudge.providers.router import Router
from rejudge.providers.scripted import ScriptedProvider
from tests.providers.conftest import QUICK

Serve = Callable[[Callable[[Asked], str | Reply | Raw]], FakeModelServer]


def _served(script: Script) -> Callable[[Asked], str | Reply | Raw]:
    def said(asked: Asked) -> str | Reply | Raw:
        answer = script(asked.text)
        if isinstance(answer, Exception):
            return misbehaviour.status(503 if isinstance(answer, Transient) else 400)
        return answer

    return said


def _scripted(script: Script) -> Provider:
    return ScriptedProvider(lambda call: script(str(call.messages[-1]["content"])))


class TestScripted(ProviderContract):
    @pytest.fixture
    def provided(self) -> Provided:
        return _scripted


class TestOpenAICompatible(ProviderContract):
    @pytest.fixture
    def provided(self, serve: Serve) -> Provided:
        return lambda script: openai_compatible(serve(_served(script)).url, limits=QUICK)


class TestAnthropic(ProviderContract):
    @pytest.fixture
    def provided(self, serve: Serve) -> Provided:
        return lambda script: anthropic(serve(_served(script)).root, limits=QUICK)


class TestRouter(ProviderContract):
    model = "only/m"

    @pytest.fixture
    def provided(self) -> Provided:
        def nobody(name: str) -> Provider:
            raise LookupError(name)

        return lambda script: Router({"only": _scripted(script)}, make=nobody, reachable=lambda: True)


class TestOthers(ProviderContract):
    @pytest.fixture
    def provided(self) -> Provided:
        pytest.importorskip("pydantic_ai", reason="the optional package pydantic-ai-slim is not installed")
        from tests.providers.foreign import foreign

        return foreign
