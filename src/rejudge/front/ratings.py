"""Human ratings as verbs: taking them over from a file, and adjudicating them to gold labels."""

from __future__ import annotations

from pathlib import Path
from time import time
from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.gold import GoldRule
from rejudge.domain.rating import Blinding, RatingSet
from rejudge.domain.scale import ScoreSpec
from rejudge.front.amounts import counted
from rejudge.front.export import finding_dict, json_text
from rejudge.front.lines import NAME, clipped
from rejudge.front.recorded_scores import spec_of
from rejudge.front.run_names import result_of
from rejudge.review.drawing import WAYS
from rejudge.review.gold import adjudicate as gold_of
from rejudge.review.rateable import rateable
from rejudge.review.ratings import Circumstances, RatingFields, read_ratings
from rejudge.wiring import DEFAULT_STORE, Address, open_store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rejudge.domain.gold import GoldVersion
    from rejudge.domain.rating import Drawing
    from rejudge.front.run_names import RunLike
    from rejudge.review.ratings import RatingFile
    from rejudge.storage.store import Store

NAMED = 5
"""So many ids are named in a message."""


class RatingImport(Struct, frozen=True, kw_only=True):
    """What became of a file of ratings: how many were stored, how many were known before, and which have no trace.

    `replaced` is the set that had the name before with another score or rubric, and `kept` how many ratings it has.
    """

    rating_set: RatingSet
    file: Path
    read: RatingFile
    stored: int
    replaced: RatingSet | None = None
    kept: int = 0

    @property
    def known(self) -> int:
        """Ratings of the file that the store had already."""
        return len(self.read.ratings) - self.stored

    def remarks(self) -> list[str]:
        """What a person should know besides, in words."""
        told, name = [], clipped(self.file.name, NAME)
        if strangers := self.read.strangers:
            ids = list(dict.fromkeys(one.named for one in strangers))
            named = ", ".join(f"'{clipped(one, NAME)}'" for one in ids[:NAMED]) + (", …" if len(ids) > NAMED else "")
            told.append(f"{counted(len(strangers), 'record')} of {name} without a trace, left out: {named}")
        if self.read.unvalued:
            told.append(f"{counted(self.read.unvalued, 'record')} of {name} without a value, left out")
        if self.replaced is not None:
            told.append(
                f"{clipped(self.rating_set.name, NAME)!r} had another score or rubric before; its "
                f"{counted(self.kept, 'rating')} stay readable as {self.replaced.id}"
            )
        return told

    def told(self) -> str:
        """How many ratings are new, in one line."""
        before = f", {self.known} known before" if self.known else ""
        return f"{counted(self.stored, 'new rating')}{before} in {clipped(self.rating_set.name, NAME)}"

    def __str__(self) -> str:
        return "\n".join([self.told(), *self.remarks()])

    def to_dict(self) -> dict[str, object]:
        """The same as JSON-like data; every record without a trace is listed with its line."""
        return finding_dict(
            rating_set={"id": self.rating_set.id, "name": self.rating_set.name},
            file=str(self.file),
            ratings=len(self.read.ratings),
            stored=self.stored,
            known=self.known,
            without_value=self.read.unvalued,
            without_trace=[{"line": one.line, "named": one.named} for one in self.read.strangers],
            replaced=None if self.replaced is None else self.replaced.id,
        )

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())


