"""Test that the vendor's own client accepts the fake of Ollama."""

import json
import math
from collections.abc import Iterator
from typing import Any

import httpx2
import ollama
import pytest
from data_files import schema_errors

from openkoi_hookspecs import Reasoning, ToolCall, Usage
from openkoi_testing.servers import OllamaServer, Say, ServerFault
from openkoi_testing.servers.ollama_rules import OllamaModel

PLAIN: Any = {"verify": False, "trust_env": False}  # nothing is encrypted here, and reading certificates takes time
HELLO: Any = [{"role": "user", "content": "Hello"}]
TOOLS: Any = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object", "properties": {}}}}]
CALLS = [ToolCall("call_a", "read", {"path": "ä"}), ToolCall("call_b", "read", {"of": [1, {}]})]
SAYS = Say([Reasoning("Hm."), "Héllo 😀", *CALLS], usage=Usage(input=10, output=7, cache_read=4))
MODELS = (
    OllamaModel("llama-fake", context=65_536, window=16_384),
    OllamaModel("old:7b", abilities=("completion",)),
    OllamaModel("embed-fake", abilities=("embedding",), dimensions=4),
)


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer(SAYS, "Done.", models=MODELS, key="right") as server:
        yield server


@pytest.fixture
def sdk(server: OllamaServer) -> Iterator[ollama.Client]:
    with ollama.Client(server.url, headers={"Authorization": "Bearer right"}, verify=False, trust_env=False) as client:
        yield client


def asked(answer: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(call.function.name, dict(call.function.arguments)) for call in answer.message.tool_calls or []]


def test_the_vendor_s_client_reads_a_stream(sdk: ollama.Client) -> None:
    pieces = list(sdk.chat(model="llama-fake", messages=HELLO, tools=TOOLS, stream=True))

    assert "".join(piece.message.content or "" for piece in pieces) == "Héllo 😀"
    assert "".join(piece.message.thinking or "" for piece in pieces) == "Hm."
    assert [call for piece in pieces for call in asked(piece)] == [("read", {"path": "ä"}), ("read", {"of": [1, {}]})]
    assert [piece.done for piece in pieces[-2:]] == [False, True]
    assert (pieces[-1].done_reason, pieces[-1].prompt_eval_count, pieces[-1].eval_count) == ("stop", 14, 7)


def test_the_vendor_s_client_reads_an_answer_that_comes_whole(sdk: ollama.Client) -> None:
    answer = sdk.chat(model="llama-fake", messages=HELLO)

    assert (answer.message.content, answer.message.thinking) == ("Héllo 😀", "Hm.")
    assert [("read", {"path": "ä"}), ("read", {"of": [1, {}]})] == asked(answer)
    assert (answer.done, answer.done_reason, answer.prompt_eval_count) == (True, "stop", 14)


def test_the_vendor_s_client_sends_results_back(server: OllamaServer, sdk: ollama.Client) -> None:
    called = sdk.chat(model="llama-fake", messages=HELLO, tools=TOOLS).message
    result = {"role": "tool", "tool_name": "read", "content": "x"}

    assert sdk.chat(model="llama-fake", messages=[*HELLO, called, result]).message.content == "Done."
    assert server.asked[1]["messages"][2] == result  # type: ignore[index]  # JSON of a known shape


def test_the_vendor_s_client_lists_and_describes_models(sdk: ollama.Client) -> None:
    shown = sdk.show("llama-fake")

    assert ["llama-fake:latest", "old:7b", "embed-fake:latest"] == [model.model for model in sdk.list().models]
    assert shown.modelinfo is not None
    assert (shown.modelinfo["general.architecture"], shown.modelinfo["llama.context_length"]) == ("llama", 65_536)
    assert shown.capabilities == ["completion", "tools", "thinking", "vision"]
    assert shown.parameters is not None
    assert shown.parameters.split() == ["num_ctx", "16384"]


def test_the_vendor_s_client_embeds(sdk: ollama.Client) -> None:
    answer = sdk.embed(model="embed-fake", input=["one", "two words", "one"])
    one, two, again = answer.embeddings

    assert (len(one), answer.prompt_eval_count) == (4, 4)
    assert one == again != two
    assert math.isclose(1.0, math.hypot(*one))
    assert len(sdk.embed(model="embed-fake", input="one", dimensions=2).embeddings[0]) == 2


def refusal(sdk: ollama.Client, **request: Any) -> tuple[int, str]:
    """The refusal of a chat."""
    with pytest.raises(ollama.ResponseError) as caught:
        sdk.chat(**{"model": "llama-fake", "messages": HELLO, **request})
    return caught.value.status_code, caught.value.error


