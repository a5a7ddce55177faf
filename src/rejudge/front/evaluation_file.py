"""An evaluation that was written down: read, checked, and turned into a wish. Paths in a file start from its folder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from msgspec import Struct, structs

from rejudge.datasets.rows import RowSpec
from rejudge.datasets.selection import Selection, sampler_named, selection_of
from rejudge.domain.errors import ConfigurationError, Place, RejudgeError, UnknownName
from rejudge.domain.suite import rules_in
from rejudge.files import yaml
from rejudge.files.documents import DOCUMENTS, Document, read_document
from rejudge.files.rows import READERS
from rejudge.files.source import reading
from rejudge.front import evaluation_schema as schema
from rejudge.front.answering import Declared
from rejudge.front.evaluation import Evaluation
from rejudge.front.evaluation_mistakes import DATASET, checked, placed
from rejudge.front.inputs import isolation_of, stop_of
from rejudge.front.named_function import function_named, scorer_named
from rejudge.front.suite import Suite
from rejudge.front.task_reading import task_said
from rejudge.front.wish import Wish
from rejudge.runner.settings import Settings
from rejudge.scorers.catalog import all_kinds, kind_named
from rejudge.scorers.code import from_elsewhere
from rejudge.scorers.function import function_scorer
from rejudge.scorers.mapping import with_mapping
from rejudge.scorers.scorer import Scorer
from rejudge.tasks.function import FunctionTask
from rejudge.tasks.replay import ReplayTask
from rejudge.wiring import (
    DEFAULT_STORE,
    MEMORY,
    Address,
    PricesLike,
    ProviderLike,
)

if TYPE_CHECKING:
    from rejudge.front.selecting import Selecting
    from rejudge.tasks.task import Task

T = TypeVar("T")

LISTED = 5
"""So many files of a folder are named."""


class EvaluationFile(Struct, frozen=True, kw_only=True):
    """What an evaluation file says: what is wanted, where records are kept, and who answers model calls."""

    wish: Wish
    store: str = DEFAULT_STORE
    provider: ProviderLike = None
    prices: PricesLike = None

    def at_once(self, concurrency: int | None) -> EvaluationFile:
        """The same evaluation with so many task calls at once; None for what the file says."""
        if concurrency is None:
            return self
        settings = structs.replace(self.wish.settings, concurrency=concurrency)
        return structs.replace(self, wish=structs.replace(self.wish, settings=settings))

    def selecting(self, said: Selecting) -> EvaluationFile:
        """The same evaluation with what was said of the items in place of what the file says."""
        selection = said.over(self.wish.selection)
        return structs.replace(self, wish=structs.replace(self.wish, selection=selection))

    def evaluation(self, store: Address | None = None) -> Evaluation:
        """The evaluation that has not begun, in this store or in the one that the file names."""
        return Evaluation(
            self.wish.evaluate,
            store=self.store if store is None else store,
            provider=self.provider,
            prices=self.prices,
            retries=self.wish.settings.retries,
        )


def load_begun(path: Path) -> EvaluationFile:
    """`load_evaluation` of what was begun already: its items are stored, and their file need not be there any more."""
    document = read_document(path)
    said = checked(schema.FileContent, document.value, document)
    return _Reading(document, path.parent, opened=nullcontext).evaluation(said, path=path)


def load_evaluation(path: Path) -> EvaluationFile:
    """The evaluation that a YAML or JSON file describes.

    Raises InputError for a file that cannot be read and ConfigurationError for what it may not say, with the place.
    """
    _refuse_no_evaluation(path)
    document = read_document(path)
    said = checked(schema.FileContent, document.value, document)
    return _Reading(document, path.parent).evaluation(said, path=path)


def load_suite(path: Path) -> EvaluationFile:
    """`load_evaluation` for a file that has to describe a suite."""
    loaded = load_evaluation(path)
    if rules_in(loaded.wish.protocol) is None:
        raise ConfigurationError(
            "the file describes no suite",
            where=Place(file=str(path)),
            fix="add `suite:` with `assertions:` or `scorers:`, or evaluate it with `rejudge run`",
        )
    return loaded


def _refuse_no_evaluation(path: Path) -> None:
    """What people give by mistake: a folder, or a file of items."""
    where = Place(file=str(path))
    if path.is_dir():
        here = sorted(str(one) for one in path.iterdir() if one.suffix.lower() in DOCUMENTS)
        fix = f"name one of its files: {', '.join(here[:LISTED])}" if here else "it holds no YAML or JSON file"
        raise ConfigurationError("this is a folder, not an evaluation file", where=where, fix=fix)
    suffix = path.suffix.lower()
    if suffix in READERS and suffix not in DOCUMENTS and path.exists():
        raise ConfigurationError(f"a {suffix} file is no evaluation file", where=where, fix=DATASET)


def load_scorers(path: Path, *, further: Path | None = None) -> tuple[Scorer, ...]:
    """The scorers of an evaluation file, or of a file that is a list of scorers.

    Python that is not in the file's folder is looked for in `further`.
    """
    document = read_document(path)
    at = ("scorers",) if isinstance(document.value, dict) else ()
    value = document.value.get("scorers") if isinstance(document.value, dict) else document.value
    said = document.value.get("scoring_key_mapping", {}) if isinstance(document.value, dict) else {}
    mapping = checked(dict[str, str], said, document, at=("scoring_key_mapping",))
    return _arrived(_scorers(value, _Reading(document, path.parent, further), document, at=at), path, mapping)


def _arrived(scorers: tuple[Scorer, ...], path: Path, mapping: dict[str, str]) -> tuple[Scorer, ...]:
    """The scorers of a file under its mapping: code in it may be anybody's, and is marked so."""
    return tuple(with_mapping(from_elsewhere(scorer, str(path)), mapping) for scorer in scorers)


