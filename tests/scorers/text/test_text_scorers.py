"""What every text kind does beside its number: thresholds, gaps, refusals, ids, and libraries that are not there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import cast

import pytest

from rejudge.domain.errors import ConfigurationError
from rejudge.domain.scale import Direction, Outcome, ScoreType
from rejudge.domain.verdict import Skip, Verdict
from rejudge.domain.view import View
from rejudge.scorers import Scorer, Way, create, levenshtein_ratio, scored_values, token_f1

KINDS = ("levenshtein_ratio", "bleu", "gleu", "rouge", "chrf", "token_f1")
LIBRARIES = {
    "levenshtein_ratio": "rapidfuzz",
    "bleu": "nltk",
    "gleu": "nltk",
    "rouge": "rouge_score",
    "chrf": "sacrebleu",
}


def made(kind: str, **parameters: object) -> Scorer:
    if kind in LIBRARIES:
        pytest.importorskip(LIBRARIES[kind], reason="the extra rejudge[text] is not installed")
    return create(kind, {"reference_key": "gold", **parameters})


def judged(scorer: Scorer, output: object, gold: object = "the cat") -> Verdict:
    return cast("Verdict", scorer.judge(View(output=output, reference_data={"gold": gold})))


@pytest.mark.parametrize("kind", KINDS)
def test_a_likeness_is_a_number_from_0_to_1_where_higher_is_better(kind: str) -> None:
    (spec,) = made(kind).config.scores
    assert (spec.type, spec.range, spec.direction) == (ScoreType.NUMBER, (0.0, 1.0), Direction.HIGHER)
    assert not spec.has_outcome
    assert made(kind).way is Way.INLINE


@pytest.mark.parametrize("kind", KINDS)
def test_a_threshold_gives_an_outcome_with_the_reason_of_a_fail(kind: str) -> None:
    scorer = made(kind, passes_at=0.9, required=True)
    (passed,) = scored_values(judged(scorer, "the cat"), scorer.config)
    assert (passed.number, passed.outcome) == (1.0, Outcome.PASSED)
    verdict = judged(scorer, "dog")
    (failed,) = scored_values(verdict, scorer.config)
    assert failed.outcome is Outcome.FAILED
    assert verdict.reason.endswith('is under 0.9: expected "the cat", got "dog"')
    assert not judged(made(kind), "dog").reason


@pytest.mark.parametrize("kind", KINDS)
def test_an_output_that_cannot_be_read_is_the_worst_with_its_reason_and_never_left_out(kind: str) -> None:
    for parameters, output, told in (
        ({"value_expression": "(final_message | fromjson).a"}, "no json", "fromjson"),
        ({"value_expression": "output.a"}, {"b": 1}, "no 'a'"),
        ({}, None, "the output is null"),
    ):
        scorer = made(kind, passes_at=0.1, **cast("dict[str, object]", parameters))
        for gold in ("the cat", None):
            verdict = judged(scorer, output, gold)
            (value,) = scored_values(verdict, scorer.config)
            assert (verdict.skip, value.number, value.outcome) == (None, 0.0, Outcome.FAILED)
            assert told in verdict.reason


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("gold", "told"),
    [(None, "reference_key 'gold': it is null"), ([], "a list that holds none"), ([None], "a list that holds none")],
)
def test_a_reference_that_is_not_there_is_a_skip(kind: str, gold: object, told: str) -> None:
    verdict = judged(made(kind), "the cat", gold)
    assert (verdict.skip, verdict.values) == (Skip.MISSING_REFERENCE_KEY, {})
    assert told in verdict.reason


def test_a_trace_that_was_not_recorded_is_a_skip() -> None:
    assert judged(token_f1(reference_key="gold", value_expression="trace[-1].content"), "x").skip == Skip.MISSING_TRACE


def test_both_sides_can_be_worked_on_and_are_compared_as_text() -> None:
    scorer = token_f1(
        value_expression="(final_message | fromjson).city", reference_key="gold", reference_expression="reference.name"
    )
    assert judged(scorer, '{"city": "Rome"}', {"name": "rome"}).values == {"token_f1": 1.0}
    assert judged(token_f1(value_expression="output", reference_key="gold"), 42, 42).values == {"token_f1": 1.0}


@pytest.mark.parametrize(
    ("kind", "parameters", "told"),
    [
        ("token_f1", {}, "exactly one of expected_value and reference_key .* neither"),
        ("token_f1", {"reference_key": "a", "expected_value": "b"}, "both are given"),
        ("token_f1", {"expected_value": []}, "a list that holds no reference"),
        ("token_f1", {"expected_value": "a", "passes_at": 0}, "(?s)passes_at is 0, .* above 0 and up to 1"),
        ("token_f1", {"expected_value": "a", "passes_at": 80}, "passes_at is 80"),
        ("token_f1", {"expected_value": "a", "passes_at": float("nan")}, "passes_at is nan"),
        ("token_f1", {"expected_value": "a", "required": True}, "required but nothing says when it passes"),
        ("token_f1", {"expected_value": "a", "tokens": "bytes"}, "token_f1: tokens: invalid enum value 'bytes'"),
        ("token_f1", {"expected_value": "a", "value_expression": "outptu"}, "value_expression:1:1: unknown name"),
        ("bleu", {"expected_value": "a", "max_order": 0}, "bleu: max_order: expected `int` >= 1"),
        ("bleu", {"expected_value": "a", "smoothing": "method4"}, "unknown parameter of bleu 'smoothing'"),
        ("rouge", {"expected_value": "a", "variant": 3}, "rouge: variant: invalid enum value 3"),
        ("embedding_similarity", {"expected_value": "a"}, "missing required field `model`"),
        ("embedding_similarity", {"expected_value": "a", "model": " "}, "model is empty"),
    ],
)
def test_a_wrong_parameter_is_refused_when_created(kind: str, parameters: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        create(kind, parameters)


def test_what_decides_the_number_stands_in_the_settings_and_no_version_of_a_library_does() -> None:
    settings = made("bleu").config.settings
    assert settings == {
        "version": 1,
        "reference_key": "gold",
        "max_order": 4,
        "smoothing": "method1",
        "tokens": "words",
    }
    assert made("bleu", tokens="words", max_order=4).config.id == made("bleu").config.id
    assert made("bleu", max_order=2).config.id != made("bleu").config.id
    assert made("rouge", variant=1).config.name == "rouge_1"
    assert made("rouge", name="summary").config.name == "summary"


def test_a_scorer_says_which_item_fields_it_sees() -> None:
    scorer = token_f1(reference_key="gold", value_expression="item.unit")
    assert scorer.config.sees == ("gold", "unit")
    assert scorer.needs == {"gold"}


def run_python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("kind", "library"), LIBRARIES.items())
def test_a_missing_library_is_refused_before_the_first_task_call_and_says_how_to_get_it(
    kind: str, library: str
) -> None:
    program = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {library!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
import rejudge
called = []

def task(item):
    called.append(item)

try:
    rejudge.evaluate(
        [{{"id": "1", "gold": "a"}}], task, {{"type": {kind!r}, "reference_key": "gold"}}, store="memory:"
    )
except rejudge.ConfigurationError as error:
    print(error, len(called))
"""
    ran = run_python(program)
    assert ran.stdout == f"{library} is not installed, and {kind} needs it\n  next: pip install 'rejudge[text]' 0\n"


