"""Which items of a dataset an evaluation is about: by id, then by a filter, by a sample, and the first ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from msgspec import Struct

from rejudge.datasets.filters import filter_of
from rejudge.datasets.rows import Entry
from rejudge.datasets.samplers import RandomSampler, Sampler, StratifiedSampler, checked_sampler
from rejudge.domain.capture import said as error_text
from rejudge.domain.errors import ConfigurationError, RejudgeError, UnknownName
from rejudge.domain.item import stated_id

NAMED = 1_000
"""Items from the beginning among which an unknown id's nearest is looked for; comparing texts is slow."""

LISTED = 20
"""An experiment names so many ids itself; which items it is about, its dataset version says in any case."""


class Selection(Struct, frozen=True, kw_only=True):
    """What is selected. `ids` may be empty, which selects nothing; None selects all."""

    ids: tuple[str, ...] | None = None
    filter: str | None = None
    sampler: object = None
    first: int | None = None

    def __post_init__(self) -> None:
        if self.first is not None and self.first < 1:
            raise ConfigurationError(f"the first {self.first} items are none", fix="give a whole number from 1")
        if self.filter is not None:
            filter_of(self.filter)
        checked_sampler(self.sampler)

    @property
    def selects(self) -> bool:
        """Whether anything may be left out."""
        return not (self.ids is None and self.filter is None and self.sampler is None and self.first is None)

    def described(self) -> dict[str, object]:
        """The selection as an experiment keeps it."""
        said: dict[str, object] = {}
        if self.ids is not None:
            said["dataset_item_ids"] = list(self.ids) if len(self.ids) <= LISTED else f"{len(self.ids)} ids"
        if self.filter is not None:
            said["dataset_filter_string"] = self.filter
        sampler = checked_sampler(self.sampler)
        if sampler is not None:
            said["dataset_sampler"] = _described(sampler)
        if self.first is not None:
            said["nb_samples"] = self.first
        return said

    def of(self, entries: Iterable[Entry]) -> Iterable[Entry]:
        """The selected ones, in their order; raises ConfigurationError for ids, fields and filters that fit nothing."""
        if self.ids is not None:
            entries = _with_ids(entries, self.ids)
        if self.filter is not None:
            entries = _filtered(entries, self.filter)
        sampler = checked_sampler(self.sampler)
        if sampler is not None:
            entries = _sampled(sampler, _distinct(entries))
        return entries if self.first is None else islice(_distinct(entries), self.first)


def selection_of(
    *,
    ids: Collection[object] | None = None,
    condition: str | None = None,
    sampler: object = None,
    first: int | None = None,
) -> Selection:
    """A selection of what a caller said; ids that come twice count once."""
    if isinstance(ids, str):
        raise ConfigurationError(f"dataset_item_ids={ids!r} is one text", fix=f"give a list: [{ids!r}]")
    if ids is not None and not isinstance(ids, Iterable):
        raise ConfigurationError(f"dataset_item_ids= is a {type(ids).__name__}", fix="give a list of ids")
    stated = None if ids is None else tuple(dict.fromkeys(map(stated_id, ids)))
    return Selection(ids=stated, filter=condition, sampler=sampler, first=first)


def sampler_named(n: int | None, *, by: str | None, seed: int | None) -> Sampler | None:
    """The sampler that a file or command line describes; raises ConfigurationError for `by` or a seed alone."""
    if n is None:
        if by is not None or seed is not None:
            raise ConfigurationError(
                f"{'the seed' if by is None else 'the field to stratify by'} is for a sample, and none is taken",
                fix="say how many items to sample",
            )
        return None
    return RandomSampler(n=n, seed=seed or 0) if by is None else StratifiedSampler(n=n, by=by, seed=seed or 0)


def told(described: object) -> str:
    """A stored selection in words."""
    if not isinstance(described, dict):
        return "all items"
    parts: list[str] = []
    ids, sampler = described.get("dataset_item_ids"), described.get("dataset_sampler")
    if ids is not None:
        parts.append(ids if isinstance(ids, str) else f"by id: {', '.join(ids)}" if ids else "no id at all")
    if "dataset_filter_string" in described:
        parts.append(f"where {described['dataset_filter_string']}")
    if isinstance(sampler, dict):
        settings = ", ".join(f"{name} {value}" for name, value in sampler.items() if name != "sampler")
        parts.append(f"a {sampler.get('sampler', 'custom')} sample ({settings})")
    if "nb_samples" in described:
        parts.append(f"the first {described['nb_samples']}")
    return "; ".join(parts)


def _described(sampler: Sampler) -> dict[str, object]:
    try:
        return sampler.described()
    except Exception as error:
        raise ConfigurationError(
            f"described() of the sampler raised {error_text(error)}", fix="return its name and settings as a dict"
        ) from error


def _sampled(sampler: Sampler, entries: Iterable[Entry]) -> Iterable[Entry]:
    """What a sampler chooses; raises ConfigurationError where it raises, or chooses what is no item."""
    try:
        chosen = list(sampler.sample(entries))
    except RejudgeError:
        raise
    except Exception as error:
        raise ConfigurationError(
            f"the sampler raised {error_text(error)}", fix="let sample(items) return some of the items it is given"
        ) from error
    for one in chosen:
        if not isinstance(one, Entry):
            raise ConfigurationError(
                f"the sampler chose a {type(one).__name__}, which is no item",
                fix="return some of the items it is given",
            )
    return chosen


def _with_ids(entries: Iterable[Entry], ids: tuple[str, ...]) -> Iterator[Entry]:
    missing = dict.fromkeys(ids)
    known: list[str] = []
    if not missing:
        return
    for entry in entries:
        if entry.item_id in missing:
            del missing[entry.item_id]
            yield entry
            if not missing:
                return
        if len(known) < NAMED:
            known.append(entry.item_id)
    if missing:
        raise UnknownName.among("item", next(iter(missing)), known)


def _distinct(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The items, each once: rows without ids that are given the same are one item."""
    seen: set[int] = set()
    for entry in entries:
        if (key := hash((entry.item_id, entry.digest))) not in seen:
            seen.add(key)
            yield entry


def _filtered(entries: Iterable[Entry], text: str) -> Iterator[Entry]:
    wanted = filter_of(text)
    for entry in entries:
        if wanted.admits(entry.item_id, entry.fields):
            yield entry
    wanted.check()
