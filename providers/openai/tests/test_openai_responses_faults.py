"""Test answers of the Responses API that fail, in formats that only this API has."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import httpx2
import pytest

from openkoi_hookspecs import (
    Chunk,
    FinishReason,
    Message,
    ProviderUnavailableError,
    Request,
    RequestRejectedError,
    StreamEnd,
    Text,
    ToolCall,
    Usage,
)
from openkoi_openai import OpenAI
from openkoi_testing.servers import OpenAIServer, Say, ServerFault

HELLO = Request([Message.user("Hello")], model="gpt-fake")
READ = ToolCall("call_1", "read", {"path": "ä"})


def provider(**settings: Any) -> OpenAI:
    return OpenAI(**{"api_key": "sk-test", "api": "responses", **settings})


async def hear(provider: OpenAI) -> list[Chunk]:
    async with provider:
        return [chunk async for chunk in provider.chat(HELLO)]


def heard(answer: Say) -> list[Chunk]:
    """The received events from a server with this answer."""
    with OpenAIServer(answer) as server:
        return asyncio.run(hear(provider(base_url=server.url)))


def read(*frames: Any, type: str = "text/event-stream") -> list[Chunk]:
    """Parse these events, or one document, without a connection."""
    report = "".join(f"data: {frame if isinstance(frame, str) else json.dumps(frame)}\n\n" for frame in frames)
    content = report if "event" in type else json.dumps(frames[0])
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, content=content, headers={"content-type": type}))
    return asyncio.run(hear(provider(transport=wire)))


def delta_event(delta: str) -> dict[str, Any]:
    return {"type": "response.output_text.delta", "delta": delta}


def asked() -> dict[str, Any]:
    item = {"type": "function_call", "call_id": "a", "name": "read", "arguments": "{}"}
    return {"type": "response.output_item.done", "item": item}


def ended(status: str = "completed", **report: Any) -> dict[str, Any]:
    return {"type": f"response.{status}", "response": {"status": status, **report}}


def calls(chunks: Sequence[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": "server_error", "message": "over"}, ProviderUnavailableError),
        ({"code": "rate_limit_exceeded", "message": "over"}, ProviderUnavailableError),
        ({"code": None, "message": "over"}, ProviderUnavailableError),
        ({"code": "insufficient_quota", "message": "over"}, RequestRejectedError),
        ({"code": "invalid_prompt", "message": "over"}, RequestRejectedError),
        ({"code": "image_too_large", "message": "over"}, RequestRejectedError),
        ({"code": "context_length_exceeded", "message": "over"}, RequestRejectedError),
    ],
)
def test_an_answer_that_fails_is_an_error(error: Any, kind: type[Exception]) -> None:
    sentence = "returned an error: over"
    with pytest.raises(kind, match=sentence):
        read(delta_event("x"), {"type": "error", **error})
    with pytest.raises(kind, match=sentence):
        read(delta_event("x"), {"type": "error", "error": error})
    with pytest.raises(kind, match=sentence):
        read(delta_event("x"), ended("failed", error=error))
    with pytest.raises(kind, match=sentence):
        read({"object": "response", "status": "failed", "error": error}, type="application/json")


def test_what_a_failed_answer_repeats_of_the_request_is_not_its_error() -> None:
    error = {"code": "server_error", "message": "over"}

    with pytest.raises(ProviderUnavailableError, match="over"):
        read(ended("failed", error=error, instructions="Say so when the prompt is too long."))


def test_a_failure_of_the_vendor_is_heard_as_one() -> None:
    with pytest.raises(ProviderUnavailableError, match="The server had an error"):
        heard(Say("x", finish="failed"))


@pytest.mark.parametrize(
    "last",
    [delta_event("x"), ended("cancelled"), ended("failed"), {"type": "response.completed"}, ended("odd"), "[DONE]"],
)
def test_an_answer_that_does_not_end_well_is_unavailable(last: Any) -> None:
    with pytest.raises(ProviderUnavailableError):
        read(asked(), last)


@pytest.mark.parametrize("document", [[], {}, {"output": []}, {"status": "in_progress"}, {"choices": []}, 5])
def test_a_document_that_is_no_answer_is_unavailable(document: Any) -> None:
    with pytest.raises(ProviderUnavailableError):
        read(document, type="application/json")


@pytest.mark.parametrize(
    "form", ["data:{}\r\n\r\n", "event: x\ndata:{}\n\n", ": hi\n\ndata: {}\n\n", "id: 7\ndata: {}\n\n"]
)
def test_the_form_of_the_events_does_not_matter(form: str) -> None:
    body = "".join(form.format(json.dumps(frame)) for frame in (delta_event("Hi"), asked(), ended()))

    assert heard(Say(fault=ServerFault(body=body.encode()))) == [
        Text("Hi"),
        ToolCall("a", "read", {}),
        StreamEnd(Usage(), FinishReason.TOOLS),
    ]


def test_a_key_that_is_refused_is_not_repeated() -> None:
    with OpenAIServer(key="sk-right") as server, pytest.raises(RequestRejectedError, match="Check the key") as caught:
        asyncio.run(hear(provider(api_key="sk-wrong-key-123", base_url=server.url)))
    assert "sk-wrong" not in str(caught.value)
