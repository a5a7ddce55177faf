"""`rejudge ratings` and `rejudge calibrate`: from a file of ratings to what a scorer is worth."""

from __future__ import annotations

import json
from typing import cast

import pytest

from tests.cli.project import Project, Said

SAID = "id,rater,value,why\na,ann,pass,\nb,ann,fail,rude\nc,ann,pass,\na,bob,pass,\nb,bob,pass,\nc,bob,pass,\n"


@pytest.fixture
def evaluated(project: Project) -> Project:
    """A project whose evaluation has run once, with three traces: a, b and c."""
    project.evaluation()
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    project.write("said.csv", SAID)
    project.write("rubric.txt", "Is it polite?")
    return project


@pytest.fixture
def rated(evaluated: Project) -> Project:
    assert imported(evaluated).code == 0
    return evaluated


def imported(project: Project, *more: str, file: str = "said.csv") -> Said:
    arguments = ("-e", "sums", "--set", "tone", "--score", "pass_fail", "--reason", "why", "--blind", "yes")
    return project.rejudge("ratings", "import", file, *arguments, "--rubric", "rubric.txt", *more)


def test_an_import_says_what_is_new_and_leaves_out_what_has_no_trace(evaluated: Project) -> None:
    evaluated.write("more.csv", SAID + "z,ann,pass,\n\x1b[2J,ann,pass,\n")
    said = imported(evaluated, file="more.csv")
    assert (said.code, said.out) == (0, "6 new ratings in tone\n")
    assert said.err == "2 records of more.csv without a trace, left out: 'z', '\\x1b[2J'\n"
    again = imported(evaluated, "--json", file="more.csv")
    assert again.code == 0
    assert {name: again.document[name] for name in ("ratings", "stored", "known")} == {
        "ratings": 6,
        "stored": 0,
        "known": 6,
    }
    assert again.document["without_trace"] == [{"line": 8, "named": "z"}, {"line": 9, "named": "\x1b[2J"}]


def test_what_is_wrong_with_a_file_is_told_with_its_line(evaluated: Project) -> None:
    evaluated.write("bad.csv", SAID + "a,eva,perhaps,\n")
    said = imported(evaluated, file="bad.csv")
    assert (said.code, said.out) == (2, "")
    assert "bad.csv:8, item 'a', field 'value'" in said.err
    assert evaluated.rejudge("ratings", "show", "tone").code == 2


def test_a_set_shows_its_raters_their_agreement_and_what_was_asked(rated: Project) -> None:
    said = rated.rejudge("ratings", "show", "tone")
    assert said.code == 0
    for told in ("Is it polite?", "6 ratings of 3 traces", "the raters saw no scores (blind)", "  ann  3\n  bob  3\n"):
        assert told in said.out
    assert "same value     67 % [21, 94]" in said.out
    assert "no gold labels yet" in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    document = rated.rejudge("ratings", "show", "tone", "--json").document
    assert document["raters"] == {"ann": 3, "bob": 3}
    assert document["gold"] is None


def test_what_a_rule_leaves_open_is_listed_and_needs_a_person(rated: Project) -> None:
    said = rated.rejudge("ratings", "adjudicate", "tone")
    assert said.code == 4
    assert "gold version 1 (majority)" in said.out
    assert "2 labels, 0 of them by one rater alone; 1 open" in said.out
    assert "\n  b: ann fail, bob pass (no value has more than half of the 2 ratings)\n" in said.out
    assert rated.rejudge("ratings", "show", "tone").code == 0
    decided = rated.rejudge("ratings", "adjudicate", "tone", "--rule", "adjudicator", "--adjudicator", "ann")
    assert decided.code == 0
    assert "gold version 2 (adjudicator ann)" in decided.out


