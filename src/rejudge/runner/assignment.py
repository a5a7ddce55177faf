"""What each item of a version gets: how often it is run, and which scorers judge it; settled before the first call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

from rejudge.domain.canonical import canonical
from rejudge.domain.errors import ConfigurationError, NameClash, Place, RejudgeError, StoreDamaged
from rejudge.domain.item import ANNOTATIONS
from rejudge.domain.payload import decode
from rejudge.domain.policy import FIELD as POLICY
from rejudge.domain.policy import ExecutionPolicy, MergedPolicy, merged, policy_of
from rejudge.domain.scale import normalised
from rejudge.domain.suite import SuiteRules, rules_in
from rejudge.scorers.assertions import merged as merged_assertions
from rejudge.scorers.catalog import kind_named
from rejudge.scorers.code import from_elsewhere
from rejudge.scorers.pairwise import PairwiseScorer

if TYPE_CHECKING:
    from rejudge.domain.dataset import DatasetVersion
    from rejudge.domain.experiment import Experiment
    from rejudge.scorers.scorer import Scorer
    from rejudge.storage.records import StoredItem
    from rejudge.storage.store import DatasetStore

SCORERS: Final = "scorers"
"""The field of an item that holds scorers of its own."""

PAGE: Final = 1024
"""Items that are read at a time."""


class Assignment:
    """How often each item is run, and by which scorers it is judged.

    `scorers` judge every item that has none of its own. `own` holds, by position, all scorers of the others: their own
    and those of the suite, with equal judges merged.
    """

    def __init__(
        self,
        scorers: Sequence[Scorer],
        *,
        count: int,
        runs: int = 1,
        policies: Mapping[int, MergedPolicy] | None = None,
        own: Mapping[int, tuple[Scorer, ...]] | None = None,
    ) -> None:
        self.scorers = tuple(scorers)
        self.own = own or {}
        self._count = count
        self._runs = runs
        self._policies = policies or {}

    def trials(self, position: int) -> int:
        """How often the item at a position is run."""
        policy = self._policies.get(position)
        return self._runs if policy is None else policy.runs

    @property
    def most_trials(self) -> int:
        """How often the item is run that is run the most."""
        return max([self._runs, *(policy.runs for policy in self._policies.values())])

    @property
    def planned(self) -> int:
        """Units (item × trial) of all items."""
        return self._runs * (self._count - len(self._policies)) + sum(one.runs for one in self._policies.values())

    @property
    def all_scorers(self) -> tuple[Scorer, ...]:
        """Every scorer that judges some item, each once."""
        found = {scorer.config.digest(): scorer for scorer in self.scorers}
        for scorers in self.own.values():
            for scorer in scorers:
                found.setdefault(scorer.config.digest(), scorer)
        return tuple(found.values())

    def scorers_at(self, position: int) -> tuple[Scorer, ...]:
        """The scorers that judge the item at a position."""
        return self.own.get(position, self.scorers)


def assignment_of(
    store: DatasetStore,
    version: DatasetVersion,
    scorers: Sequence[Scorer],
    *,
    trials: int,
    rules: SuiteRules | None = None,
) -> Assignment:
    """What each item of a version gets; the items are read only where some have a policy or scorers of their own.

    Without `rules` there is no suite: an item's scorers are left alone, and its policy counts where it is a mapping.
    Raises ConfigurationError, naming the item, for what an item may not say.
    """
    suite = ExecutionPolicy(runs=trials) if rules is None else rules.policy
    merged(suite, None)
    policies: dict[int, MergedPolicy] = {}
    own: dict[int, tuple[Scorer, ...]] = {}
    reading = _OwnScorers(scorers, model=None if rules is None else rules.model)
    for item, fields in _annotated(store, version):
        stated = fields.get(POLICY)
        if stated is not None and (rules is not None or isinstance(stated, Mapping)):
            policies[item.position] = _merged(suite, stated, item=item.item_id)
        if rules is not None and fields.get(SCORERS) is not None:
            found = reading.of(fields[SCORERS], item=item.item_id)
            if found is not None:
                own[item.position] = found
    return Assignment(merged_assertions(scorers), count=version.count, runs=trials, policies=policies, own=own)


def assignment_in(store: DatasetStore, version: DatasetVersion, experiment: Experiment) -> Assignment:
    """What the items and the protocol of an experiment say that each item gets; without the suite's scorers."""
    return assignment_of(store, version, (), trials=experiment.trials, rules=rules_in(experiment.protocol))


def policies_in(store: DatasetStore, version: DatasetVersion, rules: SuiteRules) -> Iterator[tuple[int, MergedPolicy]]:
    """The policy of each item of a suite that has one of its own, by position."""
    for item, fields in _annotated(store, version):
        if fields.get(POLICY) is not None:
            yield item.position, _merged(rules.policy, fields[POLICY], item=item.item_id)


