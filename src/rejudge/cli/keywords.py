"""What the keywords of Python are called on the command line, where an error says what to do next."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

OTHERWISE: Final = {
    "listed": ("--limit",),
    "scorers": ("--file", "--scorer"),
    "dataset_filter_string": ("--filter",),
    "dataset_item_ids": ("--ids",),
    "dataset_sampler": ("--sample",),
    "nb_samples": ("--limit",),
}
"""The options whose names differ from their keywords' by more than hyphens; the first counts that a command has."""

_CALL: Final = r"\w\((?:[^()]|\([^()]*\))*\)"
_MENTIONED: Final = re.compile(
    rf"(?P<call>{_CALL})|(?<![\w.'\"`/\\?&-])(?P<keyword>[a-z][a-z_]*)=(?:(?P<value>…|\[[^\]]*\]|\{{[^}}]*\}})|(?=[\s,;:)]|$))"
)
"""A keyword alone, or with a list, a mapping or … as its value: a name of the user's, such as `seed=3`, is none."""


class Door(NamedTuple):
    """How a command is told things: its options, and whether it reads a file, whose keys are those of Python."""

    options: Collection[str]
    reads_file: bool

    @classmethod
    def of(cls, command: Callable[..., object]) -> Door:
        """That of the function which is a command."""
        alone = typer.Typer(add_completion=False)
        alone.command()(command)
        parameters = typer.main.get_command(alone).params
        return cls({flag for one in parameters for flag in one.opts}, any(one.name == "file" for one in parameters))

    def words(self, fix: str) -> str:
        """What to do next, said with this command's options and with keys of its file in place of `keyword=`.

        A keyword that the command has no word for stays, and so does Python code: what stands in the parentheses of a
        call.
        """
        return _MENTIONED.sub(self._said, fix)

    def _said(self, found: re.Match[str]) -> str:
        name, value = found["keyword"], found["value"]
        if name is None:
            return found[0]
        option = self._option(name)
        if option is not None:
            return f"{option} {value}" if value else option
        if self.reads_file:
            return f"`{name}: {value}`" if value else f"`{name}:`"
        return found[0]

    def _option(self, keyword: str) -> str | None:
        named = f"--{keyword.replace('_', '-')}", *OTHERWISE.get(keyword, ())
        return next((option for option in named if option in self.options), None)
