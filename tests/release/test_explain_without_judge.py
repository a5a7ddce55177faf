"""Where the old judge cannot be asked any more, the explanation says so, and what can still be said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import rejudge
from rejudge.domain.errors import ProviderError
from rejudge.release.explanation import ScoreExplanation
from rejudge.scorers.function import function_scorer
from rejudge.stats.decompose import Order, Split
from rejudge.stats.interval import Undefined
from rejudge.storage.store import Store
from rejudge.wiring import open_store
from tests.release.planted import BETTER, JUDGE, TASK, World, noise, numbered, quality

ROWS = [{"id": f"i{n}", "text": f"{n}", "gold": f"{n}" if n % 2 else f"{n}!"} for n in range(30)]
SCORE = rejudge.ScoreSpec(name="right", type=rejudge.ScoreType.NUMBER, low=0, high=10)


@pytest.fixture
def store() -> Store:
    return open_store("memory:")


def plain(text: str) -> str:
    return text


def loud(text: str) -> str:
    return f"{text}!"


def strict(output: str, gold: str) -> float:
    return 4.0 * (output == gold) + 1 + noise(output)


def lenient(output: str, gold: str) -> float:
    return 4.0 * (output.rstrip("!") == gold.rstrip("!")) + 2 + noise(output)


lenient.__name__ = strict.__name__ = "right"
strict.scores = lenient.scores = [SCORE]  # type: ignore[attr-defined]


def split_of(score: ScoreExplanation) -> Split:
    assert not isinstance(score.split, Undefined), score.split
    return score.split


def functions(store: Store) -> tuple[rejudge.Result, rejudge.Result]:
    before = rejudge.evaluate(ROWS, plain, [strict], store=store, name="before", reference=["gold"])
    after = rejudge.evaluate(ROWS, loud, [lenient], store=store, name="after", reference=["gold"])
    return before, after


def test_functions_that_are_not_handed_in_leave_judge_and_task_together(store: Store) -> None:
    before, after = functions(store)
    score = rejudge.explain(before, after).score()
    split = split_of(score)
    assert split.order is Order.NONE
    assert split.together.value == pytest.approx(split.difference.value)
    assert isinstance(split.judge.value, Undefined)
    gone = (
        "run's judge 'right' is a function, whose code is not stored; "
        "hand it in with scorers=, or --file on the command line"
    )
    assert split.judge.value.reason == f"the first {gone}; the second {gone}"
    assert "first run's judge 'right' is a function" in score.first_judge


def test_one_function_gives_one_order_and_says_so(store: Store) -> None:
    before, after = functions(store)
    split = split_of(rejudge.explain(before, after, scorers=[strict]).score())
    assert split.order is Order.TASK_FIRST
    assert split.judge.value == split.judge_on_second.value
    assert isinstance(split.judge_on_first.value, Undefined)
    assert isinstance(split.interaction.value, Undefined)


def test_both_functions_give_both_orders_and_no_task_call(store: Store) -> None:
    before, after = functions(store)
    found = rejudge.explain(before, after, scorers=[strict, function_scorer(lenient)])
    split = split_of(found.score())
    assert split.order is Order.BOTH
    assert (found.spent.made, found.spent.cost) == (60, None)
    again = rejudge.explain(before, after)  # what they said is stored by now, and nobody is needed any more
    assert split_of(again.score()) == split


def test_a_model_that_is_gone_is_named_with_what_the_provider_said(store: Store) -> None:
    world = World()
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")

    def reply(call: rejudge.ModelCall) -> rejudge.Reply | Exception:
        if call.model == "judge/strict":
            return ProviderError("the model judge/strict was retired")
        return world._reply(call)

    provider = rejudge.ScriptedProvider(reply)
    found = rejudge.explain(first, second, provider=provider)
    score = found.score()
    split = split_of(score)
    assert split.order is Order.JUDGE_FIRST
    assert split.judge.value == pytest.approx(JUDGE, abs=0.1)
    assert "the model judge/strict was retired" in score.first_judge
    assert found.spent.errors == 80
    # Once it answers again it is asked again, and what the other judge said stays.
    asked = world.calls["judge/lenient"]
    mended = rejudge.explain(first, second, provider=world.provider)
    assert split_of(mended.score()).order is Order.BOTH
    assert world.calls["judge/lenient"] == asked


def test_without_a_provider_the_judges_cannot_be_asked_and_the_differences_still_stand(store: Store) -> None:
    world = World()
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")
    found = rejudge.explain(first, second)
    assert split_of(found.score()).order is Order.NONE
    assert "cannot be asked here" in found.score().first_judge
    assert [one.path for one in found.differences.scorers] == ["scorers.quality.settings.model"]


def test_items_that_the_other_judge_cannot_score_are_missing(store: Store) -> None:
    world = World()
    first, second = world.run(store, "before"), world.run(store, "after", prompt=BETTER, judge="lenient")

    def reply(call: rejudge.ModelCall) -> rejudge.Reply:
        asked = str(call.messages[1]["content"])
        if call.model == "judge/strict" and any(f"item {n} has" in asked for n in range(10)):
            return rejudge.Reply(text="", refusal="I would rather not")
        return world._reply(call)

    score = rejudge.explain(first, second, provider=rejudge.ScriptedProvider(reply)).score()
    split = split_of(score)
    assert (split.n_first, split.n_split, split.missing.n) == (80, 70, 10)
    assert "for 70 of 80 common items; of the rest" in score.first_judge
    assert "I would rather not" in score.first_judge
    parts = [split.judge.value, split.task.value, split.data.value, split.missing.value]
    assert sum(part for part in parts if not isinstance(part, Undefined)) == pytest.approx(split.difference.value)


def test_code_that_is_not_trusted_is_not_run(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    judges = [
        rejudge.code_eval(code=f"def score(output):\n    return len(output) + {more}", name="long", scores=[_long()])
        for more in (0, 1)
    ]
    runs = [
        rejudge.evaluate(ROWS, plain, [judge], store=store, name=name)
        for judge, name in zip(judges, ("before", "after"), strict=True)
    ]
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nowhere")
    score = rejudge.explain(*runs, judging="stored").score()
    assert split_of(score).judge.value == 1  # the traces are shared, so nothing has to be run
    other = rejudge.evaluate(ROWS, loud, [judges[0]], store=store, name="third")
    refused = rejudge.explain(other, runs[1]).score()
    assert "30 of 30 common items" in refused.first_judge  # it judged these very traces in the first run
    assert "cannot be asked here" in refused.second_judge
    assert "rejudge trust" in refused.second_judge
    handed_in = rejudge.explain(other, runs[1], scorers=judges).score()
    assert split_of(handed_in).order is Order.BOTH  # what the caller hands in is the caller's own code


def _long() -> rejudge.ScoreSpec:
    return rejudge.ScoreSpec(name="long", type=rejudge.ScoreType.NUMBER, low=0, high=99)


def test_judges_that_score_in_other_units_are_told_apart_and_nobody_is_asked(store: Store) -> None:
    world = World()
    first = world.run(store, "before", items=numbered(range(5)))
    stars = rejudge.scorers.answer_relevance(name="quality", model="judge/stars")
    second = rejudge.evaluate(
        numbered(range(5)),
        rejudge.prompt(BETTER, model="task/model"),
        [stars],
        store=store,
        name="after",
        provider=rejudge.ScriptedProvider(
            lambda call: '{"reasoning": "", "quality": 3}' if "stars" in call.model else world._reply(call)
        ),
    )
    judges = world.judges
    found = rejudge.explain(first, second, provider=world.provider)
    split = found.score().split
    assert isinstance(split, Undefined)
    assert "different units: -20 to 20, higher is better, and 1 to 5" in split.reason
    assert world.judges == judges


def shares(output: str) -> float:
    return int(output.rstrip("!")[-1]) / 10


def percent(output: str) -> float:
    return 10.0 * int(output.rstrip("!")[-1])


shares.__name__ = percent.__name__ = "right"


def explained(
    store: Store, first: Callable[..., float], second: Callable[..., float], *specs: rejudge.ScoreSpec
) -> rejudge.Explanation:
    for place, judge in enumerate((first, second)):
        judge.scores = [*specs[place : place + 1]]  # type: ignore[attr-defined]
    before = rejudge.evaluate(ROWS, plain, [first], store=store, name="before", reference=["gold"])
    after = rejudge.evaluate(ROWS, loud, [second], store=store, name="after", reference=["gold"])
    return rejudge.explain(before, after, scorers=[first, second])


def test_judges_that_declare_no_range_are_explained_with_a_loud_word_of_caution(store: Store) -> None:
    """One gives shares from 0 to 1 and the other percent, and nothing says so."""
    found = explained(store, shares, percent)
    caution = (
        "the difference may mean nothing: right of the first run and right of the second declare no range, so nothing "
        "says that one unit is meant; declare low and high of both"
    )
    assert found.notes[0] == caution
    assert caution in " ".join(str(found).split())
    assert caution in found.to_html()


def test_one_judge_and_judges_that_declare_one_range_need_no_word_of_caution(store: Store) -> None:
    assert not any("may mean nothing" in note for note in explained(store, shares, shares).notes)
    spec = rejudge.ScoreSpec(name="right", type=rejudge.ScoreType.NUMBER, low=0, high=100)
    found = explained(store, shares, percent, spec, spec)
    assert not any("may mean nothing" in note for note in found.notes)


def test_ranges_of_which_other_ends_are_declared_are_other_units(store: Store) -> None:
    low = rejudge.ScoreSpec(name="right", type=rejudge.ScoreType.NUMBER, low=0)
    high = rejudge.ScoreSpec(name="right", type=rejudge.ScoreType.NUMBER, high=100)
    split = explained(store, shares, percent, low, high).score().split
    assert isinstance(split, Undefined)
    assert "different units: 0 to ∞, higher is better, and −∞ to 100, higher is better" in split.reason


def test_scorers_of_other_names_stand_for_each_other_where_that_is_said(store: Store) -> None:
    world = World()
    first = world.run(store, "before", judge=quality("strict", name="old"))
    second = world.run(store, "after", judge=quality("lenient", name="new"), prompt=BETTER)
    found = rejudge.explain(first, second, scorer=("old", "new"), provider=world.provider)
    split = split_of(found.score())
    assert split.judge.value == pytest.approx(JUDGE, abs=0.1)
    assert split.task.value == pytest.approx(TASK, abs=0.2)
    assert found.score().measure == "old.quality → new.quality"
    with pytest.raises(rejudge.ConfigurationError, match="unknown scorer 'old'"):
        rejudge.explain(first, second, scorer="old")


def test_runs_without_a_common_scorer_are_still_compared_by_their_configurations(store: Store) -> None:
    first = rejudge.evaluate(ROWS, plain, [len_of, upper], store=store, name="before")
    second = rejudge.evaluate(ROWS, loud, [strict, lower], store=store, name="after", reference=["gold"])
    found = rejudge.explain(first, second)
    assert found.scores == ()
    assert "no scorer in common" in found.notes[0]
    assert {one.kind for one in found.differences.scorers} == {"added", "removed"}


def len_of(output: str) -> float:
    return float(len(output))


def upper(output: str) -> bool:
    return output.isupper()


def lower(output: str) -> bool:
    return output.islower()
