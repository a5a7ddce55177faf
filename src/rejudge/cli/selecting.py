"""What the options of a command say of the items that are evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rejudge.front.selecting import Selecting


def selecting(
    *,
    ids: Sequence[str] | None,
    condition: str | None,
    sample: int | None,
    stratify: str | None,
    seed: int | None,
    limit: int | None,
) -> Selecting:
    """The options together; `--ids` takes several ids with commas between them, and `--ids ''` none at all."""
    from rejudge.front.selecting import Selecting

    listed = None if ids is None else tuple(one.strip() for text in ids for one in text.split(",") if one.strip())
    return Selecting(ids=listed, filter=condition, sample=sample, stratify=stratify, seed=seed, limit=limit)
