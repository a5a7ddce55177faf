"""The kinds of this room, and the functions that make a scorer of each."""

from __future__ import annotations

from typing import Final

from rejudge.scorers.kind import Kind, constructor
from rejudge.scorers.text import examples
from rejudge.scorers.text.bleu import Bleu, Gleu
from rejudge.scorers.text.chrf import ChrF
from rejudge.scorers.text.embedding import EmbeddingSimilarity
from rejudge.scorers.text.levenshtein import LevenshteinRatio
from rejudge.scorers.text.rouge import Rouge
from rejudge.scorers.text.token_f1 import TokenF1

__all__ = ["KINDS", "bleu", "chrf", "embedding_similarity", "gleu", "levenshtein_ratio", "rouge", "token_f1"]

_LEVENSHTEIN_RATIO = Kind(name="levenshtein_ratio", parameters=LevenshteinRatio, examples=examples.LEVENSHTEIN_RATIO)
_BLEU = Kind(name="bleu", parameters=Bleu, examples=examples.BLEU)
_GLEU = Kind(name="gleu", parameters=Gleu, examples=examples.GLEU)
_ROUGE = Kind(name="rouge", parameters=Rouge, examples=examples.ROUGE)
_CHRF = Kind(name="chrf", parameters=ChrF, examples=examples.CHRF)
_TOKEN_F1 = Kind(name="token_f1", parameters=TokenF1, examples=examples.TOKEN_F1)
_EMBEDDING_SIMILARITY = Kind(
    name="embedding_similarity", parameters=EmbeddingSimilarity, examples=examples.EMBEDDING_SIMILARITY
)

KINDS: Final = (_LEVENSHTEIN_RATIO, _BLEU, _GLEU, _ROUGE, _CHRF, _TOKEN_F1, _EMBEDDING_SIMILARITY)
"""What the catalog takes over."""

levenshtein_ratio = constructor(_LEVENSHTEIN_RATIO, LevenshteinRatio)
bleu = constructor(_BLEU, Bleu)
gleu = constructor(_GLEU, Gleu)
rouge = constructor(_ROUGE, Rouge)
chrf = constructor(_CHRF, ChrF)
token_f1 = constructor(_TOKEN_F1, TokenF1)
embedding_similarity = constructor(_EMBEDDING_SIMILARITY, EmbeddingSimilarity)
