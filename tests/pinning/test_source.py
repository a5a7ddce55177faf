"""What of a function's own text counts."""

from __future__ import annotations

import importlib
import linecache
from pathlib import Path

import pytest

from rejudge.pinning import pin
from tests.pinning.conftest import Load, PinOf

TASK = '''
def task(question):
    """Answer briefly."""
    prompt = "Answer: " + question
    return prompt.upper()
'''


def test_comments_and_layout_cost_nothing(pin_of: PinOf) -> None:
    laid_out_anew = '''
# a file of tasks


def task(
    question,
):  # the one we ship
    """Answer briefly."""

    prompt = ('Answer: '
              + question)
    return prompt.upper()
'''
    assert pin_of(TASK).digest == pin_of(laid_out_anew).digest


def test_a_docstring_counts_since_it_may_be_sent_as_a_prompt(pin_of: PinOf) -> None:
    assert pin_of(TASK).digest != pin_of(TASK.replace("briefly", "at length")).digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Answer: "', '"Reply: "'),
        ("upper", "lower"),
        ("prompt.upper()", "prompt.upper() or None"),
        ("(question)", "(question, hint=None)"),
        ("def task", "async def task"),
        ("return prompt", "yield prompt"),
    ],
)
def test_any_other_change_of_the_text_counts(pin_of: PinOf, old: str, new: str) -> None:
    assert pin_of(TASK).digest != pin_of(TASK.replace(old, new)).digest


def test_two_lambdas_on_one_line_are_two_functions(load: Load) -> None:
    module = load("first, second = (lambda q: q + '!', lambda q: q + '?')\n")
    again = load("first = lambda q: q + '!'\n")
    assert pin(module.first).digest != pin(module.second).digest
    assert pin(module.first).digest == pin(again.first).digest


def test_a_lambda_inside_a_lambda_is_told_from_it(load: Load) -> None:
    module = load("outer = lambda: lambda: lambda: 1\n")
    digests = {pin(function).digest for function in (module.outer, module.outer(), module.outer()())}
    assert len(digests) == 3


def test_a_lambda_may_be_laid_out_anew(load: Load) -> None:
    module = load("task = lambda q: [q, 'x']\n")
    assert pin(module.task).digest == pin(load("task = (lambda q: [\n  q,  'x'])\n").task).digest


def test_code_without_source_is_pinned_by_its_bytecode() -> None:
    def made(text: str) -> bytes:
        scope: dict[str, object] = {"__name__": "nowhere"}
        exec(text, scope)
        function = scope["task"]
        assert callable(function)
        return pin(function).digest

    assert made("def task(q): return q + '!'") == made("\n\n# moved\ndef task(q): return q + '!'")
    assert made("def task(q): return q + '!'") != made("def task(q): return q + '?'")
    assert made("def task(q): return [c for c in q if c in {'a', 'b'}]") != made(
        "def task(q): return [c for c in q if c in {'a', 'c'}]"
    )
    assert made("def task(q): return -q") != made("def task(q): return +q")


def test_text_edited_after_it_was_loaded_is_not_taken_for_the_code_that_runs(load: Load) -> None:
    module = load(TASK)
    before = pin(module.task)
    file = Path(str(module.__file__))
    file.write_text(TASK.replace("upper", "lower"))
    loaded_later = load(TASK.replace("upper", "lower"))
    assert pin(module.task).digest != pin(loaded_later.task).digest
    file.write_text("# moved down\n\n\n" + TASK)
    assert pin(module.task) == before


def test_a_file_that_is_no_longer_python_does_not_stop_the_pin(load: Load) -> None:
    module = load(TASK)
    Path(str(module.__file__)).write_text("def task(:\n")
    assert pin(module.task).pinned


def test_a_cell_of_a_notebook_is_pinned_by_its_source(load: Load) -> None:
    file = "/notebook/cell.py"
    linecache.cache[file] = (len(TASK), None, TASK.splitlines(keepends=True), file)
    scope: dict[str, object] = {"__name__": "__main__"}
    exec(compile(TASK, file, "exec"), scope)
    task = scope["task"]
    assert callable(task)
    assert pin(task) == pin(load(TASK).task)
    del linecache.cache[file]


def test_a_reloaded_function_is_pinned_by_its_new_text(load: Load) -> None:
    module = load(TASK)
    before = pin(module.task)
    edited = TASK.replace("upper", "lower")
    Path(str(module.__file__)).write_text(edited + "# of another size")
    importlib.reload(module)
    after = pin(module.task)
    assert after.digest != before.digest
    assert after == pin(load(edited).task)


def test_what_the_compiler_folds_away_is_part_of_the_text(pin_of: PinOf) -> None:
    text = "def task(q):\n    def inner(p: int) -> str: return p\n    return inner({})"
    assert pin_of(text.format("1 + 1")).digest != pin_of(text.format("2")).digest
