"""One evaluation and one rescoring with Inspect AI, measured from inside a fresh process of its own environment.

The rows are in memory as a dataset before the clock starts. The solver sets the output itself; no model is called.
There is no display and no running score, and the console is told of warnings only, which is the default. A second
argument `fastest` turns off what the documentation says can be turned off and costs time: the log in real time and the
control server.
"""

import json
import re
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

begun = perf_counter()
from inspect_ai import Task, eval, score  # type: ignore[import-not-found] # noqa: E402, A004
from inspect_ai.dataset import FieldSpec, MemoryDataset, json_dataset  # type: ignore[import-not-found] # noqa: E402
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log  # type: ignore[import-not-found] # noqa: E402
from inspect_ai.model import ModelOutput  # type: ignore[import-not-found] # noqa: E402
from inspect_ai.scorer import (  # type: ignore[import-not-found] # noqa: E402
    CORRECT,
    INCORRECT,
    Score,
    Target,
    accuracy,
    scorer,
)
from inspect_ai.solver import Generate, TaskState, solver  # type: ignore[import-not-found] # noqa: E402

imported = perf_counter() - begun

FASTEST = {"log_realtime": False, "ctl_server": False}

Judge = Callable[[TaskState, Target], Awaitable[Score]]


def give_answer() -> Callable[[TaskState, Generate], Awaitable[TaskState]]:
    """The task: nothing but a field of the item."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("none", state.metadata["answer"])
        state.completed = True
        return state

    return solve


def equals() -> Judge:
    """Whether the output is the target."""
    return judge(lambda output, target: output == target)


def contains() -> Judge:
    """Whether the output contains the target."""
    return judge(lambda output, target: target in output)


def matches() -> Judge:
    """Whether the output is a whole number: the scorer that is added later."""
    search = re.compile("^[0-9]+$").search
    return judge(lambda output, target: search(output) is not None)


def judge(passes: Callable[[str, str], bool]) -> Judge:
    """A scorer that compares two texts."""

    async def judged(state: TaskState, target: Target) -> Score:
        return Score(value=CORRECT if passes(state.output.completion, target.text) else INCORRECT)

    return judged


answering = solver(give_answer)
measuring = scorer(metrics=[accuracy()])
equality, containing, matching = measuring(equals), measuring(contains), measuring(matches)


def evaluate(dataset: MemoryDataset, folder: str, options: dict[str, bool]) -> EvalLog:
    """The log of an evaluation that is stored in `folder`."""
    task = Task(dataset=dataset, solver=answering(), scorer=[equality(), containing()])
    [log] = eval(task, model="mockllm/model", display="none", score_display=False, log_dir=folder, **options)
    return log


def main(file: Path, folder: str, options: dict[str, bool]) -> dict[str, object]:
    """What was found."""
    items = json_dataset(str(file), FieldSpec(input="question", target="answer", id="id", metadata=["answer"]))

    begun = perf_counter()
    evaluate(items[:1], folder, options)
    first = perf_counter() - begun

    begun, cpu = perf_counter(), process_time()
    log = evaluate(items, folder, options)
    evaluated, evaluated_cpu = perf_counter() - begun, process_time() - cpu

    begun = perf_counter()
    stored = read_eval_log(log.location)
    read = perf_counter() - begun
    begun, cpu = perf_counter(), process_time()
    scored = score(stored, matching(), action="append", display="none", copy=False)
    judged, judged_cpu = perf_counter() - begun, process_time() - cpu
    begun = perf_counter()
    write_eval_log(scored, log.location)
    written = perf_counter() - begun

    passed = [found.metrics["accuracy"].value for found in scored.results.scores]
    if passed != [1, 1, 1]:
        sys.exit(f"not everything passed: {passed}")
    return {
        "version": version("inspect-ai"),
        "items": len(items),
        "import_seconds": imported,
        "first_seconds": first,
        "evaluate_seconds": evaluated,
        "evaluate_cpu_seconds": evaluated_cpu,
        "read_seconds": read,
        "score_seconds": judged,
        "score_cpu_seconds": judged_cpu,
        "write_seconds": written,
    }


with TemporaryDirectory(prefix="rejudge-benchmark-") as scratch:
    print(json.dumps(main(Path(sys.argv[1]), scratch, FASTEST if "fastest" in sys.argv[2:] else {})))
