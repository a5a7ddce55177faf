"""A judge of an earlier run is the same to its digest, or it is said why there is none."""

from __future__ import annotations

import pytest

import rejudge
from rejudge.domain.scorer import ScorerConfig
from rejudge.release.judges import Gone, judge_again
from rejudge.scorers.catalog import CATALOG
from rejudge.scorers.function import function_scorer
from rejudge.scorers.kind import Example, Kind
from rejudge.scorers.mapping import with_mapping


def makes(kind: Kind, parameters: dict[str, object]) -> bool:
    """Whether these parameters make a scorer; some exclude each other."""
    try:
        kind.create(parameters)
    except rejudge.ConfigurationError:
        return False
    return True


EXAMPLES = [
    pytest.param(kind, example, more, id=f"{kind.name}-{example.what}-{'-'.join(more) or 'plain'}")
    for kind in CATALOG.values()
    if kind.name != "pairwise"
    for example in kind.examples
    for more in ({}, {"name": "own name"}, {"required": True})
    if set(more).issubset(kind.parameters.__struct_fields__) and makes(kind, {**example.parameters, **more})
]


def right(output: str, gold: str) -> bool:
    return output == gold


def reason(config: ScorerConfig, *handed_in: object) -> str:
    found = judge_again(config, [function_scorer(one) for one in handed_in])
    assert isinstance(found, Gone)
    return found.reason


@pytest.mark.parametrize(("kind", "example", "more"), EXAMPLES)
def test_every_kind_is_made_again_from_what_is_recorded_of_it(
    kind: Kind, example: Example, more: dict[str, object]
) -> None:
    scorer = kind.create({**example.parameters, **more})
    again = judge_again(scorer.config)
    assert not isinstance(again, Gone), again
    assert again.config == scorer.config
    assert again.way is scorer.way


def test_a_mapping_is_made_again_with_its_scorer() -> None:
    scorer = with_mapping(rejudge.exact_match(reference_key="expected"), {"expected": "meta.gold"})
    again = judge_again(scorer.config)
    assert not isinstance(again, Gone)
    assert again.config.digest() == scorer.config.digest()


def test_a_function_is_taken_where_its_digest_is_the_recorded_one() -> None:
    scorer = function_scorer(right)
    assert judge_again(scorer.config, [scorer]) is scorer
    assert judge_again(scorer.config, [rejudge.exact_match(reference_key="gold"), scorer]) is scorer
    mapped = with_mapping(scorer, {"gold": "expected"})
    again = judge_again(mapped.config, [scorer])
    assert not isinstance(again, Gone)
    assert again.config.digest() == mapped.config.digest()


def test_a_function_that_is_not_there_or_has_changed_is_said_to_be_gone() -> None:
    config = function_scorer(right).config
    assert "hand it in with scorers=" in reason(config)

    def other(output: str, gold: str) -> bool:
        return output.strip() == gold

    other.__name__ = "right"
    assert "has other code by now" in reason(config, other)


def test_what_cannot_be_asked_again_says_why() -> None:
    client = object()

    def unpinned(output: str) -> bool:
        return bool(client) and bool(output)

    assert "unpinned: uses `client`" in reason(function_scorer(unpinned).config, unpinned)
    assert "is of the type 'of_a_plugin', which is not installed" in reason(ScorerConfig(name="a", type="of_a_plugin"))
    assert "its scores came from elsewhere" in reason(ScorerConfig(name="a", type="imported"))
    assert "another judge" in reason(ScorerConfig(name="a", type="contains", settings={"version": 0}))
    pairwise = rejudge.scorers.pairwise(model="judge/m")
    assert "compares two traces" in reason(pairwise.config)
