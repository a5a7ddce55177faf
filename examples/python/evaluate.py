"""Evaluate a function, then judge its outputs by a second scorer: that calls the function zero times."""

from __future__ import annotations

import rejudge

TICKETS = [
    {"id": "t1", "text": "I was charged twice for May, please send one payment back.", "team": "billing"},
    {"id": "t2", "text": "The app closes when I open the map.", "team": "support"},
    {"id": "t3", "text": "Can I get an invoice with our new address?", "team": "billing"},
    {"id": "t4", "text": "How do I add a colleague to our plan?", "team": "sales"},
    {"id": "t5", "text": "My refund has not arrived, and the app is slow as well.", "team": "billing"},
    {"id": "t6", "text": "The payment page shows an error.", "team": "support"},
]
WORDS = {"billing": ("charged", "invoice", "refund", "payment"), "support": ("error", "app", "closes")}


def route(text: str) -> str:
    """The task: which team a ticket goes to. A model would be asked here."""
    for team, words in WORDS.items():
        if any(word in text.lower() for word in words):
            return team
    return "sales"


def right_team(output: str, team: str) -> bool:
    """A scorer asks for the output and for the fields it compares with."""
    return output == team


# `reference` keeps the right answers from the task: it is never given `team`.
first = rejudge.evaluate(TICKETS, route, right_team, reference=["team"], store="tickets.db", name="tickets")
print(first)

known_team = rejudge.pattern_match(name="known team", pattern="^(billing|support|sales)$")
second = rejudge.evaluate_experiment("tickets", known_team, store="tickets.db")
share, reused = second.summary("known team").mean, second.run().usage.reused
print(f"\n{share:.0%} of {reused} stored outputs name a known team")
