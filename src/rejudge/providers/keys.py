"""Keys: read from the environment or a keyring, here and nowhere else, and kept out of everything that is written."""

from __future__ import annotations

import json
import logging
import os
import re
from base64 import b64encode, urlsafe_b64encode
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import quote, quote_plus
from weakref import WeakSet

from rejudge.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SERVICE = "rejudge"
"""Under which a keyring holds keys: service `rejudge`, user name as the environment variable."""

HIDDEN = "[key]"
"""What stands where a key stood."""

SHORTEST = 8
"""Anything shorter protects nothing, and hiding it would tear holes into ordinary text."""

PLACEHOLDERS = frozenset({"not-needed", "no-key-required", "lm-studio", "placeholder", "no-key-needed"})
"""What people write where a server without keys wants one."""


_A_KEY = re.compile(r"(?:API_?KEY|_KEY|TOKEN|TOKEN_BEDROCK|SECRET|PASSWORD)$", re.IGNORECASE)

_CALLED = {
    "alibaba": ("DASHSCOPE",),
    "bedrock": ("AWS",),
    "cohere": ("CO",),
    "gateway": ("PAIG",),
    "google": ("GEMINI",),
    "huggingface": ("HF",),
    "voyageai": ("VOYAGE",),
}
"""Vendors whose keys are in variables that do not name them, and what these are called instead."""


class Secret:
    """A key: it shows itself to nobody but who asks for it by `reveal`, and cannot be copied out by pickling."""

    __slots__ = ("_text",)

    def __init__(self, text: str, *, called: str) -> None:
        text = text.strip()
        if not text or not text.isascii() or not text.isprintable() or " " in text:
            raise ConfigurationError(
                f"the key in {called} is empty or holds characters that no key has",
                fix="copy it again, without line breaks, spaces or quotation marks",
            )
        self._text = text

    def reveal(self) -> str:
        """The key itself, for the header that it is sent in."""
        return self._text

    def __repr__(self) -> str:
        return f"Secret({HIDDEN})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a key is not written anywhere")


def key_named(name: str) -> Secret | None:
    """The key of that name: the environment variable, or else the keyring's entry; None where there is neither."""
    text = os.environ.get(name)
    if text and text.strip():
        return Secret(text, called=name)
    text = _in_keyring(name)
    return Secret(text, called=f"the keyring's entry {name}") if text else None


def in_environment(names: Iterable[str]) -> bool:
    """Whether the environment holds a key of one of these names."""
    return any(os.environ.get(name, "").strip() for name in names)


def keys_in_environment() -> list[Secret]:
    """Everything in the environment that looks like a key, for libraries that read their keys themselves."""
    return _looking_like_keys(os.environ)


def keys_of(vendor: str) -> list[Secret]:
    """Those of them whose variables name the vendor, such as GROQ_API_KEY for `groq`."""
    words = {vendor.upper(), *_CALLED.get(vendor.lower(), ())}
    return _looking_like_keys(name for name in os.environ if words.intersection(name.upper().split("_")))


def _looking_like_keys(names: Iterable[str]) -> list[Secret]:
    found = []
    for name in names:
        if _A_KEY.search(name):
            with suppress(ConfigurationError):
                found.append(Secret(os.environ[name], called=name))
    return found


def address_named(name: str) -> str | None:
    """The address that an environment variable gives, such as OPENAI_BASE_URL."""
    return os.environ.get(name, "").strip() or None


def _in_keyring(name: str) -> str | None:
    try:
        import keyring
    except ImportError:
        return None
    from keyring.errors import KeyringError

    try:
        return keyring.get_password(SERVICE, name)
    except (KeyringError, RuntimeError, OSError):
        return None  # a machine without an unlocked keyring has no key there


class Redactor:
    """Hides keys, in every form in which a server might give them back."""

    def __init__(self, secrets: Iterable[Secret | None]) -> None:
        texts = {secret.reveal() for secret in secrets if secret is not None}
        forms = {form for text in texts if _is_secret(text) for form in _forms(text)}
        longest_first = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile("|".join(longest_first)) if forms else None

    def text(self, text: str) -> str:
        """The text with every key in it hidden."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def value(self, value: object) -> object:
        """A value as JSON has it, with the keys hidden in all its texts."""
        return value if self._pattern is None else self._hidden(value)

    def _hidden(self, value: object) -> object:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return value if value and type(value[0]) is float else [self._hidden(one) for one in value]
        if isinstance(value, dict):
            return {self._hidden(name): self._hidden(one) for name, one in value.items()}
        return value

    def __repr__(self) -> str:
        return "Redactor()"


class _Discretion(logging.Filter):
    """Hides keys in what the HTTP library logs, which at the level DEBUG repeats the headers of a response."""

    def __init__(self) -> None:
        super().__init__()
        self.redactors: WeakSet[Redactor] = WeakSet()

    def filter(self, record: logging.LogRecord) -> bool:
        said = shown = record.getMessage()
        for redactor in self.redactors:
            shown = redactor.text(shown)
        if shown != said:
            record.msg, record.args = shown, ()
        return True


_DISCRETION = _Discretion()
_LOGGERS = (
    "httpcore2.connection",
    "httpcore2.http11",
    "httpcore2.http2",
    "httpcore2.proxy",
    "httpcore2.socks",
    "httpx2",
)


def hide_in_logs(redactor: Redactor) -> None:
    """Keep the redactor's keys out of the HTTP library's logs for as long as the redactor is in use."""
    _DISCRETION.redactors.add(redactor)
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_DISCRETION)


def _is_secret(text: str) -> bool:
    return len(text) >= SHORTEST and text.casefold() not in PLACEHOLDERS


def _forms(text: str) -> Iterator[str]:
    """Patterns of a key as itself, escaped for an address or for JSON, and in base64, alone or in something longer."""
    raw = text.encode()
    yield re.escape(text)
    yield re.escape(json.dumps(text)[1:-1])
    yield re.escape(json.dumps(json.dumps(text)[1:-1])[1:-1])
    yield f"(?i:{raw.hex()})"
    for quoted in {quote(text, safe=""), quote(text), quote_plus(text)}:
        yield re.sub("%(..)", lambda found: f"(?i:{found[0]})", re.escape(quoted))
    for before in range(3):
        start = -(-before * 8 // 6)
        end = (before + len(raw)) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield re.escape(encode(bytes(before) + raw).decode()[start:end])
