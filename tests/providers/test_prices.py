"""What a call costs: from one's own table, from a price list that is kept up, or unknown; never nothing by default."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import rejudge
from rejudge.domain.usage import Usage
from rejudge.providers.fake_server import FakeModelServer, Script
from rejudge.providers.openai_compatible import openai_compatible
from rejudge.providers.prices import Prices, Sold, price_table
from tests.providers.conftest import ITEMS, QUICK, asking, echo, judge

Serve = Callable[[Script], FakeModelServer]

NOON = 1_780_000_000.0
USAGE = Usage(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=400_000)
OPENAI = "https://api.openai.com/v1"


def _cost(prices: Prices, usage: Usage = USAGE, *, asked: str = "m", vendor: str | None = None) -> object:
    return prices.of(usage, Sold(asked=asked, reported=None, vendor=vendor), now=NOON)


def test_ones_own_table_is_in_dollars_for_a_million_tokens() -> None:
    table = price_table({"m": {"input": 2.0, "output": 10.0, "cached": 0.5}}, source="contract")
    priced = Prices(table).of(USAGE, Sold(asked="m", reported=None, vendor=None), now=NOON)
    assert priced is not None
    assert priced.cost == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 10)
    assert priced.prices == "contract, undated"


def test_what_is_cached_costs_as_input_where_the_table_does_not_say() -> None:
    priced = Prices(price_table({"m": {"input": 2.0, "output": 10.0}})).of(
        USAGE, Sold(asked="x", reported="m", vendor=None), now=NOON
    )
    assert priced is not None
    assert priced.cost == pytest.approx(3.0)


def test_a_table_may_say_where_it_comes_from_and_since_when() -> None:
    table = price_table({"models": {"m": {"input": 0, "output": 0}}, "source": "our rates", "date": "2026-03-01"})
    priced = Prices(table).of(USAGE, Sold(asked="m", reported=None, vendor=None), now=NOON)
    assert priced is not None
    assert (priced.cost, priced.prices) == (0.0, "our rates, 2026-03-01")


def test_the_list_that_is_kept_up_knows_models_by_whose_they_are() -> None:
    pytest.importorskip("genai_prices")
    priced = Prices().of(USAGE, Sold(asked="gpt-4o-mini", reported="gpt-4o-mini-2024-07-18", vendor=OPENAI), now=NOON)
    assert priced is not None
    assert priced.cost == pytest.approx(0.6 * 0.15 + 0.4 * 0.075 + 0.1 * 0.6)
    assert priced.prices.startswith("genai-prices ")
    assert priced.prices.endswith(" as of 2026-05-28")


@pytest.mark.parametrize(
    ("usage", "asked", "vendor"),
    [
        (USAGE, "a-model-that-nobody-sells", OPENAI),
        (USAGE, "gpt-4o-mini", None),
        (USAGE, "gpt-4o-mini", "http://127.0.0.1:8000/v1"),
        (Usage(input_tokens=5), "gpt-4o-mini", OPENAI),
        (Usage(), "gpt-4o-mini", OPENAI),
    ],
)
def test_what_is_not_known_has_no_cost(usage: Usage, asked: str, vendor: str | None) -> None:
    assert _cost(Prices(), usage, asked=asked, vendor=vendor) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"m": {"input": 1}},
        {"m": {"input": -1, "output": 1}},
        {"m": {"input": "cheap", "output": 1}},
        {"m": {"input": 1, "output": 1, "ouput": 2}},
        {"m": {"input": float("nan"), "output": 1}},
        {"models": {}, "currency": "EUR"},
    ],
)
def test_a_table_that_is_wrong_is_refused_with_the_form_that_it_should_have(wrong: dict[str, object]) -> None:
    with pytest.raises(rejudge.ConfigurationError, match="million tokens"):
        price_table(wrong)


def test_the_cost_of_tasks_and_judges_is_in_the_result_with_the_price_list_that_it_comes_from(
    serve: Serve, tmp_path: Path
) -> None:
    said = rejudge.Reply(text="yes", usage=Usage(input_tokens=1000, output_tokens=100))
    provider = openai_compatible(serve(lambda asked: said).url, limits=QUICK)
    table = tmp_path / "prices.yaml"
    table.write_text("date: 2026-02-03\nmodels:\n  m: {input: 1, output: 10}\n  judge: {input: 2, output: 20}\n")
    result = rejudge.evaluate(ITEMS, asking, [judge], provider=provider, prices=table, store="memory:")
    row = next(iter(result.cases()))
    assert row.trace is not None
    assert row.trace.usage is not None
    assert row.trace.usage.cost == pytest.approx(0.002)
    reply = row.trace.calls[0].reply
    assert isinstance(reply, rejudge.Reply)
    assert reply.prices == "prices.yaml, 2026-02-03"
    assert row.scores[0].usage is not None
    assert row.scores[0].usage.cost == pytest.approx(0.004)
    assert result.runs[0].usage.cost == pytest.approx(4 * 0.002)


def test_a_model_without_a_price_leaves_the_cost_unknown(serve: Serve) -> None:
    provider = openai_compatible(serve(lambda asked: "yes").url, limits=QUICK)
    result = rejudge.evaluate(ITEMS, asking, provider=provider, store="memory:")
    assert (result.runs[0].usage.cost, result.runs[0].usage.known_costs) == (None, 0)
    assert result.runs[0].usage.input_tokens is not None


def test_what_the_provider_itself_says_that_it_cost_counts() -> None:
    said = rejudge.Reply(text="yes", usage=Usage(input_tokens=1, output_tokens=1, cost=0.5))
    provider = rejudge.ScriptedProvider(lambda call: said)
    table = {"judge": {"input": 1e6, "output": 1e6}}
    result = rejudge.evaluate(ITEMS[:1], echo, [judge], provider=provider, prices=table, store="memory:")
    (score,) = next(iter(result.cases())).scores
    assert score.usage is not None
    assert score.usage.cost == 0.5
