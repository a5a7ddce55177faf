"""Which code is the user's own, and how it is followed through modules."""

from __future__ import annotations

from importlib.metadata import version as version_of
from pathlib import Path

import pytest

from tests.pinning.conftest import PinOf

HELPERS = 'SYSTEM = "Be brief."\nUNUSED = {unused}\ndef prompt(q): return SYSTEM + q * {n}\n'


@pytest.mark.parametrize(
    "text",
    [
        "import helpers\ndef task(q): return helpers.prompt(q)",
        "from helpers import prompt\ndef task(q): return prompt(q)",
        "import helpers as h\ndef task(q): return [h.prompt(one) for one in q]",
        "def task(q):\n    import helpers\n    return helpers.prompt(q)",
        "def task(q):\n    from helpers import prompt\n    return prompt(q)",
        "import helpers\ndef task(q): return getattr(helpers, 'pro' + 'mpt')(q)",
    ],
)
def test_a_helper_in_another_module_counts(pin_of: PinOf, text: str) -> None:
    one = pin_of(text, helpers=HELPERS.format(unused=1, n=1))
    assert one.pinned
    assert one == pin_of(text, helpers="# moved\n" + HELPERS.format(unused=1, n=1))
    assert one.digest != pin_of(text, helpers=HELPERS.format(unused=1, n=2)).digest


def test_of_a_module_only_the_attributes_named_count(pin_of: PinOf) -> None:
    text = "import helpers\ndef task(q): return helpers.prompt(q)"
    assert pin_of(text, helpers=HELPERS.format(unused=1, n=1)) == pin_of(text, helpers=HELPERS.format(unused=2, n=1))


def test_a_module_handed_on_as_a_value_counts_whole(pin_of: PinOf) -> None:
    text = "import helpers\ndef task(q): return vars(helpers)[q]"
    assert (
        pin_of(text, helpers=HELPERS.format(unused=1, n=1)).digest
        != pin_of(text, helpers=HELPERS.format(unused=2, n=1)).digest
    )


def test_a_module_of_a_package_is_followed_by_its_path(pin_of: PinOf) -> None:
    text = "import app.prompts\ndef task(q): return app.prompts.SYSTEM + q"
    package = {"app____init__": "", "app__other": "N = 1"}
    one = pin_of(text, app__prompts="SYSTEM = 'a'", **package)
    assert one == pin_of(text, app__prompts="SYSTEM = 'a'\nMORE = 1", **package)
    assert one.digest != pin_of(text, app__prompts="SYSTEM = 'b'", **package).digest


def test_what_an_imported_module_imports_in_turn_counts(pin_of: PinOf) -> None:
    text = "def task(q):\n    from app import prompts\n    return prompts.ask(q)"
    package = {"app____init__": "", "app__prompts": "from .words import WORD\ndef ask(q): return WORD + q"}
    one = pin_of(text, app__words="WORD = 'a'", **package)
    assert one == pin_of(text, app__words="WORD = 'a'", **package)
    assert one.digest != pin_of(text, app__words="WORD = 'b'", **package).digest


def test_modules_that_import_each_other_end(pin_of: PinOf) -> None:
    text = "def task(q):\n    import one\n    return one.ask(q)"
    assert pin_of(text, one="import two\ndef ask(q): return q", two="import one").pinned


def test_a_module_imported_when_the_task_runs_counts_alike_before_and_after(pin_of: PinOf) -> None:
    text = "def task(q):\n    import helpers\n    return helpers.prompt(q)"
    helpers = HELPERS.format(unused=1, n=1)
    assert pin_of(text, helpers=helpers) == pin_of(text + "\ntask('x')", helpers=helpers)


def test_a_module_imported_when_the_task_runs_is_not_imported_by_the_pin(pin_of: PinOf, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    text = "def task(q):\n    import app.helpers\n    return app.helpers.N"
    effect = f"open({str(trace)!r}, 'w').close()\nN = 1"
    assert pin_of(text, app____init__=effect, app__helpers=effect).pinned
    assert not trace.exists()


def test_a_module_that_cannot_be_found_does_not_stop_the_pin(pin_of: PinOf) -> None:
    text = """
        def task(q):
            try:
                import nowhere.at_all as found
            except ImportError:
                found = None
            return found
    """
    assert pin_of(text).pinned


def test_an_installed_package_counts_by_name_and_version(pin_of: PinOf, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import yaml\ndef task(q): return yaml.safe_load(q)"
    one = pin_of(text)
    assert one.pinned
    assert one == pin_of(text)
    assert version_of("pyyaml")
    for changed in ("import msgspec as yaml", "import yaml.nodes as yaml"):
        assert one.digest != pin_of(text.replace("import yaml", changed)).digest


def test_the_standard_library_counts_by_name(pin_of: PinOf) -> None:
    for text in (
        "import json\ndef task(q): return json.dumps(q)",
        "from json import dumps\ndef task(q): return dumps(q)",
        "import os\ndef task(q): return os.path.join(q, os.environ['HOME'])",
        "from random import random, choice\ndef task(q): return choice(q) if random() else q",
        "from numpy.random import default_rng\ndef task(q): return default_rng(q)",
        "from math import sqrt\ndef task(q): return sqrt(q)",
        "from os import environ\ndef task(q): return environ[q]",
        "from collections import Counter\ndef task(q): return Counter(q)",
        "def task(q):\n    import http.client, sys\n    return sys.version",
    ):
        assert pin_of(text).pinned


def test_rejudge_itself_counts_by_name_and_version(pin_of: PinOf) -> None:
    assert pin_of("from rejudge.domain.ids import content_id\ndef task(q): return content_id('q', q)").pinned


def test_a_module_that_hides_one_of_the_standard_library_is_the_users_own(pin_of: PinOf) -> None:
    text = "def task(q):\n    import this\n    return this.N"
    assert pin_of(text, this="N = 1").digest != pin_of(text, this="N = 2").digest
