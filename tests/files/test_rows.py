from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rejudge.domain.errors import ConfigurationError, FileMissing, InputError, Place
from rejudge.files.rows import Row, read_rows

Write = Callable[[str, str | bytes], Path]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "q\nx\n"),
        ("a.tsv", "q\nx\n"),
        ("a.jsonl", '{"q": "x"}'),
        ("a.ndjson", '{"q": "x"}'),
        ("a.json", '[{"q": "x"}]'),
        ("a.yaml", "- q: x"),
        ("a.yml", "- q: x"),
        ("A.JSONL", '{"q": "x"}'),
    ],
)
def test_the_suffix_says_how_a_table_is_read(write: Write, name: str, content: str) -> None:
    assert [row.fields for row in read_rows(write(name, content))] == [{"q": "x"}]


@pytest.mark.parametrize("name", ["a.xlsx", "a.csv.gz", "a"])
def test_an_unknown_suffix_is_refused_at_once_with_the_known_ones(write: Write, name: str) -> None:
    with pytest.raises(ConfigurationError, match=r"\.csv, \.json, \.jsonl, \.ndjson, \.parquet, \.tsv, \.yaml, \.yml"):
        read_rows(write(name, "x"))


def test_a_missing_file_is_refused_at_once_and_the_nearest_name_is_offered(write: Write) -> None:
    near = write("Questions.jsonl", "{}")
    write("answers.csv", "a\n")
    path = near.with_name("question.jsonl")
    with pytest.raises(FileMissing) as caught:
        read_rows(path)
    assert caught.value.where == Place(file=str(path))
    assert caught.value.fix == f"did you mean {near}?"


def test_a_missing_file_unlike_any_other_lists_what_there_is(write: Write) -> None:
    folder = write("b.txt", "").parent
    write("a.txt", "")
    with pytest.raises(FileMissing, match=r"holds a\.txt, b\.txt$"):
        read_rows(folder / "something-else.jsonl")


def test_a_missing_file_in_an_empty_or_missing_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileMissing, match="holds no files"):
        read_rows(tmp_path / "a.csv")
    with pytest.raises(FileMissing, match="nowhere does not exist either"):
        read_rows(tmp_path / "nowhere" / "a.csv")


def test_a_directory_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "a.csv"
    folder.mkdir()
    with pytest.raises(InputError, match="this is a directory, not a file"):
        read_rows(folder)


def test_a_file_behind_a_file_is_refused(write: Write) -> None:
    with pytest.raises(InputError, match="the file cannot be read: Not a directory"):
        read_rows(write("a.csv", "a\n") / "b.csv")


def test_a_file_without_read_permission_is_refused(write: Write) -> None:
    path = write("a.csv", "a\n1\n")
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        with pytest.raises(InputError, match="may not be read by this user"):
            read_rows(path)
    finally:
        os.seteuid(user)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that opens and cannot be read")
def test_a_file_that_fails_while_it_is_read_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.symlink_to("/proc/self/mem")
    with pytest.raises(InputError, match="the file cannot be read: Input/output error"):
        list(read_rows(path))


@pytest.mark.parametrize(("name", "start"), [("a.csv", "n\n"), ("a.jsonl", "")])
def test_rows_are_read_as_they_are_asked_for(tmp_path: Path, name: str, start: str) -> None:
    path = tmp_path / name
    with path.open("w") as file:
        file.write(start)
        file.writelines('{"n": 1}\n' if name.endswith("jsonl") else "1\n" for _ in range(200_000))
        file.write('"broken')
    rows = read_rows(path)
    assert next(rows).line == (2 if start else 1)
    assert isinstance(next(rows), Row)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_refused_without_waiting_for_whoever_writes(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "items.jsonl")
    with pytest.raises(InputError, match=r"this is a pipe, not a file\n  next: write it to a file"):
        read_rows(tmp_path / "items.jsonl")
