"""A comparison in plain words: what it means, and what it does not."""

from __future__ import annotations

from rejudge.stats.comparison import Comparison
from rejudge.stats.decision import SHOWN, ComparisonVerdict
from rejudge.stats.interval import LEVEL, Interval, Undefined
from rejudge.stats.p_value import PValue, Test
from rejudge.stats.render import percent_or_number, told_apart_from_0

TEST_WORDS: dict[Test, str] = {
    "mcnemar-exact": "McNemar's exact test",
    "mcnemar-mid-p": "McNemar's test with the mid-p value",
    "mcnemar-chi2": "McNemar's χ² test",
    "mcnemar-chi2-corrected": "McNemar's χ² test with continuity correction",
    "t": "paired t test",
    "cluster-t": "t test over clusters",
    "wilcoxon-drop": "Wilcoxon's signed-rank test, ties dropped, normal approximation",
    "wilcoxon-pratt": "Wilcoxon's signed-rank test, ties ranked (Pratt), normal approximation",
    "wilcoxon-exact": "Wilcoxon's signed-rank test, exact",
    "sign-flip-exact": "sign-flip test over every assignment of signs",
    "sign-flip-drawn": "sign-flip test over random signs",
    "sign-flip-normal": "sign-flip test, normal approximation",
}

VERDICT_WORDS: dict[ComparisonVerdict, str] = {
    ComparisonVerdict.BETTER: "better",
    ComparisonVerdict.WORSE: "worse",
    ComparisonVerdict.DIFFERENT: "different",
    ComparisonVerdict.NO_DIFFERENCE_SHOWN: "no difference shown",
    ComparisonVerdict.NOT_ENOUGH_DATA: "not enough data",
}


def render_difference(comparison: Comparison) -> str:
    """One line: `+4.1 points [+1.2, +7.1] better, p = 0.031, n=8`; scores that are no shares have no points."""
    if isinstance(comparison.difference, Undefined):
        return f"{comparison.difference}, n={comparison.n}"
    told = f"{VERDICT_WORDS[comparison.verdict]}, {render_p(comparison.p)}"
    return f"{render_change(comparison)} {told}, n={comparison.n}"


def render_change(comparison: Comparison) -> str:
    """The difference with its interval alone: `+4.1 points [+1.2, +7.1]`."""
    if isinstance(comparison.difference, Undefined):
        return str(comparison.difference)
    return _with_interval(comparison, comparison.difference)


def render_size(comparison: Comparison, value: float) -> str:
    """A difference of this score in the digits that its interval supports: `4.0 points`, `0.027`."""
    return _amount(comparison, value)


def render_p(p: float | Undefined) -> str:
    """`p = 0.031`, `p < 0.0001`: two digits, and none where there are too many zeros to count."""
    if isinstance(p, Undefined):
        return str(p)
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"


def what_it_means(comparison: Comparison, *, first: str = "the first", second: str = "the second") -> list[str]:
    """Sentences for somebody who knows no statistics; `first` and `second` are what the two sides are called."""
    if isinstance(comparison.difference, Undefined):
        return [f"There is no item for which both {first} and {second} have a score."]
    told = [_verdict(comparison, comparison.difference, first, second), *_evidence(comparison)]
    if comparison.outcomes is not None:
        counts = comparison.outcomes
        told.append(
            f"{second} alone passes {_items(counts.only_second)}, {first} alone {counts.only_first}; "
            f"both pass {counts.both}, neither passes {counts.neither}."
        )
    if comparison.non_inferiority is not None:
        told.append(_margin(comparison, second))
    if not isinstance(comparison.items_to_decide, Undefined):
        size = comparison.difference if comparison.smallest is None else comparison.smallest
        clusters = comparison.clusters_to_decide
        those = f" in {clusters} clusters like these" if isinstance(clusters, int) else ""
        told.append(
            f"About {comparison.items_to_decide} items{those} would show a difference of "
            f"{_amount(comparison, abs(size))} in 8 comparisons of 10."
        )
    elif comparison.difference and not isinstance(comparison.interval, Undefined):
        told.append(
            f"How many {'clusters' if comparison.clustered else 'items'} would decide is not told: "
            f"{comparison.items_to_decide.reason}."
        )
    if isinstance(comparison.detectable, Undefined) and "too few" in comparison.detectable.reason:
        told.append(f"No difference could have been shown: {comparison.detectable.reason}.")
    names = tuple(name for name in (first, second) if not name.startswith("the "))
    return [sentence if sentence.startswith(names) else sentence[:1].upper() + sentence[1:] for sentence in told]


def what_it_does_not_mean(comparison: Comparison) -> list[str]:
    """The conclusions that these numbers seem to allow and do not."""
    told = ["It is about items like these, and says nothing of others."]
    if comparison.verdict is ComparisonVerdict.NO_DIFFERENCE_SHOWN:
        told.append("It does not say that the two are equal: every difference within the interval fits these items.")
    elif comparison.verdict is ComparisonVerdict.NOT_ENOUGH_DATA:
        told.append("It says neither that there is a difference nor that there is none.")
    else:
        told.append("A difference that is shown need not be one that matters; its size is in the interval.")
    if not isinstance(comparison.p, Undefined):
        told.append("p is not the probability that there is no difference.")
        told.append("Of many comparisons some show a difference by chance; correct p where this is one of several.")
    if any(comparison.unpaired):
        only_first, only_second = comparison.unpaired
        told.append(
            f"Left out are {_items(only_first)} that only the first side has a score for and {only_second} that only "
            "the second has; where scores are missing because things went wrong, a side looks better than it is."
        )
    if (missing := _missing(comparison)) is not None:
        told.append(missing)
    if (disagreement := dissent(comparison)) is not None:
        told.append(disagreement)
    return told


