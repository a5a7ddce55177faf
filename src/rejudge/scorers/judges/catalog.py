"""The shipped judges as kinds, each with an example of what a model replies and what that comes to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rejudge.domain.verdict import Skip, Value, Verdict
from rejudge.domain.view import View
from rejudge.scorers.judges.agents import TaskCompletion, ToolCorrectness, TrajectoryQuality
from rejudge.scorers.judges.answers import AnswerRelevance, Factuality, Moderation, Rubric, Summarisation
from rejudge.scorers.judges.conversation import (
    ConversationCoherence,
    ConversationCompleteness,
    Degeneration,
    KnowledgeRetention,
    UserFrustration,
)
from rejudge.scorers.judges.retrieval import ContextPrecision, ContextRecall, Groundedness
from rejudge.scorers.judges.shipped import Shipped
from rejudge.scorers.kind import Example, Kind, constructor

_QUESTION: Final[dict[str, object]] = {"question": "When does the shop open?"}
_PASSAGES: Final = ["Mon to Sat: 9 to 18.", "Parking is free.", "Closed on Sundays."]
_RETRIEVED = View(
    output="At 9, and there is free coffee.",
    extra={"context": _PASSAGES},
    task_input=_QUESTION,
    reference_data={"reference": "At 9 from Monday to Saturday."},
)
_THREAD = View(
    output="What is your order number?",
    trace=[
        {"role": "user", "content": "My order 4711 is late."},
        {"role": "assistant", "content": "What is your order number?"},
    ],
)
_AGENT = View(
    output="Your booking is cancelled.",
    task_input={"request": "Cancel booking 12."},
    trace=[
        {"role": "user", "content": "Cancel booking 12."},
        {"role": "assistant", "tool_calls": [{"function": {"name": "cancel", "arguments": '{"booking": 21}'}}]},
        {"role": "tool", "content": "21 cancelled"},
        {"role": "assistant", "content": "Your booking is cancelled."},
    ],
)


def _example(what: str, view: View, said: str, value: Value, why: str, **own: object) -> Example:
    """A reply in the form that is asked for; `said` is the grade as the model writes it."""
    return Example(
        what=what,
        parameters={"model": "judge", "name": "verdict", **own},
        view=view,
        replies=(f'{{"reasoning": "{why}", "verdict": {said}}}',),
        verdict=Verdict(values={"": value}, reason=why),
    )


def _skipped(what: str, view: View, cause: Skip, reason: str) -> Example:
    return Example(what=what, parameters={"model": "judge"}, view=view, verdict=Verdict.skipped(cause, reason))


def _kind(parameters: type[Shipped], *examples: Example) -> Kind:
    return Kind(name=parameters.prompt.kind, parameters=parameters, examples=examples, prompt=parameters.prompt)


_NO_TRACE = "prompt_template: none was recorded, under trace"

KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        _kind(
            Rubric,
            _example(
                "a point of the rubric is not met",
                View(output="Send it back."),
                '"fail"',
                0.0,
                "It offers no apology.",
                rubric="Apologises, and says what happens next.",
            ),
        ),
        _kind(
            Factuality,
            _example("the facts differ", _RETRIEVED, '"fail"', 0.0, "No coffee is mentioned."),
            _skipped(
                "an item without the reference is skipped",
                View(output="At 9."),
                Skip.MISSING_REFERENCE_KEY,
                "reference_keys names 'reference', and the reference data has only nothing",
            ),
        ),
        _kind(AnswerRelevance, _example("an aside costs a star", _RETRIEVED, "4", 4.0, "The coffee strays.")),
        _kind(
            Groundedness,
            _example("a claim without a passage", _RETRIEVED, '"fail"', 0.0, "No passage speaks of coffee."),
            _skipped(
                "an item without passages is skipped",
                View(output="At 9."),
                Skip.MISSING_INPUT_FIELD,
                "neither the task's return nor the item has 'context'",
            ),
        ),
        _kind(ContextPrecision, _example("two of three passages help", _RETRIEVED, "0.67", 0.67, "1 and 3 help.")),
        _kind(ContextRecall, _example("both statements are supported", _RETRIEVED, "1", 1.0, "Passages 1 and 3.")),
        _kind(
            Summarisation,
            _example(
                "a summary that leaves out what matters",
                View(output="There was a meeting.", task_input={"text": "The meeting moved to Monday."}),
                "2",
                2.0,
                "The new day is missing.",
            ),
        ),
        _kind(Moderation, _example("harmless", View(output="Good morning!"), '"pass"', 1.0, "A greeting.")),
        _kind(ToolCorrectness, _example("a wrong argument", _AGENT, '"fail"', 0.0, "21 instead of 12.")),
        _kind(TaskCompletion, _example("said and not done", _AGENT, '"fail"', 0.0, "Booking 12 stands.")),
        _kind(
            TrajectoryQuality,
            _example("no check of what was cancelled", _AGENT, "2", 2.0, "It never looked."),
            _skipped(
                "a trace without messages is skipped",
                View(output="Done.", task_input={"request": "Cancel booking 12."}),
                Skip.MISSING_TRACE,
                _NO_TRACE,
            ),
        ),
        _kind(ConversationCoherence, _example("a question out of place", _THREAD, "3", 3.0, "Message 2 ignores 1.")),
        _kind(ConversationCompleteness, _example("nothing is solved", _THREAD, "1", 1.0, "The order is still late.")),
        _kind(UserFrustration, _example("no sign of it yet", _THREAD, "2", 2.0, "The user complains once.")),
        _kind(KnowledgeRetention, _example("asked for what was said", _THREAD, "1", 1.0, "4711 was in message 1.")),
        _kind(Degeneration, _example("as good as ever", _THREAD, "1", 1.0, "Nothing repeats.")),
    )
}
"""The judges that come with a prompt, by name."""

rubric = constructor(KINDS["rubric"], Rubric)
factuality = constructor(KINDS["factuality"], Factuality)
answer_relevance = constructor(KINDS["answer_relevance"], AnswerRelevance)
groundedness = constructor(KINDS["groundedness"], Groundedness)
context_precision = constructor(KINDS["context_precision"], ContextPrecision)
context_recall = constructor(KINDS["context_recall"], ContextRecall)
summarisation = constructor(KINDS["summarisation"], Summarisation)
moderation = constructor(KINDS["moderation"], Moderation)
tool_correctness = constructor(KINDS["tool_correctness"], ToolCorrectness)
task_completion = constructor(KINDS["task_completion"], TaskCompletion)
trajectory_quality = constructor(KINDS["trajectory_quality"], TrajectoryQuality)
conversation_coherence = constructor(KINDS["conversation_coherence"], ConversationCoherence)
conversation_completeness = constructor(KINDS["conversation_completeness"], ConversationCompleteness)
user_frustration = constructor(KINDS["user_frustration"], UserFrustration)
knowledge_retention = constructor(KINDS["knowledge_retention"], KnowledgeRetention)
degeneration = constructor(KINDS["degeneration"], Degeneration)
