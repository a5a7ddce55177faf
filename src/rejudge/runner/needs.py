"""What scorers need of an item and of what a task returns, and what of it nothing is known to supply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.errors import MissingField, did_you_mean
from rejudge.scorers.function import FunctionScorer
from rejudge.scorers.mapping import MappedScorer
from rejudge.scorers.merged import OUTPUT, beginnings
from rejudge.scorers.parts import PARTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from rejudge.domain.dataset import DatasetVersion
    from rejudge.scorers.scorer import Scorer

_ALWAYS = frozenset({OUTPUT, "messages", "metadata"})
"""What any task may return; where it is missing, it is null."""


class Outputs(Struct, frozen=True, kw_only=True):
    """The keys that a task returns beside `output`; there may be others where that `is_open`.

    `has_parts` says that the output itself may be an object or a list.
    """

    names: frozenset[str] = frozenset()
    is_open: bool = False
    has_parts: bool = True


class Need(Struct, frozen=True, kw_only=True):
    """A name or path that a scorer asks for and no item and no known key supplies."""

    who: str
    path: str
    may_be_returned: bool
    declares: bool = True

    def may_be_met(self, outputs: Outputs) -> bool:
        """Whether what a task returns may supply it, which only its first result can tell."""
        inside = outputs.has_parts and self.path.startswith(f"{OUTPUT}.")
        return self.may_be_returned and (outputs.is_open or inside)

    def error(self, known: Iterable[str]) -> MissingField:
        """The error that says so before the first task call, with the nearest of what is known."""
        error = MissingField.among(self.who, self.path, known, also=PARTS)
        declare = "; if the task returns it beside `output`, declare it with outputs=" if self.declares else ""
        return MissingField(error.what, fix=error.fix + declare)

    def error_of_task(self, returned: Iterable[str]) -> MissingField:
        """The error that says so once the first result is there."""
        returned = list(returned)
        near = did_you_mean(self.path, [*returned, *PARTS])
        return MissingField(
            f"{self.who} asks for {self.path!r}, which no item has and the task did not return for the first item",
            fix=f"{near}it returned {', '.join(sorted(returned))}; scoring_key_mapping= says where else it stands, and "
            "outputs= declares what the task returns for other items only",
        )


def unmet(scorer: Scorer, version: DatasetVersion, outputs: Outputs) -> list[Need]:
    """What a scorer needs that is not known to be supplied; nothing, for a dataset without items."""
    if not version.count:
        return []
    known = outputs.names.union(version.fields)
    who = f"scorer {scorer.config.name!r}"
    original = scorer.original if isinstance(scorer, MappedScorer) else scorer
    returned = isinstance(original, FunctionScorer)
    needs = [
        Need(who=who, path=name, may_be_returned=returned)
        for name in sorted(scorer.needs.difference(known))
        if not (isinstance(scorer, MappedScorer) and name in scorer.paths)
    ]
    if isinstance(scorer, MappedScorer):
        needs += [
            Need(who=f"{who}, whose {key!r} is mapped,", path=path, may_be_returned=True)
            for key, path in scorer.paths.items()
            if not _is_known(path, version.fields, outputs)
        ]
    return needs


def nested_paths(scorers: Sequence[MappedScorer], version: DatasetVersion) -> Iterator[tuple[str, Need]]:
    """The paths that mappings read inside fields of items; only the items themselves can tell what is there."""
    for scorer in scorers:
        for key, path in scorer.paths.items():
            begins = [name for name in beginnings(path) if name in version.fields]
            if begins and path not in version.fields and path.partition(".")[0] != OUTPUT:
                who = f"scorer {scorer.config.name!r}, whose {key!r} is mapped,"
                yield path, Need(who=who, path=path, may_be_returned=False, declares=False)


def _is_known(path: str, fields: Collection[str], outputs: Outputs) -> bool:
    steps = path.split(".")
    if steps[0] == OUTPUT and len(steps) > 1:
        return steps[1] in outputs.names
    return steps[0] in _ALWAYS or any(name in fields or name in outputs.names for name in beginnings(path))
