"""Verdicts in prose: behind a label, alone on a line, in a sentence, or as the only grade that is mentioned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from rejudge.scorers.reply.menu import Menu, cleaned
from rejudge.scorers.reply.quotation import Quotations
from rejudge.scorers.wording import quoted

_LABELS: Final = (
    "verdict|score|rating|grade|result|judge?ment|decision|conclusion|outcome|evaluation|assessment|"
    "urteil|bewertung|ergebnis|fazit|résultat|évaluation|puntuación|calificación|veredicto|resultado|nota|voto|"
    "评分|评价|评级|结论|判定|評価|結論|оценка|вердикт"
)
_SURE: Final = frozenset({"verdict", "score", "rating", "grade"})
"""Labels behind which a word that is no grade is a grade nobody asked for, and not just prose."""

_FINAL: Final = frozenset({"final", "overall", "total", "finally", "conclusion", "corrected", "revised", "gesamt"})
_PLAIN: Final = frozenset(
    "my the a an own this so thus therefore hence is and its as of with give gives given giving gets get assign "
    "assigned i: mein meine das die der le la el mi il".split()
)
"""What may stand before a label without making it the label of something else."""

_GAP: Final = r"(?:\s*\([^)\n]{0,40}\)|\s+on an? scale (?:of|from)\s+\d+\s*(?:to|-|–)\s*\d+|\s+out of \d+)?"
_DRESS: Final = r"[\s*_\"'”’`#]*"
_SIGN: Final = r"(?::|：|=>|->|=|→|–|—|\bis\b|\bof\b|\bwould be\b|\bist\b|\best\b|\bes\b|\n)"
_SIGNS: Final = (":", "：", "=")
_CONDITION: Final = "but|if|unless|only|provided|assuming|when|wenn|falls|not"
_LEAD: Final = r"[\s*_\"'“„‘`\[(<{$]*(?:\\boxed\{)?"
_HEDGE: Final = r"[\s*_\"'`]*(?:/|\||\bor\b|\boder\b|\bou\b|\band\b|\bto\b|-|–|~|\?|\bif\b|\bunless\b)[\s*_\"'`]*"
_NEGATED: Final = re.compile(
    r"(?:\b(?:not|cannot|never|neither|no|without|no way|wrong to|mistake to|rather than|instead of|hardly|far from"
    r"|nicht)|n't|n’t)"
    r"(?:\s+\w+){0,4}\s*\Z",
    re.IGNORECASE,
)

_CLOSED: Final = re.compile(
    r"[*_\"'”’`\])}>$]*[^\S\n]*(?:\Z|\n|(?:because|since|as|weil|da|car|porque)\b"
    rf"|(?![^\w\n]*(?:{_CONDITION})\b)(?!-\w)[^\w\s?*_\"'”’`\])}}>$])",
    re.IGNORECASE,
)
"""What follows a value that stands for itself: the end, a mark or its reasons; no more words, and no condition."""

_GIVEN: Final = (
    r"(?P<label>\bI\s+(?:would\s+|will\s+)?(?:give|rate|gave)\s+(?:it|this|the\s+\w+)(?:\s+an?)?)(?P<sign>\s+)"
)

_LOOKED_AT: Final = 100
"""So many of the last places are looked at: a verdict stands at the end, and a text may be all labels."""

_NEAR: Final = 80
"""So many characters before a grade can negate it."""


class Rank(IntEnum):
    """How plainly a verdict is one; plainer ones win."""

    MENTIONED = 0
    PHRASED = 1
    """In a sentence: `a score of 4`, `the verdict is pass`. Where sentences weigh several, the last is no verdict."""
    ALONE = 2
    LABELLED = 3
    FINAL = 4


class Candidate(NamedTuple):
    """A place that looks like a verdict; `value` is None where what stands there is no value, as `why` says."""

    rank: Rank
    start: int
    end: int
    at: int
    value: float | str | None
    why: str = ""


class Prose:
    """The text of a reply outside of JSON, whose words stand where, and why the reply ended.

    Of a reply that was cut off only what is plainly a verdict counts, and nothing that may go on.
    """

    __slots__ = ("_cut", "_quotations", "_text", "_unclosed")

    def __init__(self, text: str, quotations: Quotations, *, finish_reason: str | None = None) -> None:
        self._text = text
        self._cut = finish_reason == "length"
        self._unclosed = text.count("{") > text.count("}")
        self._quotations = quotations

    def verdict(self, menu: Menu, *, alone: Sequence[Menu]) -> Candidate | None:
        """The verdict on one score of those that are asked for together; None where the text has none.

        Only what is behind the score's own name counts where several are asked for.
        """
        generic = len(alone) == 1
        found = list(self._labelled(menu, labels=f"|{_LABELS}" if generic else ""))
        if generic and not menu.is_open:
            found += [*self._given(menu), *self._lines(menu)]
            found += () if found else self._mentioned(menu)
        return self._chosen([one for one in found if self._counts(one)])

    def _counts(self, one: Candidate) -> bool:
        if (self._cut and one.rank < Rank.LABELLED) or self._quotations.quotes(one.start):
            return False
        if one.rank in (Rank.ALONE, Rank.MENTIONED):
            return not self._quotations.repeats_line(one.start, one.end)
        return not self._quotations.repeats(one.start, one.end)

    def _chosen(self, found: Sequence[Candidate]) -> Candidate | None:
        """The last of the plainest; two with nothing but marks between them contradict each other."""
        if not found:
            return None
        rank = max(one.rank for one in found)
        best = sorted((one for one in found if one.rank is rank), key=lambda one: one.end)
        last = best[-1]
        for one in best[:-1]:
            between = self._text[one.end : last.start]
            differs = one.value is not None and last.value is not None and one.value != last.value
            if differs and (rank is Rank.PHRASED or not re.search(r"\w{2}", between)):
                return last._replace(value=None, why=f"it gives two verdicts, {one.value} and {last.value}")
        return last

    def _labelled(self, menu: Menu, *, labels: str) -> Iterator[Candidate]:
        name = re.escape(menu.key).replace("_", r"[\s_]+")
        names = rf"{name}(?:\s+(?:score|rating|grade|verdict))?{labels}"
        named = rf"(?:[\"'“„‘`](?=(?:{names})[\"'”’`]))?"
        pattern = rf"{named}(?<!\w)(?P<label>{names})(?!\w){_GAP}{_DRESS}(?P<sign>{_SIGN}){_LEAD}"
        for found in list(re.finditer(pattern, self._text, re.IGNORECASE))[-_LOOKED_AT:]:
            before = self._word_before(found.start())
            if before and before not in _PLAIN | _FINAL and found["label"].casefold() in _LABELS.split("|"):
                continue
            yield from self._behind(menu, found, _rank(found["sign"], before))

    def _given(self, menu: Menu) -> Iterator[Candidate]:
        for found in list(re.finditer(_GIVEN + _LEAD, self._text, re.IGNORECASE))[-_LOOKED_AT:]:
            yield from self._behind(menu, found, Rank.PHRASED)

    def _behind(self, menu: Menu, found: re.Match[str], rank: Rank) -> Iterator[Candidate]:
        if menu.is_open and found["sign"] not in _SIGNS:
            return
        value = re.compile(menu.spoken, re.IGNORECASE).match(self._text, found.end())
        if value is None:
            sure = found["label"].casefold() not in _LABELS.split("|") or found["label"].casefold() in _SURE
            said = self._text[found.end() :].partition("\n")[0].strip()
            if found["sign"] in _SIGNS and sure and said:
                why = f"{quoted(said)} is no value of {menu.key!r}, which is {menu.listed}"
                yield Candidate(rank, found.start(), found.end(), found.end(), None, why)
            return
        meant, why = menu.value(value[0]), ""
        hedge = re.compile(_HEDGE + rf"(?:{menu.spoken})", re.IGNORECASE).match(self._text, value.end())
        if hedge is not None and menu.value(hedge[0]) != meant:
            meant, why = None, f"it says {quoted(self._text[value.start() : hedge.end()])} of {menu.key!r}"
        elif meant is None:
            why = f"{quoted(value[0])} is no value of {menu.key!r}, which is {menu.listed}"
        elif value.end() == len(self._text) and (self._cut or (self._unclosed and menu.may_go_on(value[0]))):
            meant, why = None, f"it ends within the value of {menu.key!r}"
        elif not _CLOSED.match(self._text, value.end()):
            line = self._text[value.start() :].partition("\n")[0]
            meant, why = None, f"{quoted(line)} is more than a value of {menu.key!r}"
        yield Candidate(rank, found.start(), value.end(), value.start(), meant, why)

    def _word_before(self, at: int) -> str:
        line = self._text[self._text.rfind("\n", 0, at) + 1 : at]
        found = re.search(r"([\w'’]+)[\s*_]*\Z", re.split(r"[.:;,!?([{|\"]", line)[-1])
        return found[1].casefold() if found and re.search(r"[\s*_]\Z", line) else ""

    def _lines(self, menu: Menu) -> Iterator[Candidate]:
        """A line that is nothing but a value, first or last; or a first one that begins with it."""
        lines = [one for one in re.finditer(r"[^\n]+", self._text) if cleaned(one[0])]
        for line in {lines[0].start(): lines[0], lines[-1].start(): lines[-1]}.values() if lines else ():
            value = menu.value(re.sub(r"\\boxed", "", line[0]))
            if value is not None:
                at = line.start() + (len(line[0]) - len(line[0].lstrip(" *_`\"'#[(<{$")))
                yield Candidate(Rank.ALONE, line.start(), line.end(), at, value)
            elif line is lines[0] and menu.is_graded:
                yield from self._leading(menu, line)

    def _leading(self, menu: Menu, line: re.Match[str]) -> Iterator[Candidate]:
        pattern = rf"{_LEAD}(?P<value>{menu.spoken})[*_\"'”`\])>]*\s*(?:[.:;,!]|[-–—]\s)\s*(?!(?:{_CONDITION})\b)"
        found = re.compile(pattern, re.IGNORECASE).match(self._text, line.start())
        if found is not None and (value := menu.value(found["value"])) is not None:
            yield Candidate(Rank.ALONE, found.start(), found.end("value"), found.start("value"), value)

    def _mentioned(self, menu: Menu) -> Iterator[Candidate]:
        """The only grade that is mentioned at all, written as one: in capitals."""
        if not menu.is_graded:
            return
        found = list(re.finditer(menu.spoken, self._text, re.IGNORECASE))[-_LOOKED_AT:]
        values = {menu.value(one[0]) for one in found}
        loud = [one for one in found if one[0].isupper() and not self._quotations.quotes(one.start())]
        if (
            len(values) != 1
            or not loud
            or any(self._text[one.end() : one.end() + 1] == "-" for one in found)
            or any(_NEGATED.search(self._text[max(0, one.start() - _NEAR) : one.start()]) for one in found)
        ):
            return
        last = loud[-1]
        yield Candidate(Rank.MENTIONED, last.start(), last.end(), last.start(), menu.value(last[0]))


def _rank(sign: str, before: str) -> Rank:
    if sign[0].isalpha():
        return Rank.LABELLED if before in _FINAL else Rank.PHRASED
    return Rank.FINAL if before in _FINAL else Rank.LABELLED
