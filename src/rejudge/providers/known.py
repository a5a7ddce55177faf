"""Servers that are known by name: where they are, and which environment variable holds their key."""

from __future__ import annotations

from msgspec import Struct

from rejudge.providers.anthropic import ANTHROPIC_KEY
from rejudge.providers.openai_compatible import OPENAI_KEY


class Known(Struct, frozen=True):
    """A server with OpenAI's interface; one on this machine wants no key."""

    address: str
    key_from: str | None = None


KNOWN = {
    "deepseek": Known("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "fireworks": Known("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    "groq": Known("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "mistral": Known("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "ollama": Known("http://127.0.0.1:11434/v1"),
    "openrouter": Known("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "together": Known("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "vllm": Known("http://127.0.0.1:8000/v1"),
    "xai": Known("https://api.x.ai/v1", "XAI_API_KEY"),
}

OWN = ("anthropic", "llama", "openai")
"""Providers that have a client, or an address, of their own."""

KEYS = (OPENAI_KEY, ANTHROPIC_KEY, *(one.key_from for one in KNOWN.values() if one.key_from is not None))
"""The environment variables that hold keys."""
