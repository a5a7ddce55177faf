"""What a token is, in which script, and what becomes of texts without any."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers import Scorer, bleu, chrf, gleu, rouge, token_f1
from rejudge.scorers.text.tokens import characters, words
from tests.scorers.text.reference import is_mark


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The cat sat.", ["The", "cat", "sat", "."]),
        ("don't 'quote' it’s", ["don't", "'", "quote", "'", "it’s"]),
        ("3.14 of 1,000, or 1,2.", ["3.14", "of", "1,000", ",", "or", "1,2", "."]),
        ("state-of-the-art", ["state", "-", "of", "-", "the", "-", "art"]),
        ("$5 + 5€", ["$", "5", "+", "5", "€"]),
        ("猫がいる。", ["猫", "が", "い", "る", "。"]),
        ("我有2只cat", ["我", "有", "2", "只", "cat"]),
        ("한국어 단어", ["한국어", "단어"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("cafe\u0301 no", ["cafe\u0301", "no"]),
        ("สวัสดี", ["สวัสดี"]),
        (" \n\u3000", []),
    ],
)
def test_words_are_split_as_a_reader_of_the_script_would(text: str, tokens: list[str]) -> None:
    assert words(text) == tokens


@given(st.text())
def test_nothing_but_white_space_is_lost(text: str) -> None:
    seen = "".join(text.split())
    assert "".join(words(text)) == seen
    assert characters(text) == list(seen)


@given(st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd", "Po", "Sm"]), max_size=20))
def test_a_mark_stands_alone_or_joins_letters_or_digits(text: str) -> None:
    for token in words(text):
        if len(token) > 1:
            assert not any(is_mark(mark) for mark in token if mark not in "'’.,")


pytestmark = [pytest.mark.filterwarnings("error")]


def likeness(scorer: Scorer, output: str, gold: str) -> float:
    pytest.importorskip("nltk", reason="the extra rejudge[text] is not installed")
    verdict = scorer.judge(View(output=output, reference_data={"gold": gold}))
    assert isinstance(verdict, Verdict)
    return float(next(iter(verdict.values.values())))


def test_chinese_needs_no_spaces() -> None:
    pytest.importorskip("nltk", reason="the extra rejudge[text] is not installed")
    assert likeness(bleu(reference_key="gold", max_order=1), "我有一只猫", "我有一只狗") == pytest.approx(0.8)
    assert likeness(
        rouge(reference_key="gold", variant=1, tokens="words"), "我有一只猫", "我有一只狗"
    ) == pytest.approx(0.8)
    whole, split = token_f1(reference_key="gold"), token_f1(reference_key="gold", tokens="characters")
    assert likeness(whole, "我有一只猫", "我有一只狗") == 0.0
    assert likeness(split, "我有一只猫", "我有一只狗") == pytest.approx(0.8)


def test_white_space_alone_can_split() -> None:
    pytest.importorskip("nltk", reason="the extra rejudge[text] is not installed")
    scorer = bleu(reference_key="gold", max_order=1, tokens="whitespace")
    assert likeness(scorer, "on the mat.", "on the mat") == pytest.approx(2 / 3)


@pytest.mark.parametrize("gold", ["猫がいる", "—", ["—", "…"]])
@pytest.mark.parametrize("output", ["a cat", "猫がいる", "—", ""])
def test_a_reference_that_loses_all_its_letters_is_a_skip_whatever_the_output(output: str, gold: object) -> None:
    pytest.importorskip("rouge_score", reason="the extra rejudge[text] is not installed")
    verdict = rouge(reference_key="gold").judge(View(output=output, reference_data={"gold": gold}))
    assert isinstance(verdict, Verdict)
    assert verdict.skip == Skip.INCOMPATIBLE_INPUT_SHAPE
    first = gold[0] if isinstance(gold, list) else gold
    assert verdict.reason == f'the reference "{first}" has no token; let `tokens` be words or characters'


def test_a_reference_without_tokens_counts_for_nothing_beside_others() -> None:
    pytest.importorskip("rouge_score", reason="the extra rejudge[text] is not installed")
    verdict = rouge(reference_key="gold").judge(View(output="a cat", reference_data={"gold": ["—", "a cat"]}))
    assert isinstance(verdict, Verdict)
    assert verdict.values == {"rouge_l": 1.0}


def test_an_output_without_tokens_is_like_no_words() -> None:
    pytest.importorskip("rouge_score", reason="the extra rejudge[text] is not installed")
    scorer = rouge(reference_key="gold")
    assert likeness(scorer, "猫がいる", "a cat") == 0.0
    assert likeness(scorer, "", "") == 1.0
    assert likeness(scorer, "猫がいる", "") == 0.0


@pytest.mark.parametrize("make", [bleu, gleu, chrf, token_f1])
def test_every_other_measure_has_something_to_count_in_any_reference(make: Callable[..., Scorer]) -> None:
    pytest.importorskip("sacrebleu", reason="the extra rejudge[text] is not installed")
    scorer = make(reference_key="gold")
    for gold in ("—", "A", "!", "\u200b", "猫"):
        assert likeness(scorer, gold, gold) == 1.0
        assert likeness(scorer, "B", gold) == 0.0
