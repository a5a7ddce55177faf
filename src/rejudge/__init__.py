"""Evaluate LLM applications and agents: judge again without generating again."""

__version__ = "0.1.0"
