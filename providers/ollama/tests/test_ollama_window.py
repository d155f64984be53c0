"""Test that the window is large enough, stable, and never larger than the model's."""

import asyncio
from typing import Any

import pytest

from openkoi_hookspecs import (
    Chunk,
    Image,
    Message,
    Model,
    ProviderUnavailableError,
    Request,
    RequestRejectedError,
    Usage,
)
from openkoi_ollama import Ollama
from openkoi_ollama.model_list import InstalledModel
from openkoi_ollama.window import TOKENS_PER_IMAGE, ContextWindows, PromptSize, next_power_of_two
from openkoi_testing.servers import OllamaServer, Say, ServerFault
from openkoi_testing.servers.ollama_rules import OllamaModel

LARGE = InstalledModel(Model("llama", context=131_072, output=8192))
SMALL = InstalledModel(Model("tiny", context=5000, output=2500))


@pytest.mark.parametrize(("tokens", "window"), [(0, 1), (1, 1), (2, 2), (3, 4), (8192, 8192), (8193, 16_384)])
def test_windows_are_powers_of_two(tokens: int, window: int) -> None:
    assert window == next_power_of_two(tokens)


def test_a_window_holds_the_request_and_its_answer() -> None:
    assert ContextWindows().choose(LARGE, PromptSize(300), 1000) == 8192
    assert ContextWindows().choose(LARGE, PromptSize(300), 8000) == 16_384
    assert ContextWindows().choose(LARGE, PromptSize(90_000), 8000) == 65_536
    assert ContextWindows().choose(LARGE, PromptSize(300, pictures=8), 1000) == next_power_of_two(
        8 * TOKENS_PER_IMAGE + 1000
    )


def test_a_window_never_shrinks_whatever_the_model_is_called() -> None:
    windows = ContextWindows()
    windows.choose(LARGE, PromptSize(90_000), 8000)

    assert windows.choose(LARGE, PromptSize(10), 10) == 65_536
    assert (
        windows.choose(InstalledModel(Model("llama:latest", context=131_072, output=1)), PromptSize(10), 10) == 65_536
    )
    assert windows.choose(InstalledModel(Model("llama:7b", context=131_072, output=1)), PromptSize(10), 10) == 8192


def test_a_window_is_no_larger_than_the_model() -> None:
    assert ContextWindows().choose(SMALL, PromptSize(300), 2500) == 5000


def test_the_window_a_model_was_made_with_is_the_least() -> None:
    assert ContextWindows().choose(InstalledModel(LARGE.model, default_window=40_000), PromptSize(300), 100) == 40_000


def test_what_does_not_fit_is_refused_before_it_is_sent() -> None:
    with pytest.raises(RequestRejectedError, match=r"exceed the window of tiny \(5000 tokens\)") as caught:
        ContextWindows().choose(SMALL, PromptSize(9000), 2500)
    assert caught.value.context_overflow


def test_how_dense_a_text_is_to_a_model_is_learnt() -> None:
    windows = ContextWindows()
    windows.record("llama", PromptSize(9000), 9000)
    windows.record("llama", PromptSize(9000), 100)

    assert windows.estimate_tokens("llama:latest", PromptSize(30_000)) > 30_000
    assert windows.estimate_tokens("other:latest", PromptSize(30_000)) < 11_000


@pytest.mark.parametrize("size", [PromptSize(40), PromptSize(9000, pictures=1)])
def test_short_prompts_and_pictures_teach_nothing(size: PromptSize) -> None:
    windows = ContextWindows()
    windows.record("llama", size, 50_000)

    assert windows.estimate_tokens("llama:latest", PromptSize(30_000)) < 11_000


def ask(server: OllamaServer, *requests: Request, **keys: Any) -> list[int]:
    """The windows of these requests, in turn."""

    async def talk() -> None:
        async with Ollama(base_url=server.url, **keys) as provider:
            for request in requests:
                async for _ in provider.chat(request):
                    pass

    asyncio.run(talk())
    options: list[Any] = [body["options"] for body in server.asked]
    return [option["num_ctx"] for option in options]


def says(text: str, model: str = "llama-fake") -> Request:
    return Request([Message.user(text)], model=model, max_output=1000)


def test_a_growing_conversation_reloads_the_model_seldom() -> None:
    with OllamaServer() as server:
        windows = ask(server, *(says("word " * 1000 * n) for n in range(1, 30)))

    assert windows == sorted(windows)
    assert len(set(windows)) == 4


def test_a_window_may_be_fixed() -> None:
    with OllamaServer() as server:
        assert ask(server, says("Hi"), says("word " * 5000), num_ctx=20_000) == [20_000, 20_000]
        with pytest.raises(RequestRejectedError, match=r"\(20000 tokens\)") as caught:
            ask(server, says("word " * 15_000), num_ctx=20_000)
    assert caught.value.context_overflow


def test_a_model_made_with_a_window_keeps_it() -> None:
    with OllamaServer(models=[OllamaModel("llama-fake", window=32_768)]) as server:
        assert ask(server, says("Hi")) == [32_768]


def test_pictures_are_not_counted_as_text() -> None:
    request = Request(
        [Message.user("Look", Image(b"\x89PNG\r\n\x1a\n" + bytes(300_000), "image/png"))],
        model="llama-fake",
        max_output=500,
    )
    with OllamaServer() as server:
        assert ask(server, request) == [8192]


def test_an_answer_never_takes_more_than_half_of_what_a_model_holds() -> None:
    with OllamaServer(models=[OllamaModel("llama-fake", context=4096)]) as server:
        windows = ask(server, Request([Message.user("Hi")], model="llama-fake", max_output=100_000))
        body: Any = server.asked[0]

    assert windows == [4096]
    assert body["options"]["num_predict"] == 2048


def test_a_server_that_finds_the_prompt_too_long_is_given_a_larger_window_next_time() -> None:
    answer = b'{"error":"{\\"error\\":{\\"message\\":\\"request (9000 tokens) exceeds the available context size\\"}}"}'
    too_long = Say(fault=ServerFault(status=400, body=answer))
    with OllamaServer(too_long, "Hello.", models=[OllamaModel("llama-fake", context=16_384)]) as server:

        async def talk() -> list[Chunk]:
            async with Ollama(base_url=server.url) as provider:
                with pytest.raises(
                    ProviderUnavailableError,
                    match=r"\(400\): request \(9000 tokens\) .* size\. The next request will use a larger",
                ):
                    await anext(aiter(provider.chat(says("Hi"))))
                return [chunk async for chunk in provider.chat(says("Hi"))]

        assert asyncio.run(talk())
        windows: list[Any] = [body["options"] for body in server.asked]

    assert [8192, 16_384] == [options["num_ctx"] for options in windows]


def test_a_server_that_finds_the_prompt_too_long_for_the_model_refuses_it() -> None:
    answer = b'{"error":"the prompt is longer than the context length currently available to the model"}'
    too_long = Say(fault=ServerFault(status=400, body=answer))
    with (
        OllamaServer(too_long, models=[OllamaModel("llama-fake", context=8192)]) as server,
        pytest.raises(RequestRejectedError, match="longer than the context") as caught,
    ):
        ask(server, says("Hi"))
    assert caught.value.context_overflow


def test_digits_are_given_room_once_they_were_counted() -> None:
    digits = says("7" * 12_000)
    with OllamaServer(Say("Hello.", usage=Usage(input=12_000, output=1))) as server:
        assert ask(server, digits, digits) == [8192, 16_384]
