"""What the shipped judges share: a prompt of their own, and fields of the item or of the task's return to fill it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias

from msgspec import Meta

from rejudge.domain.scale import Direction, ScoreSpec, ScoreType
from rejudge.domain.verdict import Skip
from rejudge.scorers.gap import Gap
from rejudge.scorers.judge import Judging, judge_of
from rejudge.scorers.prompt import Prompt

if TYPE_CHECKING:
    from rejudge.domain.view import View
    from rejudge.scorers.scorer import Scorer

OUTPUT, INPUT, TRACE = "the output", "the input that the task was given", "the messages of the trace"
REFERENCE = "the reference field that reference_key names"
CONTEXT = "the field that context names, of the item or beside the task's output"

ReferenceKey: TypeAlias = Annotated[str, Meta(description="The reference field that holds what is right.")]
Context: TypeAlias = Annotated[
    str, Meta(description="What holds the passages: a key that the task returned beside its output, or an item field.")
]


class Shipped(Judging, frozen=True, kw_only=True):
    """A judge with a prompt of its own."""

    prompt: ClassVar[Prompt]

    def scorer(self) -> Scorer:
        """The judge that asks with its prompt."""
        return judge_of(self, self.prompt, beside=self.beside, keys=self.keys(), fields=self.fields())

    def beside(self, view: View) -> dict[str, object] | Gap:
        """What the prompt reads beside the parts of the view."""
        return {}

    def keys(self) -> tuple[str, ...]:
        """Reference fields without which an item is skipped."""
        return ()

    def fields(self) -> tuple[str, ...]:
        """Fields that the item or the task's return must have."""
        return ()


def found(view: View, name: str) -> object:
    """What the task returned under this name beside its output, or else the item's field; a gap where there is none."""
    value = view.extra.get(name)
    if value is None:
        value = view.item.get(name)
    if value is None:
        return Gap(Skip.MISSING_INPUT_FIELD, f"neither the task's return nor the item has {name!r}")
    return value


def pass_fail(name: str) -> tuple[ScoreSpec, ...]:
    """One score that passes or fails."""
    return (ScoreSpec(name=name),)


def stars(name: str, direction: Direction = Direction.HIGHER) -> tuple[ScoreSpec, ...]:
    """One score from 1 to 5."""
    return (ScoreSpec(name=name, type=ScoreType.FIVE_STAR, direction=direction),)


def share(name: str) -> tuple[ScoreSpec, ...]:
    """One score from 0 to 1, more is better."""
    return (ScoreSpec(name=name, type=ScoreType.NUMBER, low=0.0, high=1.0),)
