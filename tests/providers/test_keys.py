"""A key appears nowhere: not in the store, output, logs, exports or errors, however a server echoes it."""

from __future__ import annotations

import base64
import json
import logging
import pickle
import urllib.parse
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rejudge
from rejudge.providers.anthropic import anthropic
from rejudge.providers.fake_server import Asked, FakeModelServer, Script
from rejudge.providers.keys import HIDDEN, PLACEHOLDERS, Redactor, Secret, key_named
from rejudge.providers.misbehaviour import Raw
from rejudge.providers.openai_compatible import openai_compatible
from tests.providers.conftest import ITEMS, KEY, QUICK, asking, echo, judge

Serve = Callable[[Script], FakeModelServer]

FORMS = {
    "itself": KEY,
    "in an address": urllib.parse.quote(KEY, safe=""),
    "in an address, in small letters": urllib.parse.quote(KEY, safe="").replace("%2F", "%2f").replace("%3D", "%3d"),
    "as a form field": urllib.parse.quote_plus(KEY),
    "in base64": base64.b64encode(KEY.encode()).decode(),
    "in base64 with a name before it": base64.b64encode(f"user:{KEY}".encode()).decode(),
    "in base64 for addresses": base64.urlsafe_b64encode(f"ab{KEY}cd".encode()).decode(),
    "in hexadecimal": KEY.encode().hex(),
    "with every character escaped": "".join(f"\\u{ord(letter):04x}" for letter in KEY),
}
"""How a server may give a key back."""


def _leaks(written: bytes) -> list[str]:
    """The forms of the key that are in what was written; base64 by what does not depend on its neighbours."""
    inner = {name: form[4:-6] if "base64" in name else form for name, form in FORMS.items()}
    return [name for name, form in inner.items() if form.encode() in written]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("status", [200, 401, 500])
def test_a_key_that_a_server_echoes_is_written_nowhere(
    serve: Serve,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    form: str,
    status: int,
) -> None:
    echoed = FORMS[form] if "escaped" in form else json.dumps(FORMS[form])[1:-1]
    good = f'{{"choices": [{{"message": {{"content": "you sent {echoed}, {echoed}"}}}}]}}'
    bad = f'{{"error": {{"message": "Incorrect API key provided: {echoed}.", "{echoed}": "{echoed}"}}}}'
    headers = {"x-echo": FORMS[form]} if "escaped" not in form else {}
    server = serve(lambda asked: Raw(status=status, body=(good if status == 200 else bad).encode(), headers=headers))
    provider = openai_compatible(server.url, api_key=KEY, limits=QUICK)
    with caplog.at_level(logging.DEBUG):
        result = rejudge.evaluate(
            ITEMS[:2], asking, [judge], provider=provider, store=tmp_path / "store.db", retries=0, progress="plain"
        )
    print(result, repr(provider))
    export = result.to_json()
    rows = list(result.to_rows())
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    out, err = capfd.readouterr()
    for text in (written, out.encode(), err.encode(), caplog.text.encode(), export.encode(), repr(rows).encode()):
        assert _leaks(text) == []
    case = result.runs[0].case("q0")
    told = case.trace.produced.output if case.trace is not None else case.case.execution_error.message
    assert HIDDEN in str(told)


def test_anthropics_key_goes_to_its_header_and_nowhere_else(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda asked: Raw.of({"error": {"message": f"invalid x-api-key {KEY}"}}, status=401))
    provider = anthropic(server.root, api_key=KEY, limits=QUICK)
    result = rejudge.evaluate(ITEMS, echo, [judge], provider=provider, store=tmp_path / "store.db")
    assert server.asked[0].headers["x-api-key"] == KEY
    assert f"invalid x-api-key {HIDDEN}" in next(iter(result.cases())).scores[0].reason
    assert _leaks(b"".join(path.read_bytes() for path in tmp_path.iterdir())) == []


def test_a_task_that_holds_a_provider_does_not_store_its_key(serve: Serve, tmp_path: Path) -> None:
    server = serve(lambda asked: "fine")
    provider = openai_compatible(server.url, api_key=KEY, limits=QUICK)

    def task(question: str) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
        reply = yield rejudge.ModelCall(model=str(provider), messages=[{"role": "user", "content": question}])
        return reply.text

    rejudge.evaluate(ITEMS, task, provider=provider, store=tmp_path / "store.db")
    assert _leaks(b"".join(path.read_bytes() for path in tmp_path.iterdir())) == []


