"""Judges of conversations as a whole: every message of the thread is read, not only the last one."""

from __future__ import annotations

from typing import ClassVar

from rejudge.domain.scale import Direction
from rejudge.scorers.judges.shipped import TRACE, Shipped, stars
from rejudge.scorers.prompt import Prompt

_THREAD = '\n\nThe conversation:\n{{ trace | transcript | tagged("conversation") }}'


class ConversationCoherence(Shipped, frozen=True, kw_only=True):
    """Judges whether the assistant's messages follow from the conversation and from each other."""

    prompt: ClassVar = Prompt(
        kind="conversation_coherence",
        version=1,
        scores=stars("conversation_coherence"),
        wants=(TRACE,),
        template=(
            "Judge how coherent the assistant is over the whole conversation.\n\n"
            "1. Does each of its messages answer the one before it?\n"
            "2. Does it contradict what it said earlier, or change the subject without cause?\n"
            "Give 5 if nothing breaks the thread, 3 if one message does, 1 if the conversation falls apart. Name the "
            "numbers of the messages." + _THREAD
        ),
    )


class ConversationCompleteness(Shipped, frozen=True, kw_only=True):
    """Judges whether everything that the user wanted was dealt with by the end."""

    prompt: ClassVar = Prompt(
        kind="conversation_completeness",
        version=1,
        scores=stars("conversation_completeness"),
        wants=(TRACE,),
        template=(
            "Judge whether the user got what they wanted from the conversation.\n\n"
            "1. List everything that the user asks for, also in passing.\n"
            "2. Say of each whether it was dealt with by the end, with the number of the message.\n"
            "Give 5 if all of it was, 3 if the main thing was and others were not, 1 if the main thing was not. What "
            "the user took back does not count." + _THREAD
        ),
    )


class UserFrustration(Shipped, frozen=True, kw_only=True):
    """Judges how frustrated the user is by the assistant: less is better."""

    prompt: ClassVar = Prompt(
        kind="user_frustration",
        version=1,
        scores=stars("user_frustration", Direction.LOWER),
        wants=(TRACE,),
        template=(
            "Judge how frustrated the user becomes with the assistant. Read only what the user writes for signs: "
            "asking again, correcting, short or sharp words, giving up, asking for a person.\n"
            "Anger about something else than the assistant does not count.\n"
            "Give 1 if there is no sign, 3 if the user has to repeat or correct and shows it, 5 if they give up or "
            "are angry. Name the numbers of the messages." + _THREAD
        ),
    )


class KnowledgeRetention(Shipped, frozen=True, kw_only=True):
    """Judges whether the assistant remembers what it was told earlier in the conversation."""

    prompt: ClassVar = Prompt(
        kind="knowledge_retention",
        version=1,
        scores=stars("knowledge_retention"),
        wants=(TRACE,),
        template=(
            "Judge whether the assistant keeps in mind what it was told.\n\n"
            "1. List the facts and wishes that the user states about themselves or the matter.\n"
            "2. Find later messages of the assistant that need one of them: was it used, forgotten, asked for again "
            "or got wrong?\n"
            "Give 5 if nothing is lost, 3 if one thing is asked for again or forgotten, 1 if what matters is lost or "
            "turned round. Where nothing had to be remembered, give 5." + _THREAD
        ),
    )


class Degeneration(Shipped, frozen=True, kw_only=True):
    """Judges how far the assistant's messages decay into repetition, filler or nonsense: less is better."""

    prompt: ClassVar = Prompt(
        kind="degeneration",
        version=1,
        scores=stars("degeneration", Direction.LOWER),
        wants=(TRACE,),
        template=(
            "Judge whether the assistant's messages degenerate as the conversation goes on: the same sentences again, "
            "loops, filler in place of content, broken words, another language without cause, or messages that no "
            "longer mean anything.\n"
            "Give 1 if the last messages are as good as the first, 3 if repetition or filler is plain to see, 5 if "
            "they are unusable. Name the numbers of the messages." + _THREAD
        ),
    )
