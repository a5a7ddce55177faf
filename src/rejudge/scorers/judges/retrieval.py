"""Judges of answers from retrieved passages: is the answer grounded in them, and were they the right ones?"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rejudge.domain.verdict import Skip
from rejudge.scorers.gap import Gap
from rejudge.scorers.judges.shipped import (
    CONTEXT,
    INPUT,
    OUTPUT,
    REFERENCE,
    Context,
    ReferenceKey,
    Shipped,
    found,
    pass_fail,
    share,
)
from rejudge.scorers.prompt import Prompt

if TYPE_CHECKING:
    from rejudge.domain.view import View

_PASSAGES = (
    'The passages:\n{% for passage in passages %}[{{ loop.index }}]\n{{ passage | tagged("passage") }}\n{% endfor %}\n'
)


class Retrieval(Shipped, frozen=True, kw_only=True):
    """A judge that reads passages: a list of them, or one text."""

    context: Context = "context"

    def fields(self) -> tuple[str, ...]:
        """What holds the passages."""
        return (self.context,)

    def beside(self, view: View) -> dict[str, object] | Gap:
        """The passages as a list."""
        passages = found(view, self.context)
        if isinstance(passages, Gap):
            return passages
        return {"passages": passages if isinstance(passages, list) else [passages]}


class Referenced(Retrieval, frozen=True, kw_only=True):
    """One that reads a reference as well."""

    reference_key: ReferenceKey = "reference"

    def keys(self) -> tuple[str, ...]:
        """The reference."""
        return (self.reference_key,)

    def beside(self, view: View) -> dict[str, object] | Gap:
        """The passages, and the reference under one name."""
        passages = super().beside(view)
        if isinstance(passages, Gap):
            return passages
        return {**passages, "reference": (view.reference_data or {})[self.reference_key]}


class Groundedness(Retrieval, frozen=True, kw_only=True):
    """Judges whether everything an answer claims is supported by the passages; what is not is a hallucination."""

    prompt: ClassVar = Prompt(
        kind="groundedness",
        version=1,
        names=("passages",),
        scores=pass_fail("groundedness"),
        wants=(OUTPUT, CONTEXT),
        template=(
            "Judge whether the answer is grounded in the passages. They alone count, not what you know yourself.\n\n"
            "1. List the claims of the answer.\n"
            "2. For each, name the passage that states or plainly implies it, or say that none does.\n"
            "3. Pass the answer if every claim has a passage; fail it if one has none or is contradicted. An answer "
            "that claims nothing, such as one that says it does not know, passes.\n\n"
            + _PASSAGES
            + '\nThe answer:\n{{ final_message | tagged("answer") }}'
        ),
    )


class ContextPrecision(Referenced, frozen=True, kw_only=True):
    """Judges which share of the retrieved passages helps to answer the question; of none, there is no share."""

    prompt: ClassVar = Prompt(
        kind="context_precision",
        version=1,
        names=("passages", "reference"),
        scores=share("context_precision"),
        wants=(INPUT, CONTEXT, REFERENCE),
        template=(
            "Judge the passages that were retrieved for a question whose right answer is known.\n\n"
            "1. Say of each passage whether it holds something from which the right answer follows, wholly or in "
            "part. Being about the same subject is not enough.\n"
            "2. Divide the number of those that do by the number of all passages: that is the score.\n\n"
            'The question:\n{{ task_input | tagged("question") }}\n\n'
            'The right answer:\n{{ reference | tagged("reference") }}\n\n' + _PASSAGES
        ),
    )

    def beside(self, view: View) -> dict[str, object] | Gap:
        """The passages and the reference; a gap where the list of passages is empty, so that nobody is asked."""
        beside = super().beside(view)
        if isinstance(beside, Gap) or beside["passages"]:
            return beside
        return Gap(Skip.INCOMPATIBLE_INPUT_SHAPE, f"{self.context!r} is a list of no passages, which have no share")


class ContextRecall(Referenced, frozen=True, kw_only=True):
    """Judges which share of the reference the retrieved passages support."""

    prompt: ClassVar = Prompt(
        kind="context_recall",
        version=1,
        names=("passages", "reference"),
        scores=share("context_recall"),
        wants=(CONTEXT, REFERENCE),
        template=(
            "Judge whether passages hold what is needed for an answer that is known to be right.\n\n"
            "1. Divide the right answer into single statements.\n"
            "2. Say of each which passage supports it, or that none does.\n"
            "3. Divide the number of supported statements by the number of all: that is the score.\n\n"
            'The right answer:\n{{ reference | tagged("reference") }}\n\n' + _PASSAGES
        ),
    )
