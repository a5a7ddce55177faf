"""Samples of items, taken while these stream by: what is held in memory is the sample, not the dataset."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Protocol, TypeAlias, cast

from msgspec import Struct

from rejudge.datasets.rows import Entry
from rejudge.domain.canonical import canonical
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.path import ABSENT, value_at

Placed: TypeAlias = "tuple[int, Entry]"


class Sampler(Protocol):
    """Chooses among items; the same items and settings give the same choice."""

    def described(self) -> dict[str, object]:
        """The sampler and its settings, as an experiment keeps them."""

    def sample(self, entries: Iterable[Entry]) -> Sequence[Entry]:
        """The chosen items, in their own order."""


class RandomSampler(Struct, frozen=True, kw_only=True):
    """`n` items, each equally likely."""

    n: int
    seed: int = 0

    def __post_init__(self) -> None:
        _check(self.n, self.seed)

    def described(self) -> dict[str, object]:
        """As an experiment keeps it."""
        return {"sampler": "random", "n": self.n, "seed": self.seed}

    def sample(self, entries: Iterable[Entry]) -> Sequence[Entry]:
        """The chosen items: a reservoir (Vitter 1985, algorithm R)."""
        reservoir = _Reservoir(self.n, Random(self.seed))  # noqa: S311 - chance for samples, not for secrets
        for placed in enumerate(entries):
            reservoir.offer(placed)
        return [entry for _, entry in sorted(reservoir.kept, key=_place)]


class StratifiedSampler(Struct, frozen=True, kw_only=True):
    """`n` items, so many of each value of the field `by` as its share of all items asks for (largest remainders).

    Items without the field are one stratum. Among strata with equal remainders, the one met first comes first.
    """

    n: int
    by: str
    seed: int = 0

    def __post_init__(self) -> None:
        _check(self.n, self.seed)
        if not self.by or not isinstance(self.by, str):
            raise ConfigurationError("a stratified sample needs a field", fix='name it: by="difficulty"')

    def described(self) -> dict[str, object]:
        """As an experiment keeps it."""
        return {"sampler": "stratified", "n": self.n, "by": self.by, "seed": self.seed}

    def sample(self, entries: Iterable[Entry]) -> Sequence[Entry]:
        """The chosen items; raises ConfigurationError for a field that no item has."""
        random = Random(self.seed)  # noqa: S311 - chance for samples, not for secrets
        strata: dict[bytes | None, _Reservoir] = {}
        for placed in enumerate(entries):
            value = value_at(placed[1].fields, self.by)
            stratum = None if value is ABSENT else canonical(value)
            if stratum not in strata:
                strata[stratum] = _Reservoir(self.n, random)
            strata[stratum].offer(placed)
        if [*strata] == [None]:
            raise ConfigurationError(f"no item has the field {self.by!r} to be stratified by")
        shares = _shares(self.n, [one.seen for one in strata.values()])
        chosen: list[Placed] = []
        for reservoir, share in zip(strata.values(), shares, strict=True):
            # A reservoir is in no random order: its first places are rarely exchanged.
            chosen += random.sample(reservoir.kept, share)
        return [entry for _, entry in sorted(chosen, key=_place)]


def random_sampler(n: int, *, seed: int = 0) -> RandomSampler:
    """`n` items of a dataset at random, for `dataset_sampler=`; the same seed takes the same ones."""
    return RandomSampler(n=n, seed=seed)


def stratified_sampler(n: int, *, by: str, seed: int = 0) -> StratifiedSampler:
    """`n` items at random in which the values of a field have the shares that they have in the dataset."""
    return StratifiedSampler(n=n, by=by, seed=seed)


def checked_sampler(said: object) -> Sampler | None:
    """`said`, if it is a sampler or None; raises ConfigurationError for anything else."""
    if said is None or (callable(getattr(said, "sample", None)) and callable(getattr(said, "described", None))):
        return cast("Sampler | None", said)
    raise ConfigurationError(
        f"a sampler is no {type(said).__name__}",
        fix="give rejudge.random_sampler(20), rejudge.stratified_sampler(20, by=…), or an object with the methods "
        "sample(items) and described()",
    )


class _Reservoir:
    """A sample of what was offered so far, `seen` in number."""

    def __init__(self, size: int, random: Random) -> None:
        self.kept: list[Placed] = []
        self.seen = 0
        self._size = size
        self._random = random

    def offer(self, placed: Placed) -> None:
        self.seen += 1
        if len(self.kept) < self._size:
            self.kept.append(placed)
            return
        place = self._random.randrange(self.seen)
        if place < self._size:
            self.kept[place] = placed


def _place(placed: Placed) -> int:
    return placed[0]


def _shares(n: int, sizes: Sequence[int]) -> list[int]:
    """`n` (or all there is) divided in proportion to the sizes, the rest to the largest remainders."""
    total = sum(sizes)
    if n >= total:
        return list(sizes)
    shares = [n * size // total for size in sizes]
    by_remainder = sorted(range(len(sizes)), key=lambda index: (-(n * sizes[index] % total), index))
    for index in by_remainder[: n - sum(shares)]:
        shares[index] += 1
    return shares


def _check(n: object, seed: object) -> None:
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise ConfigurationError(f"a sample of {n!r} items", fix="give a whole number from 1")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ConfigurationError(f"the seed {seed!r} is no whole number")