def test_ratings_that_came_after_the_gold_labels_are_told(rated: Project) -> None:
    rated.rejudge("ratings", "adjudicate", "tone")
    rated.write("late.csv", "id,rater,value\nb,eva,pass\n")
    assert imported(rated, file="late.csv").code == 0
    assert "ratings came since that would change it: adjudicate again" in rated.rejudge("ratings", "show", "tone").out
    assert rated.rejudge("ratings", "adjudicate", "tone").code == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--rule", "mean"), "a pass_fail has no mean"),
        (("--rule", "adjudicator"), "needs a name"),
        (("--adjudicator", "ann"), "has no adjudicator"),
        (("--rule", "adjudicator", "--adjudicator", "an"), "did you mean 'ann'"),
    ],
)
def test_a_rule_that_does_not_fit_is_refused(rated: Project, arguments: tuple[str, ...], told: str) -> None:
    said = rated.rejudge("ratings", "adjudicate", "tone", *arguments)
    assert (said.code, said.out) == (2, "")
    assert told in said.err


def test_a_scorer_is_calibrated_against_the_gold_labels(rated: Project) -> None:
    rated.rejudge("ratings", "adjudicate", "tone", "--rule", "adjudicator", "--adjudicator", "ann")
    said = rated.rejudge("calibrate", "sums", "correct", "--against", "tone")
    assert said.code == 0
    assert said.err == ""
    for told in (
        "correct against people (tone)",
        "n=3 of 3 labelled traces",
        "people  correct said\nsaid    fail  pass\nfail       0     1\npass       0     2\n",
        "disagreements, 1 of 1, worst first: item, correct, people\n  b  pass    fail",
        "holds until the scorer, a rubric, the dataset or the labels change",
    ):
        assert told in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    assert "disagreements, 0 of 1" in rated.rejudge(*"calibrate sums correct --against tone --limit 0".split()).out


def test_a_judge_does_not_become_the_default_on_a_few_pairs(rated: Project) -> None:
    rated.rejudge("ratings", "adjudicate", "tone", "--rule", "adjudicator", "--adjudicator", "ann")
    refused = rated.rejudge(*"calibrate sums correct --against tone --make-default --json".split())
    assert refused.code == 4
    assert "refused: 'correct' does not become the default judge: it has 3 pairs, fewer than 50" in refused.err
    assert refused.document["default_judge"] is None
    few = rated.rejudge(*"calibrate sums correct --against tone --make-default --minimum 3".split())
    assert few.code == 4
    assert "people say failed of 1 item, fewer than 10" in few.err
    one = rated.rejudge(*"calibrate sums correct --against tone --make-default --minimum 3 --each-outcome 2".split())
    assert one.code == 4
    assert "people say failed of 1 item, fewer than 2" in one.err


