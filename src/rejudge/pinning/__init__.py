"""Digests of the user's functions, so that a changed task or scorer is never served a stale result."""

from rejudge.pinning.parameters import Asked, Kind, asked, kind_of
from rejudge.pinning.pin import Pin, Unpinnable, pin

__all__ = ["Asked", "Kind", "Pin", "Unpinnable", "asked", "kind_of", "pin"]
