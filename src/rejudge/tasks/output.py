"""What a task returned, as the trace keeps it."""

from __future__ import annotations

from rejudge.domain.payload import as_json
from rejudge.domain.trace import Produced

_PLAIN = frozenset({str, int, float, bool, type(None)})


def produced_of(returned: object) -> Produced:
    """A returned dict with the key `output` is taken apart; anything else is the output.

    `messages` (a list) becomes the trace, `metadata` (an object) the metadata, other keys `extra`.
    Raises RecordError for what has no JSON form.
    """
    if type(returned) in _PLAIN:
        return Produced(output=returned)
    value = as_json(returned, where="what the task returned")
    if not isinstance(value, dict) or "output" not in value:
        return Produced(output=value)
    output = value.pop("output")
    messages = value.pop("messages") if isinstance(value.get("messages"), list) else None
    metadata = value.pop("metadata") if isinstance(value.get("metadata"), dict) else None
    return Produced(output=output, messages=messages, metadata=metadata, extra=value or None)
