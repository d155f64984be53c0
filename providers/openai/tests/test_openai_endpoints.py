"""Test each vendor of the table: its key, address and quirks; and which API is used where."""

import asyncio
import inspect
import json
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import httpx2
import pytest

from openkoi_hookspecs import (
    Arguments,
    Buffered,
    Chunk,
    ConfigError,
    Env,
    Message,
    NoProviderError,
    Price,
    Reasoning,
    Request,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from openkoi_openai import OpenAI, vendors
from openkoi_openai.compatible import Compatible
from openkoi_testing.servers import OpenAIServer

POINT: Arguments = {
    "type": "object",
    "properties": {"x": {"type": "number"}},
    "required": ["x"],
    "additionalProperties": False,
}
VENDORS = {
    "groq": (vendors.Groq, "GROQ_API_KEY", "GROQ_BASE_URL", "https://api.groq.com/openai/v1"),
    "openrouter": (vendors.OpenRouter, "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL", "https://openrouter.ai/api/v1"),
    "together": (vendors.Together, "TOGETHER_API_KEY", "TOGETHER_BASE_URL", "https://api.together.xyz/v1"),
    "deepseek": (vendors.DeepSeek, "DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL", "https://api.deepseek.com/v1"),
    "xai": (vendors.XAI, "XAI_API_KEY", "XAI_BASE_URL", "https://api.x.ai/v1"),
    "qwen": (
        vendors.Qwen,
        "DASHSCOPE_API_KEY",
        "QWEN_BASE_URL",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    ),
    "custom": (vendors.Custom, "CUSTOM_API_KEY", "CUSTOM_BASE_URL", ""),
}
each = pytest.mark.parametrize("name", VENDORS)
hosted = pytest.mark.parametrize("name", [name for name in VENDORS if name != "custom"])


class Wire:
    """A server that records requests and gives a fixed answer."""

    def __init__(self, answer: Any = None, *, whole: bool = False) -> None:
        self.requests: list[httpx2.Request] = []
        end = {"choices": [{"delta": {"content": "x"}, "message": {"content": "x"}, "finish_reason": "stop"}]}
        document = json.dumps(answer or end)
        self._content = document if whole else f"data: {document}\n\ndata: {json.dumps(end)}\n\n"
        self._type = "application/json" if whole else "text/event-stream"
        self.transport = httpx2.MockTransport(self._answer)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        return httpx2.Response(200, content=self._content, headers={"content-type": self._type})

    @property
    def body(self) -> dict[str, Any]:
        """The last request."""
        found: dict[str, Any] = json.loads(self.requests[-1].content)
        return found


def heard(provider: Compatible, *messages: Message, **settings: Any) -> list[Chunk]:
    async def ask() -> list[Chunk]:
        async with provider:
            request = Request(messages or [Message.user("Hi")], model="m", **settings)
            return [chunk async for chunk in provider.chat(request) if not isinstance(chunk, Buffered)]

    return asyncio.run(ask())


def opened(name: str, wire: Wire) -> Compatible:
    return VENDORS[name][0](
        api_key="k-123456", base_url=VENDORS[name][3] or "http://localhost/v1", transport=wire.transport
    )


@pytest.mark.row("PROV-05")
@each
def test_each_is_an_entry_point(name: str) -> None:
    [entry] = entry_points(group="openkoi.providers", name=name)

    assert VENDORS[name][0] is entry.load()


@each
def test_the_parameters_are_the_configuration(name: str) -> None:
    opener, key, url, address = VENDORS[name]
    hints = get_type_hints(opener, include_extras=True)
    marks = {name: get_args(hint)[1] for name, hint in hints.items() if get_origin(hint) is Annotated}

    assert Env(key, secret=True) == marks["api_key"]
    assert Env(url) == marks["base_url"]
    assert Env("OPENKOI_CASSETTE") == marks["cassette"]
    assert address == inspect.signature(opener).parameters["base_url"].default


@hosted
def test_a_key_is_needed_at_the_vendor_s_own_and_nowhere_else(name: str) -> None:
    opener, key, url, _ = VENDORS[name]

    with pytest.raises(NoProviderError, match=f"Set {key}, or {url}"):
        opener(api_key="  ")
    opener(base_url="http://localhost:8080/v1")
    with pytest.raises(ConfigError, match="Cannot replay"):
        opener(cassette="replay:missing.jsonl")


def test_a_server_of_one_s_own_needs_an_address() -> None:
    with pytest.raises(NoProviderError, match="Set CUSTOM_BASE_URL"):
        vendors.Custom(api_key="k")


def test_what_was_recorded_is_played_back_without_a_key_or_a_server(tmp_path: Path) -> None:
    file = tmp_path / "tape.jsonl"
    with OpenAIServer("Hello.") as server:
        recorded = heard(OpenAI(api_key="k", base_url=server.url, cassette=f"record:{file}"))

    assert recorded == heard(OpenAI(api="chat", cassette=f"replay:{file}"))
    with pytest.raises(NoProviderError, match="Set OPENAI_API_KEY"):
        OpenAI(cassette=f"record:{file}")


def test_a_key_has_two_names_at_qwen() -> None:
    marks = get_args(get_type_hints(vendors.Qwen, include_extras=True)["api_key"])[1:]

    assert (Env("DASHSCOPE_API_KEY", secret=True), Env("QWEN_API_KEY", secret=True)) == marks


@each
def test_each_is_asked_at_its_address_under_its_key(name: str) -> None:
    wire = Wire()
    heard(opened(name, wire))

    assert f"{VENDORS[name][3] or 'http://localhost/v1'}/chat/completions" == str(wire.requests[0].url)
    assert wire.requests[0].headers["authorization"] == "Bearer k-123456"


@pytest.mark.parametrize(
    ("name", "key"),
    [("groq", "max_completion_tokens"), ("xai", "max_completion_tokens"), ("openrouter", "max_tokens")],
)
def test_the_longest_answer_has_the_vendor_s_name(name: str, key: str) -> None:
    wire = Wire()
    heard(opened(name, wire), max_output=7)

    assert wire.body[key] == 7


@pytest.mark.parametrize("name", ["openrouter", "together", "xai", "custom"])
def test_a_shape_is_asked_for(name: str) -> None:
    wire = Wire()
    heard(opened(name, wire), schema=POINT)

    assert wire.body["response_format"]["json_schema"] == {"name": "answer", "schema": POINT, "strict": True}


@pytest.mark.parametrize("name", ["groq", "deepseek", "qwen"])
def test_a_shape_is_told_in_words_where_only_json_can_be_asked_for(name: str) -> None:
    wire = Wire(whole=name == "groq")
    chunks = heard(opened(name, wire), schema=POINT, system=["Be kind."])
    report = wire.body["messages"][0]["content"]

    assert wire.body["response_format"] == {"type": "json_object"}
    assert report.startswith("Be kind.\n\nAnswer with a single JSON object")
    assert json.dumps(POINT) in report
    assert chunks
    assert (name == "groq") is not wire.body["stream"]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("groq", "reasoning"),
        ("openrouter", "reasoning"),
        ("deepseek", "reasoning_content"),
        ("qwen", "reasoning_content"),
    ],
)
def test_thoughts_are_heard_under_the_vendor_s_name(name: str, key: str) -> None:
    wire = Wire({"choices": [{"delta": {key: "Hm."}}]})

    assert heard(opened(name, wire))[0] == Reasoning("Hm.")


