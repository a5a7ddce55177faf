"""What a comparison can show as text for people: what was asked, what it rests on, and what it does not promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rejudge.front.lines import hanging, padded
from rejudge.stats.interval import Undefined
from rejudge.stats.power import Needed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rejudge.front.power import PowerResult
    from rejudge.release.power import Power
    from rejudge.stats.planning import Planned

WIDTH = 100
HEAD = 12

TESTS = {"mcnemar": "McNemar's test", "t": "a paired t test"}
"""The tests that decide, in words."""

MORE_TRIALS = "more trials of each item remove chance within items, and nothing else"


def power_text(result: PowerResult, *, columns: int = WIDTH) -> str:
    """The answer in lines of at most so many columns."""
    return "\n".join(line for head, text in _lines(result.power) for line in hanging(head, text, columns))


def _lines(power: Power) -> Iterator[tuple[str, str]]:
    plan = power.plan
    asked = (
        "the same items, two systems" if power.measure is None else f"{power.measure}, two systems on the same items"
    )
    yield "", f"{asked}, by {TESTS[plan.test]} at {100 * plan.aim.level:g} %"
    for place, words in enumerate(power.basis):
        yield _head("basis" if not place else ""), words
    yield from answers(power, plan)
    if power.trials:
        yield _head("trials"), MORE_TRIALS
        for one in power.trials:
            yield f"    {padded(f'× {one.trials}', HEAD - 2)}", "; ".join(_short(power, one))
    for place, words in enumerate(cautions(power)):
        yield _head("" if place else "but"), words


def cautions(power: Power) -> Iterator[str]:
    """What a plan does not say."""
    yield "It is a plan, not a promise: the true spread may be wider than the one assumed or observed."
    if power.plan.needed is not None and power.runs == 2:
        yield "A difference that was observed and not shown is no proof that more items would show it."


def answers(power: Power, plan: Planned) -> Iterator[tuple[str, str]]:
    """What the plan answers, in lines with their heads."""
    chance = f"{100 * plan.aim.power:g} %"
    trials = f" × {plan.trials} trials" if plan.trials > 1 else ""
    if plan.needed is not None and plan.difference is not None:
        yield _head("needed"), _needed(plan.needed, size_text(power, abs(plan.difference)), trials, chance)
        if isinstance(plan.needed_exact, int):
            yield _head(""), f"the exact test, by which a comparison is decided, needs {plan.needed_exact}"
        if plan.needed_normal is not None and isinstance(plan.needed, Needed):
            yield _head(""), f"reckoned by the noncentral t distribution; the normal formula says {plan.needed_normal}"
    if isinstance(plan.detectable, Undefined):
        yield _head("detectable"), f"with {chance} power: {plan.detectable}"
    elif plan.detectable is not None:
        found = size_text(power, plan.detectable)
        yield _head("detectable"), f"{found} is what {plan.items} items{trials} find with {chance} power"
    if plan.power is not None and plan.difference is not None:
        shown = (
            f"the chance that {plan.items} items{trials} show a difference of {size_text(power, abs(plan.difference))}"
        )
        if isinstance(plan.power, Undefined):
            yield _head("power"), f"{shown}: {plan.power}"
        else:
            yield _head("power"), f"{100 * plan.power:.0f} % is {shown}"
        if plan.power_exact is not None:
            yield _head(""), f"by the exact test, which decides a comparison, it is {100 * plan.power_exact:.0f} %"
    if isinstance(plan.trials_needed, int):
        yield _head(""), f"{plan.trials_needed} trials of each of the {plan.items} items would have {chance} power"
    elif isinstance(plan.trials_needed, Undefined) and power.trials:
        yield _head(""), f"the number of trials is {plan.trials_needed}"


def _needed(needed: Needed | Undefined, size: str, trials: str, chance: str) -> str:
    if isinstance(needed, Undefined):
        return f"to find a difference of {size} with {chance} power: {needed}"
    return f"{needed.items} items{trials} find a difference of {size} with {chance} power"


def _short(power: Power, plan: Planned) -> Iterator[str]:
    if isinstance(plan.needed, Needed):
        yield f"{plan.needed.items} items needed"
    elif plan.needed is not None:
        yield f"items needed: {plan.needed}"
    if isinstance(plan.detectable, Undefined):
        yield f"detectable: {plan.detectable}"
    elif plan.detectable is not None:
        yield f"{size_text(power, plan.detectable)} detectable by {plan.items} items"
    if isinstance(plan.power, Undefined):
        yield f"power: {plan.power}"
    elif plan.power is not None:
        yield f"power {100 * plan.power:.0f} %"


def size_text(power: Power, value: float) -> str:
    """A difference in the score's unit."""
    return f"{100 * value:.3g} points" if power.pass_fail else f"{value:.3g}"


def _head(label: str) -> str:
    return f"  {padded(label, HEAD)}"
