"""A finding as one HTML page that loads nothing, or as one piece of HTML for a notebook: no script in either."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from rejudge.domain.errors import ConfigurationError, Place
from rejudge.front.lines import one_line
from rejudge.front.page_style import DOCUMENT, STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable


def document(title: str, body: Iterable[str]) -> str:
    """A page of its own. Its policy lets a browser load nothing and apply one style, that of its digest."""
    style = STYLE + DOCUMENT
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{escape(one_line(title))}</title>",
        f"<style>{style}</style></head><body>",
        '<main class="rj">',
        *body,
        "</main></body></html>",
    ]
    return "\n".join(filter(None, lines)) + "\n"


def fragment(body: Iterable[str]) -> str:
    """One element for the page of somebody else, a notebook, in its colours."""
    return "\n".join(filter(None, [f'<div class="rj"><style>{STYLE}</style>', *body, "</div>"]))


def write_page(html: str, path: str | Path) -> Path:
    """Write a page, folders included.

    Raises ConfigurationError where a file is there that is no page, such as a store, and OSError where none can be
    written.
    """
    target = Path(path)
    if target.is_file() and not _is_page(target):
        raise ConfigurationError(
            "the page would overwrite a file that is no HTML page",
            where=Place(file=str(path)),
            fix="name another file, or delete this one",
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(html, encoding="utf-8", errors="backslashreplace", newline="\n")
    return target


def _is_page(path: Path) -> bool:
    """Whether a file may be written over: it is a page, or empty."""
    with path.open("rb") as file:
        start = file.read(64).lstrip().lower()
    return not start or start.startswith((b"<!doctype html", b"<html"))
