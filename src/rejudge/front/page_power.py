"""A plan of a comparison as a page: the answer, what so many items find, and how surely they find it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from rejudge.front.amounts import counted
from rejudge.front.page_parts import columns, figure, foot, head, hero, kept, sentences, table
from rejudge.front.plots.axis import LogAxis
from rejudge.front.plots.curves import Curve, Curves, Meant, curves
from rejudge.front.plots.unit import Unit
from rejudge.front.power_text import MORE_TRIALS, TESTS, answers, cautions, size_text
from rejudge.stats.interval import Undefined
from rejudge.stats.mcnemar_power import MOST_SUMMED, exact_power
from rejudge.stats.planning import planned
from rejudge.stats.power import Needed, power_for_rates
from rejudge.stats.t_power import power_of_t

if TYPE_CHECKING:
    from rejudge.front.plots.estimate import Mark
    from rejudge.front.power import PowerResult
    from rejudge.release.power import Power

POINTS: Final = 80
"""So many numbers of items a curve is reckoned at."""

AROUND: Final = 6
"""Curves reach from a sixth of the fewest items that are spoken of to six times the most."""

ITEMS: Final = Unit(name="items")
SHARE: Final = Unit(name="chance to find the difference", share=True)

Reckoned = Callable[[int], "float | Undefined"]


def power_title(result: PowerResult) -> str:
    """What is planned."""
    measure = result.power.measure
    return f"What a comparison{f' of {kept(measure, 40)}' if measure else ''} can show"


def power_body(result: PowerResult) -> Iterator[str]:
    """The page's content."""
    power = result.power
    yield from head("power", power_title(result), _facts(power))
    yield '<section class="score"><h2>Two systems on the same items</h2>'
    yield _answer(power)
    yield from columns(_pictures(power), _words(power))
    yield "</section>"
    yield foot("Nothing was generated, judged or stored for this page.")


def _facts(power: Power) -> Iterator[tuple[str, str]]:
    plan = power.plan
    yield "test", f"{TESTS[plan.test]}, two-sided at {100 * plan.aim.level:g} %"
    yield "wanted", f"{100 * plan.aim.power:g} % power"
    if plan.difference is not None:
        yield "difference", size_text(power, abs(plan.difference))
    if plan.items is not None:
        yield "items", f"{plan.items:,}" + (f" × {plan.trials} trials" if plan.trials > 1 else "")


def _answer(power: Power) -> str:
    """Whether the items suffice, or else how many do, or what they find; the exact test is asked where there is one."""
    plan = power.plan
    chance = f"{100 * plan.aim.power:g} % power"
    needed = _needed(power)
    if plan.difference is None:
        if isinstance(plan.detectable, float):
            return hero("plain", size_text(power, plan.detectable), f"is what {_items(power)} find", f"with {chance}")
        return hero("unsure", "nothing can be found", f"by {plan.items:,} items", str(plan.detectable))
    size = size_text(power, abs(plan.difference))
    facts = f"{needed:,} items needed for {chance}" if isinstance(needed, int) else f"items needed: {needed}"
    shown = plan.power if plan.power_exact is None else plan.power_exact
    if isinstance(shown, float):
        enough = shown >= plan.aim.power
        mark: Mark = "better" if enough else "worse"
        told = f"{_chance(shown)} chance that {_items(power)} show {size}"
        return hero(mark, "enough items" if enough else "too few items", told, facts)
    if isinstance(needed, int):
        return hero("plain", f"{needed:,} items", f"find a difference of {size}", f"with {chance}")
    return hero("unsure", "no number of items", f"for a difference of {size}", facts)


def _items(power: Power) -> str:
    plan = power.plan
    return f"{plan.items:,} items" + (f" × {plan.trials} trials" if plan.trials > 1 else "")


def _needed(power: Power) -> int | Undefined | None:
    """The items that the test needs which decides."""
    plan = power.plan
    if plan.needed_exact is not None:
        return plan.needed_exact
    return plan.needed.items if isinstance(plan.needed, Needed) else plan.needed


def _pictures(power: Power) -> Iterator[str]:
    yield _found(power)
    if power.plan.difference:
        yield _surely(power)


def _found(power: Power) -> str:
    """How large a difference so many items find."""
    plan = power.plan
    name, times = ("smallest difference, points", 100.0) if power.pass_fail else ("smallest difference", 1.0)

    def at(trials: int) -> Reckoned:
        def found(items: int) -> float | Undefined:
            told = planned(plan.spread, items=items, trials=trials, aim=plan.aim).detectable
            assert told is not None
            return told if isinstance(told, Undefined) else times * told

        return found

    meant: list[Meant] = []
    if isinstance(plan.needed, Needed) and plan.difference is not None:
        size = abs(plan.difference)
        told = f"{plan.needed.items:,} items find {size_text(power, size)}"
        meant.append(Meant(at=(plan.needed.items, times * size), told=told))
    if isinstance(plan.detectable, float) and plan.items is not None:
        told = f"{plan.items:,} items find {size_text(power, plan.detectable)}"
        meant.append(Meant(at=(plan.items, times * plan.detectable), told=told, mark="different"))
    says = f"With {100 * plan.aim.power:g} % power. Of many items, half the difference takes some four times as many."
    if power.pass_fail and plan.spread.discordant is not None:
        says += " By the formula of McNemar's χ² test; the exact test, which decides, takes a few items more."
    view = _view(power, at, title="What so many items find", up=Unit(name=name), meant=meant)
    starts = [one.points[0][0] for one in view.curves if one.main and one.points]
    if starts and starts[0] > 1.1 * view.low:
        says += " Fewer items than those where it begins find nothing."
    return _figure(view, f"{says}{_dashed(view, 'lower')}")


