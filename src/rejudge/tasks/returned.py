"""What a function's source says about the dict that it returns."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable


def returned_keys(function: Callable[..., object]) -> frozenset[str]:
    """The constant keys of dicts with an `output` that the function returns as literals; empty where it has no source.

    It only lets a scorer ask for them before the first call; what is really returned is seen when it is.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError, ValueError):
        return frozenset()
    keys: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict):
            named = {key.value for key in node.value.keys if isinstance(key, ast.Constant)}
            if "output" in named:
                keys |= {key for key in named if isinstance(key, str)}
    return frozenset(keys - {"output", "messages", "metadata"})