def test_the_vendor_s_client_reads_refusals(server: OllamaServer, sdk: ollama.Client) -> None:
    tools = "registry.ollama.ai/library/old:7b does not support tools"

    assert refusal(sdk, model="gone") == (404, "model 'gone' not found")
    assert refusal(sdk, model="old:7b", tools=TOOLS) == (400, tools)
    assert refusal(sdk, model="old:7b", think=True) == (400, '"old:7b" does not support thinking')
    assert refusal(sdk, model="embed-fake") == (400, '"embed-fake" does not support chat')
    with pytest.raises(ollama.ResponseError, match="does not support embeddings"):
        sdk.embed(model="llama-fake", input="x")
    with ollama.Client(server.url, headers={"Authorization": "x"}, verify=False, trust_env=False) as stranger:
        assert refusal(stranger) == (401, "unauthorized")


def test_the_vendor_s_client_reads_an_error_in_mid_stream() -> None:
    lines = [b'{"message":{"role":"assistant","content":"Hi"},"done":false}\n', b'{"error":"the runner died"}\n']
    with (
        OllamaServer(Say(fault=ServerFault(body=lines))) as server,
        ollama.Client(server.url, verify=False, trust_env=False) as sdk,
        pytest.raises(ollama.ResponseError, match="the runner died"),
    ):
        list(sdk.chat(model="llama-fake", messages=HELLO, stream=True))


def test_no_messages_only_load_the_model(sdk: ollama.Client) -> None:
    answer = sdk.chat(model="llama-fake", messages=[])

    assert (answer.done_reason, answer.message.content, answer.eval_count) == ("load", "", None)


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "user", "content": ["x"]}]},
        {"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "read", "arguments": "{}"}}]}]},
        {"messages": [{"role": "user", "content": "", "images": ["data:image/png;base64,AA=="]}]},
        {"messages": "Hello"},
        {"messages": HELLO, "options": {"num_ctx": "4096"}},
        {"messages": HELLO, "format": "yaml"},
        {"messages": HELLO, "model": ""},
    ],
    ids=["content", "arguments as text", "image", "messages", "option", "format", "no model"],
)
def test_it_is_as_strict_as_the_real_one(server: OllamaServer, body: dict[str, Any]) -> None:
    answer = httpx2.post(
        f"{server.url}/api/chat",
        json={"model": "llama-fake", **body},
        headers={"Authorization": "Bearer right"},
        **PLAIN,
    )

    assert answer.status_code == 400
    assert list(answer.json()) == ["error"]


def test_what_does_not_fit_is_cut_in_silence_unless_that_is_forbidden() -> None:
    body: Any = {"model": "llama-fake", "messages": [{"role": "user", "content": "x" * 9000}], "stream": False}
    with OllamaServer() as server:
        cut = httpx2.post(f"{server.url}/api/chat", json={**body, "options": {"num_ctx": 2048}}, **PLAIN)
        refused = httpx2.post(
            f"{server.url}/api/chat", json={**body, "truncate": False, "options": {"num_ctx": 2048}}, **PLAIN
        )

    assert cut.json()["message"]["content"] == "Hello."
    assert refused.status_code == 400
    assert "exceeds the available context size (2048 tokens)" in refused.json()["error"]


def test_it_says_that_it_runs(server: OllamaServer) -> None:
    key = {"Authorization": "Bearer right"}

    assert httpx2.get(server.url, headers=key, **PLAIN).text == "Ollama is running"
    assert list(httpx2.get(f"{server.url}/api/version", headers=key, **PLAIN).json()) == ["version"]
    assert httpx2.get(f"{server.url}/api/nothing", headers=key, **PLAIN).status_code == 404


def test_its_answers_are_what_the_vendor_describes(server: OllamaServer) -> None:
    chat: Any = {"model": "llama-fake", "messages": HELLO}
    with httpx2.Client(
        base_url=server.url, headers={"Authorization": "Bearer right"}, verify=False, trust_env=False
    ) as client:
        lines = client.post("/api/chat", json=chat).text.splitlines()
        answers = [
            *(("ChatStreamEvent", json.loads(line)) for line in lines),
            ("ChatResponse", client.post("/api/chat", json={**chat, "stream": False}).json()),
            ("ListResponse", client.get("/api/tags").json()),
            ("ShowResponse", client.post("/api/show", json={"model": "llama-fake"}).json()),
            ("EmbedResponse", client.post("/api/embed", json={"model": "embed-fake", "input": "x"}).json()),
            ("VersionResponse", client.get("/api/version").json()),
            ("ErrorResponse", client.post("/api/show", json={"model": "gone"}).json()),
        ]

    for kind, answer in answers:
        assert not schema_errors("ollama", kind, answer), kind