def test_a_judge_becomes_the_default_on_enough_of_each_outcome(project: Project) -> None:
    project.evaluation()
    numbers = range(24)
    rows = [{"id": f"n{one}", "question": f"{one} + 0", "sum": one + one % 2} for one in numbers]
    project.write("items.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert project.rejudge("run", "eval.yaml", "--quiet").code == 0
    said = "".join(f"n{one},ann,{'fail' if one % 2 else 'pass'},\n" for one in numbers)
    project.write("said.csv", f"id,rater,value,why\n{said}")
    project.write("rubric.txt", "Is it right?")
    assert imported(project).code == 0
    assert project.rejudge("ratings", "adjudicate", "tone").code == 0
    made = project.rejudge(*"calibrate sums correct --against tone --make-default --minimum 24 --json".split())
    assert (made.code, made.err) == (0, "")
    default = cast("dict[str, object]", made.document["default_judge"])
    assert default["calibration"] == made.document["id"]
    assert "default judge: correct" in project.rejudge("ratings", "show", "tone").out


@pytest.mark.parametrize("option", ["--minimum", "--each-outcome"])
def test_a_minimum_without_the_decision_that_it_is_for_is_refused(rated: Project, option: str) -> None:
    said = rated.rejudge(*"calibrate sums correct --against tone".split(), option, "3")
    assert (said.code, said.out) == (2, "")
    assert f"{option} says what --make-default takes" in said.err
    assert f"next: add --make-default, or leave {option} out" in said.err


def test_a_run_is_named_with_its_task(rated: Project) -> None:
    rated.rejudge("ratings", "adjudicate", "tone", "--rule", "adjudicator", "--adjudicator", "ann")
    for command in ("calibrate sums:answer correct --against tone", "correct sums:answer correct --against tone"):
        drawn = ["--drawn", "at_random"] if command.startswith("correct") else []
        said = rated.rejudge(*command.split(), *drawn)
        assert (said.code, said.err) == (0, "")
        told = rated.rejudge(*command.replace(":answer", ":answr").split(), *drawn)
        assert (told.code, told.out) == (2, "")
        assert "did you mean 'answer'" in told.err
        assert rated.rejudge(*command.replace(":answer", "").split(), "--task", "answer", *drawn).out == said.out


def test_with_nothing_to_compare_with_the_sets_that_there_are_are_listed(rated: Project) -> None:
    rated.rejudge("ratings", "adjudicate", "tone", "--rule", "adjudicator", "--adjudicator", "ann")
    for command in ("calibrate", "correct"):
        said = rated.rejudge(command, "sums", "correct")
        assert (said.code, said.out) == (2, "")
        assert "tone: a rating set with gold labels of 3 of these 3 traces" in said.err


def test_what_is_not_there_is_refused_with_what_is(rated: Project) -> None:
    for arguments, told in (
        ("calibrate sums corect --against tone", "did you mean 'correct'"),
        ("calibrate sums correct --against tune", "did you mean 'tone'"),
        ("calibrate sums correct --against tone", "rejudge ratings adjudicate tone"),
        ("calibrate sum correct --against tone", "sums"),
        ("ratings show tune", "did you mean 'tone'"),
    ):
        said = rated.rejudge(*arguments.split())
        assert (said.code, said.out) == (2, "")
        assert told in said.err


def test_a_run_says_the_same_of_its_scorers_before_and_after_people_rated(rated: Project) -> None:
    before = rated.rejudge("show", "sums").out
    rated.rejudge("ratings", "adjudicate", "tone", "--rule", "adjudicator", "--adjudicator", "ann")
    rated.rejudge(*"calibrate sums correct --against tone --make-default --minimum 3".split())
    assert rated.rejudge("show", "sums").out == before


def test_a_judges_pass_rate_is_corrected_once_it_is_said_how_the_traces_were_drawn(rated: Project) -> None:
    rated.rejudge("ratings", "adjudicate", "tone", "--rule", "adjudicator", "--adjudicator", "ann")
    silent = rated.rejudge(*"correct sums correct --against tone".split())
    assert (silent.code, silent.out) == (2, "")
    assert "nothing says how the traces with a label of 'tone' were chosen" in silent.err
    said = rated.rejudge(*"correct sums correct --against tone --drawn at_random".split())
    assert (said.code, said.err) == (0, "")
    for told in ("pass rate of correct", "n=3 labelled of 3 judged traces, drawn at random", "use people alone"):
        assert told in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    document = rated.rejudge(*"correct sums correct --against tone --drawn at_random --json".split()).document
    assert (document["use"], document["drawn"], document["corrected"]) == ("human", "at_random", "pass_rate")


def test_where_the_labels_allow_no_correction_a_person_is_needed(rated: Project) -> None:
    rated.rejudge("ratings", "adjudicate", "tone", "--rule", "adjudicator", "--adjudicator", "ann")
    said = rated.rejudge(*"correct sums correct --against tone --drawn by_human_outcome".split())
    assert (said.code, said.err) == (4, "")
    assert "use none of them: TPR 1 + TNR 0 is not above 1" in said.out


def test_an_import_may_say_how_the_rated_traces_were_drawn(evaluated: Project) -> None:
    assert imported(evaluated, "--drawn", "by_judge_outcome").code == 0
    assert "the rated traces were chosen by what the judge said" in evaluated.rejudge("ratings", "show", "tone").out
    evaluated.rejudge("ratings", "adjudicate", "tone", "--rule", "adjudicator", "--adjudicator", "ann")
    said = evaluated.rejudge(*"correct sums correct --against tone --json".split())
    assert said.document["drawn"] == "by_judge_outcome"
    other = evaluated.rejudge(*"correct sums correct --against tone --drawn at_random".split())
    assert other.code == 2
    assert "chosen by what the judge said, not drawn at random" in other.err
