"""Test that requests match the vendor's own description."""

import asyncio
import json
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
from openkoi_ollama import Ollama
from openkoi_ollama.request import OllamaRequestBuilder, response_settings
from openkoi_testing.contracts.provider import long_request
from openkoi_testing.servers import OllamaServer
from openkoi_testing.servers.ollama_rules import OllamaModel

PATH: Arguments = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
KINDS = {"/api/show": "ShowRequest", "/api/chat": "ChatRequest"}
PICTURE = Image(b"\x89PNG", "image/png")


async def unused(arguments: Arguments) -> ToolResult:
    return ToolResult("")


READ = Tool("read", "Read a file.", PATH, unused)
CALLS = (ToolCall("1", "read", {"path": "ä"}), ToolCall("2", "list", {}))
RESULTS = (ToolResult("A", call="1"), ToolResult("no such file", call="2", failed=True))


def sent(*messages: Message, **given: Any) -> dict[str, Any]:
    """The body of a request."""
    request = Request(messages, model="llama", **given)
    body = (
        OllamaRequestBuilder()
        .encode_prompt(request)
        .complete(response_settings(request, window=8192, answer=100, think=None))
    )
    data: dict[str, Any] = json.loads(body)
    return data


def assistant(*parts: Part) -> Message:
    return Message(Role.ASSISTANT, parts)


def test_the_smallest_request_names_its_window_and_forbids_to_cut() -> None:
    assert sent(Message.user("Hi")) == {
        "model": "llama",
        "messages": [{"role": "user", "content": "Hi"}],
        "stream": True,
        "truncate": False,
        "shift": False,
        "options": {"num_ctx": 8192, "num_predict": 100},
    }


def test_blocks_of_the_system_are_one_message() -> None:
    first = sent(Message.user("Hi"), system=["Be careful.", "", "Be kind."])["messages"][0]

    assert first == {"role": "system", "content": "Be careful.\n\nBe kind."}


def test_results_name_their_tool_and_come_before_words() -> None:
    story = sent(Message.user("Read both"), assistant(Text("Yes."), *CALLS), Message.user("and then?", *RESULTS))

    assert story["messages"][2:] == [
        {"role": "tool", "tool_name": "read", "tool_call_id": "1", "content": "A"},
        {"role": "tool", "tool_name": "list", "tool_call_id": "2", "content": "no such file"},
        {"role": "user", "content": "and then?"},
    ]


def test_results_name_the_right_tool_though_ids_are_used_again() -> None:
    scribe, first, second = (
        OllamaRequestBuilder(),
        assistant(ToolCall("1", "read", {})),
        assistant(ToolCall("1", "list", {})),
    )
    talk = [first, Message.user(ToolResult("A", call="1")), second, Message.user(ToolResult("B", call="1"))]
    scribe.encode_prompt(Request(talk[2:], model="llama"))
    again = [first, Message.user(ToolResult("put aside", call="1")), *talk[2:]]

    for messages in (talk, again):
        output = json.loads(scribe.encode_prompt(Request(messages, model="llama")).body + b"}")["messages"]
        assert ["read", "list"] == [turn["tool_name"] for turn in output if turn["role"] == "tool"]


def test_calls_are_objects_and_thoughts_are_handed_back() -> None:
    output = sent(assistant(Reasoning("Hm. "), Reasoning("So.", signature="x"), *CALLS), Message.user(*RESULTS))[
        "messages"
    ][0]

    assert output == {
        "role": "assistant",
        "content": "",
        "thinking": "Hm. So.",
        "tool_calls": [
            {"id": "1", "function": {"name": "read", "arguments": {"path": "ä"}}},
            {"id": "2", "function": {"name": "list", "arguments": {}}},
        ],
    }


def test_pictures_are_sent_along() -> None:
    reply = sent(Message.user("What is this?", PICTURE))["messages"][0]

    assert reply == {"role": "user", "content": "What is this?", "images": ["iVBORw=="]}


