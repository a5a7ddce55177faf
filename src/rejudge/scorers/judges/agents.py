"""Judges of agents: did it get the thing done, were its tools the right ones, and was its way a good one?"""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta

from rejudge.domain.view import View
from rejudge.scorers.gap import Gap
from rejudge.scorers.judges.shipped import INPUT, OUTPUT, TRACE, Shipped, pass_fail, stars
from rejudge.scorers.prompt import Prompt

_INPUT = 'The task it was given:\n{{ task_input | tagged("task") }}\n\n'
_STEPS = 'What it did, message by message:\n{{ trace | transcript | tagged("trace") }}'


class ToolCorrectness(Shipped, frozen=True, kw_only=True):
    """Judges whether an agent called the right tools with the right arguments, and used what came back."""

    tools: Annotated[str, Meta(description="What tools there are and what for, in words; unknown, if left out.")] = ""
    prompt: ClassVar = Prompt(
        kind="tool_correctness",
        version=1,
        names=("tools",),
        scores=pass_fail("tool_correctness"),
        wants=(INPUT, TRACE),
        template=(
            "Judge how an agent used its tools.\n\n"
            "1. Say which calls the task needs.\n"
            "2. Check each call that was made: was it the right tool, were its arguments what the task and earlier "
            "results say, and was its result understood?\n"
            "3. Fail the agent for a needed call that is missing, a wrong or invented argument, a call that does what "
            "nobody asked for, or a result that is ignored or misreported. A needless call that does no harm is no "
            "fault. Pass it otherwise.\n\n"
            "{% if tools %}The tools that it had:\n{{ tools }}\n\n{% endif %}" + _INPUT + _STEPS
        ),
    )

    def beside(self, view: View) -> dict[str, object] | Gap:
        """The tools."""
        return {"tools": self.tools.strip()}


class TaskCompletion(Shipped, frozen=True, kw_only=True):
    """Judges whether what was asked for is done in the end, by the evidence in the messages."""

    prompt: ClassVar = Prompt(
        kind="task_completion",
        version=1,
        scores=pass_fail("task_completion"),
        wants=(INPUT, OUTPUT, TRACE),
        template=(
            "Judge whether an agent completed its task.\n\n"
            "1. State what has to be true when the task is done.\n"
            "2. Look for evidence of each in the messages, above all in the results of tools. That the agent says "
            "something is done is no evidence.\n"
            "3. Pass it only if all of it is done. Rightly saying that a task cannot be done, and why, passes.\n\n"
            + _INPUT
            + _STEPS
            + '\n\nIts last words:\n{{ final_message | tagged("answer") }}'
        ),
    )


class TrajectoryQuality(Shipped, frozen=True, kw_only=True):
    """Judges the way that an agent took: planned, without detours, and careful with what cannot be undone."""

    prompt: ClassVar = Prompt(
        kind="trajectory_quality",
        version=1,
        scores=stars("trajectory_quality"),
        wants=(INPUT, TRACE),
        template=(
            "Judge the way that an agent took, and not only where it ended.\n\n"
            "1. Does each step follow from what was known before it?\n"
            "2. Were there steps that repeat one another, lead nowhere or were not needed?\n"
            "3. After an error, did it find the cause or just try again?\n"
            "4. Did it check what it relied on, and ask before it did what cannot be undone?\n"
            "Give 5 to a way that an expert would have taken, 3 to one that arrives with detours, 1 to one that is "
            "aimless or reckless.\n\n" + _INPUT + _STEPS
        ),
    )
