"""Who rated which unit how: a table of raters and units that may have gaps, and the counts that follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rejudge.domain.errors import RecordError
from rejudge.stats.confusion import MOST_CATEGORIES, Category, Confusion, categories_of
from rejudge.stats.interval import Undefined

if TYPE_CHECKING:
    from rejudge.stats.ties import Codes, Floats, Mask

Row: TypeAlias = Sequence[Category | None]
GAP = -1


class Ratings(NamedTuple):
    """`codes[r][u]` is the place in `categories` of what rater r gave unit u, or −1 for a gap."""

    codes: Codes
    categories: tuple[Category, ...]

    @classmethod
    def of(cls, rows: Sequence[Row], *, categories: Sequence[Category] = ()) -> Ratings:
        """One row for each rater with one value for each unit, None where that rater did not rate it.

        `categories` are those that could have been given; numbers that `coded` takes for one are one. Raises
        RecordError for rows of different lengths, numbers mixed with labels, NaN and infinity.
        """
        import numpy as np

        units = len(rows[0]) if rows else 0
        if any(len(row) != units for row in rows):
            raise RecordError("the raters have rows of different lengths", fix="put None where a rater left a unit out")
        given = [value for row in rows for value in row if value is not None]
        codes, named = categories_of([*given, *categories])
        rated = np.array([[value is not None for value in row] for row in rows], dtype=bool).reshape(len(rows), units)
        table = np.full(rated.shape, GAP, dtype=np.intp)
        table[rated] = codes[: len(given)]
        return cls(table, tuple(named))

    @property
    def paired(self) -> Mask:
        """Which units have two ratings or more."""
        import numpy as np

        return np.asarray((self.codes != GAP).sum(axis=0) >= 2)

    @property
    def pairable(self) -> Codes:
        """The columns of units with two ratings or more."""
        return self.codes[:, self.paired]

    def tally(self) -> Tally | Undefined:
        """How many raters put each unit into each category; undefined over 300 different values."""
        import numpy as np

        size = len(self.categories)
        if size > MOST_CATEGORIES:
            return Undefined(f"{size} different values are not categories")
        counts = np.zeros((self.codes.shape[1], size))
        for row in self.codes:
            rated = np.flatnonzero(row != GAP)
            counts[rated, row[rated]] += 1
        return Tally(counts, self.categories)


class Tally(NamedTuple):
    """`counts[u][k]` raters put unit u into category k."""

    counts: Floats
    categories: tuple[Category, ...]

    @property
    def rated(self) -> Mask:
        """Which units have a rating."""
        import numpy as np

        return np.asarray(self.counts.sum(axis=1) > 0)

    @classmethod
    def of(cls, counts: Sequence[Sequence[int]], *, categories: Sequence[Category]) -> Tally:
        """A table of counts with one row for each unit; raises RecordError where a row does not fit `categories`."""
        import numpy as np

        if any(len(row) != len(categories) or min(row, default=0) < 0 for row in counts):
            raise RecordError(f"every unit needs one count for each of the {len(categories)} categories")
        table = np.array(counts, dtype=np.float64).reshape(len(counts), len(categories))
        return cls(table, tuple(categories))

    @classmethod
    def of_pairs(cls, confusion: Confusion) -> Tally:
        """One unit for each pair of a confusion matrix, rated by the judge and by the people."""
        import numpy as np

        times = confusion.cells().astype(np.intp).ravel()
        return cls.of_cells(np.repeat(np.arange(len(times)), times), confusion.categories)

    @classmethod
    def of_cells(cls, cells: Codes, categories: tuple[Category, ...]) -> Tally:
        """One unit for each pair, whose place in a confusion matrix, row after row, is in `cells`."""
        import numpy as np

        size = len(categories)
        both = np.eye(size)[:, None, :] + np.eye(size)[None, :, :]
        return cls(both.reshape(-1, size)[cells], categories)
