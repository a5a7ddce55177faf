"""Reads text as JSON, strictly: NaN and numbers beyond what can be stored are none."""

from __future__ import annotations

import json
import math

from rejudge.scorers.wording import quoted


def parsed(text: str) -> object:
    """The JSON value that `text` says; raises ValueError, quoting the text, where it says none."""
    try:
        return _JSON.decode(text)
    except RecursionError:
        raise ValueError(f"{quoted(text)} is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{quoted(text)} is not JSON ({error})") from None


def list_said(text: str) -> list[object] | None:
    """The JSON list that `text` says; None where it says none."""
    if text.lstrip()[:1] != "[":
        return None
    try:
        found = parsed(text)
    except ValueError:
        return None
    return found if isinstance(found, list) else None


def finite(text: str) -> float:
    """The number that `text` says; raises ValueError for NaN, infinity and what is too large to be told from it."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is no finite number")
    return number


_JSON = json.JSONDecoder(parse_float=finite, parse_constant=finite)
