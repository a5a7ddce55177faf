"""The verdict in a judge's reply, or why there is none: never a guess, and never a verdict that the reply quotes."""

from rejudge.scorers.reply.menu import Menu, menus_of
from rejudge.scorers.reply.reading import Reading, Unreadable, read

__all__ = ["Menu", "Reading", "Unreadable", "menus_of", "read"]
