"""Test that requests match the vendor's own types."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from anthropic.types import message_count_tokens_params, message_create_params
from pydantic import TypeAdapter

from openkoi_anthropic import Anthropic
from openkoi_anthropic.output_schema import convert_schema
from openkoi_anthropic.request import MessagesRequestBuilder
from openkoi_anthropic.thinking import Thinking
from openkoi_hookspecs import (
    Arguments,
    ConfigError,
    Image,
    KoiError,
    Message,
    NoProviderError,
    Part,
    Reasoning,
    Request,
    Role,
    Text,
    Tool,
    ToolCall,
    ToolResult,
)
from openkoi_testing.servers import AnthropicServer

CREATED: TypeAdapter[Any] = TypeAdapter(message_create_params.MessageCreateParamsStreaming)
COUNTED: TypeAdapter[Any] = TypeAdapter(message_count_tokens_params.MessageCountTokensParams)
PATH: Arguments = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
CLOSED = {"type": "object", "properties": {}, "additionalProperties": False}
MARK = {"cache_control": {"type": "ephemeral"}}
SIGNED = Reasoning("Two files.", signature="c2ln")
HIDDEN = Reasoning("", signature="redacted:ZGF0YQ")


async def unused(arguments: Arguments) -> ToolResult:
    return ToolResult("")


READ = Tool("read", "Read a file.", PATH, unused)
LIST = Tool("list", "", {}, unused)
CALLS = (ToolCall("toolu_1", "read", {"path": "ä"}), ToolCall("toolu_2", "read", {"path": "b"}))
RESULTS = (ToolResult("A", call="toolu_1"), ToolResult("no such file", call="toolu_2", failed=True))
STORY = (Message.user("Read both"), Message(Role.ASSISTANT, (SIGNED, HIDDEN, Text("Yes."), *CALLS)))


def bare(value: Any) -> Any:
    """The request as parsed by the vendor's types: unknown keys are gone."""
    if isinstance(value, Mapping):
        return {key: bare(inner) for key, inner in value.items()}
    return [bare(inner) for inner in value] if isinstance(value, Iterable) and not isinstance(value, str) else value


def sent(*messages: Message, thinking: Thinking = "off", model: str = "claude-x", **settings: Any) -> dict[str, Any]:
    """The body of a request, checked against the vendor's types."""
    request = Request(messages, model=model, **settings)
    data: dict[str, Any] = json.loads(MessagesRequestBuilder(thinking).build(request, 4096))
    assert bare(CREATED.validate_python(data)) == {k: v for k, v in data.items() if k != "temperature"}
    counted = json.loads(MessagesRequestBuilder(thinking).build_count(request, 4096))
    assert bare(COUNTED.validate_python(counted)) == counted
    return data


def sent_parts(*parts: Part) -> list[dict[str, Any]]:
    """The sent parts of an assistant's message, in a conversation that continues."""
    ids = [part.id for part in parts if isinstance(part, ToolCall)]
    following = Message.user(*(ToolResult("x", call=id) for id in ids), "go on")
    messages = sent(Message.user("Hi"), Message(Role.ASSISTANT, parts), following)["messages"]
    return [block for message in messages if message["role"] == "assistant" for block in message["content"]]


def test_the_smallest_request_is_marked_where_its_message_ends() -> None:
    assert sent(Message.user("Hi")) == {
        "model": "claude-x",
        "max_tokens": 4096,
        "stream": True,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi", **MARK}]}],
        **MARK,
    }


def test_results_come_first_in_one_message_and_failures_are_told() -> None:
    story = sent(*STORY, Message.user("and then?", *RESULTS))

    assert story["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "A"},
        {"type": "tool_result", "tool_use_id": "toolu_2", "content": "no such file", "is_error": True},
        {"type": "text", "text": "and then?"},
    ]


def test_thoughts_are_handed_back_as_they_came_and_in_their_place() -> None:
    assert sent_parts(SIGNED, HIDDEN, Text("Yes."), CALLS[0]) == [
        {"type": "thinking", "thinking": "Two files.", "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "ZGF0YQ"},
        {"type": "text", "text": "Yes."},
        {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "ä"}},
    ]