def test_pictures_of_a_result_are_sent_with_it() -> None:
    results = (ToolResult("A", parts=(Text("and"), PICTURE), call="1"), ToolResult("B", call="2"))
    *_, first, second = sent(Message.user("Look"), assistant(*CALLS), Message.user(*results))["messages"]

    assert ("A\nand", ["iVBORw=="]) == (first["content"], first["images"])
    assert "images" not in second


def test_settings_are_sent_when_they_are_given() -> None:
    body = sent(Message.user("Hi"), temperature=0.0, schema=PATH, tools=[READ])

    assert body["options"]["temperature"] == 0.0
    assert body["format"] == PATH
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
        [Message.user(RESULTS[0])],
        [assistant(*CALLS), Message.user("wait"), Message.user(*RESULTS)],
    ],
    ids=["no turn after", "no results", "one missing", "no call", "too late"],
)
def test_a_call_without_its_one_result_is_not_sent(messages: list[Message]) -> None:
    with pytest.raises(KoiError, match="exactly one result"):
        sent(*messages)


def test_what_the_model_reads_stays_the_same_as_the_conversation_grows() -> None:
    scribe, story = OllamaRequestBuilder(), [Message.user("Read both")]
    first = scribe.encode_prompt(Request(story, model="llama", tools=[READ], system=["Be kind."])).body
    story += [assistant(*CALLS), Message.user(*RESULTS)]
    second = scribe.encode_prompt(Request(story, model="llama", tools=[READ], system=["Be kind."])).body

    assert second.startswith(first.removesuffix(b"]"))


@pytest.mark.parametrize(
    ("abilities", "think", "reply"),
    [
        (("completion", "thinking"), True, True),
        (("completion", "thinking"), False, False),
        (("completion",), True, None),
    ],
)
def test_only_models_that_can_think_are_asked_to(abilities: tuple[str, ...], think: bool, reply: bool | None) -> None:
    async def ask() -> None:
        async with Ollama(base_url=server.url, think=think) as provider:
            async for _ in provider.chat(Request([Message.user("Hi")], model="llama")):
                pass

    with OllamaServer(models=[OllamaModel("llama", abilities=abilities)]) as server:
        asyncio.run(ask())

    assert reply == server.asked[0].get("think")


def test_a_key_is_shown_and_none_without_one() -> None:
    async def ask(key: str) -> None:
        async with Ollama(base_url=server.url, api_key=key) as provider:
            await provider.models()

    with OllamaServer() as server:
        asyncio.run(ask(""))
        asyncio.run(ask(" word "))
    headers = [request.headers.get("authorization") for request in server.requests if request.path == "/api/tags"]

    assert headers == [None, "Bearer word"]


@pytest.mark.parametrize(
    "body",
    [
        sent(Message.user("Hi")),
        sent(Message.user("Hi"), system=["Be kind."], temperature=0.7),
        sent(Message.user("Hi"), assistant(Text("Ho"), *CALLS), Message.user(*RESULTS, "go on"), tools=[READ]),
        sent(Message.user("What is this?", PICTURE), assistant(Reasoning("Hm."), Text("A fish")), schema=PATH),
    ],
    ids=["small", "settings", "tools", "pictures, thoughts and a schema"],
)
def test_requests_are_what_the_vendor_describes(body: dict[str, Any]) -> None:
    assert not schema_errors("ollama", "ChatRequest", body)


def test_all_that_is_sent_over_a_conversation_is_what_the_vendor_describes() -> None:
    async def ask() -> None:
        async with Ollama(base_url=server.url) as provider:
            await provider.models()
            async for _ in provider.chat(long_request("llama-fake")):
                pass

    with OllamaServer() as server:
        asyncio.run(ask())
    sent = [(request.path, request.json) for request in server.requests if request.method == "POST"]

    assert ["/api/show", "/api/chat"] == [path for path, _ in sent]
    assert not [wrong for path, body in sent for wrong in schema_errors("ollama", KINDS[path], body)]
