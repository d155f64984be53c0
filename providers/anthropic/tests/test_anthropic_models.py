"""Test the list of models, their output limits, and token counts."""

import asyncio
from typing import Any

import httpx2
import pytest

from openkoi_anthropic import Anthropic
from openkoi_hookspecs import Message, Model, ProviderUnavailableError, Request, RequestRejectedError, StreamEnd, Usage
from openkoi_testing.contracts.provider_harness import call_once
from openkoi_testing.servers import AnthropicServer
from openkoi_testing.servers.anthropic import error_body

HELLO = Request([Message.user("Hello")], model="claude-fake", max_output=4000)


async def counting(provider: Anthropic) -> int:
    """Have tokens counted."""
    return await provider.count_tokens(HELLO)


def listed(*pages: Any, **defaults: Any) -> list[Model]:
    """Parse these pages, the last one repeatedly."""
    left = list(pages)
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, json=left.pop(0) if len(left) > 1 else left[0]))
    return list(
        asyncio.run(call_once(Anthropic(base_url="http://localhost", transport=wire, **defaults), Anthropic.models))
    )


def test_models_are_listed_with_what_the_vendor_says_of_them() -> None:
    first = {
        "data": [{"id": "a", "max_input_tokens": 1000, "max_tokens": 100}, {"id": "b"}],
        "has_more": True,
        "last_id": "b",
    }
    second = {"data": [{"id": "b"}, {"id": "c", "max_tokens": "many"}, {"display_name": "x"}, 5], "has_more": False}

    assert listed(first, second, context=500, output=900) == [
        Model("a", context=1000, output=100),
        Model("b", context=500, output=500),
        Model("c", context=500, output=500),
    ]


def test_a_list_without_an_end_is_not_read_for_ever() -> None:
    assert listed({"data": [{"id": "a"}], "has_more": True, "last_id": "a"})[0].name == "a"


def test_all_pages_are_read() -> None:
    async def ask() -> list[str]:
        async with Anthropic(api_key="k", base_url=server.url) as provider:
            return [model.name for model in await provider.models()]

    names = [f"claude-{n}" for n in range(2500)]
    with AnthropicServer(models=names) as server:
        assert names == asyncio.run(ask())


@pytest.mark.parametrize("listing", [[], {}, {"data": {}}, "x"])
def test_a_list_of_models_that_is_none_is_unavailable(listing: Any) -> None:
    with pytest.raises(ProviderUnavailableError, match="not return a list of models"):
        listed(listing)


def test_an_answer_is_as_long_as_the_model_can_when_nothing_is_said() -> None:
    async def ask() -> None:
        async with Anthropic(api_key="k", base_url=server.url, output=777) as provider:
            request = Request([Message.user("Hi")], model="claude-fake")
            [_ async for _ in provider.chat(request)]
            await provider.models()
            [_ async for _ in provider.chat(request)]

    with AnthropicServer() as server:
        asyncio.run(ask())
    assert [body["max_tokens"] for body in server.asked] == [777, 32_000]


def test_tokens_are_counted_without_an_answer() -> None:
    async def ask() -> tuple[int, Usage]:
        async with Anthropic(api_key="k", base_url=server.url) as provider:
            tokens = await provider.count_tokens(HELLO)
            *_, done = [chunk async for chunk in provider.chat(HELLO)]
            assert isinstance(done, StreamEnd)
            return tokens, done.usage

    with AnthropicServer("x", count=True) as server:
        tokens, usage = asyncio.run(ask())
    assert tokens == usage.input + usage.cache_read + usage.cache_write > 0


@pytest.mark.parametrize("counted", [{}, [], {"input_tokens": "many"}, {"input_tokens": -1}])
def test_a_count_that_is_none_is_unavailable(counted: Any) -> None:
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, json=counted))

    with pytest.raises(ProviderUnavailableError, match="no token count"):
        asyncio.run(call_once(Anthropic(base_url="http://localhost", transport=wire), counting))


def test_counting_tells_apart_what_is_too_long() -> None:
    body = error_body("invalid_request_error", "prompt is too long: 9 tokens > 5 maximum")
    wire = httpx2.MockTransport(lambda _: httpx2.Response(400, json=body))

    with pytest.raises(RequestRejectedError) as caught:
        asyncio.run(call_once(Anthropic(base_url="http://localhost", transport=wire), counting))
    assert caught.value.context_overflow