def test_thoughts_without_a_seal_stay_here() -> None:
    assert sent_parts(Reasoning("Hm."), Text("Yes.")) == [{"type": "text", "text": "Yes."}]


def test_no_turn_ends_with_a_thought() -> None:
    assert sent_parts(Text("Yes."), SIGNED, HIDDEN) == [{"type": "text", "text": "Yes."}]
    assert sent_parts(SIGNED) == []


@pytest.mark.parametrize("nothing", ["", " \n"])
def test_empty_words_are_never_sent(nothing: str) -> None:
    results = (ToolResult(nothing, call="toolu_1"), ToolResult(nothing, call="toolu_2", failed=True))
    body = sent(*STORY, Message.user(*results, nothing), Message.user(nothing), system=["", nothing, "Be kind."])

    assert body["system"] == [{"type": "text", "text": "Be kind.", **MARK}]
    assert body["messages"][2]["content"] == [
        {"type": "tool_result", "tool_use_id": "toolu_1"},
        {
            "type": "tool_result",
            "tool_use_id": "toolu_2",
            "content": "The tool failed without output.",
            "is_error": True,
        },
    ]
    assert len(body["messages"]) == 3
    assert sent_parts(Text(nothing), Text("Yes.")) == [{"type": "text", "text": "Yes."}]


def test_pictures_are_sent_along() -> None:
    reply = sent(Message.user("What is this?", Image(b"\x89PNG", "image/png")))["messages"][0]["content"]

    assert reply == [
        {"type": "text", "text": "What is this?"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}, **MARK},
    ]


def test_names_that_another_vendor_made_up_are_written_as_this_one_takes_them() -> None:
    body = sent(
        Message.user("Hi"),
        Message(Role.ASSISTANT, (ToolCall("functions.read:0", "fs.read", {}),)),
        Message.user(ToolResult("x", call="functions.read:0")),
    )

    assert body["messages"][1]["content"][0]["id"] == body["messages"][2]["content"][0]["tool_use_id"]
    assert body["messages"][1]["content"][0]["name"].startswith("fs_read_")


def test_settings_are_sent_when_they_are_given() -> None:
    body = sent(Message.user("Hi"), temperature=1.5, max_output=5, tools=[READ, LIST], model="claude-sonnet-4-5")

    assert (body["temperature"], body["max_tokens"]) == (1.0, 5)
    assert body["tools"] == [
        {"name": "read", "description": "Read a file.", "input_schema": PATH},
        {"name": "list", "input_schema": {"type": "object"}, **MARK},
    ]


@pytest.mark.parametrize(
    ("model", "taken"),
    [
        ("claude-3-5-haiku-20241022", True),
        ("claude-haiku-4-5", True),
        ("claude-sonnet-4-5-20250929", True),
        ("claude-opus-4-1-20250805", True),
        ("claude-opus-4-20250514", True),
        ("claude-opus-4-5", True),
        ("claude-opus-4-7", False),
        ("claude-opus-4-8", False),
        ("claude-sonnet-5", False),
        ("claude-fable-5", False),
        ("somebody-else-s", True),
    ],
)
def test_a_temperature_is_sent_to_models_that_take_one(model: str, taken: bool) -> None:
    assert taken is ("temperature" in sent(Message.user("Hi"), temperature=0.1, model=model))


def test_an_answer_is_held_to_a_schema() -> None:
    config = sent(Message.user("Hi"), schema=PATH)["output_config"]

    assert config == {"format": {"type": "json_schema", "schema": {**PATH, "additionalProperties": False}}}


