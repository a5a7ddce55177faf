"""What a judge said against what the people said, counted: the confusion matrix, and the 2 × 2 of passed and failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import msgspec

from rejudge.domain.errors import RecordError
from rejudge.stats.interval import Undefined
from rejudge.stats.moments import finite
from rejudge.stats.ties import coded

if TYPE_CHECKING:
    from rejudge.stats.ties import Codes, Floats

Category: TypeAlias = float | str

MOST_CATEGORIES = 300
NO_PAIRS = Undefined("no item has a value of both sides")


class Confusion(msgspec.Struct, frozen=True, kw_only=True, tag="confusion"):
    """`counts[i][j]` items got `categories[i]` from the people and `categories[j]` from the judge.

    Raises RecordError for a table that is not square, has a negative count, or names a category twice.
    """

    categories: tuple[Category, ...]
    counts: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        size = len(self.categories)
        if len(set(self.categories)) < size:
            raise RecordError(f"a category is named twice in {self.categories}")
        if len(self.counts) != size or any(len(row) != size for row in self.counts):
            raise RecordError(f"{size} categories need {size} rows of {size} counts")
        if any(count < 0 for row in self.counts for count in row):
            raise RecordError("a count cannot be negative")

    @property
    def n(self) -> int:
        """The number of pairs."""
        return sum(map(sum, self.counts))

    @property
    def agreed(self) -> int:
        """The pairs in which both sides said the same."""
        return sum(row[place] for place, row in enumerate(self.counts))

    def cells(self) -> Floats:
        """The counts as an array of floats."""
        import numpy as np

        return np.array(self.counts, dtype=np.float64).reshape(len(self.categories), len(self.categories))


class Outcomes(msgspec.Struct, frozen=True, kw_only=True, tag="outcomes"):
    """How a judge's passes and fails met those of the people; positive means that the judge let it pass."""

    true_positives: int
    false_negatives: int
    false_positives: int
    true_negatives: int

    def __post_init__(self) -> None:
        if min(self.true_positives, self.false_negatives, self.false_positives, self.true_negatives) < 0:
            raise RecordError("a count cannot be negative")

    @classmethod
    def of(cls, judge: Sequence[bool] | Sequence[int], human: Sequence[bool] | Sequence[int]) -> Outcomes:
        """The outcomes of pairs in which each side is True or 1 for passed, False or 0 for failed."""
        import numpy as np

        check_pairs(judge, human)
        sides = np.array([judge, human], dtype=np.float64).reshape(2, len(human))
        if not np.isin(sides, (0.0, 1.0)).all():
            raise RecordError(
                "an outcome is 0 for failed or 1 for passed", fix="say from which value on a score passes"
            )
        counts = np.bincount((2 * sides[1] + sides[0]).astype(np.intp), minlength=4)
        tn, fp, fn, tp = map(int, counts)
        return cls(true_positives=tp, false_negatives=fn, false_positives=fp, true_negatives=tn)

    @property
    def positives(self) -> int:
        """The items that the people let pass."""
        return self.true_positives + self.false_negatives

    @property
    def negatives(self) -> int:
        """The items that the people failed."""
        return self.false_positives + self.true_negatives

    @property
    def n(self) -> int:
        """The number of pairs."""
        return self.positives + self.negatives

    @property
    def judge_positives(self) -> int:
        """The items that the judge let pass."""
        return self.true_positives + self.false_positives

    def confusion(self) -> Confusion:
        """The same counts as a confusion matrix of the categories 0 (failed) and 1 (passed)."""
        return Confusion(
            categories=(0.0, 1.0),
            counts=((self.true_negatives, self.false_positives), (self.false_negatives, self.true_positives)),
        )


class Placed(NamedTuple):
    """Where the pairs of a confusion matrix are: each one's cell, row after row, and the place of its item.

    It is needed where items come more than once, because the matrix does not tell which pairs are of one item.
    """

    cells: Codes
    items: Codes

    @classmethod
    def of(
        cls, judge: Sequence[Category], human: Sequence[Category], items: Codes, *, categories: Sequence[Category] = ()
    ) -> Placed | Undefined:
        """The places of aligned pairs in the matrix that `confusion_of` makes of the same."""
        found = _cells(judge, human, categories)
        return found if isinstance(found, Undefined) else cls(found[0], items)


def confusion_of(
    judge: Sequence[Category], human: Sequence[Category], *, categories: Sequence[Category] = ()
) -> Confusion | Undefined:
    """The confusion matrix of aligned pairs; `categories` are shown, in their order, even where nobody used them.

    Numbers that `coded` takes for one are one category. Undefined without pairs and over 300 categories. Raises
    RecordError for sides of different lengths, numbers mixed with labels, NaN and infinity.
    """
    import numpy as np

    found = _cells(judge, human, categories)
    if isinstance(found, Undefined):
        return found
    cells, named = found
    size = len(named)
    counts = np.bincount(cells, minlength=size * size).reshape(size, size)
    return Confusion(categories=tuple(named), counts=tuple(map(tuple, counts.tolist())))


def _cells(
    judge: Sequence[Category], human: Sequence[Category], categories: Sequence[Category]
) -> tuple[Codes, list[Category]] | Undefined:
    """For each pair its cell in the table, row after row, and the categories of rows and columns."""
    import numpy as np

    check_pairs(judge, human)
    if not judge:
        return NO_PAIRS
    n = len(judge)
    codes, named = categories_of([*judge, *human, *categories])
    if len(named) > MOST_CATEGORIES:
        return Undefined(f"{len(named)} different values are not categories")
    if categories:
        first = list(dict.fromkeys(codes[2 * n :].tolist()))
        ordered = first + [code for code in range(len(named)) if code not in set(first)]
        codes, named = np.argsort(ordered)[codes], [named[code] for code in ordered]
    return codes[n : 2 * n] * len(named) + codes[:n], named


def check_pairs(judge: Sequence[object], human: Sequence[object]) -> None:
    """Raises RecordError where the two sides are not of one length."""
    if len(judge) != len(human):
        raise RecordError(
            f"{len(judge)} values of the judge and {len(human)} of the people are no pairs",
            fix="leave out the items that only one side has scored, and count them",
        )


def categories_of(values: Sequence[Category]) -> tuple[Codes, list[Category]]:
    """The place of each value in the sorted list of different values, and that list; ties as `coded` tells them."""
    import numpy as np

    labels = [value for value in values if isinstance(value, str)]
    numbers = [value for value in values if not isinstance(value, str)]
    if labels and numbers:
        raise RecordError("labels and numbers cannot be compared", fix="give both sides the same kind of score")
    if labels:
        named: list[Category] = [*sorted(set(labels))]
        place = {label: code for code, label in enumerate(named)}
        return np.array([place[label] for label in labels], dtype=np.intp), named
    codes, different = coded(np.array(finite(numbers), dtype=np.float64))
    return codes, [*different.tolist()]