@each
def test_only_deepseek_wants_the_thoughts_before_a_call_back(name: str) -> None:
    wire = Wire()
    reply = Message(Role.ASSISTANT, (Reasoning("Hm."), Text("x"), ToolCall("1", "read", {})))
    heard(opened(name, wire), Message.user("Go"), reply, Message.user(ToolResult("x", call="1")))

    assert ("Hm." if name == "deepseek" else None) == wire.body["messages"][1].get("reasoning_content")


def test_openrouter_is_told_who_asks() -> None:
    wire = Wire()
    heard(opened("openrouter", wire))

    assert wire.requests[0].headers["x-title"] == "OpenKoi"


@pytest.mark.row("ONB-04")
def test_openrouter_lists_its_own_models_by_the_second_part_of_their_names() -> None:
    wire = Wire({"data": [{"id": "openrouter/auto"}, {"id": "acme/large"}]}, whole=True)

    async def names() -> list[str]:
        async with opened("openrouter", wire) as provider:
            return [model.name for model in await provider.models()]

    assert ["auto", "acme/large"] == asyncio.run(names())


def test_usage_is_not_asked_for_where_that_is_refused() -> None:
    wire = Wire()
    heard(OpenAI(base_url="http://localhost/v1", stream_options=False, transport=wire.transport))

    assert "stream_options" not in wire.body


@pytest.mark.parametrize(
    ("url", "api", "path"),
    [
        ("https://api.openai.com/v1", "auto", "/v1/responses"),
        ("https://eu.api.openai.com/v1", "auto", "/v1/responses"),
        ("https://api.openai.com/v1", "chat", "/v1/chat/completions"),
        ("http://localhost:8080/v1", "auto", "/v1/chat/completions"),
        ("http://localhost:8080/v1", "responses", "/v1/responses"),
        ("https://api.openai.com.evil.example/v1", "auto", "/v1/chat/completions"),
    ],
)
def test_responses_are_spoken_at_openai_and_chat_completions_elsewhere(url: str, api: Any, path: str) -> None:
    reply = {"type": "message", "content": [{"type": "output_text", "text": "x"}]}
    ended = {"type": "response.completed", "response": {"status": "completed", "output": [reply]}}
    wire = Wire(ended if path.endswith("responses") else None)
    heard(OpenAI(api_key="k", base_url=url, api=api, transport=wire.transport))

    assert path == wire.requests[0].url.path


def test_a_reasoning_model_of_openai_s_takes_no_temperature_in_chat_completions() -> None:
    wire = Wire()
    heard(OpenAI(api_key="k", api="chat", transport=wire.transport), temperature=0.1)
    heard(OpenAI(base_url="http://localhost/v1", transport=wire.transport), temperature=0.1)
    official, other = [json.loads(request.content) for request in wire.requests]

    assert "temperature" not in official
    assert other["temperature"] == 0.1


def test_a_real_server_is_asked_as_custom() -> None:
    with OpenAIServer("Hello.") as server:
        chunks = heard(vendors.Custom(base_url=server.url))

    assert "Hello." == "".join(chunk.text for chunk in chunks if isinstance(chunk, Text))


@pytest.mark.row("PROV-12")
@pytest.mark.parametrize(("key", "price"), [("", Price(0.0, 0.0)), ("sk-any-key-at-all", None)])
def test_a_server_on_this_machine_that_wants_no_key_is_free(key: str, price: Price | None) -> None:
    async def listed(url: str) -> Price | None:
        async with vendors.Custom(base_url=url, api_key=key) as provider:
            return next(iter(await provider.models())).price

    with OpenAIServer("Hello.", models=["llama"]) as server:
        assert price == asyncio.run(listed(server.url))