def test_what_an_answer_cannot_be_held_to_is_told_in_words() -> None:
    schema: Arguments = {
        "type": "object",
        "properties": {
            "score": {"type": "number", "minimum": 0, "maximum": 1, "description": "How good."},
            "when": {"type": "string", "format": "date"},
            "tags": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/tag"}},
            "either": {"oneOf": [{"type": "object"}, {"type": "null"}]},
        },
        "$defs": {"tag": {"type": "string", "pattern": "^a"}},
    }

    assert convert_schema(schema) == {
        "type": "object",
        "properties": {
            "score": {"type": "number", "description": 'How good.\n\n{"minimum": 0, "maximum": 1}'},
            "when": {"type": "string", "format": "date"},
            "tags": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/tag"}},
            "either": {
                "anyOf": [{"type": "object", "properties": {}, "additionalProperties": False}, {"type": "null"}]
            },
        },
        "$defs": {"tag": {"type": "string", "description": '{"pattern": "^a"}'}},
        "additionalProperties": False,
    }


def test_halves_of_characters_do_not_stop_a_request() -> None:
    assert sent(Message.user("caf\udce9"))["messages"][0]["content"][0]["text"] == "caf?"


@pytest.mark.parametrize(
    "messages",
    [STORY, (*STORY, Message.user("never mind")), (*STORY, Message.user(RESULTS[0])), (Message.user(RESULTS[0]),)],
    ids=["no turn after", "no results", "one missing", "no call"],
)
def test_a_call_without_its_one_result_is_not_sent(messages: tuple[Message, ...]) -> None:
    with pytest.raises(KoiError, match="exactly one result"):
        sent(*messages)


@pytest.mark.parametrize(
    ("thinking", "limit", "asked"),
    [
        ("off", 9000, None),
        (0, 9000, None),
        ("adaptive", 100, {"type": "adaptive", "display": "summarized"}),
        (4000, 9000, {"type": "enabled", "budget_tokens": 4000}),
        (8000, 9000, {"type": "enabled", "budget_tokens": 7976}),
        (4000, 2048, {"type": "enabled", "budget_tokens": 1024}),
        (4000, 2047, None),
    ],
)
def test_thoughts_leave_room_for_an_answer(thinking: Thinking, limit: int, asked: Any) -> None:
    body = sent(Message.user("Hi"), thinking=thinking, max_output=limit, temperature=0.0, model="claude-sonnet-4-5")

    assert asked == body.get("thinking")
    assert ("temperature" in body) is (asked is None)


def test_thoughts_are_not_asked_for_in_a_row_of_calls_that_began_without_one() -> None:
    unthinking = Message(Role.ASSISTANT, (Reasoning("Not sealed."), *CALLS))
    results = Message.user(*RESULTS)

    assert "thinking" not in sent(STORY[0], unthinking, results, thinking=2000)
    assert "thinking" in sent(*STORY, results, thinking=2000)
    assert "thinking" in sent(STORY[0], Message(Role.ASSISTANT, (Text("Ho"),)), Message.user("x"), thinking=2000)


@pytest.mark.parametrize("thinking", [1, 1023, -5, True, "much"])
def test_a_setting_that_makes_no_sense_is_named(thinking: Any) -> None:
    with pytest.raises(ConfigError, match="thinking is"):
        Anthropic(api_key="k", thinking=thinking)


def headers(key: str, path: str = "") -> Mapping[str, str]:
    """The request that a server receives."""

    async def ask() -> None:
        async with Anthropic(api_key=key, base_url=server.url + path) as provider:
            await provider.models()

    with AnthropicServer(key=key) as server:
        asyncio.run(ask())
    return server.requests[0].headers


def test_a_key_and_a_token_are_shown_in_their_own_ways() -> None:
    key, token = headers("sk-ant-api03-secret"), headers("sk-ant-oat01-secret", path="/v1/")

    assert (key["x-api-key"], key["anthropic-version"]) == ("sk-ant-api03-secret", "2023-06-01")
    assert "authorization" not in key
    assert (token["authorization"], token["anthropic-beta"]) == ("Bearer sk-ant-oat01-secret", "oauth-2025-04-20")
    assert "x-api-key" not in token


def test_a_missing_key_is_asked_for_by_its_variable() -> None:
    with pytest.raises(NoProviderError, match="Set ANTHROPIC_API_KEY"):
        Anthropic()
