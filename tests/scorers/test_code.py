"""`code_eval`: what is refused when it is made, what the code is given, and how its answer is read."""

from __future__ import annotations

import pytest

from rejudge import ConfigurationError, ScorerError, ScoreSpec, ScoreType, Skip, Verdict, View, code_eval
from rejudge.domain.code import CodeCall, CodeResult, Fault
from rejudge.domain.errors import NameClash, UnknownName
from rejudge.scorers import Scorer, Way, as_verdict, create, scored_values
from rejudge.scorers.code import CodeScorer, from_elsewhere

GOOD = "def score(output):\n    return 1.0\n"

REFUSED = {
    "no function": ("x = 1\n", "code:1: there is no function `score`"),
    "a function inside another": (
        "def outer():\n    def score(output):\n        return 1\n",
        "code:1: there is no function `score`",
    ),
    "a function only sometimes": (
        "if True:\n    def score(output):\n        return 1\n",
        "code:1: there is no function `score`",
    ),
    "a lambda": ("\nscore = lambda output: 1.0\n", "code:2: score is a lambda"),
    "an annotated lambda": ("score: object = lambda output: 1.0\n", "code:1: score is a lambda"),
    "a class": ("class score:\n    pass\n", "code:1: score is not defined by `def`"),
    "an import": ("from os import getcwd as score\n", "code:1: score is not defined by `def`"),
    "a function replaced": (GOOD + "score = wrapped(score)\n", "code:3: score is not defined by `def`"),
    "a syntax error": ("def score(output):\n    return (1\n", "code:2: this is not Python: '\\(' was never closed"),
    "a stray return": (GOOD + "return 1\n", "code:3: this is not Python: 'return' outside function"),
    "a null byte": ("def score(output): return '\0'\n", "code: this (cannot be read as|is not) Python"),
    "half a character": ("def score(output): return '\ud800'\n", "code: this cannot be read as Python"),
    "code without end": ("x = " + "+".join(["1"] * 30_000), "code: this cannot be read as Python"),
    "brackets without end": ("x = " + "(" * 5000 + ")" * 5000, "code.*: this (cannot be read as|is not) Python"),
    "more than 64 KiB": (GOOD + "#" + "ä" * 40_000, "code: the code has 80035 bytes, more than 65536"),
    "an unknown parameter": ("\n\ndef score(output, answer):\n    return 1\n", "code:3: score asks for 'answer'"),
    "an unknown keyword": ("def score(output, *, answer):\n    return 1\n", "code:1: score asks for 'answer'"),
    "only keywords": (
        "def score(**given):\n    return 1\n",
        "code:1: score asks for neither output, trace nor spans, and \\*\\*",
    ),
    "nothing": ("def score():\n    return 1\n", "code:1: score asks for neither output, trace nor spans"),
    "only the reference": (
        "def score(reference_data):\n    return 1\n",
        "code:1: score asks for neither output, trace nor",
    ),
    "values by position": ("def score(output, /):\n    return 1\n", "code:1: 'output' takes its value by position"),
    "a generator": ("def score(output):\n    if output:\n        yield 1\n", "code:3: score is a generator"),
    "an async generator": ("async def score(output):\n    yield 1\n", "code:2: score is a generator"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_code_that_could_never_judge_is_refused_when_the_scorer_is_made(what: str) -> None:
    code, said = REFUSED[what]
    with pytest.raises(ConfigurationError, match=f"^{said}"):
        code_eval(code=code)


@pytest.mark.parametrize(
    "code",
    [
        GOOD,
        "async def score(trace):\n    return 1.0\n",
        "def score(spans):\n    return 1.0\n",
        "def score(*, output=None, trace=None):\n    return 1.0\n",
        "def score(task_input, output, **rest):\n    return 1.0\n",
        "def score(output, threshold=0.5):\n    return 1.0\n",
        "def score(output):\n    def inner():\n        yield 1\n    return sum(inner())\n",
        "import functools\n\n@functools.cache\ndef score(output):\n    return 1.0\n",
        "def score(output):\n    return 0.0\n\n\ndef score(output):\n    return 1.0\n",
        "class Grade:\n    score = 1.0\n\n\ndef mean():\n    score = 1\n    return score\n\n\n" + GOOD,
        "# " + "x" * 65_000 + "\n" + GOOD,
        "def score(output):\n    return '\\d'\n",
    ],
)
def test_any_subset_of_the_parts_is_taken(code: str) -> None:
    scorer = code_eval(code=code)
    assert scorer.way is Way.STEPS
    assert scorer.demands.code == code


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"sandbox": "docker"}, "sandbox"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"timeout_seconds": 301}, "timeout_seconds"),
        ({"megabytes": 1}, "megabytes"),
        ({"tools": ["shell"]}, "unknown tool 'shell'"),
        ({"tools": {"lookup": 3}}, "'lookup' is a int, not a function"),
        ({"tools": {"look up": print}}, "no name that code could call"),
        ({"scores": []}, "scores is empty"),
        ({"reference_keys": "answer"}, "reference_keys"),
        ({"timeout": 3}, "unknown parameter of code_eval 'timeout'"),
    ],
)
def test_other_parameters_are_checked_as_well(parameters: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        create("code_eval", {"code": GOOD, **parameters})


def test_tools_must_be_told_apart() -> None:
    def llm() -> None:
        """Not the built-in one."""

    with pytest.raises(NameClash, match="'llm' is built in"):
        code_eval(code=GOOD, tools=(llm,))
    with pytest.raises(NameClash, match="two tools are named 'print'"):
        code_eval(code=GOOD, tools=(print, print))
    with pytest.raises(UnknownName):
        code_eval(code=GOOD, tools={"ask": "llm"})


def judged(scorer: Scorer, view: View, *results: CodeResult) -> Verdict:
    """The verdict, with the calls of code answered by these results."""
    steps = scorer.judge(view)
    assert hasattr(steps, "send")
    answers = iter(results)
    try:
        steps.send(None)
        while True:
            steps.send(next(answers))
    except StopIteration as end:
        return as_verdict(end.value, scorer.config)


def asked(scorer: Scorer, view: View) -> CodeCall:
    """The call that the scorer yields."""
    steps = scorer.judge(view)
    assert hasattr(steps, "send")
    call = steps.send(None)
    assert isinstance(call, CodeCall)
    return call


VIEW = View(
    output="Rome",
    trace=[{"role": "user", "content": "Capital?"}],
    reference_data={"answer": "Rome", "note": "easy"},
    task_input={"question": "Capital?"},
)


def test_the_code_is_given_what_it_names_and_nothing_else() -> None:
    code = "def score(output, task_input, trace=None):\n    return 1.0\n"
    scorer = code_eval(code=code, sandbox="bubblewrap", timeout_seconds=2, megabytes=128)
    assert asked(scorer, VIEW) == CodeCall(
        sandbox="bubblewrap",
        code=code,
        function="score",
        arguments={"output": VIEW.output, "task_input": VIEW.task_input, "trace": VIEW.trace},
        seconds=2.0,
        megabytes=128,
    )


def test_only_the_declared_reference_keys_are_given_where_some_are_declared() -> None:
    code = "def score(output, reference_data):\n    return 1.0\n"
    assert asked(code_eval(code=code), VIEW).arguments["reference_data"] == VIEW.reference_data
    declared = code_eval(code=code, reference_keys=("answer",))
    assert asked(declared, VIEW).arguments["reference_data"] == {"answer": "Rome"}
    assert (code_eval(code=code).config.sees, declared.config.sees) == (None, ("answer",))
    assert declared.needs == {"answer"}


@pytest.mark.parametrize(
    ("parameters", "view", "cause"),
    [
        ("output, reference_data", View(output="x"), Skip.MISSING_REFERENCE_KEY),
        ("trace", View(output="x"), Skip.MISSING_TRACE),
        ("output, spans", View(output="x"), Skip.MISSING_SPANS),
        ("output, task_input", View(output="x"), Skip.MISSING_INPUT_FIELD),
    ],
)
def test_a_part_that_is_not_there_is_a_skip_before_anything_runs(parameters: str, view: View, cause: Skip) -> None:
    scorer = code_eval(code=f"def score({parameters}):\n    return 1.0\n")
    assert judged(scorer, view).skip == cause


def test_a_part_with_a_default_may_be_missing() -> None:
    scorer = code_eval(code="def score(output, trace=None, reference_data=None):\n    return 1.0\n")
    assert asked(scorer, View(output="x")).arguments == {"output": "x"}
    assert asked(scorer, View(output=None)).arguments == {"output": None}


@pytest.mark.parametrize("reference", [None, {}, {"answer": None}, {"other": 1}])
def test_a_declared_reference_key_that_is_missing_is_a_skip(reference: dict[str, object] | None) -> None:
    verdict = judged(code_eval(code=GOOD, reference_keys=("answer",)), View(output="x", reference_data=reference))
    assert verdict.skip == Skip.MISSING_REFERENCE_KEY
    assert "reference_keys 'answer'" in verdict.reason


TWO = [ScoreSpec(name="right"), ScoreSpec(name="stars", type=ScoreType.FIVE_STAR)]


def test_a_dict_gives_the_declared_scores() -> None:
    scorer = code_eval(code=GOOD, scores=TWO)
    verdict = judged(scorer, VIEW, CodeResult(value={"stars": 4, "right": True}))
    values = scored_values(verdict, scorer.config)
    assert [(one.name, one.number) for one in values] == [("right", 1.0), ("stars", 4.0)]


@pytest.mark.parametrize("value", [1.0, 0.25, 1, True, False, {"code_eval": 1.0}])
def test_one_number_or_boolean_is_enough_for_one_score(value: object) -> None:
    scorer = code_eval(code=GOOD)
    (one,) = scored_values(judged(scorer, VIEW, CodeResult(value=value)), scorer.config)
    assert one.name == "code_eval"
    assert one.number == (value["code_eval"] if isinstance(value, dict) else value)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "the code returned null"),
        ([1.0], "the code returned a list"),
        (1.0, "the code returned one value for 2 scores"),
        ({"right": 1.0}, "does not give 'stars'"),
        ({"right": 1.0, "stars": 4, "more": 1}, "gives 'more'"),
        ({"right": 1.0, "stars": 6}, "6 lies outside 1 to 5"),
        ({"right": 1.0, "stars": True}, "True is not a number"),
        ({"right": "yes", "stars": 4}, "'yes' is not a number"),
        ({"right": None, "stars": 4}, "returned None for 'right'"),
        ({"right": [1], "stars": 4}, "a value of type list for 'right'"),
        ({"right": 10**400, "stars": 4}, "too large"),
        ({}, "returned no value at all"),
    ],
)
def test_anything_else_is_an_error_and_never_a_grade(value: object, said: str) -> None:
    scorer = code_eval(code=GOOD, scores=TWO)
    with pytest.raises(Exception, match=said):
        scored_values(judged(scorer, VIEW, CodeResult(value=value)), scorer.config)


