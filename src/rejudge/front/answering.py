"""Who answers the model calls of tasks and scorers, as evaluation files say it, and what the calls cost."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rejudge.domain.demands import NOTHING
from rejudge.domain.errors import ConfigurationError, Place, RejudgeError
from rejudge.domain.way import Way
from rejudge.files.documents import Document, read_document
from rejudge.front import evaluation_schema as schema
from rejudge.front.evaluation_mistakes import checked, placed
from rejudge.front.named_function import provider_named
from rejudge.front.trust import check_key_use
from rejudge.providers.provider import Limits
from rejudge.wiring import price_table_in, server_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rejudge.domain.demands import Demands
    from rejudge.domain.experiment import Experiment
    from rejudge.providers.provider import Provider
    from rejudge.scorers.scorer import Scorer
    from rejudge.wiring import PricesLike, ProviderLike

T = TypeVar("T")


class Answering(NamedTuple):
    """Who answers model calls and what they cost; None for what is known by name, and for the list of prices."""

    provider: ProviderLike = None
    prices: PricesLike = None


def may_ask(scorers: Iterable[Scorer]) -> bool:
    """Whether any of these asks a model, or says nothing of what it asks."""
    return any(_may_ask(one) for one in scorers)


def _may_ask(scorer: Scorer) -> bool:
    demands: Demands = getattr(scorer, "demands", NOTHING)
    if demands.models or demands.embedding_models:
        return True
    return demands == NOTHING and getattr(scorer, "way", Way.INLINE) is Way.STEPS


def answering(files: Sequence[Path], *, origins: Iterable[Experiment] = (), provider: str | None = None) -> Answering:
    """Who answers where stored traces are judged again: the named `provider`, or who the first of `files` names.

    Where neither says so, it is as in the evaluation files that the experiments `origins` came from; one that is not
    there any more says nothing. Raises InputError or ConfigurationError for what a file may not say; where those of
    `origins` differ, so that nobody is asked in place of another; and where one names code: a store that came from
    elsewhere names the file, and nobody who has it judged again has asked for its code to run.
    """
    given = [Declared.in_file(path) for path in files]
    prices = _prices(given)
    if provider is not None:
        folder = files[0].parent if files else Path()
        return Answering(provider_named(provider, folder=folder, where=Place(file="--provider")), prices)
    found = next((found for one in given if (found := one.provider()) is not None), None)
    if found is not None:
        return Answering(found, prices)
    begun = _agreed(_declared(origins))
    return Answering(begun.provider, begun.prices if prices is None else prices)


class Declared:
    """What a file says of who answers: `named` answers everything, `servers` the models that begin with their names."""

    def __init__(
        self,
        document: Document,
        folder: Path,
        *,
        named: str | None,
        servers: Mapping[str, schema.Server],
        prices: str | None,
    ) -> None:
        self._document = document
        self._folder = folder
        self._prices = prices
        self.named = named
        self.servers = servers

    @classmethod
    def in_file(cls, path: Path) -> Declared:
        """What an evaluation file, or a file of scorers, says; nothing, where it is a list."""
        document = read_document(path)
        value = document.value if isinstance(document.value, dict) else {}
        named = checked(str | None, value.get("provider"), document, at=("provider",))  # type: ignore[arg-type]
        servers = checked(dict[str, schema.Server], value.get("providers", {}), document, at=("providers",))
        prices = checked(str | None, value.get("prices"), document, at=("prices",))  # type: ignore[arg-type]
        return cls(document, path.parent, named=named, servers=servers, prices=prices)

    @property
    def file(self) -> str:
        """The file, as it was named."""
        return self._document.file

    def place(self, *at: str) -> Place:
        """Where it says something."""
        return self._document.place(*at)

    def provider(self) -> ProviderLike:
        """Who answers; raises ConfigurationError with the place that says so."""
        if self.named is None:
            return self.answered() or None
        where = self._document.place("provider")
        if self.servers:
            raise ConfigurationError(
                "'provider' and 'providers' exclude each other",
                where=where,
                fix="give one that answers everything, or several by name",
            )
        return provider_named(self.named, folder=self._folder, where=where)

    def answered(self) -> dict[str, Provider]:
        """Its servers, by what the models that they answer begin with."""
        return {name: self._server(name, one) for name, one in self.servers.items()}

    def prices(self) -> PricesLike:
        """What the calls cost; None where the file does not say."""
        if self._prices is None:
            return None
        return self._placed(partial(price_table_in, self._folder / self._prices), "prices")

    def says_as(self, other: Declared) -> bool:
        """Whether both have every model answered by the same server, for the same price."""
        one, another = (
            (said.servers, said._prices and (said._folder / said._prices).resolve()) for said in (self, other)
        )
        return one == another

    def _server(self, name: str, said: schema.Server) -> Provider:
        if said.key_from is not None:
            self._placed(partial(check_key_use, said.key_from, said.url), "providers", name)
        make = partial(
            server_at,
            said.url,
            api=said.api,
            key_from=said.key_from,
            account=said.account,
            limits=Limits(
                concurrency=said.concurrency,
                requests_per_minute=said.requests_per_minute,
                tokens_per_minute=said.tokens_per_minute,
                attempt_seconds=said.attempt_seconds,
                total_seconds=said.total_seconds,
            ),
        )
        return self._placed(make, "providers", name)

    def _placed(self, make: Callable[[], T], *at: str) -> T:
        try:
            return make()
        except RejudgeError as error:
            parameter = error.where.file if error.where else ""
            raise placed(error, self._document.place(*at, parameter)) from None


def _declared(experiments: Iterable[Experiment]) -> list[Declared | None]:
    """What the evaluation files of experiments say, each once; None for an experiment that has none, or none here."""
    named = dict.fromkeys(one.source for one in experiments)
    return [Declared.in_file(Path(path)) if path is not None and _is_here(Path(path)) else None for path in named]


def _is_here(path: Path) -> bool:
    """Whether a file that a store names is there; a path that depends on the working directory names none."""
    try:
        return path.is_absolute() and path.is_file()
    except OSError:
        return False


def _agreed(origins: Sequence[Declared | None]) -> Answering:
    """What the files say that nobody handed in; raises ConfigurationError where one has code answer, or they differ."""
    files = [one for one in origins if one is not None]
    for one in files:
        if one.named is not None:
            raise ConfigurationError(
                f"it has {one.named} answer model calls, which is code and runs only where you name its file",
                where=one.place("provider"),
                fix=f"if you trust it: --file {one.file}",
            )
    if not files:
        return Answering()
    first = files[0]
    silent = None in origins and (first.servers or first.prices() is not None)
    if silent or not all(one.says_as(first) for one in files):
        others = ", ".join(one.file for one in files[1:]) or "an experiment whose evaluation file is not here"
        raise ConfigurationError(
            f"it says otherwise than {others} who answers model calls, or what they cost",
            where=Place(file=first.file),
            fix=f"say whose word counts: --file {first.file}",
        )
    return Answering(first.answered() or None, first.prices())


def _prices(files: Iterable[Declared]) -> PricesLike:
    """What calls cost, as the first of these files that says so has it."""
    return next((found for one in files if (found := one.prices()) is not None), None)
