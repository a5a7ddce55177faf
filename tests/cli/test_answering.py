"""Who answers judges where stored traces are judged again: what the evaluation file says, from anywhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rejudge.providers.fake_server import FakeModelServer
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
JUDGE = "{{type: llm_judge, model: near/oracle, judge_instructions: ['{how}']}}"


def begun(project: Project, name: str, task: str, *, answered: str) -> None:
    """An experiment whose judge is answered by whom its file names."""
    project.write("items.jsonl", ITEMS)
    project.write(
        f"{name}.yaml",
        f"name: {name}\ndataset: items.jsonl\ntask: {{python: '{project.module}:{task}'}}\n"
        f"scorers: [{JUDGE.format(how=name)}]\n{answered}\n",
    )
    ran = project.rejudge("run", f"{name}.yaml", "--quiet")
    assert ran.code == 0, ran.err


def by_code(project: Project) -> list[str]:
    """What the providers that are code answered, call by call."""
    log = project.folder / f"{project.module}.py.asked"
    return log.read_text(encoding="utf-8").split() if log.exists() else []


@pytest.fixture
def server() -> Iterator[FakeModelServer]:
    with FakeModelServer(lambda asked: '{"llm_judge": "pass", "reasoning": "so it is"}') as serving:
        yield serving


@pytest.fixture
def judged(project: Project, server: FakeModelServer) -> Project:
    """Two runs, each judged by a model that only the server of its evaluation file knows."""
    project.write(f"{project.module}.py", ANSWERS)
    for name, task in (("march", "before"), ("april", "after")):
        begun(project, name, task, answered=f"providers: {{near: {{url: '{server.url}'}}}}")
    server.asked.clear()
    return project


def test_an_explanation_asks_whom_the_evaluation_files_name(
    judged: Project, server: FakeModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(judged.write("elsewhere/nothing", "").parent)
    said = judged.rejudge("explain", "march", "april", "--quiet", "--store", "../rejudge.db")
    assert said.code == 0, said.err
    assert "judged: 12 judgements made now, 0 were stored" in said.out
    assert len(server.asked) == 12


def test_a_further_judge_is_answered_by_whom_the_evaluation_file_names(
    judged: Project, server: FakeModelServer
) -> None:
    further = "{type: llm_judge, model: near/oracle, judge_instructions: [Look twice.]}"
    said = judged.rejudge("score", "march", "--scorer", further, "--quiet")
    assert said.code == 0, said.err
    assert len(server.asked) == 6


@pytest.mark.parametrize("verb", ["explain", "score"])
def test_the_option_and_then_the_file_go_before_the_evaluation_file(
    judged: Project, server: FakeModelServer, verb: str
) -> None:
    judged.write("harsh.yaml", f"scorers: [{JUDGE.format(how='new')}]\nprovider: {judged.module}:harsh\n")
    words = ["explain", "march", "april"] if verb == "explain" else ["score", "march"]
    assert judged.rejudge(*words, "--file", "harsh.yaml", "--quiet").code == 0
    assert set(by_code(judged)) == {"fail"}
    judged.write("harsh.yaml", f"scorers: [{JUDGE.format(how='newer')}]\nprovider: {judged.module}:harsh\n")
    words = ["explain", "april", "march"] if verb == "explain" else words
    option = ("--provider", f"{judged.module}:kind")
    count = len(by_code(judged))
    assert judged.rejudge(*words, "--file", "harsh.yaml", *option, "--quiet").code == 0
    assert set(by_code(judged)[count:]) == ({"pass"} if verb == "score" else set())
    assert server.asked == []


@pytest.mark.parametrize("words", [("explain", "march", "may"), ("score", "may", "--scorer", JUDGE.format(how="anew"))])
def test_code_that_only_a_stored_path_names_does_not_run(judged: Project, words: tuple[str, ...]) -> None:
    begun(judged, "may", "after", answered=f"provider: {judged.module}:kind")
    count = len(by_code(judged))
    said = judged.rejudge(*words, "--quiet")
    assert (said.code, len(by_code(judged))) == (2, count)
    assert f"may.yaml:5:1: it has {judged.module}:kind answer model calls" in said.err
    assert "--file " in said.err
    named = words if words[0] == "explain" else ("score", "may")
    judged.write("may.yaml", (judged.folder / "may.yaml").read_text(encoding="utf-8").replace("['may']", "['now']"))
    assert judged.rejudge(*named, "--quiet", "--file", "may.yaml").code == 0
    assert len(by_code(judged)) > count


def test_nobody_is_asked_in_place_of_another(judged: Project, server: FakeModelServer) -> None:
    with FakeModelServer(lambda asked: '{"llm_judge": "fail", "reasoning": "never"}') as other:
        begun(judged, "may", "after", answered=f"providers: {{near: {{url: '{other.url}'}}}}")
        other.asked.clear()
        said = judged.rejudge("explain", "march", "may", "--quiet")
        assert (said.code, server.asked, other.asked) == (2, [], [])
        assert "it says otherwise than" in said.err
        assert judged.rejudge("explain", "march", "may", "--quiet", "--file", "may.yaml").code == 0
        assert (len(server.asked), len(other.asked)) == (0, 12)


def test_a_server_that_one_file_alone_names_answers_for_no_other(judged: Project, server: FakeModelServer) -> None:
    begun(
        judged, "may", "after", answered=f"providers: {{near: {{url: '{server.url}'}}, far: {{url: '{server.url}'}}}}"
    )
    server.asked.clear()
    said = judged.rejudge("explain", "march", "may", "--quiet")
    assert (said.code, server.asked) == (2, [])


def test_code_of_a_scorer_asks_nobody(judged: Project) -> None:
    begun(judged, "may", "after", answered=f"provider: {judged.module}:kind")
    code = "{type: code_eval, name: short, sandbox: monty, code: 'def score(output): return len(output) < 9'}"
    said = judged.rejudge("score", "may", "--scorer", code, "--quiet")
    assert "answer model calls" not in said.err


def test_an_evaluation_file_that_is_gone_or_broken_hinders_only_who_would_ask(
    judged: Project, server: FakeModelServer
) -> None:
    plain = "{type: contains, substring: x}"
    further = "{type: llm_judge, model: near/oracle, judge_instructions: [Once more.]}"
    judged.write("march.yaml", "provider: 7\n")
    assert judged.rejudge("score", "march", "--scorer", plain, "--quiet").code == 0
    broken = judged.rejudge("score", "march", "--scorer", further, "--quiet")
    assert (broken.code, "march.yaml:1:" in broken.err) == (2, True)
    (judged.folder / "march.yaml").unlink()
    gone = judged.rejudge("score", "march", "--scorer", further, "--quiet")
    assert gone.code == 2
    assert "unknown provider 'near'" in gone.err
    assert judged.rejudge("explain", "march", "april", "--quiet").code == 2
    assert server.asked == []
    assert judged.rejudge("explain", "march", "april", "--quiet", "--file", "april.yaml").code == 0
    assert len(server.asked) == 12


def test_nobody_is_looked_for_where_nothing_is_to_be_judged(judged: Project, server: FakeModelServer) -> None:
    assert judged.rejudge("explain", "march", "april", "--quiet").code == 0
    judged.write("march.yaml", "provider: 7\n")
    for words in ((), ("--no-judging",)):
        assert judged.rejudge("explain", "march", "april", "--quiet", *words).code == 0
    assert len(server.asked) == 12