def _surely(power: Power) -> str:
    """How surely so many items find the difference."""
    plan = power.plan
    assert plan.difference is not None
    difference, aim = plan.difference, plan.aim
    decides = None if plan.needed_exact is None else plan.spread.discordant

    def at(trials: int) -> Reckoned:
        discordant = plan.spread.discordant if trials == 1 else None
        variance = replace(plan.spread.variance, first_trials=trials, second_trials=trials)

        def found(items: int) -> float | Undefined:
            if discordant is None:
                return power_of_t(difference, items, variance, aim=aim)
            share = max(discordant, abs(difference))
            if decides is None or items > MOST_SUMMED:
                return power_for_rates(difference, items, share, aim=aim)
            return exact_power(difference, items, share, aim=aim)

        return found

    meant: list[Meant] = []
    needed, shown = _needed(power), plan.power if plan.power_exact is None else plan.power_exact
    if isinstance(needed, int):
        told = f"{needed:,} items needed for {100 * aim.power:g} %"
        meant.append(Meant(at=(needed, aim.power), told=told))
    if isinstance(shown, float) and plan.items is not None:
        told = f"{plan.items:,} items have {_chance(shown)}"
        meant.append(Meant(at=(plan.items, shown), told=told, mark="different"))
    title = f"How surely a difference of {size_text(power, abs(difference))} is found"
    view = replace(_view(power, at, title=title, up=SHARE, meant=meant), level=aim.power, floor=0.0, ceiling=1.0)
    says = "The chance that a comparison of so many items shows it, if it is there. The dashed line is what is wanted."
    if decides is not None:
        says += f" By the exact test, which decides; beyond {MOST_SUMMED:,} items by the formula of McNemar's χ² test"
        says += "; of several trials by the t test." if power.trials else "."
    return _figure(view, f"{says}{_dashed(view, 'further left')}")


def _view(power: Power, at: Callable[[int], Reckoned], *, title: str, up: Unit, meant: list[Meant]) -> Curves:
    """The curve of the plan, and those of other numbers of trials that it tells of."""
    plan = power.plan
    low, high = _reach(power, meant)
    trials = sorted({plan.trials, *(one.trials for one in power.trials)})
    spread = {round(low * (high / low) ** (place / POINTS)) for place in range(POINTS + 1)}
    numbers = sorted(spread | {round(one.at[0]) for one in meant})
    lines = tuple(
        Curve(
            name=counted(number, "trial") if len(trials) > 1 else "",
            points=tuple((n, value) for n in numbers if isinstance(value := at(number)(n), float)),
            main=number == plan.trials,
        )
        for number in trials
    )
    return Curves(title=title, across=ITEMS, up=up, low=low, high=high, curves=lines, meant=tuple(meant))


def _dashed(view: Curves, where: str) -> str:
    """Which curve is which, where there are several."""
    others = [one.name.partition(" ")[0] for one in view.curves if not one.main]
    if not others:
        return ""
    (main,) = (one.name for one in view.curves if one.main)
    return (
        f" The solid curve is of {main} of each item, the dashed ones of {', '.join(others)}: more trials lie {where}."
    )


def _reach(power: Power, meant: list[Meant]) -> tuple[float, float]:
    known = [at for at, _ in (one.at for one in meant)] or [power.plan.items or 100]
    return max(2.0, min(known) // AROUND), max(20.0, math.ceil(AROUND * max(known)))


def _figure(view: Curves, says: str) -> str:
    ticks = LogAxis(low=view.low, high=view.high, start=0.0, end=1.0).ticks(12)
    meant = {round(one.at[0]) for one in view.meant}
    known = {one.name or "value": dict(one.points) for one in view.curves}
    numbers = sorted({n for points in known.values() for n in points})
    asked = sorted({min(numbers, key=lambda n: abs(n - value)) for value, _ in ticks if numbers} | meant)
    rows = [(f"{n:,}", *(_told(view, points.get(n)) for points in known.values())) for n in asked]
    heads = ["items", *(view.up.name if name == "value" else name for name in known)]
    numbers_table = table(heads, rows, caption=f"{view.title}: {view.up.name}")
    return figure(view.title, says, lambda width: curves(view, width=width), numbers_table)


def _told(view: Curves, value: float | None) -> str:
    if value is None:
        return "–"
    return _chance(value) if view.up.share else f"{value:.3g}"


def _chance(share: float) -> str:
    """A chance in percent; one that is nearly certain either way is not said to be so."""
    if 0.005 <= share < 0.995:
        return f"{100 * share:.0f} %"
    return "under 1 %" if share < 0.5 else "over 99 %"


def _words(power: Power) -> Iterator[str]:
    yield from sentences("What it means", (_sentence(text) for _, text in answers(power, power.plan)))
    if power.trials:
        yield from sentences("More trials", [_sentence(MORE_TRIALS)])
    yield from sentences("What it rests on", map(_sentence, power.basis))
    yield from sentences("What it does not mean", cautions(power))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
