"""JSON-like values of every kind, for laws that hold for all of them."""

from __future__ import annotations

from hypothesis import strategies as st

SAFE = 2**53 - 1

any_text = st.text(st.characters(codec=None), max_size=8)
"""Text with anything in it, lone surrogates included."""

untagged_text = st.text(st.characters(codec="utf-8"), max_size=8).filter(lambda text: not text.startswith("\x00"))

finite_floats = st.floats(allow_nan=False, allow_infinity=False)


def nested(leaves: st.SearchStrategy[object], keys: st.SearchStrategy[str]) -> st.SearchStrategy[object]:
    """Leaves in lists and objects a few levels deep."""
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
    )


any_value = nested(st.none() | st.booleans() | st.integers() | finite_floats | any_text, any_text)

plain_value = nested(
    st.none()
    | st.booleans()
    | st.integers(-SAFE, SAFE)
    | finite_floats.filter(lambda number: not number.is_integer())
    | untagged_text,
    untagged_text,
)
"""What RFC 8785 can carry as it is."""


def told_apart(value: object) -> object:
    """`value` in a form that compares unequal where it is different: `1`, `1.0`, `True`, `0.0` and `-0.0` all are."""
    match value:
        case dict():
            return {key: told_apart(inner) for key, inner in value.items()}
        case list() | tuple():
            return [told_apart(inner) for inner in value]
    return (type(value).__name__, repr(value))
