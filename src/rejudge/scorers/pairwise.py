"""Which of two traces is better: a judge sees them in both orders, so that a preference for a place shows."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType, to_builtins

from rejudge.domain.demands import Demands
from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import Direction, ScoreSpec, ScoreType
from rejudge.domain.scorer import ScorerConfig
from rejudge.domain.verdict import Skip, Value, Verdict
from rejudge.scorers.asking import JudgeQuestion, ask
from rejudge.scorers.gap import Gap
from rejudge.scorers.judge import Asked, calls_of, check_asked, instructions_of, models_of, settings_of
from rejudge.scorers.panel import Member
from rejudge.scorers.parts import message
from rejudge.scorers.prompt import Prompt
from rejudge.scorers.reply import Menu
from rejudge.scorers.scorer import Way

if TYPE_CHECKING:
    from rejudge.domain.call import ModelCall
    from rejudge.domain.view import View
    from rejudge.scorers.template import Template

FIRST, TIE, SECOND = "first", "tie", "second"

PREFERRED, WIN, FLIPPED, SHOWN_FIRST = "preferred", "win", "flipped", "shown_first"

SCORES: Final = (
    ScoreSpec(name=PREFERRED, type=ScoreType.LABEL, labels=(FIRST, TIE, SECOND)),
    ScoreSpec(name=WIN, type=ScoreType.NUMBER, low=0.0, high=1.0),
    ScoreSpec(name=FLIPPED, type=ScoreType.NUMBER, low=0.0, high=1.0, direction=Direction.LOWER),
    ScoreSpec(name=SHOWN_FIRST, type=ScoreType.NUMBER, low=0.0, high=1.0, direction=Direction.INFORMATIONAL),
)
"""Which trace is preferred; the first one's share of wins, ties counting half; how often the preference went with the
place, so that the two orders contradict each other; and the share of answers for the trace that was shown first, where
0.5 is fair. The last two are of pairs that a judge was shown, and of no others."""

PROMPT: Final = Prompt(
    kind="pairwise",
    version=1,
    names=("first", "second", "criteria"),
    scores=SCORES,
    wants=("the outputs of two traces of the same item",),
    template=(
        "Two answers to the same input stand below. Say which one is better.\n\n"
        "{% if criteria %}Judge by this alone:\n{{ criteria }}{% else %}Judge by how correctly, completely and clearly "
        "they do what the input asks for.{% endif %}\n\n"
        "Compare them point by point before you decide. Where an answer stands and how long it is are no merits. Say "
        '"tie" if neither is better.\n\n'
        '{% if task_input %}The input:\n{{ task_input | tagged("input") }}\n\n{% endif %}'
        'The first answer:\n{{ first | tagged("first") }}\n\nThe second answer:\n{{ second | tagged("second") }}'
    ),
)
"""What is asked in each order; `first` and `second` are the outputs as they are shown."""

_MENU: Final = Menu(ScoreSpec(name="better", type=ScoreType.LABEL, labels=(FIRST, SECOND, TIE)))
_POINTS: Final = {FIRST: 1.0, TIE: 0.5, SECOND: 0.0}


class Pairwise(Asked, frozen=True, kw_only=True):
    """Compares the traces of two tasks item by item, in both orders; used by `compare_pairwise`."""

    criteria: Annotated[str, Meta(description="What makes an answer better, in your words.")] = ""
    prompt_template: Annotated[
        str | UnsetType,
        Meta(description="The prompt, in Jinja; it reads `first` and `second`. A shipped one, if left out."),
    ] = UNSET

    def scorer(self) -> PairwiseScorer:
        """The judge of pairs."""
        from rejudge.scorers.template import Template  # the template library loads with the first template

        name = PROMPT.kind if isinstance(self.name, UnsetType) else self.name
        prompt = PROMPT
        if not isinstance(self.prompt_template, UnsetType):
            prompt = replace(PROMPT, template=self.prompt_template)
        check_asked(self, name)
        template = Template(prompt.template, parameter="prompt_template", beside=prompt.names)
        if not template.reads >= {FIRST, SECOND}:
            raise ConfigurationError(
                f"{name}: the prompt does not show both answers", fix="put in {{ first }} and {{ second }}"
            )
        config = ScorerConfig(
            name=name,
            type=prompt.kind,
            settings=settings_of(self, prompt),
            scores=SCORES,
            sees=None if template.fields is None else tuple(sorted(template.fields)),
        )
        return PairwiseScorer(config, self, template)


class Both(Struct, frozen=True, kw_only=True):
    """What one judge said in the two orders, as points of the first trace: 1, 0.5 for a tie, or 0."""

    model: str
    as_given: float
    swapped: float

    @property
    def flipped(self) -> bool:
        """Whether it preferred a place and not a trace."""
        return abs(self.as_given - self.swapped) == 1.0

    @property
    def shown_first(self) -> float:
        """Its points for the trace that was shown first, on average."""
        return (self.as_given + 1.0 - self.swapped) / 2


class PairwiseScorer:
    """A judge of pairs under a config: its subject is an ordered pair of traces."""

    __slots__ = ("_parameters", "_template", "config", "demands", "needs", "way")

    def __init__(self, config: ScorerConfig, parameters: Pairwise, template: Template) -> None:
        self.config = config
        self.way = Way.STEPS
        self.needs: frozenset[str] = frozenset()
        self.demands = Demands(models=tuple(dict.fromkeys(models_of(parameters))))
        self._parameters = parameters
        self._template = template

    def judge(self, view: View) -> object:
        """Refused: one trace is no pair."""
        raise ConfigurationError(f"{self.config.name!r} compares two traces", fix="use rejudge.compare_pairwise")

    def compare(self, view: View, other: View | None) -> Generator[object, object, Verdict]:
        """Steps to the verdict on two traces of one item; both orders are asked at the same time."""
        if other is None:
            return Verdict.skipped(Skip.MISSING_TRACE, "the other task has no trace of this item")
        outputs = message(view), message(other)
        if None in outputs:
            return _unanswered(*outputs)
        prompts = [self._filled(view, *outputs), self._filled(view, *reversed(outputs))]
        for prompt in prompts:
            if isinstance(prompt, Gap):
                return Verdict.skipped(prompt.cause or Skip.EXTRACTION_FAILED, prompt.reason)
        calls = [self._calls(str(prompt)) for prompt in prompts]
        question = JudgeQuestion(
            menus=(_MENU,),
            judged=tuple(map(str, prompts)),
            instructions=instructions_of(self.config.settings),
            reasoning=self._parameters.reasoning,
            weighted=False,
            reasks=self._parameters.reasks,
        )
        members = yield from ask(question, [call for pair in zip(*calls, strict=True) for call in pair])
        return _verdict(members)

    def _filled(self, view: View, first: str | None, second: str | None) -> str | Gap:
        beside = {FIRST: first, SECOND: second, "criteria": self._parameters.criteria.strip()}
        return self._template.filled(view, beside)

    def _calls(self, prompt: str) -> list[ModelCall]:
        return calls_of(self._parameters, prompt, (_MENU,))


def _verdict(members: Sequence[Member]) -> Verdict:
    """The verdict of judges that were asked in both orders, one after the other."""
    both = [
        Both(
            model=given.model,
            as_given=_POINTS[str(given.values[_MENU.key])],
            swapped=1.0 - _POINTS[str(swapped.values[_MENU.key])],
        )
        for given, swapped in zip(members[::2], members[1::2], strict=True)
    ]
    win = sum(one.as_given + one.swapped for one in both) / (2 * len(both))
    flips = sum(one.flipped for one in both)
    told = f"; in {flips} of {len(both)} judgements the preference went with the place" if flips else ""
    reasons = [member.reasoning for member in members[:2] if member.reasoning]
    bias: dict[str, Value] = {FLIPPED: flips / len(both), SHOWN_FIRST: sum(one.shown_first for one in both) / len(both)}
    return Verdict(
        values=_values(win) | bias,
        reason="\n".join([f"{_preferred(win)}{told}", *reasons]),
        evidence={"members": to_builtins(list(members)), "orders": to_builtins(both)},
    )


def _unanswered(first: str | None, second: str | None) -> Verdict:
    """A null output loses, and nobody has to be asked."""
    win = 0.5 if first is None and second is None else 0.0 if first is None else 1.0
    null = "both outputs are" if win == 0.5 else f"the {FIRST if first is None else SECOND} output is"
    return Verdict(
        values=_values(win),
        reason=f"{_preferred(win)}: {null} null, so that no judge was asked",
        left_out=(FLIPPED, SHOWN_FIRST),
    )


def _values(win: float) -> dict[str, Value]:
    return {PREFERRED: _preferred(win), WIN: win}


def _preferred(win: float) -> str:
    return TIE if win == 0.5 else FIRST if win > 0.5 else SECOND
