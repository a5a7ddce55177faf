"""What one side said against what the other said, counted: darker cells hold more of their row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from rejudge.front.plots.svg import LINE, ROOMY, bold, element, fitted, hover, label, picture, pixels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST: Final = 10
NARROW_MOST: Final = 6
"""So many categories are drawn; of more, the rarest are drawn as one."""

CELL: Final = 84.0


class ConfusionMatrix(msgspec.Struct, frozen=True, kw_only=True):
    """`counts[i][j]` items are `categories[i]` for the side called `rows` and `categories[j]` for `columns`."""

    title: str
    rows: str
    columns: str
    categories: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def n(self) -> int:
        """All items."""
        return sum(map(sum, self.counts))


def confusion_matrix(view: ConfusionMatrix, *, width: float) -> str:
    """The plot for a page of `width` pixels."""
    roomy = width >= ROOMY
    seen = of_the_commonest(view, MOST if roomy else NARROW_MOST)
    size = len(seen.categories)
    if not size or not seen.n:
        told = "no item has a value of both sides"
        return picture((width, 24), view.title, told, [label(0, 16, told, style="dim")])
    left = min(0.3 * width, pixels([*seen.categories, f"{view.rows} said"])) + 16
    cell = min(CELL if roomy else 64.0, (width - left) / size)
    deep = min(cell, 48.0)
    top = 2 * LINE + 14
    body = [
        label(left, 12, fitted(f"{view.columns} said", width - left), style="name"),
        label(0, top - 6, fitted(f"{view.rows} said", left - 8), style="name"),
    ]
    for place, name in enumerate(seen.categories):
        body.append(label(left + cell * (place + 0.5), top - 6, fitted(name, cell - 6), anchor="middle", style="tick"))
    for place, (name, row) in enumerate(zip(seen.categories, seen.counts, strict=True)):
        y = top + deep * place
        body.append(label(0, y + deep / 2 + 4, fitted(name, left - 10), style="row"))
        body += _row(seen, place, row, (left, y), (cell, deep))
    bottom = top + deep * size
    agreed = sum(row[place] for place, row in enumerate(seen.counts))
    told = f"{agreed:,} of {seen.n:,} the same ({100 * agreed / seen.n:.1f} %), outlined"
    body.append(label(0, bottom + 20, fitted(told, width), style="dim"))
    if len(view.categories) > size:
        more = f"{len(view.categories) - size + 1:,} rarer values are one; the table has all"
        body.append(label(0, bottom + 20 + LINE, fitted(more, width), style="dim"))
    cells = "; ".join(
        f"{view.rows} {seen.categories[i]} and {view.columns} {seen.categories[j]}: {count:,}"
        for i, row in enumerate(seen.counts)
        for j, count in enumerate(row)
        if count and size <= 4
    )
    return picture((width, bottom + 28 + LINE * (len(view.categories) > size)), view.title, f"{told}. {cells}", body)


def of_the_commonest(view: ConfusionMatrix, most: int) -> ConfusionMatrix:
    """The matrix with its rarest categories taken together, where there are too many to draw."""
    size = len(view.categories)
    if size <= most:
        return view
    often = [sum(row) + sum(column) for row, column in zip(view.counts, zip(*view.counts, strict=True), strict=True)]
    kept = sorted(sorted(range(size), key=lambda place: -often[place])[: most - 1])
    groups = [*([place] for place in kept), [place for place in range(size) if place not in set(kept)]]
    return ConfusionMatrix(
        title=view.title,
        rows=view.rows,
        columns=view.columns,
        categories=(*(view.categories[place] for place in kept), "the rest"),
        counts=tuple(tuple(_total(view, rows, columns) for columns in groups) for rows in groups),
    )


def _total(view: ConfusionMatrix, rows: Sequence[int], columns: Sequence[int]) -> int:
    return sum(view.counts[row][column] for row in rows for column in columns)


def _row(
    view: ConfusionMatrix, place: int, row: Sequence[int], corner: tuple[float, float], size: tuple[float, float]
) -> Iterator[str]:
    total = sum(row)
    (left, y), (cell, deep) = corner, size
    for other, count in enumerate(row):
        x = left + cell * other
        share = count / total if total else 0.0
        told = (
            f"{view.rows} said {view.categories[place]}, {view.columns} said {view.categories[other]}: {count:,} "
            f"of {total:,}, {100 * share:.1f} %"
        )
        style = "cell agreed" if place == other else "cell"
        box = {"x": x + 1, "y": y + 1, "width": cell - 2, "height": deep - 2}
        yield element("rect", hover(told), class_=style, fill_opacity=0.04 + 0.5 * share, **box)
        two = deep >= 40 and cell >= 48 and total
        yield label(
            x + cell / 2, y + deep / 2 + (-2 if two else 5), _count(count, cell), anchor="middle", style="number on"
        )
        if two:
            yield label(x + cell / 2, y + deep / 2 + 14, f"{100 * share:.0f} %", anchor="middle", style="dim on")


def _count(count: int, room: float) -> str:
    """A count that fits into a cell; the table has those that are shortened here."""
    return f"{count:,}" if bold([f"{count:,}"]) <= room else f"{count / 1000:.0f}k"
