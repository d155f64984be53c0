"""Test that too long requests are distinguished from invalid ones, by the messages of many servers."""

import asyncio
import json

import pytest

from openkoi_hookspecs import Message, ProviderError, ProviderUnavailableError, Request, RequestRejectedError
from openkoi_http.context_overflow import is_context_overflow
from openkoi_openai import OpenAI
from openkoi_testing.servers import OpenAIServer, Say, ServerFault

TOO_LONG = [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "prompt is too long: 250000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
    "the request exceeds the available context size, try increasing it",
    "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "Please reduce the length of the messages or completion.",
    "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 7000, reduce your message size.",
    "too many tokens: total number of tokens in the prompt cannot exceed 4081",
    "Range of input length should be [1, 30720]",
    "Your request exceeded model token limit: 131072",
    "Input is too long for requested model.",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000",
    "Trying to keep the first 5000 tokens when context the overflows.",
    "The model is loaded with context length of only 4096 tokens, which is not enough.",
    "invalid params, context window exceeds limit",
    "prompt token count of 70000 exceeds the limit of 64000",
    "the input length exceeds the context length",
    '{"code": "context_length_exceeded"}',
    '{"type": "exceed_context_size_error"}',
]
SOMETHING_ELSE = [
    "Too many tokens, please wait before trying again.",
    "Rate limit reached: too many tokens per minute.",
    "Too many requests",
    "max_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
    "Incorrect API key provided.",
    "Invalid schema for function 'read': name is too long.",
    "",
]


@pytest.mark.parametrize("words", TOO_LONG)
def test_too_long_is_recognised(words: str) -> None:
    assert is_context_overflow(words)


@pytest.mark.parametrize("words", SOMETHING_ELSE)
def test_something_else_is_not(words: str) -> None:
    assert not is_context_overflow(words)


def met(fault: ServerFault) -> ProviderError:
    """The resulting error."""

    async def ask() -> None:
        async with OpenAI(api_key="k", base_url=server.url) as provider:
            async for _ in provider.chat(Request([Message.user("Hi")], model="m")):
                pass

    with OpenAIServer(Say(fault=fault)) as server, pytest.raises(ProviderError) as caught:
        asyncio.run(ask())
    return caught.value


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_an_error_about_length_says_so_whatever_its_status(status: int) -> None:
    error = met(ServerFault(status=status, body=json.dumps({"error": {"message": TOO_LONG[0]}}).encode()))

    assert isinstance(error, RequestRejectedError)
    assert error.context_overflow
    assert "maximum context length is 8192" in str(error)


@pytest.mark.parametrize("output", [{"message": TOO_LONG[1]}, {"message": "no", "code": "context_length_exceeded"}])
def test_an_error_about_length_in_mid_stream_says_so(output: object) -> None:
    error = met(ServerFault(body=b"data: " + json.dumps({"error": output}).encode() + b"\n\n"))

    assert isinstance(error, RequestRejectedError)
    assert error.context_overflow


def test_other_errors_stay_what_they_are() -> None:
    error = met(ServerFault(status=400, body=b'{"error": {"message": "no such model"}}'))
    busy = met(
        ServerFault(status=429, headers={"Retry-After": "7"}, body=b'{"error": {"message": "too many tokens per min"}}')
    )

    assert isinstance(error, RequestRejectedError)
    assert not error.context_overflow
    assert isinstance(busy, ProviderUnavailableError)
    assert busy.retry_after == 7