def missing_could_turn(comparison: Comparison) -> bool:
    """Whether a difference is shown that the scores that are missing could give the other sign, or take away."""
    bounds, difference = comparison.bounds, comparison.difference
    if bounds is None or comparison.verdict not in SHOWN or isinstance(difference, Undefined):
        return False
    return isinstance(bounds, Undefined) or not (bounds.low > 0 if difference > 0 else bounds.high < 0)


def _missing(comparison: Comparison) -> str | None:
    """Whether the scores that are missing could turn the verdict, by the bounds of the difference."""
    bounds = comparison.bounds
    if bounds is None:
        return None
    turn = missing_could_turn(comparison)
    could = "Scores are missing, and they could turn this verdict" if turn else "Scores are missing"
    if isinstance(bounds, Undefined):
        return f"{could}: how far they could move the difference is {bounds}."
    low, high = (_amount(comparison, end, sign="+" if end > 0 else "") for end in (bounds.low, bounds.high))
    between = f"over all {bounds.items} planned items the difference is from {low.removesuffix(' points')} to {high}"
    if comparison.verdict in SHOWN and not turn:
        return f"Scores are missing, and the difference keeps its sign whatever they would have been: {between}."
    return f"{could}: {between}, depending on what they would have been."


def _verdict(comparison: Comparison, difference: float, first: str, second: str) -> str:
    amount = _with_interval(comparison, difference)
    match comparison.verdict:
        case ComparisonVerdict.BETTER | ComparisonVerdict.WORSE:
            return f"{second} is {comparison.verdict.value} than {first}: the mean moves by {amount}."
        case ComparisonVerdict.DIFFERENT:
            return f"{second} differs from {first}: the mean moves by {amount}. Neither end of this score is better."
        case ComparisonVerdict.NO_DIFFERENCE_SHOWN:
            return f"no difference between {first} and {second} is shown: {amount}."
        case ComparisonVerdict.NOT_ENOUGH_DATA:
            return f"there is not enough data to tell {first} and {second} apart: {amount}; {comparison.because}."


def _evidence(comparison: Comparison) -> list[str]:
    if isinstance(comparison.primary, Undefined):
        return []
    found = comparison.tests[comparison.primary]
    test = TEST_WORDS[comparison.primary]
    if not isinstance(found, PValue):
        return [f"the {test} is {found}."]
    return [
        f"if nothing differed, a result at least as far from 0 would turn up in {_often(found.p)} comparisons ({test}, "
        f"chosen because {comparison.primary_because})."
    ]


def _often(p: float) -> str:
    if p < 0.0001:
        return "fewer than 1 of 10,000"
    return f"{100 * p:.0f} of 100" if p >= 0.1 else f"{100 * p:.2g} of 100"


def _margin(comparison: Comparison, second: str) -> str:
    found = comparison.non_inferiority
    if found is None or isinstance(found, Undefined):
        return f"whether {second} is acceptably worse is {found}."
    margin = _amount(comparison, found.margin)
    match found.result:
        case "pass":
            return f"{second} is not worse by {margin} or more."
        case "fail":
            return f"{second} is worse by more than {margin}."
        case "inconclusive":
            return f"whether {second} is worse by {margin} or more stays open: {found.because}."


def _with_interval(comparison: Comparison, difference: float) -> str:
    interval = comparison.interval
    amount = _amount(comparison, difference, sign="+" if difference > 0 else "")
    if isinstance(interval, Undefined):
        return f"{amount} [{interval}]"
    low, high = (
        told_apart_from_0(_digits(comparison, end), end, interval, comparison.kind)
        for end in (interval.low, interval.high)
    )
    level = "" if interval.level == LEVEL else f" at {100 * interval.level:g} %"
    return f"{amount} [{low}, {high}]{level}"


def _amount(comparison: Comparison, value: float, *, sign: str = "") -> str:
    return f"{sign}{_digits(comparison, value)}{' points' if comparison.kind == 'pass_fail' else ''}"


def _digits(comparison: Comparison, value: float) -> str:
    interval = comparison.interval
    span, largest = 0.0, abs(value)
    if isinstance(interval, Interval):
        span, largest = interval.high - interval.low, max(abs(interval.low), abs(interval.high), abs(value))
    return percent_or_number(comparison.kind, span=span, largest=largest)(value).removesuffix(" %")


def _items(count: int) -> str:
    return f"{count} item" if count == 1 else f"{count} items"


def dissent(comparison: Comparison) -> str | None:
    """What to say where the interval and the deciding test, which make different assumptions, do not agree."""
    interval = comparison.interval
    if isinstance(interval, Undefined):
        return None
    holds_zero = interval.low <= 0 <= interval.high
    silent = comparison.verdict in (ComparisonVerdict.NO_DIFFERENCE_SHOWN, ComparisonVerdict.NOT_ENOUGH_DATA)
    if silent and not isinstance(comparison.p, Undefined) and comparison.p <= 1 - comparison.level:
        return "Alone it would show a difference; corrected because it is one of several, it does not."
    if silent and not holds_zero:
        return "The interval, an approximation, leaves 0 out, but the exact test decides, and it is stricter."
    if not silent and holds_zero:
        return "The interval, an approximation, still holds 0, but the exact test decides, and it shows a difference."
    return None
