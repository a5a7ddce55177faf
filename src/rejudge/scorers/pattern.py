"""Compiles the regular expressions that people write in parameters."""

from __future__ import annotations

import re

from rejudge.domain.errors import ConfigurationError
from rejudge.scorers.wording import quoted


def compiled(pattern: str, *, called: str) -> re.Pattern[str]:
    """The pattern that the parameter `called` states; raises ConfigurationError for what is none."""
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ConfigurationError(f"{called} {quoted(pattern)} is no regular expression: {error}") from None
