"""Runs whose difference is known because it was planted: a judge that gives more, a prompt that helps, harder items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

import rejudge
from rejudge.scorers.scorer import Scorer
from rejudge.storage.store import Store

JUDGE, TASK, HARDER = 0.5, 1.0, -2.0
"""What the lenient judge gives more, what the better prompt is worth, and how much worse hard items are answered."""

PLAIN, BETTER = "Answer question {{ number }}.", "Think step by step. Answer question {{ number }}."


def noise(*parts: object) -> float:
    """A number from -0.5 to 0.5 that these always give."""
    digest = sha256(repr(parts).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32 - 0.5


class World:
    """Answers task and judge models by their names, counts both, and prices the judges."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.provider = rejudge.ScriptedProvider(self._reply)

    def _reply(self, call: rejudge.ModelCall) -> rejudge.Reply:
        self.calls[call.model] += 1
        asked = str(call.messages[-1]["content"])
        text = self._judged(call.model, asked) if call.model.startswith("judge/") else self._answered(asked)
        return rejudge.Reply(text=text, usage=rejudge.Usage(input_tokens=10, output_tokens=5, cost=0.01))

    @staticmethod
    def _answered(asked: str) -> str:
        (number,) = map(int, re.findall(r"question (\d+)", asked))
        quality = 5 + 2 * noise("item", number) + (HARDER if number >= 1000 else 0)
        if "step by step" in asked:
            quality += TASK + noise("prompt", number)
        return f"item {number} has quality {quality:.6f}"

    @staticmethod
    def _judged(model: str, asked: str) -> str:
        found = re.findall(r"item (\d+) has quality (-?[\d.]+)", asked)
        number, quality = found[-1]
        lenient = JUDGE + 0.4 * noise("judge", number) if model == "judge/lenient" else 0
        return f'{{"reasoning": "as it reads", "quality": {float(quality) + lenient:.6f}}}'

    @property
    def tasks(self) -> int:
        """How often a task was called."""
        return self.calls["task/model"]

    @property
    def judges(self) -> int:
        """How often a judge was asked."""
        return self.calls.total() - self.tasks

    def run(
        self,
        store: Store,
        name: str,
        *,
        prompt: str = PLAIN,
        judge: str | Scorer = "strict",
        items: Iterable[Mapping[str, object]] | None = None,
        trials: int = 1,
    ) -> rejudge.Result:
        """One evaluation of the planted items."""
        scorer = quality(judge) if isinstance(judge, str) else judge
        return rejudge.evaluate(
            list(numbered(range(80)) if items is None else items),
            rejudge.prompt(prompt, model="task/model", name="answer"),
            [scorer],
            store=store,
            name=name,
            trials=trials,
            provider=self.provider,
            progress="silent",
        )


def quality(judge: str = "strict", *, name: str = "quality") -> Scorer:
    """A judge of the quality that an answer says it has."""
    return rejudge.llm_judge(
        name=name,
        model=f"judge/{judge}",
        prompt_template="{{ final_message }}",
        scores=[rejudge.ScoreSpec(name="quality", type=rejudge.ScoreType.NUMBER, low=-20, high=20)],
    )


def numbered(numbers: Iterable[int]) -> list[dict[str, object]]:
    """Items by their numbers."""
    return [{"id": f"q{number}", "number": number} for number in numbers]


def stored_runs(store: Store) -> Sequence[object]:
    """Everything that a store says of its runs."""
    return [(run, store.counts(run.id), store.cases(run.id, count=10_000)) for run in store.runs()]
