"""Test the list of models and their context windows."""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest

from openkoi_hookspecs import (
    ConfigError,
    Model,
    Price,
    ProviderUnavailableError,
    RequestRejectedError,
    SupportsHealthCheck,
)
from openkoi_ollama import Ollama
from openkoi_ollama.model_list import OllamaDefaults, parse_installed, with_tag
from openkoi_testing.servers import OllamaServer
from openkoi_testing.servers.ollama_rules import OllamaModel

FREE = Price(0.0, 0.0)
DEFAULTS = OllamaDefaults(context=8192, output=4000)


def models(provider: Ollama) -> list[Model]:
    async def ask() -> list[Model]:
        async with provider:
            return list(await provider.models())

    return asyncio.run(ask())


def describe(provider: Ollama, name: str) -> Model:
    async def ask() -> Model:
        async with provider:
            return await provider.describe(name)

    return asyncio.run(ask())


def answering(answers: dict[str, Any]) -> Ollama:
    """A provider whose server answers these paths."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        reply = answers.get(request.url.path)
        return httpx2.Response(200 if reply is not None else 500, json=reply)

    return Ollama(transport=httpx2.MockTransport(answer))


ALL = ("tools", "images", "thinking", "schema")


def test_models_are_listed_with_what_they_hold_and_are_free() -> None:
    pulled = [
        OllamaModel("llama-fake", context=131_072),
        OllamaModel("tiny:1b", context=4096, abilities=("completion", "tools")),
        OllamaModel("gemma-fake", context=10_000),
    ]
    with OllamaServer(models=pulled) as server:
        assert models(Ollama(base_url=server.url, output=6000)) == [
            Model("llama-fake:latest", context=131_072, output=6000, price=FREE, can=ALL),
            Model("tiny:1b", context=4096, output=2048, price=FREE, can=("tools", "schema")),
            Model("gemma-fake:latest", context=10_000, output=5000, price=FREE, can=ALL),
        ]


def test_models_that_only_embed_are_left_out() -> None:
    pulled = [OllamaModel("embed-fake", abilities=("embedding",)), OllamaModel("llama-fake")]
    with OllamaServer(models=pulled) as server:
        assert ["llama-fake:latest"] == [model.name for model in models(Ollama(base_url=server.url))]


def test_many_models_are_asked_about_a_few_at_a_time() -> None:
    with OllamaServer(models=[f"model-{n}" for n in range(40)]) as server:
        found = models(Ollama(base_url=server.url))

    assert [f"model-{n}:latest" for n in range(40)] == [model.name for model in found]
    assert server.connections <= 9


def test_no_model_holds_more_than_the_window_that_was_fixed() -> None:
    with OllamaServer() as server:
        assert describe(Ollama(base_url=server.url, num_ctx=16_000), "llama-fake").context == 16_000


def test_a_model_may_be_described_by_its_name_alone() -> None:
    with OllamaServer(models=[OllamaModel("llama-fake", context=9000), "other"]) as server:
        found = describe(Ollama(base_url=server.url), "llama-fake")

    assert Model("llama-fake", context=9000, output=4500, price=FREE, can=ALL) == found
    assert ["/api/show"] == [request.path for request in server.requests]


def test_a_model_that_is_not_installed_is_refused_with_what_to_do() -> None:
    with (
        OllamaServer() as server,
        pytest.raises(RequestRejectedError, match=r"model 'gone' not found.* `ollama pull gone`.$"),
    ):
        describe(Ollama(base_url=server.url), "gone")


def test_a_model_that_cannot_be_asked_about_is_listed_all_the_same() -> None:
    found = models(answering({"/api/tags": {"models": [{"name": "a"}, {"model": "b:1", "name": "x"}, {"size": 1}, 5]}}))

    assert found == [Model(name, context=8192, output=4096, price=FREE) for name in ("a", "b:1")]


@pytest.mark.parametrize("listing", [[], {}, {"models": {}}, "x"])
def test_a_list_of_models_that_is_none_is_unavailable(listing: Any) -> None:
    with pytest.raises(ProviderUnavailableError, match="not return a list of models"):
        models(answering({"/api/tags": listing}))


@pytest.mark.parametrize(
    ("info", "context"),
    [
        ({"general.architecture": "llama", "llama.context_length": 5000, "a.context_length": 7}, 5000),
        ({"a.context_length": 6000}, 6000),
        ({"general.architecture": "llama", "llama.context_length": "many"}, 8192),
        ({"llama.context_length": 0}, 8192),
        ({"general.architecture": None}, 8192),
        ([], 8192),
        (None, 8192),
    ],
)
def test_what_a_model_holds_is_found_under_its_architecture(info: Any, context: int) -> None:
    assert parse_installed("m", {"model_info": info}, DEFAULTS).model.context == context


@pytest.mark.parametrize("answer", [None, [], "x", 5, {"capabilities": "all", "parameters": 5}, {"capabilities": [5]}])
def test_an_answer_that_says_nothing_leaves_the_defaults(answer: Any) -> None:
    found = parse_installed("m", answer, DEFAULTS)

    assert (found.model.context, found.model.output, found.default_window, found.can_chat, found.can_think) == (
        8192,
        4000,
        0,
        True,
        False,
    )


def test_the_window_a_model_was_made_with_is_found() -> None:
    parameters = 'stop "x num_ctx 5"\nnum_ctx                        16384\ntemperature 0.7'

    assert parse_installed("m", {"parameters": parameters}, DEFAULTS).default_window == 16_384


@pytest.mark.parametrize(
    ("name", "listed"), [("a", "a:latest"), ("a:7b", "a:7b"), ("hub.io:80/me/a", "hub.io:80/me/a:latest")]
)
def test_a_name_without_a_tag_is_the_latest(name: str, listed: str) -> None:
    assert listed == with_tag(name)


def test_a_server_that_runs_says_what_it_is() -> None:
    async def ask(provider: Ollama) -> Mapping[str, str]:
        async with provider:
            return await provider.health()

    assert isinstance(Ollama(), SupportsHealthCheck)
    with OllamaServer(models=["a", "b"]) as server:
        assert asyncio.run(ask(Ollama(base_url=server.url))) == {"version": "0.33.3", "models": "2"}
    with pytest.raises(ProviderUnavailableError, match="ollama serve"):
        asyncio.run(ask(Ollama(base_url=server.url)))
    assert asyncio.run(ask(answering({"/api/version": [], "/api/tags": {"models": []}})))["version"] == "unknown"


@pytest.mark.parametrize("keys", [{"num_ctx": -1}, {"context": 0}, {"output": 0}])
def test_settings_that_make_no_sense_are_named(keys: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="above 0"):
        Ollama(**keys)
