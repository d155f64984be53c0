"""Test empty answers: requested once more, not four times, and no work is lost."""

import json
from pathlib import Path

import pytest
from cli_process import shell

from openkoi_hookspecs import Json, ToolCall
from openkoi_testing.servers import (
    AnthropicServer,
    BedrockServer,
    GoogleServer,
    OllamaServer,
    OpenAIServer,
    Say,
    ServerFault,
)
from openkoi_testing.servers.vendor_server import VendorServer

STOP: dict[str, Json] = {"index": 0, "finish_reason": "stop"}
NULL: dict[str, Json] = {"role": "assistant", "content": None}
EMPTY: dict[str, Json] = {
    "null content": {"choices": [{**STOP, "message": NULL}]},
    "null content and no calls": {"choices": [{**STOP, "message": {**NULL, "tool_calls": []}}]},
    "null content and null calls": {"choices": [{**STOP, "message": {**NULL, "tool_calls": None}}]},
    "calls that are not there": {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": NULL}]},
    "an empty text": {"choices": [{**STOP, "message": {"role": "assistant", "content": ""}}]},
    "an empty list": {"choices": [{**STOP, "message": {"role": "assistant", "content": []}}]},
    "no choices": {"choices": []},
    "null choices": {"choices": None},
    "choices are missing": {"id": "x", "object": "chat.completion"},
    "no message": {"choices": [STOP]},
    "a null message": {"choices": [{**STOP, "message": None}]},
    "an empty message": {"choices": [{**STOP, "message": {}}]},
    "nothing but a number": {"choices": [{"index": 0}]},
    "an empty choice": {"choices": [{}]},
    "a null choice": {"choices": [None]},
    "usage alone": {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 0, "total_tokens": 10}},
    "null": None,
    "an empty object": {},
}
OTHERS: list[tuple[type[VendorServer], Json]] = [
    (AnthropicServer, {"type": "message", "role": "assistant", "content": [], "stop_reason": "end_turn"}),
    (AnthropicServer, {"type": "message", "role": "assistant", "content": None, "stop_reason": "end_turn"}),
    (AnthropicServer, {"type": "message", "role": "assistant"}),
    (GoogleServer, {"candidates": []}),
    (GoogleServer, {"candidates": [{"finishReason": "STOP"}]}),
    (GoogleServer, {"candidates": [{"content": None, "finishReason": "STOP"}]}),
    (GoogleServer, {"candidates": [{"content": {"role": "model", "parts": None}, "finishReason": "STOP"}]}),
    (OllamaServer, {"message": {"role": "assistant", "content": None}, "done": True, "done_reason": "stop"}),
    (OllamaServer, {"message": None, "done": True, "done_reason": "stop"}),
    (OllamaServer, {"done": True}),
]
MODELS: dict[type[VendorServer], tuple[str, str]] = {
    OpenAIServer: ("openai/gpt-fake", "OPENAI_BASE_URL"),
    AnthropicServer: ("anthropic/claude-fake", "ANTHROPIC_BASE_URL"),
    GoogleServer: ("google/gemini-fake", "GOOGLE_GEMINI_BASE_URL"),
    OllamaServer: ("ollama/llama-fake", "OLLAMA_HOST"),
    BedrockServer: ("bedrock/anthropic.claude-fake-v1:0", "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"),
}
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")
WRITES = Say([ToolCall("call_1", "write_file", {"path": "note.md", "content": "Koi swim.\n"})])


def response_with(body: Json, *, streamed: bool = False) -> Say:
    """Return an answer with this in it, as a document or as the only event of a stream."""
    if not streamed:
        return Say(fault=ServerFault(headers={"content-type": "application/json"}, body=json.dumps(body).encode()))
    pieces = json.dumps(body).replace('"message"', '"delta"')
    return Say(fault=ServerFault(body=f"data: {pieces}\n\ndata: [DONE]\n\n".encode()))


def run_against(tmp_path: Path, server: VendorServer, *line: str) -> tuple[int, str, str]:
    model, variable = MODELS[type(server)]
    keys = dict.fromkeys((*KEYS, "AWS_BEARER_TOKEN_BEDROCK"), "sk-not-a-real-key")
    result = shell(tmp_path).with_environment(AWS_REGION="us-east-1", **keys, **{variable: server.url})(
        "-m", model, *line
    )
    assert "Traceback" not in result.stderr
    return result.returncode, result.stdout, result.stderr


FEW = ("null content", "no choices", "no message")
ALWAYS = [one if one in FEW else pytest.param(one, marks=pytest.mark.campaign) for one in EMPTY]


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", ALWAYS)
def test_a_model_that_says_nothing_is_asked_once_more(name: str, streamed: bool, tmp_path: Path) -> None:
    with OpenAIServer(response_with(EMPTY[name], streamed=streamed)) as server:
        status, out, errors = run_against(tmp_path, server, "What is it?")

    assert (75, "", 2) == (status, out, len(server.asked))
    assert "sent an empty response" in errors or "announced tool calls but sent none" in errors


@pytest.mark.parametrize("name", ALWAYS)
def test_a_model_that_says_nothing_once_is_heard_the_second_time(name: str, tmp_path: Path) -> None:
    with OpenAIServer(response_with(EMPTY[name]), "Paris.") as server:
        assert (0, "Paris.\n") == run_against(tmp_path, server, "What is it?")[:2]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("vendor", "body"), OTHERS)
def test_it_is_so_with_every_vendor(vendor: type[VendorServer], body: Json, tmp_path: Path) -> None:
    with vendor(response_with(body)) as server:
        status, _, errors = run_against(tmp_path, server, "What is it?")

    assert (75, 2) == (status, len(server.asked))
    assert "sent an empty response" in errors


BLANK = (
    *(b"{}", b"null", b"{ }\n", b"\n []", b"", b"\n\n", b"true", b'""', b"[{}]", b"{}\n{}\n"),
    *(b'{"error": null}', b'{"error": {}}', b'{"message": {}}', b"data: {}\n\n", b"data: true\n\n", b": hello\n\n"),
    *(b"data: null\n\ndata: [DONE]\n\n", b"data: [DONE]\n\n", b"event: ping\ndata: {}\n\n"),
    *(b'data: {"error": null}\n\n', b'data: {"choices": [{"index": 0, "delta": {}}]}\n\n'),
)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "application/x-ndjson", ""])
@pytest.mark.parametrize("body", BLANK)
@pytest.mark.parametrize("vendor", MODELS)
def test_a_body_with_nothing_in_it_is_an_empty_answer_whatever_its_type(
    vendor: type[VendorServer], body: bytes, kind: str, tmp_path: Path
) -> None:
    with vendor(Say(fault=ServerFault(headers={"content-type": kind}, body=body))) as server:
        status, _, errors = run_against(tmp_path, server, "What is it?")

    assert (75, 2) == (status, len(server.asked))
    assert "sent an empty response" in errors
    assert f"Tried: {MODELS[vendor][0]}." in errors


@pytest.mark.parametrize("name", ["null content", "no choices", "calls that are not there"])
def test_work_that_ends_without_a_word_is_kept_and_evaluated(name: str, tmp_path: Path) -> None:
    with OpenAIServer(WRITES, response_with(EMPTY[name])) as server:
        _, out, errors = run_against(tmp_path, server, "-i", "0", "--format", "json", "Write a note")

    output = json.loads(out)
    assert 3 == len(server.asked)
    assert ["note.md"] == output["changed_files"]
    assert "The model ended its work without a final answer" in errors
    assert "No model answered" not in errors
