"""Code from elsewhere runs once its hash was approved, by a file that nobody else may have written."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from rejudge.domain.code import Grant
from rejudge.domain.errors import ConfigurationError
from rejudge.sandbox.trust import Trust, code_hash, run_hash

CODE = "def score(output):\n    return 1.0\n"


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return Trust(tmp_path / "config" / "rejudge" / "trusted-code")


def test_nothing_is_approved_until_somebody_does(trust: Trust) -> None:
    assert not trust.approves(CODE)
    assert not trust.path.parent.exists()


def test_exactly_the_approved_code_is_approved(trust: Trust) -> None:
    trust.approve([code_hash(CODE)])
    assert Trust(trust.path).approves(CODE)
    assert not trust.approves(CODE + " ")


def test_code_is_approved_with_what_it_is_granted_and_nothing_else(trust: Trust) -> None:
    grants = [Grant(), Grant(tools=("llm",)), Grant(seconds=11), Grant(megabytes=257), Grant(tools=("llm", "x"))]
    assert len({run_hash(CODE, grant) for grant in grants}) == len(grants)
    for grant in grants:
        trust.path.unlink(missing_ok=True)
        trust.approve([run_hash(CODE, grant)])
        assert [trust.approves(CODE, one) for one in grants] == [one == grant for one in grants]


def test_a_hash_is_what_other_programs_say_of_the_file() -> None:
    assert code_hash("ä\n") == hashlib.sha256("ä\n".encode()).hexdigest()


def test_the_file_belongs_to_its_owner_alone(trust: Trust) -> None:
    trust.approve([code_hash(CODE)])
    assert trust.path.stat().st_mode & 0o777 == 0o600
    assert trust.path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_believed(trust: Trust, mode: int) -> None:
    trust.approve([code_hash(CODE)])
    trust.path.chmod(mode)
    with pytest.raises(ConfigurationError, match=r"(?s)somebody else.*chmod 600"):
        trust.approves(CODE)


def test_a_line_is_withdrawn_by_deleting_it_and_notes_are_for_people(trust: Trust) -> None:
    other = code_hash("other")
    trust.approve([code_hash(CODE), other])
    kept = [line for line in trust.path.read_text().splitlines() if line != code_hash(CODE)]
    trust.path.write_text("\n".join([*kept, "no hash", f"{code_hash('third')}  # from a friend"]))
    assert not trust.approves(CODE)
    assert trust.approved() == {other, code_hash("third")}


@pytest.mark.parametrize("wrong", ["", "abc", "z" * 64, "a" * 63, "a" * 65])
def test_what_is_no_hash_is_refused(trust: Trust, wrong: str) -> None:
    with pytest.raises(ConfigurationError, match="is no hash"):
        trust.approve([wrong])
    assert not trust.path.exists()


def test_many_processes_approve_at_once_and_none_is_lost(trust: Trust) -> None:
    program = "import sys; from pathlib import Path; from rejudge.sandbox.trust import Trust, code_hash, run_hash\n"
    program += "for n in range(10): Trust(Path(sys.argv[1])).approve([code_hash(sys.argv[2] + str(n))])"
    running = [subprocess.Popen([sys.executable, "-c", program, str(trust.path), name]) for name in "abc"]
    assert [one.wait() for one in running] == [0, 0, 0]
    assert trust.approved() == {code_hash(f"{name}{number}") for name in "abc" for number in range(10)}
    assert sorted(path.name for path in trust.path.parent.iterdir()) == ["trusted-code", "trusted-code.lock"]


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        Trust(tmp_path / "file" / "trusted-code").approve([code_hash(CODE)])
