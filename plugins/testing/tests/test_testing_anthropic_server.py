"""Test that the vendor's own client accepts the fake of Anthropic, and that it refuses what the real one refuses."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import anthropic
import httpx2
import pytest
from anthropic.types import MessageParam, ToolParam

from openkoi_hookspecs import Reasoning, ToolCall, Usage
from openkoi_testing.servers import AnthropicServer, Say, ServerFault
from openkoi_testing.servers.anthropic import error_body
from openkoi_testing.servers.json_body import to_json

PLAIN: Any = {"verify": False, "trust_env": False}  # nothing is encrypted here, and reading certificates takes time
MODEL = "claude-fake"
HELLO: list[MessageParam] = [{"role": "user", "content": "Hello"}]
TOOLS: list[ToolParam] = [{"name": "read", "description": "Read.", "input_schema": {"type": "object"}}]
CALLS = [ToolCall("toolu_a", "read", {"path": "ä"}), ToolCall("toolu_b", "read", {})]
THOUGHTS = [Reasoning("Two files."), Reasoning("", signature="c2VjcmV0")]
COUNTED = Usage(input=10, output=7, cache_read=4, cache_write=2)
MARK: Any = {"type": "ephemeral"}
THINKING: Any = {"type": "enabled", "budget_tokens": 1024}


@pytest.fixture
def server() -> Iterator[AnthropicServer]:
    says = (Say([*THOUGHTS, "Héllo 😀", *CALLS], usage=COUNTED), "Done.")
    names = [MODEL, *(f"claude-{n}" for n in range(45))]
    with AnthropicServer(*says, models=names, key="sk-ant-right") as server:
        yield server


@pytest.fixture
def sdk(server: AnthropicServer) -> Iterator[anthropic.Anthropic]:
    with client(server) as sdk:
        yield sdk


def client(server: AnthropicServer) -> anthropic.Anthropic:
    plain = httpx2.Client(verify=False, trust_env=False)
    return anthropic.Anthropic(api_key="sk-ant-right", base_url=server.url, max_retries=0, http_client=plain)


def result(id: str) -> Any:
    return {"type": "tool_result", "tool_use_id": id, "content": "x"}


def called(*ids: str) -> Any:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": i, "name": "read", "input": {}} for i in ids]}


def user(*blocks: Any) -> Any:
    return {"role": "user", "content": list(blocks)}


def text(words: str, **more: Any) -> Any:
    return {"type": "text", "text": words, **more}


def test_the_vendor_s_client_reads_a_stream(sdk: anthropic.Anthropic) -> None:
    with sdk.messages.stream(model=MODEL, messages=HELLO, tools=TOOLS, max_tokens=100) as stream:
        answer = stream.get_final_message()
    thought, hidden, error_message, *calls = answer.content

    assert thought.type == "thinking"
    assert (thought.thinking, len(thought.signature)) == ("Two files.", 64)
    assert hidden.type == "redacted_thinking"
    assert hidden.data == "c2VjcmV0"
    assert error_message.type == "text"
    assert error_message.text == "Héllo 😀"
    assert [(call.id, call.name, call.input) for call in calls if call.type == "tool_use"] == [
        ("toolu_a", "read", {"path": "ä"}),
        ("toolu_b", "read", {}),
    ]
    assert answer.stop_reason == "tool_use"


@pytest.mark.parametrize("stream", [False, True])
def test_the_vendor_s_client_reads_what_it_cost(sdk: anthropic.Anthropic, stream: bool) -> None:
    asked: Any = {"model": MODEL, "messages": HELLO, "max_tokens": 100}
    if stream:
        with sdk.messages.stream(**asked) as events:
            usage = events.get_final_message().usage
    else:
        usage = sdk.messages.create(**asked).usage

    assert (10, 7) == (usage.input_tokens, usage.output_tokens)
    assert (4, 2) == (usage.cache_read_input_tokens, usage.cache_creation_input_tokens)


def test_the_vendor_s_client_knows_each_event_of_a_stream(sdk: anthropic.Anthropic) -> None:
    stream = sdk.messages.create(model=MODEL, messages=HELLO, max_tokens=100, stream=True)
    kinds = [event.type for event in stream]

    assert kinds[0] == "message_start"
    assert kinds[-2:] == ["message_delta", "message_stop"]
    assert kinds.count("content_block_start") == kinds.count("content_block_stop") == 5


def test_the_vendor_s_client_sends_results_and_thoughts_back(server: AnthropicServer, sdk: anthropic.Anthropic) -> None:
    asked: Any = {"model": MODEL, "tools": TOOLS, "max_tokens": 2000, "thinking": THINKING}
    answer = sdk.messages.create(messages=HELLO, **asked)
    story = [*HELLO, answer.to_param(), user(result("toolu_a"), result("toolu_b"))]
    second = sdk.messages.create(messages=story, **asked)

    assert [block.type for block in second.content] == ["text"]
    assert len(server.asked) == 2


def test_the_vendor_s_asynchronous_client_reads_it_too(server: AnthropicServer) -> None:
    async def ask() -> str:
        async with (
            anthropic.AsyncAnthropic(api_key="sk-ant-right", base_url=server.url) as sdk,
            sdk.messages.stream(model=MODEL, messages=HELLO, max_tokens=100) as stream,
        ):
            text: str = await stream.get_final_text()
            return text

    assert asyncio.run(ask()) == "Héllo 😀"


def test_the_vendor_s_client_lists_models_page_after_page(server: AnthropicServer, sdk: anthropic.Anthropic) -> None:
    models = list(sdk.models.list())

    assert len(models) == 46
    assert (models[0].id, models[0].max_input_tokens, models[0].max_tokens) == (MODEL, 200_000, 32_000)
    assert len(server.requests) == 3
    assert sdk.models.retrieve("claude-7").id == "claude-7"


def test_the_vendor_s_client_counts_tokens(sdk: anthropic.Anthropic) -> None:
    short = sdk.messages.count_tokens(model=MODEL, messages=HELLO)
    long = sdk.messages.count_tokens(model=MODEL, messages=[*HELLO, *HELLO], system="x" * 4000, tools=TOOLS)

    assert 0 < short.input_tokens < 20
    assert 1000 < long.input_tokens < 1100


def test_the_vendor_s_client_reads_refusals(server: AnthropicServer, sdk: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.AuthenticationError, match="invalid x-api-key"):
        sdk.with_options(api_key="sk-ant-wrong").models.list()
    with pytest.raises(anthropic.NotFoundError, match="model: claude-nowhere"):
        sdk.messages.create(model="claude-nowhere", messages=HELLO, max_tokens=5)
    with pytest.raises(anthropic.NotFoundError):
        sdk.messages.batches.list()


@pytest.mark.parametrize(
    ("kind", "status", "raised"),
    [
        ("rate_limit_error", 429, anthropic.RateLimitError),
        ("api_error", 500, anthropic.InternalServerError),
        ("overloaded_error", 529, anthropic.InternalServerError),
        ("permission_error", 403, anthropic.PermissionDeniedError),
    ],
)
def test_the_vendor_s_client_reads_failures(kind: str, status: int, raised: type[Exception]) -> None:
    fault = ServerFault(status=status, headers={"Retry-After": "1"}, body=to_json(error_body(kind, "not now")))
    with AnthropicServer(Say(fault=fault)) as server, client(server) as sdk, pytest.raises(raised, match="not now"):
        sdk.messages.create(model=MODEL, messages=HELLO, max_tokens=5)


def test_a_token_wants_its_header() -> None:
    bearer = {"Authorization": "Bearer sk-ant-oat01-right", "anthropic-version": "2023-06-01"}
    beta = {"anthropic-beta": "oauth-2025-04-20"}

    with AnthropicServer(key="sk-ant-oat01-right") as server:
        assert httpx2.get(f"{server.url}/v1/models", headers=bearer, **PLAIN).status_code == 401
        assert httpx2.get(f"{server.url}/v1/models", headers=bearer | beta, **PLAIN).status_code == 200


def test_a_version_and_a_key_are_wanted(server: AnthropicServer) -> None:
    without = httpx2.get(f"{server.url}/v1/models", headers={"x-api-key": "sk-ant-right"}, **PLAIN)

    assert (without.status_code, "anthropic-version: header is required") == (400, error_message(without))
    assert httpx2.get(f"{server.url}/v1/models", **PLAIN).status_code == 401


def error_message(response: httpx2.Response) -> str:
    message: str = response.json()["error"]["message"]
    return message


CLOSED = {"type": "object", "properties": {"n": {"type": "number"}}, "additionalProperties": False}
OPEN = {"type": "object", "properties": {"n": {"type": "number", "minimum": 0}}}


def held(schema: Any) -> Any:
    return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}


@pytest.mark.parametrize(
    "wrong",
    [
        {"messages": []},
        {"messages": [called("a")]},
        {"messages": [*HELLO, called("a")]},
        {"messages": [*HELLO, called("a", "b"), user(result("a"))]},
        {"messages": [*HELLO, called("a"), *HELLO]},
        {"messages": [*HELLO, called("a"), user(text("wait"), result("a"))]},
        {"messages": [*HELLO, called("a"), user(result("a"), result("a"))]},
        {"messages": [user(result("a"))]},
        {"messages": [*HELLO, called("a b"), user(result("a b"))]},
        {"messages": [*HELLO, called("a"), user({**result("a"), "content": "", "is_error": True})]},
        {"messages": [user(text(" "))]},
        {"messages": [{"role": "system", "content": "x"}, *HELLO]},
        {"messages": [user()]},
        {"system": [text("")]},
        {"system": [text("x", cache_control=MARK)] * 5},
        {"system": [text("x", cache_control=MARK)] * 4, "cache_control": MARK},
        {"max_tokens": 0},
        {"temperature": 2},
        {"tools": [{"name": "a.b", "input_schema": {"type": "object"}}]},
        {"tools": [{"name": "a", "input_schema": {}}]},
        {"tools": TOOLS * 2},
        {"thinking": {"type": "enabled", "budget_tokens": 100}},
        {"thinking": THINKING},
        {"thinking": THINKING, "max_tokens": 2000, "temperature": 0.5},
        {"thinking": THINKING, "max_tokens": 2000, "tools": TOOLS, "tool_choice": {"type": "any"}},
        held(OPEN),
        held({**CLOSED, "properties": {"n": OPEN}}),
        {"max_output": 5},
    ],
    ids=lambda wrong: json.dumps(wrong)[:60],
)
def test_it_is_as_strict_as_the_real_one(sdk: anthropic.Anthropic, wrong: dict[str, Any]) -> None:
    asked = {"model": MODEL, "max_tokens": 100, "messages": HELLO, **wrong}

    with pytest.raises(anthropic.BadRequestError):
        sdk.post("/v1/messages", body=asked, cast_to=anthropic.types.Message)


def test_it_takes_what_the_real_one_takes(sdk: anthropic.Anthropic) -> None:
    marked = [text(word, cache_control=MARK) for word in "abc"]
    messages = [*HELLO, *HELLO, called("a", "b"), user(result("b"), result("a"), text("go on", cache_control=MARK))]
    asked: Any = {"system": marked, "messages": messages, "cache_control": MARK, "tools": TOOLS, **held(CLOSED)}

    assert sdk.messages.create(model=MODEL, max_tokens=100, **asked).content


@pytest.mark.parametrize("change", ["signature", "thinking", "missing", "order", "redacted"])
def test_thoughts_come_back_as_they_were_or_not_at_all(sdk: anthropic.Anthropic, change: str) -> None:
    asked: Any = {"model": MODEL, "tools": TOOLS, "max_tokens": 2000, "thinking": THINKING}
    content = sdk.messages.create(messages=HELLO, **asked).model_dump(exclude_none=True)["content"]
    thought, hidden, *rest = content
    changed = {
        "signature": [{**thought, "signature": "other"}, hidden, *rest],
        "thinking": [{**thought, "thinking": "other"}, hidden, *rest],
        "missing": rest,
        "order": [hidden, thought, *rest],
        "redacted": [thought, *rest],
    }[change]
    story: Any = [*HELLO, {"role": "assistant", "content": changed}, user(result("toolu_a"), result("toolu_b"))]

    with pytest.raises(anthropic.BadRequestError, match=r"thinking"):
        sdk.messages.create(messages=story, **asked)