def scorers_in(text: str, *, called: str, further: Path | None = None) -> tuple[Scorer, ...]:
    """The scorer, or the list of scorers, that a line of YAML describes; `called` is where it was written.

    Python that is not in the working directory is looked for in `further`.
    """
    root = yaml.composed(text, file=called)
    value = yaml.value_of(root, file=called)
    document = Document(value=value, file=called, _find=partial(yaml.place_in, root, file=called))
    said = value if isinstance(value, list) else [value]
    for one in said:
        if not isinstance(one, dict):
            raise _no_scorer(one, called)
    return _scorers(said, _Reading(document, Path(), further), document, at=())


def mapping_in(text: str, *, called: str) -> str | dict[str, object]:
    """The mapping that a line of YAML in braces describes; any other line is a name, and stays as it is."""
    if not text.lstrip().startswith("{"):
        return text
    return cast("dict[str, object]", yaml.value_of(yaml.composed(text, file=called), file=called))


def _no_scorer(said: object, called: str) -> ConfigurationError:
    kind = said if isinstance(said, str) and said in all_kinds() else "exact_match"
    return ConfigurationError(
        f"{called} {said!r} is no scorer",
        fix=f"a scorer is written '{{type: {kind}, …}}' or '{{python: module:function}}'",
    )


def _scorers(value: object, read: _Reading, document: Document, *, at: tuple[str | int, ...]) -> tuple[Scorer, ...]:
    said = checked(list[schema.Scorer], value, document, at=at)
    if not said:
        raise ConfigurationError("there is no scorer", where=document.place(*at))
    return read.scorers(said, at=at)


