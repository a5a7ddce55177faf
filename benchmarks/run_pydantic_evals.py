"""One evaluation with pydantic-evals, measured from inside a fresh process of its own environment.

The rows are in memory as a dataset before the clock starts. No progress bar; nothing is exported, as logfire is not
installed. `max_concurrency` is 16, the default of rejudge: the usual way, all cases at once, takes longer, and so do
1, 64 and 256.
"""

import json
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, process_time

begun = perf_counter()
from pydantic_evals import Case, Dataset  # type: ignore[import-not-found] # noqa: E402
from pydantic_evals.evaluators import (  # type: ignore[import-not-found] # noqa: E402
    EqualsExpected,
    Evaluator,
    EvaluatorContext,
)

imported = perf_counter() - begun

CONCURRENCY = 16


@dataclass
class ContainsExpected(Evaluator):  # type: ignore[misc]
    """Whether the output contains what is expected of its case; the built-in `Contains` knows one text for all."""

    def evaluate(self, ctx: EvaluatorContext) -> bool:
        """True where it does."""
        return ctx.expected_output in ctx.output


async def give_answer(inputs: dict[str, str]) -> str:
    """The task: nothing but a field of the item."""
    return inputs["answer"]


def dataset(rows: list[dict[str, str]]) -> Dataset:
    """The rows as cases."""
    cases = [Case(name=row["id"], inputs=row, expected_output=row["answer"]) for row in rows]
    return Dataset(name="measured", cases=cases, evaluators=[EqualsExpected(), ContainsExpected()])


rows = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]

begun = perf_counter()
dataset(rows[:1]).evaluate_sync(give_answer, progress=False, max_concurrency=CONCURRENCY)
first = perf_counter() - begun

everything = dataset(rows)
begun, cpu = perf_counter(), process_time()
report = everything.evaluate_sync(give_answer, progress=False, max_concurrency=CONCURRENCY)
evaluated, evaluated_cpu = perf_counter() - begun, process_time() - cpu

if len(report.cases) != len(rows) or report.averages().assertions != 1:
    sys.exit("not everything passed")
found = {
    "version": version("pydantic-evals"),
    "items": len(rows),
    "import_seconds": imported,
    "first_seconds": first,
    "evaluate_seconds": evaluated,
    "evaluate_cpu_seconds": evaluated_cpu,
}
print(json.dumps(found))
