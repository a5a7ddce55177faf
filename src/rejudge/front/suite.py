"""Suites: items with assertions that are run like tests, and pass or fail as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from msgspec import Struct, structs

from rejudge.domain.arguments import list_in, mapping_in
from rejudge.domain.canonical import canonical
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.policy import ExecutionPolicy, merged, policy_of
from rejudge.domain.suite import SuiteRules
from rejudge.front.inputs import scorers_of
from rejudge.front.options import evaluation_of, wish_of
from rejudge.front.suite_evaluation import SuiteEvaluation
from rejudge.front.suite_file import check_paths
from rejudge.front.watching import shown
from rejudge.runner.assignment import scorer_stated
from rejudge.scorers.assertions import merged as merged_assertions
from rejudge.scorers.assertions import parts_of
from rejudge.scorers.mapping import mapped

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Unpack

    from rejudge.front.inputs import DatasetLike, ScorerLike, TaskLike
    from rejudge.front.options import Options
    from rejudge.front.suite_result import SuiteResult
    from rejudge.front.wish import Wish
    from rejudge.scorers.mapping import Source
    from rejudge.scorers.scorer import Scorer

PolicyLike = ExecutionPolicy | Mapping[str, object] | None


class Suite(Struct, frozen=True):
    """A dataset with what has to hold for its items.

    Args:
        dataset: whatever `evaluate` takes. An item may have a `policy` (`{"runs": 3, "threshold": 2}`) and `scorers`
            of its own: a list of assertions in words and of `{"kind": …, …}`.
        assertions: what has to hold for every output, in words; `model` judges them in one call.
        scorers: further scorers that every output has to pass.
        policy: how often an item is run (`runs`) and how many of its runs have to pass (`threshold`), where the item
            says nothing else; once each by default.
        model: the model that judges assertions, and items' own judges that name no model.
    """

    dataset: object
    assertions: Sequence[str] = ()
    scorers: object = ()
    policy: object = None
    model: str | None = None

    def deciding(self) -> tuple[Scorer, ...]:
        """The scorers that decide on every item; raises ConfigurationError for what makes none."""
        scorers = scorers_of(self.scorers)
        return tuple(
            part
            for scorer in [*_asserted(_texts(self.assertions), model=self.model), *scorers]
            for part in parts_of(scorer)
        )

    def wish(self, wish: Wish) -> Wish:
        """A wish as one for this suite; its own scorers judge as well, and decide nothing.

        Raises ConfigurationError for a policy that cannot be kept.
        """
        if len(wish.tasks) > 1:
            raise ConfigurationError(f"a suite tests one task, not {len(wish.tasks)}", fix="test them one by one")
        deciding = self.deciding()
        names = {scorer.config.name for scorer in deciding}
        scorers = merged_assertions([*deciding, *wish.scorers])
        policy = policy_of(self.policy) or ExecutionPolicy()
        rules = SuiteRules(
            policy=policy,
            assertions=tuple(self.assertions),
            scorers=tuple(scorer.config.id for scorer in scorers if scorer.config.name in names),
            model=self.model,
        )
        return structs.replace(
            wish, scorers=scorers, trials=merged(policy, None).runs, protocol={**wish.protocol, **rules.protocol()}
        )


def run_tests(
    test_suite: Suite | DatasetLike,
    task: TaskLike,
    *,
    assertions: Sequence[str] = (),
    scorers: ScorerLike | Sequence[ScorerLike] = (),
    policy: PolicyLike = None,
    model: str | None = None,
    experiment_name: str | None = None,
    experiment_config: Mapping[str, object] | None = None,
    worker_threads: int | None = None,
    report_output_path: str | Path | Sequence[str | Path] | None = None,
    **options: Unpack[Options],
) -> SuiteResult:
    """Run a suite: the task on every item as often as its policy says, and every assertion on every output.

    A run passes if all its assertions and scorers do, an item if enough of its runs do, and the suite if all its items
    do. What is stored is not run again, so a second call continues.

    Args:
        test_suite: a `Suite`, or a dataset, for which the next four say what a suite says.
        task: a function or another task, as `evaluate` takes it.
        assertions, scorers, policy, model: see `Suite`; they go before what the suite says.
        experiment_name: the experiment's name; `<dataset>/<task>` by default.
        experiment_config: what else describes the experiment; another config is another experiment.
        worker_threads: how many task calls run at once (also `concurrency`).
        report_output_path: where a report is written: `.json`, `.html`, or `.xml` for JUnit; several in a list. One
            that cannot be written is a warning.
        options: those of `evaluate`, but for `trials`, which the policy says.

    Raises ConfigurationError or InputError before the first task call, Interrupted (with `.result`) on Ctrl-C.
    """
    wanted = suite_evaluation(
        test_suite,
        task,
        assertions=assertions,
        scorers=scorers,
        policy=policy,
        model=model,
        experiment_name=experiment_name,
        experiment_config=experiment_config,
        worker_threads=worker_threads,
        report_output_path=report_output_path,
        **options,
    )
    with shown(options.get("progress", "auto")) as display:
        return wanted.listen(display).run()


def suite_evaluation(
    test_suite: Suite | DatasetLike,
    task: TaskLike,
    *,
    assertions: Sequence[str] = (),
    scorers: ScorerLike | Sequence[ScorerLike] = (),
    policy: PolicyLike = None,
    model: str | None = None,
    experiment_name: str | None = None,
    experiment_config: Mapping[str, object] | None = None,
    worker_threads: int | None = None,
    report_output_path: str | Path | Sequence[str | Path] | None = None,
    **options: Unpack[Options],
) -> SuiteEvaluation:
    """`run_tests` as an object that has not begun: await it, iterate over its events, or call `run()`."""
    paths = check_paths(report_output_path)
    mapping = options.get("scoring_key_mapping")
    suite = _suite(test_suite, assertions=assertions, scorers=scorers, policy=policy, model=model, mapping=mapping)
    said = _options(options, name=experiment_name, threads=worker_threads)
    wish = wish_of(suite.dataset, task, (), said)
    config = mapping_in("experiment_config", experiment_config)
    if config:
        canonical(config)
        wish = structs.replace(wish, protocol={"config": config})
    return SuiteEvaluation(evaluation_of(suite.wish(wish).evaluate, said), reports=paths)


def _suite(
    given: object,
    *,
    assertions: Sequence[str],
    scorers: ScorerLike | Sequence[ScorerLike],
    policy: PolicyLike,
    model: str | None,
    mapping: Mapping[str, Source] | None,
) -> Suite:
    suite = given if isinstance(given, Suite) else Suite(given)
    return structs.replace(
        suite,
        assertions=tuple(dict.fromkeys([*_texts(assertions), *_texts(suite.assertions)])),
        scorers=mapped([*scorers_of(scorers), *scorers_of(suite.scorers)], mapping),
        policy=suite.policy if policy is None else policy,
        model=suite.model if model is None else model,
    )


def _texts(assertions: object) -> list[str]:
    if isinstance(assertions, str):
        raise ConfigurationError(
            f"assertions={assertions!r} is one text", fix=f"give a list: assertions=[{assertions!r}]"
        )
    listed = list_in("assertions", assertions)
    for text in listed:
        if not isinstance(text, str):
            raise ConfigurationError(f"an assertion is text, not a {type(text).__name__}")
    return cast("list[str]", listed)


def _options(options: Options, *, name: str | None, threads: int | None) -> Options:
    if "trials" in options:
        raise ConfigurationError("a suite has no trials=", fix='say it in the policy: policy={"runs": 3}')
    for ours, theirs, value in (("name", "experiment_name", name), ("concurrency", "worker_threads", threads)):
        if value is not None and ours in options:
            raise ConfigurationError(f"{ours} and {theirs} say the same twice", fix="leave one of them out")
    said: Options = {**options}
    if name is not None:
        said["name"] = name
    if threads is not None:
        said["concurrency"] = threads
    return said


def _asserted(assertions: Sequence[str], *, model: str | None) -> list[Scorer]:
    return [scorer_stated({"kind": "assertions", "assertions": list(assertions)}, model=model)] if assertions else []