def test_the_libraries_load_with_the_first_scorer_that_needs_them() -> None:
    pytest.importorskip("rapidfuzz", reason="the extra rejudge[text] is not installed")
    program = """
import sys
from rejudge.scorers import CATALOG, levenshtein_ratio, token_f1
token_f1(expected_value="a")
heavy = {"rapidfuzz", "nltk", "sacrebleu", "rouge_score"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
levenshtein_ratio(expected_value="a")
assert heavy & set(sys.modules) == {"rapidfuzz"}
"""
    ran = run_python(program)
    assert ran.returncode == 0, ran.stderr


def test_nothing_is_downloaded() -> None:
    pytest.importorskip("nltk", reason="the extra rejudge[text] is not installed")
    pytest.importorskip("rouge_score", reason="the extra rejudge[text] is not installed")
    pytest.importorskip("sacrebleu", reason="the extra rejudge[text] is not installed")
    program = """
import sys

def refuse(event, given):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise AssertionError(f"{event}: {given}")

sys.addaudithook(refuse)
from rejudge.domain.view import View
from rejudge.scorers import create
view = View(output="the cat sat", reference_data={"gold": "one dog sat"})
for kind in ("levenshtein_ratio", "bleu", "gleu", "rouge", "chrf", "token_f1"):
    assert 0 < next(iter(create(kind, {"reference_key": "gold"}).judge(view).values.values())) < 1
assert 0 < create("rouge", {"reference_key": "gold", "tokens": "rouge_stemmed"}).judge(view).values["rouge_l"] < 1
"""
    ran = run_python(program)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("make", [levenshtein_ratio, token_f1])
def test_a_constructor_and_a_mapping_make_the_same_scorer(make: Callable[..., Scorer]) -> None:
    pytest.importorskip("rapidfuzz", reason="the extra rejudge[text] is not installed")
    assert make(reference_key="gold", passes_at=0.5).config == made(make.__name__, passes_at=0.5).config
