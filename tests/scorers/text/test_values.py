"""The numbers: reference values, and slow and obvious versions of every measure."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rejudge.domain.verdict import Verdict
from rejudge.domain.view import View
from rejudge.scorers import Scorer, bleu, chrf, gleu, levenshtein_ratio, rouge, token_f1
from tests.scorers.text import reference

pytest.importorskip("rapidfuzz", reason="the extra rejudge[text] is not installed")
pytest.importorskip("nltk", reason="the extra rejudge[text] is not installed")
pytest.importorskip("sacrebleu", reason="the extra rejudge[text] is not installed")
pytest.importorskip("rouge_score", reason="the extra rejudge[text] is not installed")

SAT, IS = "the cat sat on the mat", "the cat is on the mat"
GOLD = "gold"


def likeness(scorer: Scorer, output: str, gold: object) -> float:
    verdict = scorer.judge(View(output=output, reference_data={GOLD: gold}))
    assert isinstance(verdict, Verdict)
    (value,) = verdict.values.values()
    return float(value)


MEASURES = [
    levenshtein_ratio(reference_key=GOLD),
    levenshtein_ratio(name="levenshtein", reference_key=GOLD, distance="levenshtein"),
    bleu(reference_key=GOLD),
    gleu(reference_key=GOLD),
    rouge(reference_key=GOLD, variant=1, tokens="words"),
    rouge(reference_key=GOLD, variant=2, tokens="words"),
    rouge(reference_key=GOLD, variant="L", tokens="words"),
    chrf(reference_key=GOLD),
    token_f1(reference_key=GOLD),
]
SYMMETRIC = [one for one in MEASURES if one.config.type not in ("bleu", "chrf")]


@pytest.mark.parametrize(
    ("scorer", "output", "gold", "expected"),
    [
        (levenshtein_ratio(reference_key=GOLD), "kitten", "sitting", 0.615385),
        (levenshtein_ratio(reference_key=GOLD, distance="levenshtein"), "kitten", "sitting", 4 / 7),
        (bleu(reference_key=GOLD), SAT, IS, 0.254066),
        (gleu(reference_key=GOLD), SAT, IS, 0.5),
        (rouge(reference_key=GOLD, variant=1), SAT, IS, 0.833333),
        (rouge(reference_key=GOLD, variant=2), SAT, IS, 0.6),
        (rouge(reference_key=GOLD, variant="L"), SAT, IS, 0.833333),
        (rouge(reference_key=GOLD, variant=1, measure="precision"), "the cat", IS, 1.0),
        (rouge(reference_key=GOLD, variant=1, measure="recall"), "the cat", IS, 0.333333),
        (rouge(reference_key=GOLD, variant="L", measure="recall"), "mat the cat", IS, 0.333333),
        (rouge(reference_key=GOLD, variant=1, tokens="rouge_stemmed"), "she was running", "she runs", 0.8),
        (rouge(reference_key=GOLD, variant=1), "she was running", "she runs", 0.4),
        (chrf(reference_key=GOLD), SAT, IS, 0.645779),
        (chrf(reference_key=GOLD, word_order=2), SAT, IS, 0.663607),
        (token_f1(reference_key=GOLD), SAT, IS, 0.75),
        (token_f1(reference_key=GOLD), "The Eiffel Tower, Paris.", "Eiffel tower", 0.8),
    ],
)
def test_a_measure_has_its_reference_value(scorer: Scorer, output: str, gold: str, expected: float) -> None:
    assert likeness(scorer, output, gold) == pytest.approx(expected, abs=1e-6)


words = st.lists(st.sampled_from("the a cat dog sat it's 3.5 won't naïve".split()), min_size=1, max_size=9)
letters = st.text(st.sampled_from("abcé 猫.-"), max_size=12)
anything = st.text(max_size=30)


@given(letters, letters)
def test_edits_are_counted_as_by_hand(output: str, gold: str) -> None:
    by_hand = reference.indel_ratio(output, gold)
    assert likeness(levenshtein_ratio(reference_key=GOLD), output, gold) == pytest.approx(by_hand, abs=1e-9)
    by_hand = reference.levenshtein_ratio(output, gold)
    both = levenshtein_ratio(reference_key=GOLD, distance="levenshtein")
    assert likeness(both, output, gold) == pytest.approx(by_hand, abs=1e-9)


@given(words, words, st.integers(1, 5))
def test_bleu_and_gleu_are_counted_as_by_hand(output: list[str], gold: list[str], order: int) -> None:
    assume(output != gold)
    for make, by_hand in ((bleu, reference.bleu), (gleu, reference.gleu)):
        scorer = make(reference_key=GOLD, max_order=order)
        found = likeness(scorer, " ".join(output), " ".join(gold))
        assert found == pytest.approx(by_hand(output, gold, order), abs=1e-9)


@given(words, words, st.sampled_from([1, 2, "L"]))
def test_rouge_is_counted_as_by_hand(output: list[str], gold: list[str], variant: int | str) -> None:
    text, golden = " ".join(output), " ".join(gold)
    mine, theirs = reference.rouge_tokens(text), reference.rouge_tokens(golden)
    assume(mine != theirs)
    by_hand = reference.rouge(mine, theirs, str(variant))
    for measure, expected in zip(("precision", "recall", "f1"), by_hand, strict=True):
        scorer = rouge(reference_key=GOLD, variant=variant, measure=measure)  # type: ignore[arg-type]
        assert likeness(scorer, text, golden) == pytest.approx(expected, abs=1e-9)


@given(words, words)
def test_rouge_l_is_that_of_the_library(output: list[str], gold: list[str]) -> None:
    from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

    text, golden = " ".join(output), " ".join(gold)
    theirs = RougeScorer(["rougeL"]).score(golden, text)["rougeL"].fmeasure
    assert likeness(rouge(reference_key=GOLD), text, golden) == pytest.approx(theirs, abs=1e-9)


@given(letters, letters)
def test_chrf_is_counted_as_by_hand(output: str, gold: str) -> None:
    assume(output.strip() and gold.strip())
    assert likeness(chrf(reference_key=GOLD), output, gold) == pytest.approx(reference.chrf(output, gold), abs=1e-9)


@given(words, words)
def test_chrf_with_words_is_counted_as_by_hand(output: list[str], gold: list[str]) -> None:
    text, golden = " ".join(output), " ".join(gold)
    scorer = chrf(reference_key=GOLD, word_order=2)
    assert likeness(scorer, text, golden) == pytest.approx(reference.chrf(text, golden, 2), abs=1e-9)


@given(words | letters.map(list), words)
def test_token_f1_is_that_of_squad(output: list[str], gold: list[str]) -> None:
    text, golden = " ".join(output), " ".join(gold)
    expected = reference.squad_f1(text, golden)
    assert likeness(token_f1(reference_key=GOLD), text, golden) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("scorer", MEASURES, ids=lambda one: one.config.name)
class TestLaws:
    @given(text=anything)
    def test_a_text_is_like_itself(self, scorer: Scorer, text: str) -> None:
        assert likeness(scorer, text, text) == 1.0

    @given(output=anything, gold=anything)
    def test_a_likeness_is_between_0_and_1(self, scorer: Scorer, output: str, gold: str) -> None:
        assert 0 <= likeness(scorer, output, gold) <= 1

    def test_an_empty_text_is_like_an_empty_one_and_nothing_else(self, scorer: Scorer) -> None:
        assert likeness(scorer, "", "") == 1.0
        assert likeness(scorer, "", "cat") == likeness(scorer, "cat", "") == 0.0

    def test_strangers_have_nothing_in_common(self, scorer: Scorer) -> None:
        assert likeness(scorer, "dog", "cup") == 0.0


@pytest.mark.parametrize("scorer", SYMMETRIC, ids=lambda one: one.config.name)
@given(output=anything, gold=anything)
def test_a_symmetric_measure_does_not_ask_which_side_is_the_reference(scorer: Scorer, output: str, gold: str) -> None:
    assert likeness(scorer, output, gold) == pytest.approx(likeness(scorer, gold, output), abs=1e-12)


def test_bleu_and_chrf_do_ask() -> None:
    for make in (bleu, chrf):
        scorer = make(reference_key=GOLD)
        assert likeness(scorer, "the cat sat", SAT) != likeness(scorer, SAT, "the cat sat")


@pytest.mark.parametrize("make", [levenshtein_ratio, bleu, gleu, chrf])
def test_case_counts_unless_told_otherwise(make: Callable[..., Scorer]) -> None:
    assert likeness(make(reference_key=GOLD), "THE CAT", "the cat") < 1
    assert likeness(make(reference_key=GOLD, case_sensitive=False), "THE CAT", "the cat") == 1.0


@given(anything, anything, anything)
def test_of_several_references_the_best_counts(output: str, one: str, other: str) -> None:
    for scorer in MEASURES:
        best = max(likeness(scorer, output, one), likeness(scorer, output, other))
        assert likeness(scorer, output, [one, other]) == best
        assert likeness(scorer, output, [one, None]) == likeness(scorer, output, one)
