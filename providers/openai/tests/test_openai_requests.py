"""Test that requests match the vendor's own description."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from data_files import schema_errors

from openkoi_hookspecs import (
    Arguments,
    Image,
    KoiError,
    Message,
    Part,
    Reasoning,
    Request,
    Role,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from openkoi_openai import OpenAI
from openkoi_openai.chat import ChatRequestBuilder, ServerQuirks
from openkoi_openai.provider import quirks_of
from openkoi_testing.servers import OpenAIServer

SENT: list[dict[str, Any]] = []
PATH: Arguments = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


async def unused(arguments: Arguments) -> ToolResult:
    return ToolResult("")


READ = Tool("read", "Read a file.", PATH, unused)
CALLS = (ToolCall("1", "read", {"path": "ä"}), ToolCall("2", "read", {"path": "b"}))
RESULTS = (ToolResult("A", call="1"), ToolResult("no such file", call="2", failed=True))


def sent(*messages: Message, **settings: Any) -> dict[str, Any]:
    """The body of a request."""
    request = Request(messages, model="gpt-x", **settings)
    data: dict[str, Any] = json.loads(
        ChatRequestBuilder(ServerQuirks(limit_key="max_completion_tokens")).build(request)
    )
    SENT.append(data)
    return data


def assistant(*parts: Part) -> Message:
    return Message(Role.ASSISTANT, parts)


@pytest.fixture(autouse=True)
def written_as_described() -> Iterator[None]:
    """Check that every request of a test matches the vendor's description."""
    SENT.clear()
    yield
    for body in SENT:
        assert not schema_errors("openai", "CreateChatCompletionRequest", body, overlapping=True)


def test_the_smallest_request_asks_for_a_stream_and_its_usage() -> None:
    assert sent(Message.user("Hi")) == {
        "model": "gpt-x",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": "Hi"}],
    }


def test_blocks_of_the_system_are_one_message() -> None:
    first = sent(Message.user("Hi"), system=["Be careful.", "", "Be kind."])["messages"][0]

    assert first == {"role": "system", "content": "Be careful.\n\nBe kind."}


def test_results_are_messages_of_their_own_in_order_and_come_before_words() -> None:
    story = sent(Message.user("Read both"), assistant(Text("Yes."), *CALLS), Message.user("and then?", *RESULTS))

    assert story["messages"][2:] == [
        {"role": "tool", "tool_call_id": "1", "content": "A"},
        {"role": "tool", "tool_call_id": "2", "content": "no such file"},
        {"role": "user", "content": "and then?"},
    ]


def test_calls_are_told_as_they_were_asked_for() -> None:
    output = sent(assistant(Reasoning("Hm."), *CALLS), Message.user(*RESULTS))["messages"][0]

    assert output["content"] is None
    assert output["tool_calls"][0] == {
        "id": "1",
        "type": "function",
        "function": {"name": "read", "arguments": '{"path": "ä"}'},
    }


def test_pictures_are_sent_along() -> None:
    reply = sent(Message.user("What is this?", Image(b"\x89PNG", "image/png")))["messages"][0]["content"]

    assert reply == [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw=="}},
    ]


def test_settings_are_sent_when_they_are_given() -> None:
    schema = {"type": "object", "title": "My answer!", "properties": {}}
    body = sent(Message.user("Hi"), temperature=0.0, max_output=5, schema=schema, tools=[READ])

    assert (body["temperature"], body["max_completion_tokens"]) == (0.0, 5)
    assert body["response_format"]["json_schema"] == {"name": "My_answer_", "schema": schema}
    assert body["tools"] == [
        {"type": "function", "function": {"name": "read", "description": "Read a file.", "parameters": PATH}}
    ]


def test_halves_of_characters_do_not_stop_a_request() -> None:
    assert sent(Message.user("caf\udce9"))["messages"][0]["content"] == "caf?"


@pytest.mark.parametrize(
    "messages",
    [
        [assistant(*CALLS)],
        [assistant(*CALLS), Message.user("never mind")],
        [assistant(*CALLS), Message.user(RESULTS[0])],
        [assistant(*CALLS), Message.user(*RESULTS, RESULTS[0])],
        [Message.user(RESULTS[0])],
        [assistant(*CALLS), Message.user("wait"), Message.user(*RESULTS)],
    ],
    ids=["no turn after", "no results", "one missing", "one twice", "no call", "too late"],
)
def test_a_call_without_its_one_result_is_not_sent(messages: list[Message]) -> None:
    with pytest.raises(KoiError, match="exactly one result"):
        sent(*messages)


@pytest.mark.parametrize(
    ("base_url", "key"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://api.openai.com/v1/", "max_completion_tokens"),
        ("https://eu.api.openai.com/v1", "max_completion_tokens"),
        ("https://api.openai.com.evil.example/v1", "max_tokens"),
        ("http://localhost:8080/v1", "max_tokens"),
    ],
)
def test_the_longest_answer_is_called_as_the_server_calls_it(base_url: str, key: str) -> None:
    assert key == quirks_of(base_url).limit_key


def test_the_key_of_the_longest_answer_may_be_chosen() -> None:
    async def ask() -> None:
        async with OpenAI(api_key="k", base_url=server.url, limit_key="max_completion_tokens") as provider:
            async for _ in provider.chat(Request([Message.user("Hi")], model="m", max_output=7)):
                pass

    with OpenAIServer("Hello") as server:
        asyncio.run(ask())

    assert server.asked[0]["max_completion_tokens"] == 7


def test_without_a_key_none_is_sent() -> None:
    async def ask() -> None:
        async with OpenAI(api_key="", base_url=server.url) as provider:
            await provider.models()

    with OpenAIServer() as server:
        asyncio.run(ask())

    assert "authorization" not in server.requests[0].headers


def test_a_long_story_is_written_once() -> None:
    scribe = ChatRequestBuilder()
    story = [Message.user(f"Message {n}") for n in range(50)]
    first = scribe.build(Request(story, model="m"))

    assert first == scribe.build(Request(story, model="m"))
    assert first == ChatRequestBuilder().build(Request(list(story), model="m"))
