"""Test the parsing of a server's list of models: names, sizes and valid prices."""

import asyncio
from typing import Any

import httpx2
import pytest

from openkoi_hookspecs import Model, Price, ProviderUnavailableError, RequestRejectedError
from openkoi_openai import OpenAI
from openkoi_testing.contracts.provider_harness import call_once


def listed(listing: Any) -> list[Model]:
    """Parse a list of models."""
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, json=listing))
    provider = OpenAI(api_key="k", transport=wire, context=10_000, output=5_000)
    return list(asyncio.run(call_once(provider, OpenAI.models)))


def test_models_are_listed_with_what_the_server_says_of_them() -> None:
    listing = [
        {"id": "plain"},
        {"id": "vllm", "max_model_len": 4096},
        {"id": "router", "context_length": 200_000, "max_completion_tokens": 8_000},
        {"id": "odd", "context_window": "many"},
        {"name": "nameless"},
        5,
    ]
    models = [
        Model("plain", context=10_000, output=5_000),
        Model("vllm", context=4096, output=4096),
        Model("router", context=200_000, output=8_000),
        Model("odd", context=10_000, output=5_000),
    ]

    assert models == listed({"data": listing})
    assert models == listed(listing)


def test_a_model_that_is_listed_twice_is_one() -> None:
    assert [Model("a", context=4096, output=4096)] == listed([{"id": "a"}, {"id": "a", "max_model_len": 4096}])


def test_prices_and_sizes_of_openrouter_are_read() -> None:
    pricing = {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003", "image": "0.004"}
    host = {"context_length": 200_000, "max_completion_tokens": 64_000}
    [model] = listed([{"id": "a", "context_length": 1_000_000, "top_provider": host, "pricing": pricing}])

    assert Model("a", context=200_000, output=64_000, price=Price(3.0, 15.0, 0.3, 3.0)) == model


@pytest.mark.parametrize(
    ("pricing", "price"),
    [
        ({"prompt": "0", "completion": "0"}, Price(0.0, 0.0)),
        ({"prompt": 0.000001, "completion": 0.000002, "input_cache_write": "0"}, Price(1.0, 2.0, 1.0, 0.0)),
        ({"prompt": "-1", "completion": "-1"}, None),
        ({"prompt": "dear", "completion": None}, None),
        ({"prompt": "1e400", "completion": True}, None),
        ({"prompt": "0.1"}, None),
        (5, None),
        (None, None),
    ],
)
def test_a_price_is_known_or_none(pricing: Any, price: Price | None) -> None:
    assert price == listed([{"id": "a", "pricing": pricing, "top_provider": 5}])[0].price


@pytest.mark.parametrize("listing", [{}, {"data": {}}, "x", 5])
def test_a_list_of_models_that_is_none_is_unavailable(listing: Any) -> None:
    with pytest.raises(ProviderUnavailableError, match="not return a list of models"):
        listed(listing)


def test_an_error_in_the_place_of_a_list_is_told() -> None:
    with pytest.raises(RequestRejectedError, match="no key"):
        listed({"error": {"message": "no key", "code": "invalid_api_key"}})