def test_another_server_is_sent_no_key_that_was_not_named_for_it(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    server = serve(lambda asked: "fine")
    for provider in (openai_compatible(server.url), anthropic(server.root)):
        rejudge.evaluate(ITEMS, asking, provider=provider, store="memory:")
    assert len(server.asked) == 2 * len(ITEMS)
    assert not any({"authorization", "x-api-key"} & asked.headers.keys() for asked in server.asked)


def test_the_key_of_the_environment_is_used_for_the_server_that_the_environment_names(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve(lambda asked: "yes")
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)

    def task(question: str) -> Generator[rejudge.ModelCall, rejudge.Reply, str]:
        reply = yield rejudge.ModelCall(model="openai/small", messages=[{"role": "user", "content": question}])
        return reply.text

    rejudge.evaluate(ITEMS[:1], task, store="memory:")
    assert server.asked[0].body["model"] == "small"
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_key_that_is_named_and_not_there_is_refused_with_the_way_to_set_it() -> None:
    with pytest.raises(rejudge.ConfigurationError, match=r"NO_SUCH_KEY.*\n.*environment variable NO_SUCH_KEY"):
        openai_compatible("http://127.0.0.1:1/v1", key_from="NO_SUCH_KEY")


def test_a_key_is_found_in_the_keyring_where_the_environment_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = pytest.importorskip("keyring", reason="the optional package keyring is not installed")
    backend = pytest.importorskip("keyring.backend")

    class Ring(backend.KeyringBackend):  # type: ignore[misc, name-defined]
        priority = 1

        def get_password(self, service: str, username: str) -> str | None:
            return KEY if (service, username) == ("rejudge", "SOME_KEY") else None

        def set_password(self, service: str, username: str, password: str) -> None:
            raise NotImplementedError

        def delete_password(self, service: str, username: str) -> None:
            raise NotImplementedError

    before = keyring.get_keyring()
    keyring.set_keyring(Ring())
    try:
        found = key_named("SOME_KEY")
        assert found is not None
        assert found.reveal() == KEY
        assert key_named("OTHER_KEY") is None
        monkeypatch.setenv("SOME_KEY", "from-the-environment")
        chosen = key_named("SOME_KEY")
        assert chosen is not None
        assert chosen.reveal() == "from-the-environment"
    finally:
        keyring.set_keyring(before)


@pytest.mark.parametrize("broken", ["", "  ", "two words", "line\nbreak", "schlüssel-schlüssel", "nul\0byte"])
def test_what_is_no_key_is_refused_without_being_repeated(broken: str) -> None:
    with pytest.raises(rejudge.ConfigurationError) as refused:
        Secret(broken, called="MY_KEY")
    assert "MY_KEY" in str(refused.value)
    assert not broken.strip() or broken not in str(refused.value)


def test_a_secret_shows_itself_to_nobody() -> None:
    secret = Secret(KEY, called="test")
    assert KEY not in f"{secret} {secret!r} {Redactor([secret])!r}"
    with pytest.raises(TypeError, match="not written"):
        pickle.dumps(secret)


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=8), st.text(), st.text())
def test_no_text_keeps_a_key_however_it_is_surrounded(key: str, before: str, after: str) -> None:
    redactor = Redactor([Secret(key, called="test")])
    assume(key.casefold() not in PLACEHOLDERS and key not in before + HIDDEN + after)
    for form in (key, urllib.parse.quote(key, safe=""), base64.b64encode(key.encode()).decode()):
        assert key not in redactor.text(before + form + after)
        assert form not in redactor.text(before + form + after)
        assert form not in str(redactor.value({form: [form, 1, None]}))


def test_a_placeholder_is_no_secret_and_tears_no_holes() -> None:
    for word in ("EMPTY", "none", "not-needed", "lm-studio"):
        text = f"it is {word} and placeholder text"
        assert Redactor([Secret(word, called="test")]).text(text) == text


@pytest.mark.parametrize(
    "address",
    [
        "ftp://host/v1",
        "file:///etc/passwd",
        "host:8000/v1",
        "https://user:sk-secret-in-address@host/v1",
        "https://sk-secret-in-address@host/v1",
        "http://host/v1?api_key=sk-secret-in-address",
        "http://host/v1#sk-secret-in-address",
        "http://",
        "http://[broken/v1",
        "",
    ],
)
def test_an_address_that_is_none_or_holds_credentials_is_refused_without_repeating_it(address: str) -> None:
    for make in (openai_compatible, anthropic):
        with pytest.raises(rejudge.ConfigurationError, match="address of") as refused:
            make(address)
        assert "sk-secret-in-address" not in str(refused.value)


def test_a_key_in_a_header_of_ones_own_is_hidden_as_well(serve: Serve) -> None:
    def script(asked: Asked) -> Raw:
        return Raw.of({"error": f"who is {asked.headers['x-my-token']}?"}, status=403)

    provider = openai_compatible(serve(script).url, headers={"X-My-Token": KEY}, limits=QUICK)
    result = rejudge.evaluate(ITEMS[:1], asking, provider=provider, store="memory:")
    assert f"who is {HIDDEN}?" in result.runs[0].case("q0").case.execution_error.message


def test_a_header_with_a_scheme_before_its_key_is_sent_whole_and_hidden(serve: Serve) -> None:
    server = serve(lambda asked: Raw.of({"error": f"who is {KEY}?"}, status=403))
    provider = openai_compatible(server.url, headers={"Authorization": f"Bearer {KEY}"}, limits=QUICK)
    result = rejudge.evaluate(ITEMS[:1], asking, provider=provider, store="memory:")
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert f"who is {HIDDEN}?" in result.runs[0].case("q0").case.execution_error.message
