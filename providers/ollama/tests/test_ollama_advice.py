"""Test that Ollama's errors come with advice."""

import asyncio
import json

import pytest

from openkoi_hookspecs import Message, ProviderError, ProviderUnavailableError, Request, RequestRejectedError
from openkoi_ollama import Ollama
from openkoi_testing.contracts.provider import long_request
from openkoi_testing.contracts.provider_harness import call_once
from openkoi_testing.servers import OllamaServer, Say, ServerFault
from openkoi_testing.servers.ollama_rules import OllamaModel

HELLO = Request([Message.user("Hello")], model="llama-fake")


def failure(provider: Ollama, request: Request = HELLO) -> ProviderError:
    """How a request fails."""

    async def ask() -> None:
        async with provider:
            async for _ in provider.chat(request):
                pass

    with pytest.raises(ProviderError) as caught:
        asyncio.run(ask())
    return caught.value


def test_a_server_that_does_not_run_is_unavailable_and_says_how_to_start_it() -> None:
    with OllamaServer() as server:
        gone = server.url
    error = failure(Ollama(base_url=gone))

    assert isinstance(error, ProviderUnavailableError)
    assert str(error).endswith("Start it with `ollama serve`.")
    with pytest.raises(ProviderUnavailableError, match="ollama serve"):
        asyncio.run(call_once(Ollama(base_url=gone), Ollama.models))
    with pytest.raises(ProviderUnavailableError, match="ollama serve"):
        asyncio.run(call_once(Ollama(base_url=gone), lambda ollama: ollama.describe("x")))


def test_a_name_that_is_not_known_is_unavailable() -> None:
    error = failure(Ollama(base_url="nowhere.invalid"))

    assert isinstance(error, ProviderUnavailableError)
    assert str(error).startswith("nowhere.invalid:11434 could not be reached")


def test_a_model_that_is_not_installed_is_refused() -> None:
    with OllamaServer(models=["other"]) as server:
        error = failure(Ollama(base_url=server.url))

    assert isinstance(error, RequestRejectedError)
    assert "model 'llama-fake' not found" in str(error)
    assert str(error).endswith("Run `ollama pull llama-fake`.")


def test_a_model_without_tools_is_refused() -> None:
    with OllamaServer(models=[OllamaModel("old", abilities=("completion",))]) as server:
        error = failure(Ollama(base_url=server.url), long_request("old"))

    assert isinstance(error, RequestRejectedError)
    assert not error.context_overflow
    assert "does not support tools. old does not support tools. Choose another model" in str(error)


@pytest.mark.parametrize(
    ("reply", "advice"),
    [
        ('model "x" not found, try pulling it first', "ollama pull llama-fake"),
        (
            "model requires more system memory (5.6 GiB) than is available (3.9 GiB)",
            "smaller context window with num_ctx",
        ),
        (
            "llama runner process has terminated: cudaMalloc failed: out of memory",
            "smaller context window with num_ctx",
        ),
        ('"llama-fake" does not support chat', "does not generate text"),
    ],
)
def test_what_will_not_pass_is_refused(reply: str, advice: str) -> None:
    fault = ServerFault(status=500, body=json.dumps({"error": reply}).encode())
    with OllamaServer(Say(fault=fault)) as server:
        error = failure(Ollama(base_url=server.url))

    assert isinstance(error, RequestRejectedError)
    assert advice in str(error)


def test_what_may_pass_is_told_as_it_is() -> None:
    fault = ServerFault(status=500, body=b'{"error":"a library that the model wants was not found"}')
    with OllamaServer(Say(fault=fault)) as server:
        error = failure(Ollama(base_url=server.url))

    assert isinstance(error, ProviderUnavailableError)
    assert str(error).endswith("returned status 500: a library that the model wants was not found.")


@pytest.mark.parametrize("key", ["wrong-key-123456", ""])
def test_a_wrong_key_is_refused_and_not_repeated(key: str) -> None:
    with OllamaServer(key="right") as server:
        error = failure(Ollama(base_url=server.url, api_key=key))

    assert isinstance(error, RequestRejectedError)
    assert str(error).endswith("Check the key. Run `ollama signin`, or set OLLAMA_API_KEY.")
    assert "wrong-key" not in str(error)


def test_an_error_with_advice_has_the_status_of_the_response() -> None:
    fault = ServerFault(status=404, body=json.dumps({"error": "model 'x' not found"}).encode())
    with OllamaServer(Say(fault=fault)) as server:
        error = failure(Ollama(base_url=server.url))

    assert "ollama pull" in str(error)
    assert 404 == error.status
