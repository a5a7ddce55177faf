"""The measures once more, written to be read and not to be fast: what the scorers are held against."""

from __future__ import annotations

import math
import re
import string
import unicodedata
from collections.abc import Sequence


def ngrams(tokens: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(tokens[start : start + n]) for start in range(len(tokens) - n + 1)]


def in_common(left: Sequence[object], right: Sequence[object]) -> int:
    """How many of `left` find a partner of their own in `right`."""
    free = list(right)
    found = 0
    for one in left:
        if one in free:
            free.remove(one)
            found += 1
    return found


def subsequence(left: Sequence[str], right: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    lengths = [0] * (len(right) + 1)
    for one in left:
        before = 0
        for place, other in enumerate(right, start=1):
            before, lengths[place] = (
                lengths[place],
                before + 1 if one == other else max(lengths[place], lengths[place - 1]),
            )
    return lengths[-1]


def indel_ratio(left: str, right: str) -> float:
    together = len(left) + len(right)
    return 2 * subsequence(left, right) / together if together else 1.0


def levenshtein_ratio(left: str, right: str) -> float:
    rows = list(range(len(right) + 1))
    for row, one in enumerate(left, start=1):
        above, rows[0] = rows[0], row
        for place, other in enumerate(right, start=1):
            above, rows[place] = rows[place], min(above + (one != other), rows[place] + 1, rows[place - 1] + 1)
    longest = max(len(left), len(right))
    return 1 - rows[-1] / longest if longest else 1.0


def bleu(output: Sequence[str], reference: Sequence[str], order: int = 4) -> float:
    """Sentence BLEU as in Papineni et al. 2002 with smoothing 1 of Chen and Cherry 2014, where tokens differ."""
    if not in_common(output, reference):
        return 0.0
    precisions = []
    for n in range(1, order + 1):
        given = ngrams(output, n)
        found = in_common(given, ngrams(reference, n))
        precisions.append((found or 0.1) / max(1, len(given)))
    brevity = 1.0 if len(output) > len(reference) else math.exp(1 - len(reference) / len(output))
    return brevity * math.prod(precisions) ** (1 / order)


def gleu(output: Sequence[str], reference: Sequence[str], order: int = 4) -> float:
    mine = [gram for n in range(1, order + 1) for gram in ngrams(output, n)]
    theirs = [gram for n in range(1, order + 1) for gram in ngrams(reference, n)]
    found = in_common(mine, theirs)
    return min(found / len(mine), found / len(theirs))


def rouge(output: Sequence[str], reference: Sequence[str], variant: str) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    if variant == "L":
        found, mine, theirs = subsequence(output, reference), len(output), len(reference)
    else:
        left, right = ngrams(output, int(variant)), ngrams(reference, int(variant))
        found, mine, theirs = in_common(left, right), len(left), len(right)
    if not found:
        return 0.0, 0.0, 0.0
    precision, recall = found / mine, found / theirs
    return precision, recall, 2 * precision * recall / (precision + recall)


def rouge_tokens(text: str) -> list[str]:
    return [token for token in re.split("[^a-z0-9]", text.lower()) if token]


def chrf(output: str, reference: str, word_order: int = 0) -> float:
    """chrF2 over the orders that both texts are long enough for; texts with words have no punctuation here."""
    mine, theirs = ("".join(text.split()) for text in (output, reference))
    orders = [(ngrams(mine, n), ngrams(theirs, n)) for n in range(1, 7)]
    orders += [(ngrams(output.split(), n), ngrams(reference.split(), n)) for n in range(1, word_order + 1)]
    precisions, recalls = [], []
    for left, right in orders:
        if left and right:
            found = in_common(left, right)
            precisions.append(found / len(left))
            recalls.append(found / len(right))
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 5 * precision * recall / (4 * precision + recall) if precision + recall else 0.0


def squad_f1(output: str, reference: str) -> float:
    """F1 as the evaluation script of SQuAD 2.0 computes it."""

    def normal(text: str) -> list[str]:
        kept = "".join(mark for mark in text.lower() if mark not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", " ", kept).split()

    mine, theirs = normal(output), normal(reference)
    if not mine or not theirs:
        return float(mine == theirs)
    found = in_common(mine, theirs)
    if not found:
        return 0.0
    precision, recall = found / len(mine), found / len(theirs)
    return 2 * precision * recall / (precision + recall)


def is_mark(character: str) -> bool:
    """Whether a character is a punctuation mark or symbol, or one of a script without spaces."""
    name = unicodedata.name(character, "")
    unspaced = name.startswith(("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA"))
    return unspaced or unicodedata.category(character)[0] in "PS"
