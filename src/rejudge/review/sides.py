"""The two sides of a comparison with people: a scorer, and gold labels or another scorer's values."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from rejudge.domain.calibration import HumanSet, OtherScorer
from rejudge.domain.errors import ConfigurationError, UnknownName
from rejudge.domain.ids import id_of
from rejudge.domain.rating import current
from rejudge.review.gold import labels_since
from rejudge.review.judgements import judged_cases, value_in, value_named
from rejudge.review.newest import human_set, scorers_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.domain.gold import GoldVersion, OpenTrace
    from rejudge.domain.rating import Rating
    from rejudge.domain.run import Run
    from rejudge.domain.scale import ScoreSpec
    from rejudge.domain.score import ScoreValue
    from rejudge.domain.scorer import ScorerConfig
    from rejudge.review.judgements import Case
    from rejudge.storage.store import Store

PEOPLE, SCORER = "ratings:", "scorer:"
"""What may stand before a name to say which of both it is."""


class OtherSide(Struct, frozen=True):
    """What a scorer is compared with: what it is, its score, its label of each trace, and the ratings behind them.

    Of people also the gold version that the labels are of, and how many labels ratings since then would change.
    """

    against: HumanSet | OtherScorer
    spec: ScoreSpec
    labels: dict[bytes, ScoreValue]
    ratings: tuple[Rating, ...] = ()
    gold: GoldVersion | None = None
    since: int = 0

    @property
    def open(self) -> dict[bytes, OpenTrace]:
        """The traces that raters rated and nobody decided."""
        return {} if self.gold is None else {one.trace: one for one in self.gold.open}

    @property
    def blinding(self) -> dict[str, int]:
        """How many of the ratings are blind, sighted, or not known to be either."""
        return dict(Counter(rating.blinding.value for rating in self.ratings))


def one_scorer(store: Store, runs: Sequence[Run], name: str) -> ScorerConfig:
    """The scorer of some runs with this name or id; raises UnknownName, and ConfigurationError for several."""
    found = scorers_named(store, list(runs), name)
    if not found:
        known = {store.scorer(digest).name for run in runs for digest in run.scorers}
        raise UnknownName.among("scorer", name, known)
    if len(found) > 1:
        ids = ", ".join(config.id for config in found)
        raise ConfigurationError(f"{len(found)} scorers are called {name!r}", fix=f"name one by its id: {ids}")
    return found[0]


def people_named(store: Store, runs: Sequence[Run], name: str) -> HumanSet | None:
    """The gold labels that are meant; None where the name is that of a scorer."""
    if name.startswith(SCORER):
        return None
    sets = {one.name for one in store.rating_sets()}
    plain = name.removeprefix(PEOPLE)
    scorer = bool(scorers_named(store, list(runs), name))
    if plain not in sets:
        if scorer and plain == name:
            return None
        known = sets | {store.scorer(digest).name for run in runs for digest in run.scorers}
        raise UnknownName.among("rating set or scorer", plain, known)
    if scorer and plain == name:
        raise ConfigurationError(
            f"{name!r} is a rating set and a scorer", fix=f"write {PEOPLE}{name} or {SCORER}{name}"
        )
    return gold_labels(store, plain)


def gold_labels(store: Store, name: str) -> HumanSet:
    """The newest gold labels of a rating set; raises UnknownName for no set, ConfigurationError for no labels."""
    plain = name.removeprefix(PEOPLE)
    known = {one.name for one in store.rating_sets()}
    if plain not in known:
        raise UnknownName.among("rating set", plain, known)
    people = human_set(store, plain)
    if people is None:
        raise ConfigurationError(
            f"rating set {plain!r} has no gold labels yet",
            fix=f"say how ratings become labels: rejudge ratings adjudicate {plain} --rule majority",
        )
    return people


def nothing_to_compare_with(store: Store, runs: Sequence[Run], scorer: str) -> ConfigurationError:
    """The error where nobody says what a scorer is compared with; it lists what there is."""
    mine = {config.digest() for config in scorers_named(store, list(runs), scorer)}
    others = {digest: store.scorer(digest).name for run in runs for digest in run.scorers if digest not in mine}
    scorers = ", ".join(sorted(set(others.values())))
    fix = _sets_in_words(store, runs) + (f"\n    another scorer: {scorers}" if scorers else "")
    return ConfigurationError(f"nothing says what {scorer!r} is compared with", fix=f"name it as against=:{fix}")


def nothing_to_correct_by(store: Store, runs: Sequence[Run]) -> ConfigurationError:
    """The error where nobody says by whose labels a run is corrected; it lists those that there are."""
    fix = f"name a rating set with against=:{_sets_in_words(store, runs)}"
    return ConfigurationError("nothing says by whose labels the run is corrected", fix=fix)


def _sets_in_words(store: Store, runs: Sequence[Run]) -> str:
    """Each rating set on a line: with how many labels of these runs' traces, or how to make labels."""
    traces = {case.trace for case in judged_cases(store, runs, [])}
    lines = []
    for name in dict.fromkeys(one.name for one in store.rating_sets()):
        people = human_set(store, name)
        if people is None:
            lines.append(f"{name}: no gold labels yet; rejudge ratings adjudicate {name} --rule majority")
            continue
        labels = store.gold_versions(people.rating_set)[people.gold_number - 1].labels
        found = sum(label.trace in traces for label in labels)
        lines.append(f"{name}: a rating set with gold labels of {found} of these {len(traces)} traces")
    if not lines:
        lines.append("there is no rating set yet; rejudge ratings import makes one")
    return "".join(f"\n    {line}" for line in lines)


def labels_of(store: Store, people: HumanSet) -> OtherSide:
    """What people say of each trace by these labels."""
    gold = store.gold_versions(people.rating_set)[people.gold_number - 1]
    rating_set = store.rating_set(id_of("ratings", people.rating_set))
    labels = {label.trace: label.value for label in gold.labels}
    given = list(store.ratings(people.rating_set))
    ratings = [rating for rating in current(given) if rating.trace in labels]
    since = labels_since(rating_set, given, gold)
    return OtherSide(people, rating_set.score, labels, tuple(ratings), gold, since)


def values_of(cases: Sequence[Case], config: ScorerConfig) -> OtherSide:
    """What another scorer says of each trace."""
    digest = config.digest()
    spec = value_named(cases, config, None, preferred="")
    found = ((case.trace, value_in(case.said.get(digest), spec.key)) for case in cases)
    labels = {trace: value for trace, value in found if value is not None}
    return OtherSide(OtherScorer(scorer=digest, name=config.name, value=spec.key), spec, labels)
