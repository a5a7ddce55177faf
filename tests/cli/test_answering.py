"""Who answers judges where stored traces are judged again: what the evaluation file says, from anywhere."""

from __future__ import annotations

import pytest

from tests.cli.project import Project

ANSWERS = """
from rejudge.domain.call import Reply


class Oracle:
    def __init__(self, grade):
        self.grade = grade

    async def answer(self, call):
        with open(__file__ + ".asked", "a") as log:
            log.write(self.grade + " ")
        return Reply(text='{"llm_judge": "' + self.grade + '", "reasoning": "so it is"}')


def kind():
    return Oracle("pass")


def harsh():
    return Oracle("fail")


def before(n):
    return str(n)


def after(n):
    return f"{n}!"
"""
ITEMS = "".join(f'{{"id": "q{n}", "n": {n}}}\n' for n in range(6))
JUDGE = "{{type: llm_judge, model: oracle, judge_instructions: ['{how}']}}"


def begun(project: Project, name: str, task: str, *, provider: str = "kind", folder: str = "") -> None:
    """An experiment whose judge is answered by the provider that its file names."""
    project.write(f"{folder}items.jsonl", ITEMS)
    project.write(
        f"{folder}{name}.yaml",
        f"name: {name}\ndataset: items.jsonl\ntask: {{python: '{project.module}:{task}'}}\n"
        f"scorers: [{JUDGE.format(how=name)}]\nprovider: {project.module}:{provider}\n",
    )
    ran = project.rejudge("run", f"{folder}{name}.yaml", "--quiet", "--store", "rejudge.db")
    assert ran.code == 0, ran.err
    (project.folder / f"{project.module}.py.asked").unlink()


def asked(project: Project) -> list[str]:
    """Who was asked, call by call."""
    log = project.folder / f"{project.module}.py.asked"
    return log.read_text(encoding="utf-8").split() if log.exists() else []


@pytest.fixture
def judged(project: Project) -> Project:
    """Two runs, each judged by a model that only the provider of its evaluation file knows."""
    project.write(f"{project.module}.py", ANSWERS)
    begun(project, "march", "before")
    begun(project, "april", "after")
    return project


def test_an_explanation_asks_whom_the_evaluation_files_name(judged: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(judged.write("elsewhere/nothing", "").parent)
    said = judged.rejudge("explain", "march", "april", "--quiet", "--store", "../rejudge.db")
    assert said.code == 0, said.err
    assert "judged: 12 judgements made now, 0 were stored" in said.out
    assert asked(judged) == ["pass"] * 12


def test_a_further_judge_is_answered_by_whom_the_evaluation_file_names(judged: Project) -> None:
    further = "{type: llm_judge, model: oracle, judge_instructions: [Look twice.]}"
    said = judged.rejudge("score", "march", "--scorer", further, "--quiet")
    assert said.code == 0, said.err
    assert asked(judged) == ["pass"] * 6


@pytest.mark.parametrize("verb", ["explain", "score"])
def test_the_option_and_then_the_file_go_before_the_evaluation_file(judged: Project, verb: str) -> None:
    judged.write("harsh.yaml", f"scorers: [{JUDGE.format(how='new')}]\nprovider: {judged.module}:harsh\n")
    words = ["explain", "march", "april"] if verb == "explain" else ["score", "march"]
    assert judged.rejudge(*words, "--file", "harsh.yaml", "--quiet").code == 0
    assert set(asked(judged)) == {"fail"}
    judged.write("harsh.yaml", f"scorers: [{JUDGE.format(how='newer')}]\nprovider: {judged.module}:harsh\n")
    words = ["explain", "april", "march"] if verb == "explain" else words
    option = ("--provider", f"{judged.module}:kind")
    count = len(asked(judged))
    assert judged.rejudge(*words, "--file", "harsh.yaml", *option, "--quiet").code == 0
    assert set(asked(judged)[count:]) <= {"pass"}


def test_nobody_is_asked_in_place_of_another(judged: Project) -> None:
    begun(judged, "may", "after", provider="harsh")
    said = judged.rejudge("explain", "march", "may", "--quiet")
    assert (said.code, asked(judged)) == (2, [])
    assert "may.yaml: it says otherwise than" in said.err
    assert judged.rejudge("explain", "march", "may", "--quiet", "--file", "may.yaml").code == 0
    assert set(asked(judged)) == {"fail"}


def test_an_evaluation_file_that_is_gone_or_broken_hinders_only_who_would_ask(judged: Project) -> None:
    plain = "{type: contains, substring: x}"
    further = "{type: llm_judge, model: oracle, judge_instructions: [Once more.]}"
    judged.write("march.yaml", "provider: 7\n")
    assert judged.rejudge("score", "march", "--scorer", plain, "--quiet").code == 0
    broken = judged.rejudge("score", "march", "--scorer", further, "--quiet")
    assert (broken.code, "march.yaml:1:" in broken.err) == (2, True)
    (judged.folder / "march.yaml").unlink()
    gone = judged.rejudge("score", "march", "--scorer", further, "--quiet")
    assert gone.code == 2
    assert "oracle" in gone.err
    assert judged.rejudge("explain", "march", "april", "--quiet").code == 0
    assert len(asked(judged)) == 12


def test_nobody_is_looked_for_where_nothing_is_to_be_judged(judged: Project) -> None:
    assert judged.rejudge("explain", "march", "april", "--quiet").code == 0
    judged.write("march.yaml", "provider: 7\n")
    for words in ((), ("--no-judging",)):
        assert judged.rejudge("explain", "march", "april", "--quiet", *words).code == 0
    assert len(asked(judged)) == 12
