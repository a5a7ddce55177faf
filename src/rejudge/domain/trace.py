"""A trace: one generation, stored before anything judges it, and never changed."""

from __future__ import annotations

from hashlib import sha256

from msgspec import Struct

from rejudge.domain.call import CallRecord
from rejudge.domain.canonical import canonical
from rejudge.domain.ids import digest_of_bytes, id_of
from rejudge.domain.usage import Usage


class TraceKey(Struct, frozen=True, kw_only=True):
    """What a trace is a function of; two generations with one key would be the same money spent twice."""

    item_id: str
    given: bytes
    run_config: bytes
    trial: int

    def digest(self) -> bytes:
        """The 32 bytes under which the trace is filed and claimed."""
        name = self.item_id.encode("utf-8", "surrogatepass")
        return sha256(
            b"rejudge/trace-key\n%d:%b%b%b%d" % (len(name), name, self.given, self.run_config, self.trial)
        ).digest()


class Produced(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a task produced: the part of a trace that its id covers.

    `extra` holds the other keys of a returned dict that had an `output`.
    """

    output: object
    messages: list[object] | None = None
    metadata: dict[str, object] | None = None
    extra: dict[str, object] | None = None


class Trace(Struct, frozen=True, kw_only=True):
    """One generation: what was produced, the model calls on the way, what it cost and how long it took.

    `key` is the digest of its TraceKey; `started_at` is in seconds since 1970 (UTC), `seconds` its duration.
    """

    key: bytes
    produced: Produced
    calls: tuple[CallRecord, ...] = ()
    usage: Usage | None = None
    started_at: float = 0.0
    seconds: float = 0.0

    def digest(self) -> bytes:
        """The digest that names the trace: its key and what was produced, not when or how fast.

        Raises RecordError when the output has no canonical form (NaN, infinity, foreign types).
        """
        return trace_digest(self.key, self.produced)

    @property
    def id(self) -> str:
        """The trace id that people see."""
        return id_of("trace", self.digest())


def trace_digest(key: bytes, produced: Produced) -> bytes:
    """The digest of a trace with this key and content; raises RecordError for NaN and foreign types."""
    if produced.messages is None and produced.metadata is None and produced.extra is None:
        return digest_of_bytes("output", key + canonical(produced.output))
    parts = {name: getattr(produced, name) for name in produced.__struct_fields__}
    known = {name: part for name, part in parts.items() if part is not None or name == "output"}
    return digest_of_bytes("produced", key + canonical(known))
