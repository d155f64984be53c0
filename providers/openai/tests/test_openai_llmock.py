"""A server that others wrote is understood too."""

import asyncio
import math
from collections.abc import Iterator

import pytest

from openkoi_hookspecs import Chunk, Embedding, Message, Refused, Request, Role, Stop, Text, ToolCall, ToolResult
from openkoi_openai import OpenAI, OpenAIEmbedder
from openkoi_openai.dialect import Api
from openkoi_testing.servers import LLMock, PeerMissing

FIXTURES = (
    {"match": {"userMessage": "hello"}, "response": {"content": "Hello, wörld 😀! How can I help?"}},
    {
        "match": {"userMessage": "weather", "hasToolResult": False},
        "response": {
            "toolCalls": [
                {"name": "weather", "arguments": {"city": "Zürich"}},
                {"name": "weather", "arguments": {"city": "Bern"}},
            ]
        },
    },
    {"match": {"userMessage": "weather", "hasToolResult": True}, "response": {"content": "Sunny in both."}},
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    try:
        server = LLMock(*FIXTURES).__enter__()
    except PeerMissing as missing:
        pytest.skip(str(missing))
    yield server.url
    server.__exit__()


def heard(url: str, *messages: Message, api: Api = "auto") -> list[Chunk]:
    async def ask() -> list[Chunk]:
        async with OpenAI(api_key="sk-test", base_url=url, api=api) as provider:
            return [chunk async for chunk in provider.chat(Request(messages, model="gpt-4o"))]

    return asyncio.run(ask())


def text(chunks: list[Chunk]) -> str:
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, Text))


def test_words_stream_in_pieces(url: str) -> None:
    chunks = heard(url, Message.user("hello"))

    assert text(chunks) == "Hello, wörld 😀! How can I help?"
    assert len(chunks) > 3


def test_tools_are_called_and_their_results_read(url: str) -> None:
    question = Message.user("weather")
    *calls, done = heard(url, question)
    results = [ToolResult("sunny", call=call.id) for call in calls if isinstance(call, ToolCall)]
    asked = [call.arguments["city"] for call in calls if isinstance(call, ToolCall)]

    assert (asked, getattr(done, "stop", None)) == (["Zürich", "Bern"], Stop.TOOLS)
    said = tuple(call for call in calls if isinstance(call, ToolCall))
    assert text(heard(url, question, Message(Role.ASSISTANT, said), Message.user(*results))) == "Sunny in both."


def test_what_it_does_not_know_is_refused(url: str) -> None:
    with pytest.raises(Refused, match="No fixture matched"):
        heard(url, Message.user("something else"))


def test_the_responses_api_is_spoken_with_it_too(url: str) -> None:
    question = Message.user("weather")
    *calls, done = heard(url, question, api="responses")
    said = tuple(call for call in calls if isinstance(call, ToolCall))
    results = Message.user(*(ToolResult("sunny", call=call.id) for call in said))
    answer = heard(url, question, Message(Role.ASSISTANT, said), results, api="responses")

    assert ["Zürich", "Bern"] == [call.arguments["city"] for call in said]
    assert getattr(done, "stop", None) is Stop.TOOLS
    assert "Sunny in both." == text(answer)
    assert "Hello, wörld 😀! How can I help?" == text(heard(url, Message.user("hello"), api="responses"))


def test_what_it_does_not_know_is_refused_in_responses_too(url: str) -> None:
    with pytest.raises(Refused, match="No fixture matched"):
        heard(url, Message.user("something else"), api="responses")


def test_it_embeds(url: str) -> None:
    async def ask() -> Embedding:
        async with OpenAIEmbedder(api_key="sk-test", base_url=url) as embedder:
            return await embedder.embed(["hello", "wörld"])

    lengths = [math.hypot(*vector) for vector in asyncio.run(ask()).vectors]

    assert [pytest.approx(1), pytest.approx(1)] == lengths
