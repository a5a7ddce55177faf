"""What a call costs: the user's own price table first, then the price list of `genai-prices`; else unknown."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from rejudge.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rejudge.domain.usage import Usage

MILLION = 1_000_000


class ModelPrice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """US dollars for a million tokens. What is read from a cache, or stored in one, costs as `input` if not said."""

    input: float
    output: float
    cached: float | None = None
    cache_write: float | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            price = getattr(self, name)
            if price is not None and not (price >= 0 and math.isfinite(price)):
                raise ValueError(f"a price of {price} for {name} cannot be")

    def cost(self, usage: Usage) -> float | None:
        """What the usage costs; None where its tokens are not known."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = usage.cached_tokens or 0
        written = usage.cache_write_tokens or 0
        fresh = max(0, usage.input_tokens - cached - written)
        parts = (
            (fresh, self.input),
            (cached, self.input if self.cached is None else self.cached),
            (written, self.input if self.cache_write is None else self.cache_write),
            (usage.output_tokens, self.output),
        )
        return sum(count * price for count, price in parts) / MILLION


class PriceTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Prices of one's own, by model as calls name it or as the provider reports it, with where and when they hold."""

    models: dict[str, ModelPrice]
    source: str = "own prices"
    date: date | None = None

    @property
    def called(self) -> str:
        """The source with its date, as records name it."""
        return f"{self.source}, {'undated' if self.date is None else self.date.isoformat()}"


class Priced(Struct, frozen=True):
    """A cost in US dollars, and the price list with its date that it comes from."""

    cost: float
    prices: str


class Sold(Struct, frozen=True, kw_only=True):
    """What is to be priced: the model as it was asked for and as the provider reports it, and whose it is."""

    asked: str
    reported: str | None
    vendor: str | None


class Prices:
    """Looks costs up. A model that no list knows has no cost, which is not the same as a cost of nothing."""

    def __init__(self, own: PriceTable | None = None) -> None:
        self._own = own

    def of(self, usage: Usage, sold: Sold, *, now: float) -> Priced | None:
        """The cost of a usage at that time (seconds since 1970); None where the price or the tokens are unknown."""
        names = [name for name in (sold.asked, sold.reported) if name]
        if self._own is not None:
            for name in names:
                if (price := self._own.models.get(name)) is not None:
                    cost = price.cost(usage)
                    return None if cost is None else Priced(cost, self._own.called)
        if sold.vendor is None or usage.input_tokens is None or usage.output_tokens is None:
            return None
        for name in reversed(names):
            if (priced := _listed(usage, name, sold.vendor, now)) is not None:
                return priced
        return None


def price_table(said: Mapping[str, object], *, source: str = "own prices") -> PriceTable:
    """The table that a mapping describes: `models` with `source` and `date`, or the models alone.

    Raises ConfigurationError, naming the place, for what it may not say.
    """
    whole: dict[str, object] = dict(said) if "models" in said else {"models": dict(said)}
    whole.setdefault("source", source)
    try:
        return msgspec.convert(whole, PriceTable)
    except (msgspec.ValidationError, TypeError) as error:
        raise ConfigurationError(
            f"the price table: {error}",
            fix="give US dollars for a million tokens: {MODEL: {input: 0.15, output: 0.6, cached: 0.075}}",
        ) from None


def _listed(usage: Usage, model: str, vendor: str, now: float) -> Priced | None:
    try:
        import genai_prices
    except ImportError:
        return None
    moment = datetime.fromtimestamp(now, tz=UTC)
    used = genai_prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_tokens,
        cache_write_tokens=usage.cache_write_tokens,
    )
    try:
        if "://" in vendor:
            found = genai_prices.calc_price(used, model, provider_api_url=vendor, genai_request_timestamp=moment)
        else:
            found = genai_prices.calc_price(used, model, provider_id=vendor, genai_request_timestamp=moment)
    except (LookupError, ValueError):
        return None  # a model that the list does not know, or a usage that it has no price for
    dated = found.auto_update_timestamp or moment
    return Priced(float(found.total_price), f"genai-prices {genai_prices.__version__} as of {dated.date().isoformat()}")
