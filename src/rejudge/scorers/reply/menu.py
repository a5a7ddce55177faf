"""What a score may be answered with: the words and numbers that mean a value, in whatever dress a model gives them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from rejudge.domain.errors import RecordError
from rejudge.domain.scale import Direction, ScoreSpec, ScoreType

PASS, FAIL, CRITICAL = "pass", "fail", "critical"
GRADES: Final[Mapping[str, float]] = {PASS: 1.0, FAIL: 0.0, CRITICAL: -1.0}
"""What the grades of pass_fail and pass_fail_critical are worth."""

_SPOKEN: Final[Mapping[str, str]] = {
    PASS: "pass passes passed passing bestanden réussi réussie aprobado aprobada aprovado aprovada superato geslaagd "
    "通过 通過 合格 zaliczone пройдено",
    FAIL: "fail fails failed failing nicht_bestanden durchgefallen échec échoué échouée reprobado reprobada suspenso "
    "reprovado reprovada non_superato gezakt 不通过 不通過 未通过 不合格 niezaliczone не_пройдено",
    CRITICAL: "critical kritisch critique crítico crítica critico 严重 критично",
}
"""A grade in the forms and languages in which judges say it; `_` stands for a blank."""

_ENDS: Final = {
    Direction.HIGHER: (" (worst)", " (best)"),
    Direction.LOWER: (" (best)", " (worst)"),
    Direction.INFORMATIONAL: ("", ""),
}

_NUMBERS: Final = ("one", "two", "three", "four", "five")
_OF: Final = r"(?:/|out of|of|von|sur|de|su)"
_NUMBER: Final = re.compile(rf"(-?\d+(?:\.\d+)?)(?:\s*{_OF}\s*(\d+(?:\.\d+)?))?(?:\s*(?:stars?|points?|分|星|/))?")
_STARS: Final = re.compile(r"([★⭐]\ufe0f?)+\s*(☆*)")
_DRESS: Final = " \t\r\n*_`\"'“”„‘’«»()[]<>{}.,;:!。：$"

NUMBER: Final = (
    rf"(?<![\w.,/])-?\d+(?:\.\d+)?(?:\s*{_OF}\s*\d+(?:\.\d+)?)?(?:\s*(?:stars?\b|points?\b|分|星))?(?![\w%]|[.,:/]\d)"
    r"|[★⭐][★⭐☆\ufe0f]*"
)
"""A number as prose writes it, with its scale behind where it is given."""

_ANY_WORDS: Final = (
    r"(?:(?<=[\"“])[^\n\"”]+(?=[\"”])|(?<![\"“])[^\s\"“”{}\[\]][^\n\"“”{}\[\]]*?(?=['*_`.]*[^\S\n]*(?:\n|\Z|\})))"
)
"""The words in quotation marks, or else those up to the end of the line."""


class Menu:
    """The values of one score, by what a reply says."""

    __slots__ = ("_words", "spec", "spoken")

    def __init__(self, spec: ScoreSpec) -> None:
        self.spec = spec
        self._words = _words(spec)
        self.spoken = _spoken(spec, self._words)

    @property
    def key(self) -> str:
        """The name under which the score is asked for and stored."""
        return self.spec.key

    @property
    def is_graded(self) -> bool:
        """Whether its values are the grades of pass_fail or pass_fail_critical."""
        return self.spec.type in (ScoreType.PASS_FAIL, ScoreType.PASS_FAIL_CRITICAL)

    @property
    def is_open(self) -> bool:
        """Whether any word is a value of it."""
        return self.spec.type is ScoreType.LABEL and self.spec.labels is None

    def may_go_on(self, said: str) -> bool:
        """Whether a value that a text breaks off behind may be the beginning of another one."""
        plain = cleaned(said)
        longer = any(one != plain and one.startswith(plain) for one in self._words)
        return self.is_open or self.spec.type is ScoreType.NUMBER or (self.spec.type is ScoreType.LABEL and longer)

    @property
    def listed(self) -> str:
        """The values in words, for whoever has to choose one."""
        match self.spec.type:
            case ScoreType.PASS_FAIL | ScoreType.PASS_FAIL_CRITICAL:
                return ", ".join(f'"{grade}"' for grade in grades_of(self.spec))
            case ScoreType.FIVE_STAR:
                stars = stars_of(self.spec)
                ends = _ENDS[self.spec.direction]
                return f"a whole number from {stars[0]}{ends[0]} to {stars[-1]}{ends[1]}"
            case ScoreType.LABEL:
                return (
                    "one of " + ", ".join(f'"{one}"' for one in self.spec.labels)
                    if self.spec.labels is not None
                    else "a word"
                )
        low, high = self.spec.range
        bounds = [f"from {low:g}" if low is not None else "", f"up to {high:g}" if high is not None else ""]
        return " ".join(["a number", *filter(None, bounds)])

    def value(self, said: object) -> float | str | None:
        """What `said` means; None where it is not on the menu."""
        if isinstance(said, bool) or said is None:
            return None
        if isinstance(said, str):
            return self._said(said)
        if not isinstance(said, int | float) or self.is_graded or self.spec.type is ScoreType.LABEL:
            return None
        return self._number(said, None)

    def _said(self, text: str) -> float | str | None:
        plain = cleaned(text)
        if self.is_open:
            return text.strip() or None
        if self.is_graded or self.spec.type is ScoreType.LABEL:
            return self._words[plain] if plain in self._words else self._labelled(text)
        if found := _NUMBER.fullmatch(plain):
            return self._number(float(found[1]), None if found[2] is None else float(found[2]))
        if self.spec.type is ScoreType.FIVE_STAR:
            return self._number(_stars(text.strip(_DRESS), plain), None)
        return None

    def _labelled(self, text: str) -> str | None:
        """A label in its own spelling, where two labels differ in nothing else."""
        return text.strip() if text.strip() in (self.spec.labels or ()) else None

    def _number(self, number: float | None, scale: float | None) -> float | None:
        if number is None or (scale is not None and scale != self.spec.range[1]):
            return None
        try:
            if self.spec.type is ScoreType.FIVE_STAR and not float(number).is_integer():
                return None
            return float(self.spec.checked(number))
        except (RecordError, OverflowError):
            return None


def menus_of(specs: Iterable[ScoreSpec]) -> tuple[Menu, ...]:
    """A menu for each score."""
    return tuple(map(Menu, specs))


def cleaned(text: str) -> str:
    """The text in lower case, without quotes, brackets, emphasis and marks around it."""
    return " ".join(unicodedata.normalize("NFKC", text).strip(_DRESS).casefold().split())


def grades_of(spec: ScoreSpec) -> tuple[str, ...]:
    """The grades of a score that has some, best first."""
    low, high = spec.range
    own = {ScoreType.PASS_FAIL: (PASS, FAIL), ScoreType.PASS_FAIL_CRITICAL: (PASS, FAIL, CRITICAL)}.get(spec.type, ())
    return tuple(one for one in own if (low is None or GRADES[one] >= low) and (high is None or GRADES[one] <= high))


def stars_of(spec: ScoreSpec) -> tuple[int, ...]:
    """The stars that a five_star score may have."""
    low, high = spec.range
    return tuple(star for star in range(1, 6) if (low or 1) <= star <= (high or 5))


def _words(spec: ScoreSpec) -> dict[str, float | str]:
    """What each word means; two labels that differ only in case mean themselves alone."""
    if spec.type is ScoreType.LABEL:
        labels = spec.labels or ()
        plain = [cleaned(label) for label in labels]
        return {one: label for one, label in zip(plain, labels, strict=True) if plain.count(one) == 1}
    spoken = {
        word.replace("_", " "): GRADES[grade] for grade in grades_of(spec) for word in _SPOKEN[grade].casefold().split()
    }
    return dict(spoken)


def _spoken(spec: ScoreSpec, words: Mapping[str, float | str]) -> str:
    """A pattern for a value in prose, without respect to case."""
    if spec.type is ScoreType.LABEL and spec.labels is None:
        return _ANY_WORDS
    said = {*words, *filter(None, map(cleaned, spec.labels or ()))}
    if not said:
        spelled = "|".join(rf"\b{one}(?=\s+stars?\b)" for one in _NUMBERS)
        return rf"(?:{NUMBER}|{spelled})" if spec.type is ScoreType.FIVE_STAR else rf"(?:{NUMBER})"
    longest = sorted(said, key=lambda one: (-len(one), one))
    return rf"(?<!\w)(?:{'|'.join(re.escape(one).replace(chr(92) + ' ', chr(92) + 's+') for one in longest)})(?!\w)"


def _stars(text: str, plain: str) -> float | None:
    if found := _STARS.fullmatch(text):
        filled, empty = sum(text.count(mark) for mark in "★⭐"), len(found[2])
        return float(filled) if empty == 0 or filled + empty == len(_NUMBERS) else None
    word = plain.removesuffix(" stars").removesuffix(" star")
    return float(_NUMBERS.index(word) + 1) if word in _NUMBERS else None
