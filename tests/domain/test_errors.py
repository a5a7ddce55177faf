from __future__ import annotations

import pickle

import pytest

from rejudge.domain import errors
from rejudge.domain.errors import BadRow, MissingField, NotFound, Place, RejudgeError, UnknownName


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place(file="a.csv", line=3, column=2), "a.csv:3:2"),
        (Place(file="a.csv", line=3), "a.csv:3"),
        (Place(file="a.csv", column=2), "a.csv"),
        (Place(line=3), "row 3"),
        (Place(file="a.csv", line=3, item="7", field="gold"), "a.csv:3, item '7', field 'gold'"),
        (Place(item="7"), "item '7'"),
        (Place(), ""),
    ],
)
def test_a_place_reads_as_an_editor_opens_it(place: Place, text: str) -> None:
    assert str(place) == text


def test_a_message_says_where_what_and_what_to_do_next() -> None:
    error = BadRow("three cells, but four columns", where=Place(file="a.csv", line=3), fix="add a cell")
    assert str(error) == "a.csv:3: three cells, but four columns\n  next: add a cell"
    assert str(BadRow("no cells")) == "no cells"


def every_error() -> list[type[RejudgeError]]:
    return [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, RejudgeError)]


@pytest.mark.parametrize("kind", every_error())
def test_an_error_without_words_says_what_its_class_means(kind: type[RejudgeError]) -> None:
    assert str(kind()) == str(kind.__doc__)
    assert str(kind()).endswith(".")


def test_the_drawn_tree_is_the_real_one() -> None:
    drawn = str(errors.__doc__)
    for kind in every_error():
        (parent,) = kind.__bases__
        assert kind.__name__ in drawn
        if kind is not RejudgeError:
            indent = next(
                line for line in drawn.splitlines() if line.endswith(kind.__name__) or f"─ {kind.__name__} " in line
            )
            depth = indent.index(kind.__name__) // 4
            assert depth == len(kind.__mro__) - len(RejudgeError.__mro__), (kind, parent)


def test_an_error_crosses_to_another_process_whole() -> None:
    error = NotFound("no run 'x'", where=Place(item="7"), fix="did you mean 'y'?")
    back = pickle.loads(pickle.dumps(error))
    assert (type(back), str(back), back.where) == (NotFound, str(error), error.where)


def test_an_unknown_name_is_answered_with_the_nearest_and_the_known_ones() -> None:
    said = str(UnknownName.among("scorer", "exact_mach", ["exact_match", "regex"]))
    assert said == "unknown scorer 'exact_mach'\n  next: did you mean 'exact_match'? known: exact_match, regex"
    assert str(UnknownName.among("scorer", "x", [])).endswith("known: nothing yet")
    assert "did you mean" not in str(UnknownName.among("scorer", "zzz", ["exact_match"]))


def test_a_field_that_is_missing_is_answered_with_the_nearest_and_those_there_are() -> None:
    said = str(MissingField.among("task 'answer'", "question", ["questoin", "gold"]))
    assert said.startswith("task 'answer' asks for 'question', which no item has\n  next: did you mean 'questoin'?")
    assert said.endswith("the items have: gold, questoin")


def test_a_long_list_of_known_names_is_cut_short() -> None:
    said = str(UnknownName.among("scorer", "zzz", [f"name_{number:03d}" for number in range(100)]))
    assert "name_019, …" in said
    assert "name_020" not in said


def test_an_interruption_carries_the_result_and_is_a_keyboard_interrupt() -> None:
    stopped = errors.Interrupted({"rows": 3})
    assert isinstance(stopped, KeyboardInterrupt)
    assert stopped.result == {"rows": 3}
