"""Traces as they should not be, for tests that must not crash on them."""

from __future__ import annotations

from hypothesis import strategies as st

KEYS = ("role", "content", "tool_calls", "function", "name", "arguments", "input", "type", "a")
WORDS = ("assistant", "user", "tool_use", "tool_result", "a", "{}", '{"a": 1}', "[1]", "{bad", "NaN", "\ud800")

_leaves = (
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats(0, 1) | st.sampled_from(WORDS) | st.text(max_size=3)
)
_values = st.recursive(
    _leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=10,
)
_messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["assistant", "assistant", "user", "tool"])},
    optional={"content": _values, "tool_calls": _values, "function_call": _values},
)

ODD_TRACES = st.lists(_messages | _values, max_size=5)
"""Lists of anything that JSON can say, messages of the right outline among them."""