class _OwnScorers:
    """Makes the scorers that items state; equal statements give the same scorers."""

    def __init__(self, suite: Sequence[Scorer], *, model: str | None) -> None:
        self._suite = tuple(suite)
        self._model = model
        self._known: dict[bytes, tuple[Scorer, ...] | None] = {}
        self._meanings = {one.config.name: _meaning(one) for one in suite}

    def of(self, stated: object, *, item: str) -> tuple[Scorer, ...] | None:
        """All scorers of an item that states these; None where it states none."""
        where = Place(item=item, field=SCORERS)
        try:
            key = canonical(stated)
            if key not in self._known:
                self._known[key] = self._made(stated)
        except RejudgeError as error:
            raise type(error)(error.what, where=where, fix=error.fix) from None
        return self._known[key]

    def _made(self, stated: object) -> tuple[Scorer, ...] | None:
        if not isinstance(stated, list):
            raise ConfigurationError(
                f"an item's scorers are a list, not a {type(stated).__name__}",
                fix='write [{"kind": "contains", "substring": "Paris"}, "The answer is polite"]',
            )
        if not stated:
            return None
        made = [from_elsewhere(scorer_stated(one, model=self._model), "an item of the dataset") for one in stated]
        scorers = merged_assertions([*self._suite, *made])
        _check(scorers)
        for scorer in scorers:
            if self._meanings.setdefault(scorer.config.name, _meaning(scorer)) != _meaning(scorer):
                raise NameClash(
                    f"another item has a scorer named {scorer.config.name!r} that gives other scores",
                    fix="give one of them another name: name=…, or for a function `def` with a name of its own",
                )
        return scorers


def scorer_stated(stated: object, *, model: str | None) -> Scorer:
    """The scorer that an item or a suite states: text is an assertion, a mapping names a kind with its parameters.

    `model` judges where a kind that asks a model is told none. Raises ConfigurationError or UnknownName.
    """
    if isinstance(stated, str):
        stated = {"kind": "assertions", "assertions": [stated]}
    if not isinstance(stated, Mapping):
        raise ConfigurationError(
            f"a scorer is an assertion in words or a mapping with its kind, not a {type(stated).__name__}"
        )
    parameters = {str(name): value for name, value in stated.items()}
    named = [parameters.pop(name) for name in ("kind", "type") if name in parameters]
    if len(named) != 1 or not isinstance(named[0], str):
        raise ConfigurationError("a scorer says which kind it is", fix='such as {"kind": "is_json"}')
    kind = kind_named(named[0])
    asks = "model" in kind.parameters.__struct_fields__
    if asks and model is not None and "model" not in parameters and not parameters.get("panel"):
        parameters["model"] = model
    return kind.create(parameters)


def _meaning(scorer: Scorer) -> tuple[object, ...]:
    """What scorers of one name have in common, so that their values can be counted together."""
    return (scorer.config.type, *((spec.key, spec.type) for spec in scorer.config.scores))


def _check(scorers: Sequence[Scorer]) -> None:
    """Raise where two scorers of an item have one name, or one cannot judge single traces."""
    seen: set[str] = set()
    for scorer in scorers:
        name = scorer.config.name
        if normalised(name) in seen:
            raise NameClash(
                f"two scorers of the item are named {name!r}",
                fix="give one of them another name: name=…, or for a function `def` with a name of its own",
            )
        seen.add(normalised(name))
        if isinstance(scorer, PairwiseScorer):
            raise ConfigurationError(f"{name!r} compares two traces and cannot judge an item")
        if not all(scorer.demands.models):
            raise ConfigurationError(
                f"scorer {name!r} asks a model, and none is named",
                fix="say which: model=, of the suite or of the scorer",
            )


def _merged(suite: ExecutionPolicy, stated: object, *, item: str) -> MergedPolicy:
    own = policy_of(stated, item=item)
    try:
        return merged(suite, own)
    except ConfigurationError as error:
        raise ConfigurationError(error.what, where=Place(item=item, field=POLICY), fix=error.fix) from None


def _annotated(store: DatasetStore, version: DatasetVersion) -> Iterator[tuple[StoredItem, dict[str, object]]]:
    """The items of a version whose items may have a policy or scorers, with those fields."""
    wanted = ANNOTATIONS.intersection({POLICY, SCORERS}).intersection(version.fields)
    for start in range(0, version.count if wanted else 0, PAGE):
        for item in store.items(version.id, start=start, count=PAGE):
            try:
                fields = cast("dict[str, object]", decode(item.body))
            except ValueError as error:
                raise StoreDamaged.record(f"item {item.item_id!r}", error) from error
            yield item, {name: fields[name] for name in wanted if name in fields}