@pytest.mark.parametrize("fault", Fault)
def test_a_fault_is_an_error_with_its_story(fault: Fault) -> None:
    with pytest.raises(ScorerError, match=r"the code .*: ValueError: no \(line 2\)"):
        judged(code_eval(code=GOOD), VIEW, CodeResult(fault=fault, story="ValueError: no (line 2)"))


def test_what_can_change_a_verdict_is_part_of_the_id() -> None:
    def lookup(key: str) -> str:
        return key

    def other(key: str) -> str:
        return key + "!"

    made = [
        code_eval(code=GOOD),
        code_eval(code=GOOD + "#\n"),
        code_eval(code=GOOD, sandbox="bubblewrap"),
        code_eval(code=GOOD, timeout_seconds=5),
        code_eval(code=GOOD, megabytes=512),
        code_eval(code=GOOD, reference_keys=("a",)),
        code_eval(code=GOOD, tools=("llm",)),
        code_eval(code=GOOD, tools={"lookup": lookup}),
        code_eval(code=GOOD, tools={"lookup": other}),
    ]
    assert len({scorer.config.id for scorer in made}) == len(made)
    assert code_eval(code=GOOD, sandbox="monty", megabytes=256).config.id == made[0].config.id
    assert code_eval(code=GOOD, tools=(lookup,)).config.id == made[7].config.id


def test_a_tool_that_cannot_be_pinned_leaves_the_scorer_unpinned() -> None:
    client = object()

    def lookup(key: str) -> str:
        return f"{client}{key}"

    unpinned = code_eval(code=GOOD, tools=(lookup,)).config.unpinned
    assert unpinned is not None
    assert "tool lookup: unpinned: uses `client`" in unpinned


def test_code_from_elsewhere_keeps_its_id_and_says_where_it_came_from() -> None:
    scorer = code_eval(code=GOOD)
    marked = from_elsewhere(scorer, "eval.yaml")
    assert isinstance(marked, CodeScorer)
    assert (marked.config, marked.demands.origin, scorer.demands.origin) == (scorer.config, "eval.yaml", None)


def test_a_sum_of_any_length_is_read_or_refused_in_words() -> None:
    for terms in range(800, 1_050):
        code = "def score(output):\n    return " + " + ".join(["1"] * terms) + "\n"
        try:
            code_eval(code=code)
        except ConfigurationError as refused:
            assert "cannot be read as Python" in str(refused)  # noqa: PT017 - where it begins depends on the Python
