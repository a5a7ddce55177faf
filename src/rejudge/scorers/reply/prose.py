"""Verdicts in prose: behind a label, alone on a line, on a scale, or as the only grade that is mentioned."""

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
_LEAD: Final = r"[\s*_\"'“„‘`\[(<{$]*(?:\\boxed\{)?"
_HEDGE: Final = r"[\s*_\"'`]*(?:/|\||\bor\b|\boder\b|\bou\b|\band\b|\bto\b|-|–|~|\?|\bif\b|\bunless\b)[\s*_\"'`]*"
_NEGATED: Final = re.compile(
    r"(?:\b(?:not|cannot|never|neither|no|without|rather than|instead of|hardly|far from|nicht)|n't|n’t)"
    r"(?:\s+\w+){0,3}\s*\Z",
    re.IGNORECASE,
)

_COUNTED: Final = re.compile(r"\s+(?!stars\b|points\b|as\b|is\b|this\b|its\b)\w+s\b", re.IGNORECASE)
"""A plural behind `4 of 5` says what was counted, and that it is no grade."""

_LOOKED_AT: Final = 100
"""So many of the last places are looked at: a verdict stands at the end, and a text may be all labels."""

_NEAR: Final = 80
"""So many characters before a grade can negate it."""


class Rank(IntEnum):
    """How plainly a verdict is one; plainer ones win."""

    MENTIONED = 0
    SCALED = 1
    PHRASED = 2
    """In a sentence: `a score of 4`, `the verdict is pass`."""
    ALONE = 3
    LABELLED = 4
    FINAL = 5


_UNORDERED: Final = frozenset({Rank.SCALED, Rank.PHRASED})
"""Where sentences weigh several values, the last one is no verdict."""


class Candidate(NamedTuple):
    """A place that looks like a verdict; `value` is None where what stands there is no value, as `why` says."""

    rank: Rank
    start: int
    end: int
    at: int
    value: float | str | None
    why: str = ""


class Prose:
    """The text of a reply outside of JSON, and whose words stand where."""

    __slots__ = ("_broken_off", "_quotations", "_text")

    def __init__(self, text: str, quotations: Quotations) -> None:
        self._text = text
        self._broken_off = len(text) if text.count("{") > text.count("}") else -1
        self._quotations = quotations

    def verdict(self, menu: Menu, *, alone: Sequence[Menu]) -> Candidate | None:
        """The verdict on one score of those that are asked for together; None where the text has none.

        Only what is behind the score's own name counts where several are asked for.
        """
        generic = len(alone) == 1
        found = list(self._labelled(menu, labels=f"|{_LABELS}" if generic else ""))
        if generic:
            found += [*self._lines(menu), *self._scaled(menu)]
        own = [one for one in found if not self._quotations.quotes(one.start)]
        fresh = [one for one in own if not self._quotations.repeats(one.start, one.end)]
        chosen = self._chosen(fresh or own)
        return self._mentioned(menu) if chosen is None and generic and not found else chosen

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
            if differs and (rank in _UNORDERED or not re.search(r"\w{2}", between)):
                return last._replace(value=None, why=f"it gives two verdicts, {one.value} and {last.value}")
        return last

    def _labelled(self, menu: Menu, *, labels: str) -> Iterator[Candidate]:
        name = re.escape(menu.key).replace("_", r"[\s_]+")
        names = rf"{name}(?:\s+(?:score|rating|grade|verdict))?{labels}"
        pattern = rf"[\"'“„‘`]?(?<!\w)(?P<label>{names})(?!\w){_GAP}{_DRESS}(?P<sign>{_SIGN}){_LEAD}"
        for found in list(re.finditer(pattern, self._text, re.IGNORECASE))[-_LOOKED_AT:]:
            before = self._word_before(found.start())
            if before and before not in _PLAIN | _FINAL and found["label"].casefold() in _LABELS.split("|"):
                continue
            yield from self._behind(menu, found, _rank(found["sign"], before))

    def _behind(self, menu: Menu, found: re.Match[str], rank: Rank) -> Iterator[Candidate]:
        value = re.compile(menu.spoken, re.IGNORECASE).match(self._text, found.end())
        if value is None:
            sure = found["label"].casefold() not in _LABELS.split("|") or found["label"].casefold() in _SURE
            said = self._text[found.end() :].partition("\n")[0].strip()
            if found["sign"] in (":", "：", "=") and sure and said:
                why = f"{quoted(said)} is no value of {menu.key!r}, which is {menu.listed}"
                yield Candidate(rank, found.start(), found.end(), found.end(), None, why)
            return
        meant, why = menu.value(value[0]), ""
        hedge = re.compile(_HEDGE + rf"(?:{menu.spoken})", re.IGNORECASE).match(self._text, value.end())
        if hedge is not None and menu.value(hedge[0]) != meant:
            meant, why = None, f"it says {quoted(self._text[value.start() : hedge.end()])} of {menu.key!r}"
        elif meant is None:
            why = f"{quoted(value[0])} is no value of {menu.key!r}, which is {menu.listed}"
        elif value.end() == self._broken_off and menu.may_go_on(value[0]):
            meant, why = None, f"it ends within the value of {menu.key!r}"
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
            elif line is lines[0]:
                yield from self._leading(menu, line)

    def _leading(self, menu: Menu, line: re.Match[str]) -> Iterator[Candidate]:
        pattern = rf"{_LEAD}(?P<value>{menu.spoken})[*_\"'”`\])>]*\s*(?:[.:;,!]|[-–—]\s|\n)"
        found = re.compile(pattern, re.IGNORECASE).match(self._text, line.start())
        if found is None or re.search(r"^\s*2[.)]\s", self._text, re.MULTILINE):
            return
        value = menu.value(found["value"])
        if value is not None:
            yield Candidate(Rank.ALONE, found.start(), found.end("value"), found.start("value"), value)

    def _scaled(self, menu: Menu) -> Iterator[Candidate]:
        """Values that carry their scale: `4/5`, `4 out of 5`, `4 stars`."""
        if menu.has_words:
            return
        for found in list(re.finditer(menu.spoken, self._text, re.IGNORECASE))[-_LOOKED_AT:]:
            if re.fullmatch(r"-?[\d.]+", found[0]) or _COUNTED.match(self._text, found.end()):
                continue
            if (value := menu.value(found[0])) is not None:
                yield Candidate(Rank.SCALED, found.start(), found.end(), found.start(), value)

    def _mentioned(self, menu: Menu) -> Candidate | None:
        """The only grade that is mentioned at all, written as one: in capitals."""
        if not menu.has_words:
            return None
        found = list(re.finditer(menu.spoken, self._text, re.IGNORECASE))[-_LOOKED_AT:]
        values = {menu.value(one[0]) for one in found}
        loud = [one for one in found if one[0].isupper() and not self._quotations.quotes(one.start())]
        if (
            len(values) != 1
            or not loud
            or any(_NEGATED.search(self._text[max(0, one.start() - _NEAR) : one.start()]) for one in found)
        ):
            return None
        last = loud[-1]
        return Candidate(Rank.MENTIONED, last.start(), last.end(), last.start(), menu.value(last[0]))


def _rank(sign: str, before: str) -> Rank:
    if sign[0].isalpha():
        return Rank.LABELLED if before in _FINAL else Rank.PHRASED
    return Rank.FINAL if before in _FINAL else Rank.LABELLED