class _Reading:
    """Makes tasks and scorers of what a document says; whatever is wrong is told with its place."""

    def __init__(
        self,
        document: Document,
        folder: Path,
        further: Path | None = None,
        *,
        opened: Callable[[Path], AbstractContextManager[object]] = reading,
    ) -> None:
        self._opened = opened
        self._document = document
        self._folder = folder
        self._further = further

    def evaluation(self, said: schema.FileContent, *, path: Path) -> EvaluationFile:
        table = said.dataset
        items, spec = (table, RowSpec()) if isinstance(table, str) else (table.path, self._spec(table))
        wish = Wish(
            dataset=self._dataset(items),
            tasks=self._tasks(said),
            scorers=_arrived(self.scorers(said.scorers, at=("scorers",)), path, said.scoring_key_mapping),
            selection=self._selection(said.select or schema.Select()),
            spec=spec,
            name=said.name,
            trials=said.trials,
            outputs=tuple(said.outputs),
            settings=Settings(
                concurrency=said.concurrency,
                timeout=said.timeout,
                retries=said.retries,
                stop=stop_of(said.stop),
                isolation=isolation_of(said.isolation),
                allow_tools=tuple(said.allow_tools),
            ),
            source=str(path.resolve()),
        )
        if said.suite is not None:
            wish = self._suite(wish, said, said.suite, path=path)
        answering = Declared(
            self._document, self._folder, named=said.provider, servers=said.providers, prices=said.prices
        )
        return EvaluationFile(
            wish=wish,
            store=DEFAULT_STORE if said.store is None else self._address(said.store),
            provider=answering.provider(),
            prices=answering.prices(),
        )

    def scorers(self, said: list[schema.Scorer], *, at: tuple[str | int, ...]) -> tuple[Scorer, ...]:
        return tuple(self._scorer(one, (*at, index)) for index, one in enumerate(said))

    def _suite(self, wish: Wish, said: schema.FileContent, suite: schema.SuiteContent, *, path: Path) -> Wish:
        if "trials" in said.model_fields_set:
            raise ConfigurationError(
                "'trials' and 'suite' exclude each other",
                where=self._document.place("trials"),
                fix="say it in the suite's policy: `policy: {runs: 3}`",
            )
        scorers = _arrived(self.scorers(suite.scorers, at=("suite", "scorers")), path, said.scoring_key_mapping)
        wanted = Suite(
            wish.dataset,
            assertions=tuple(suite.assertions),
            scorers=scorers,
            policy=suite.policy.model_dump(),
            model=suite.model,
        )
        return self._placed(partial(wanted.wish, wish), "suite")

    def _dataset(self, path: str) -> Path:
        """The path of the dataset; one that cannot be opened is told with the place that names it."""
        found = self._folder / path
        try:
            with self._opened(found):
                return found
        except RejudgeError as error:
            raise placed(error, self._document.place("dataset", "path")) from None

    def _selection(self, said: schema.Select) -> Selection:
        def selection() -> Selection:
            sampler = sampler_named(said.sample, by=said.stratify, seed=said.seed)
            return selection_of(ids=said.ids, condition=said.filter, sampler=sampler, first=said.limit)

        return self._placed(selection, "select")

    def _spec(self, table: schema.Table) -> RowSpec:
        def spec() -> RowSpec:
            return RowSpec(id=table.id, fields=table.fields, reference=tuple(table.reference))

        return self._placed(spec, "dataset", "fields")

    def _tasks(self, said: schema.FileContent) -> tuple[Task, ...]:
        if (said.task is None) == (said.tasks is None):
            what = "the key 'task' is missing" if said.task is None else "'task' and 'tasks' exclude each other"
            raise ConfigurationError(
                what, where=self._document.place("tasks"), fix="give one `task`, or several `tasks`"
            )
        if said.task is not None:
            return (self._task(said.task, ("task",)),)
        return tuple(self._task(one, ("tasks", index)) for index, one in enumerate(said.tasks or ()))

    def _task(self, said: schema.Task, at: tuple[str | int, ...]) -> Task:
        if isinstance(said, schema.ReplayTask):
            recording = schema.Recording(path=said.replay) if isinstance(said.replay, str) else said.replay
            replay = partial(
                ReplayTask,
                self._folder / recording.path,
                id=recording.id,
                output=recording.output,
                trial=recording.trial,
                name=said.name,
                depends_on=said.depends_on,
                scenario=said.scenario,
            )
            return self._placed(replay, *at)
        if not isinstance(said, schema.PythonTask):
            find = partial(self._function, at=at)
            return self._placed(partial(task_said, said, find=find, source=self._document.file), *at)
        function = self._function(said.python, at)
        make = partial(
            FunctionTask,
            function,
            name=said.name,
            version=said.version,
            depends_on=said.depends_on,
            scenario=said.scenario,
        )
        return self._placed(make, *at)

    def _scorer(self, said: schema.Scorer, at: tuple[str | int, ...]) -> Scorer:
        if isinstance(said, schema.PythonScorer):
            at_python = self._document.place(*at, "python")
            function = scorer_named(said.python, folder=self._folder, where=at_python, further=self._further)
            return self._placed(partial(function_scorer, function, name=said.name, version=said.version), *at)
        kind = self._placed(partial(kind_named, said.type), *at, "type")
        parameters = said.model_extra or {}
        known = kind.parameters.__struct_fields__
        for name in parameters:
            if name not in known:
                where = self._document.place(*at, name)
                raise UnknownName.among(f"parameter of {kind.name}", name, known, where=where)
        return self._placed(partial(kind.create, parameters), *at)

    def _function(self, reference: str, at: tuple[str | int, ...]) -> Callable[..., object]:
        where = self._document.place(*at, "python")
        return function_named(reference, folder=self._folder, where=where, further=self._further)

    def _placed(self, make: Callable[[], T], *at: str | int) -> T:
        try:
            return make()
        except RejudgeError as error:
            parameter = error.where.file if error.where else ""
            raise placed(error, self._document.place(*at, parameter)) from None

    def _address(self, store: str) -> str:
        return store if store == MEMORY or "://" in store else str(self._folder / store)