def import_ratings(
    experiment: RunLike,
    file: str | Path,
    rating_set: str,
    *,
    score: str | ScoreSpec | Mapping[str, object] | None = None,
    rubric: str | None = None,
    blind: bool | None = None,
    drawn: Drawing | None = None,
    store: Address = DEFAULT_STORE,
    task: str | None = None,
    id: str = "id",
    value: str = "value",
    rater: str = "rater",
    by: str | None = None,
    reason: str | None = None,
    trial: str | None = None,
    trace: str | None = None,
) -> RatingImport:
    """Take over what people said of the stored traces of an experiment (by name or id).

    Args:
        experiment: the experiment, `experiment:task` or a run, by name or id, or a result.
        file: a CSV, JSONL, JSON, YAML or Parquet file with one record for each rater and trace.
        rating_set: the name of what people were asked; it is made with the first import.
        score: what they gave: a type such as "pass_fail" or "five_star", or a score with its range, labels and what
            passes. May be left out for a set that is there.
        rubric: the words that the raters were given. The name stands for the rubric and score imported last.
        blind: whether the raters did not see what scorers had said; None where that is not known, which is recorded
            and told beside every number.
        drawn: how the rated traces were chosen, as `correct` needs to know.
        store: the path of an SQLite file, or an open store.
        task: whose outputs were rated; need not be named where the experiment has one task, or with `trace`.
        id, value, rater, reason, trial: where in a record these are, as dotted paths.
        by: who rated everything, where no field says so.
        trace: where in a record the id of the trace is; then `id` and `trial` are not looked at.

    Records about no trace are counted and listed. Importing the same again stores nothing; a rater's later word
    supersedes the earlier one, which stays readable. Ratings change no score and no run. Raises InputError with line
    and field, ConfigurationError where the set's score is not known or nothing in the file names a trace.
    """
    opened = open_store(store)
    result = result_of(experiment, opened)
    runs = result.runs if trace is not None and task is None else (result.run(task),)
    traces = rateable(opened, result.experiment, [run.run.run_config for run in runs])
    before = _known_set(opened, rating_set)
    asked = _asked(rating_set, before, score, rubric)
    blinding = Blinding.UNKNOWN if blind is None else Blinding.BLIND if blind else Blinding.SIGHTED
    read = read_ratings(
        Path(file),
        asked,
        traces,
        fields=RatingFields(id=id, value=value, rater=rater, reason=reason, trial=trial, trace=trace),
        circumstances=Circumstances(blinding=blinding, drawn=_checked(drawn), rater=by, at=time()),
    )
    asked = opened.save_rating_set(asked)
    stored = opened.save_ratings(asked.digest(), read.ratings)
    replaced = None if before is None or before.digest() == asked.digest() else before
    kept = 0 if replaced is None else len(opened.ratings(replaced.digest()))
    return RatingImport(rating_set=asked, file=Path(file), read=read, stored=stored, replaced=replaced, kept=kept)


def adjudicate(
    rating_set: str, rule: str = "majority", *, adjudicator: str | None = None, store: Address = DEFAULT_STORE
) -> GoldVersion:
    """Make the gold labels of a rating set (by name or id) from what its raters said, as a new numbered version.

    Args:
        rating_set: the set, by name or id.
        rule: "majority" (more than half of the raters), "unanimous", "mean" or "median" (numbers and stars), or
            "adjudicator" (the word of one rater over the others').
        adjudicator: who that is.
        store: the path of an SQLite file, or an open store.

    What the rule does not decide is listed in `open` and has no label. Equal labels by the same rule are the version
    that is there.
    """
    if rule not in (known := [one.value for one in GoldRule]):
        raise UnknownName.among("rule", str(rule), known)
    if adjudicator is None and rule == GoldRule.ADJUDICATOR:
        raise ConfigurationError("the rule adjudicator needs a name", fix="say whose word counts with adjudicator=")
    if adjudicator is not None and rule != GoldRule.ADJUDICATOR:
        raise ConfigurationError(
            f"the rule {rule} has no adjudicator", fix="take the rule adjudicator, or leave the name out"
        )
    opened = open_store(store)
    found = opened.rating_set(rating_set)
    ratings = opened.ratings(found.digest())
    return opened.save_gold(gold_of(found, ratings, rule=GoldRule(rule), adjudicator=adjudicator, at=time()))


def _checked(drawn: Drawing | None) -> Drawing | None:
    if drawn is not None and drawn not in WAYS:
        raise UnknownName.among("way of drawing", str(drawn), WAYS)
    return drawn


def _known_set(store: Store, name: str) -> RatingSet | None:
    named = [one for one in store.rating_sets() if one.name == name]
    return named[-1] if named else None


def _asked(
    name: str, before: RatingSet | None, score: str | ScoreSpec | Mapping[str, object] | None, rubric: str | None
) -> RatingSet:
    """The set that is meant: what is not said stays as it was before."""
    if score is not None:
        spec = _spec(name, score)
    elif before is not None:
        spec = before.score
    else:
        raise ConfigurationError(
            f"there is no rating set {name!r} yet, and nothing says what its values are",
            fix='say it with score=: pass_fail, five_star, or {"type": "number", "low": 0, "high": 10}',
        )
    words = rubric if rubric is not None else "" if before is None else before.rubric
    return RatingSet(name=name, score=spec, rubric=words, created_at=time())


def _spec(name: str, score: str | ScoreSpec | Mapping[str, object]) -> ScoreSpec:
    """The score that a type, a mapping or a score says; it is called as the set where it has no name."""
    if isinstance(score, ScoreSpec):
        return score
    _, spec = spec_of({"name": name, "type": score} if isinstance(score, str) else {"name": name, **score})
    assert spec is not None
    return spec
